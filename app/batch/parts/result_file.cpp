#include "app/batch/parts/result_file.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <functional>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/files/files.h"
#include "core/base/system/caches.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"

namespace pairs::batch {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostBytes = 1 << 20;

// A canonical path of a file, whether it exists or not.
std::string place_of(const fs::path& file) {
  std::error_code error;
  const fs::path whole = fs::weakly_canonical(fs::absolute(file, error), error);
  return (error ? fs::absolute(file, error).lexically_normal() : whole).string();
}

// The file that stores the state of a file after writing.
fs::path note_of(const std::string& place) {
  return caches_folder() / "results" / fmt::format("{:016x}.json", std::hash<std::string>()(place));
}

// A signature that changes with the file.
nlohmann::json stamp_of(const fs::path& file) {
  std::error_code error;
  return {{"size", fs::file_size(file, error)}, {"time", fs::last_write_time(file, error).time_since_epoch().count()}};
}

// The record of the existing file; null unless it is as this program wrote it.
nlohmann::json known_of(const fs::path& file) {
  const std::string place = place_of(file);
  try {
    const nlohmann::json known = nlohmann::json::parse(read_file(note_of(place), kMostBytes));
    // Paths may have bytes that JSON does not allow.
    if (known.at("place") == printable(place, place.size()) && known.at("stamp") == stamp_of(file)) return known;
  } catch (const std::exception&) {
    // There is no readable record: the file stays.
  }
  return nullptr;
}

}  // namespace

ResultFile::ResultFile(fs::path file, ResultUse use) : file_(std::move(file)), use_(std::move(use)) {
  std::error_code error;
  if (use_.overwrite || !fs::is_regular_file(file_, error)) return;
  const nlohmann::json known = known_of(file_);
  const std::string name = printable(file_.string(), 300);
  if (known.is_null())
    fail_usage(
        "{} already exists, and no command of this program wrote it or it changed since; choose another file with {}, "
        "or replace it with --overwrite",
        name, use_.option);
  if (!use_.named && known.value("made", "") != printable(use_.made, use_.made.size()))
    fail_usage(
        "{} already exists, the result of another run or set; choose another file with {}, or replace it with "
        "--overwrite",
        name, use_.option);
}

void ResultFile::written() const {
  const std::string place = place_of(file_);
  try {
    const fs::path note = note_of(place);
    fs::create_directories(note.parent_path());
    const nlohmann::json known = {{"place", printable(place, place.size())},
                                  {"made", printable(use_.made, use_.made.size())},
                                  {"stamp", stamp_of(file_)}};
    write_file(note, known.dump());
  } catch (const std::exception&) {
    // The file is written nevertheless; replacing it will need --overwrite.
  }
}

void add_overwrite_option(CLI::App& app, bool& overwrite) {
  app.add_flag("--overwrite", overwrite,
               "Replace a result file that is there although something else made it (default: refuse)");
}

}  // namespace pairs::batch
