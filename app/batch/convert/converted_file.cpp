#include "app/batch/convert/converted_file.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "app/posterior/validation/external_validation_file.h"
#include "app/scores/metrics_file.h"
#include "app/session/session.h"
#include "core/base/fields/renamed_keys.h"
#include "core/base/fields/table_reader.h"
#include "core/base/files/files.h"
#include "core/base/files/safetensors.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/train/events/events.h"
#include "core/train/run/run.h"

namespace pairs::batch {
namespace fs = std::filesystem;
namespace {

// Files of a run folder that have another name now.
constexpr std::pair<const char*, const char*> kNames[] = {
    {"tried.json", kExternalValidationFile},
    {"tried-parts.npz", "external-validation-parts.npz"},
    {"tried-values.npz", "external-validation-values.npz"},
};

fs::path present_name(const fs::path& file) {
  for (const auto& [before, now] : kNames)
    if (file.filename() == before) return file.parent_path() / now;
  return file;
}

bool has_extension(const fs::path& file, std::string_view wanted) {
  return file.extension() == wanted;
}

// A TOML text; it is parsed before and after, so that a damaged one is reported and none becomes one.
std::string convert_toml(const std::string& text, const std::string& where) {
  parse_toml(text, where);
  std::string out = with_present_keys(text);
  if (out != text) parse_toml(out, where);
  return out;
}

// Weights and checkpoints: settings are TOML texts in the metadata. The tensors, and the checksum by which other files
// identify the weights, stay.
std::string convert_weights(const std::string& bytes, const std::string& where) {
  TensorFile content = parse_safetensors(bytes, where);
  bool changed = false;
  for (auto& [key, value] : content.metadata) {
    if (value.find('\n') == value.npos) continue;  // no table of settings
    std::string now = with_present_keys(value);
    changed = changed || now != value;
    value = std::move(now);
  }
  if (!changed) return bytes;
  content.metadata.try_emplace(kWeightsChecksum, fmt::format("{:08x}", checksum(bytes)));
  return format_safetensors(content, where);
}

// Replaces a key of JSON text, written as "KEY":.
void replace_key(std::string& text, std::string_view before, std::string_view now) {
  const std::string from = fmt::format("\"{}\":", before), to = fmt::format("\"{}\":", now);
  for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

std::string convert_metrics(const std::string& text, const std::string& where) {
  return changed_metrics(text, where, [](std::string body) {
    replace_key(body, "beside", "companion");
    for (const char* key : {"standardise", "neighbours", "optimise"})
      for (const std::string table : {"", "task.", "estimator.", "estimator.embedder."})
        replace_key(body, table + key, present_key(table + key));
    return body;
  });
}

std::string convert_log(const std::string& text, const std::string& where) {
  return changed_log(text, where, [](std::string line) {
    replace_key(line, "learnt_nothing", "learned_nothing");
    return line;
  });
}

void rename(nlohmann::json& of, const char* before, const char* now) {
  if (!of.contains(before)) return;
  of[now] = of[before];
  of.erase(before);
}

void convert_validation(nlohmann::json& document) {
  rename(document, "learnt_from", "learned_from");
  for (const char* list : {"kinds", "recalibrated"}) {
    if (!document.contains(list) || !document[list].is_array()) continue;
    for (nlohmann::json& one : document[list]) {
      if (!one.is_object()) continue;
      rename(one, "missed_99_and_unlike_training", "missed_99_and_out_of_distribution");
      rename(one, "missed_99_and_told", "missed_99_and_disagreed");
      rename(one, "unlike_training", "out_of_distribution");
      constexpr std::string_view former = ", unlike training";
      if (!one.contains("kind") || !one["kind"].is_string()) continue;
      if (const std::string kind = one["kind"]; kind.ends_with(former))
        one["kind"] = kind.substr(0, kind.size() - former.size()) + kOutOfDistribution;
    }
  }
}

// The content of a file after conversion; nothing if such files are not converted.
std::optional<std::string> converted(const fs::path& file, const std::string& bytes) {
  const std::string where = printable(file.string(), 300), name = file.filename().string();
  if (has_extension(file, ".safetensors")) return convert_weights(bytes, where);
  if (name == run_file::metrics) return convert_metrics(bytes, where);
  if (name == run_file::events) return convert_log(bytes, where);
  if (name == kNames[0].first || name == kNames[0].second)
    return changed_external_validation(bytes, where, convert_validation);
  if (has_extension(file, ".pairs"))
    return changed_session(bytes, file, [&](const std::string& text) { return convert_toml(text, where); });
  if (has_extension(file, ".toml")) return convert_toml(bytes, where);
  return std::nullopt;
}

// Whether conversion reads this file of a folder. Other TOML files there may belong to other programs.
bool is_ours(const fs::path& file) {
  const std::string name = file.filename().string();
  const bool of_run = fs::exists(file.parent_path() / run_file::config);
  return has_extension(file, ".pairs") || name == run_file::config || name == run_file::task || name == "study.toml" ||
         (of_run && (has_extension(file, ".safetensors") || name == run_file::metrics || name == run_file::events ||
                     name.starts_with("tried")));
}

// The files of a folder and the folders below in order; links are not followed.
std::vector<fs::path> files_of(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file() && !entry.is_symlink() && is_ours(entry.path())) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

// The name of a study's run with a varied setting, "gaussian-pairs-standardisetrue-s1", under its present name.
std::string present_run_name(std::string name) {
  for (const auto& [before, now] : {std::pair("-standardise", "-standardize"),
                                    {"-neighbours", "-neighbors"},
                                    {"-optimise", "-optimize"},
                                    {"-headsamortised", "-headsamortized"}})
    if (const std::size_t at = name.find(before); at != name.npos)
      name.replace(at, std::string_view(before).size(), now);
  return name;
}

// Writes the file's present content, if it differs, and gives it its present name.
void convert_file(const fs::path& file, bool dry, Conversion& done) {
  const std::string bytes = read_file(file);
  const fs::path now = present_name(file);
  const std::string content = converted(file, bytes).value_or(bytes);
  if (content == bytes && now == file) return;
  std::error_code error;
  if (now != file && fs::exists(now, error) && read_file(now) != content)
    fail("{} and {} are both there and differ; remove the one that is out of date", printable(file.string(), 300),
         now.filename().string());
  done.files.push_back({file, now});
  if (dry) return;
  const fs::perms mode = fs::status(file).permissions();
  // A stopped conversion may have left the new file; then only the old one is removed.
  if (!fs::exists(now, error) || now == file) write_file(now, content);
  fs::permissions(now, mode, error);
  if (now != file) fs::remove(file);
}

bool in_run(const fs::path& file) {
  std::error_code error;
  return fs::exists(file.parent_path() / run_file::config, error);
}

// Converts the files of one folder, under the lock of its run if there is anything to do; what goes wrong with one file
// is a problem of that file alone.
void convert_folder(const std::vector<fs::path>& files, bool dry, Conversion& done) {
  const auto convert = [&](bool only_look, Conversion& out) {
    for (const fs::path& file : files) try {
        convert_file(file, only_look, out);
      } catch (const std::exception& error) {
        out.problems.push_back(sentence(error));
      }
  };
  Conversion found;
  convert(true, found);
  if (!dry && !found.files.empty()) {
    found = {};
    try {
      std::optional<FolderLock> lock;
      if (in_run(files.front())) lock.emplace(files.front().parent_path());
      if (lock) lock->remove_leftovers([](std::string_view) { return true; });
      convert(false, found);
    } catch (const std::exception& error) {
      found.problems.push_back(sentence(error));
    }
  }
  done.files.insert(done.files.end(), found.files.begin(), found.files.end());
  done.problems.insert(done.problems.end(), found.problems.begin(), found.problems.end());
  const fs::path folder = files.front().parent_path(), now = folder.parent_path() / present_run_name(folder.filename());
  std::error_code error;
  if (!in_run(files.front()) || now == folder || fs::exists(now, error)) return;
  if (!dry) fs::rename(folder, now, error);
  if (error)
    done.problems.push_back(fmt::format("{} cannot get its present name {}: {}", printable(folder.string(), 300),
                                        now.filename().string(), error.message()));
  else
    done.files.push_back({folder, now});
}

}  // namespace

Conversion convert_files(const fs::path& path, bool dry) {
  std::error_code error;
  PAIRS_CHECK(fs::exists(path, error), "{} does not exist; name a file or folder", printable(path.string(), 300));
  Conversion done;
  if (!fs::is_directory(path, error)) {
    if (!converted(path, read_file(path)))
      fail_usage(
          "{} is no file that is converted: name a run, a study or another folder, a task.toml or another TOML "
          "file, or a session (.pairs)",
          printable(path.string(), 300));
    std::optional<FolderLock> lock;
    if (!dry && in_run(path)) lock.emplace(path.parent_path());
    convert_file(path, dry, done);
    return done;
  }
  const std::vector<fs::path> files = files_of(path);
  for (std::size_t i = 0, end = 0; i < files.size(); i = end) {
    while (end < files.size() && files[end].parent_path() == files[i].parent_path()) ++end;
    convert_folder({files.begin() + static_cast<std::ptrdiff_t>(i), files.begin() + static_cast<std::ptrdiff_t>(end)},
                   dry, done);
  }
  return done;
}

}  // namespace pairs::batch
