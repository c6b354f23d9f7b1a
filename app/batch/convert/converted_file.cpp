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

bool has_extension(const fs::path& file, std::string_view wanted) { return file.extension() == wanted; }

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
  if (name == kNames[0].first || name == kNames[0].second) return changed_external_validation(bytes, where, convert_validation);
  if (has_extension(file, ".pairs"))
    return changed_session(bytes, file, [&](const std::string& text) { return convert_toml(text, where); });
  if (has_extension(file, ".toml")) return convert_toml(bytes, where);
  return std::nullopt;
}

// Whether conversion reads this file of a folder. Other TOML files there may belong to other programs.
bool is_ours(const fs::path& file) {
  const std::string name = file.filename().string();
  const bool in_run = fs::exists(file.parent_path() / run_file::config);
  return has_extension(file, ".pairs") || name == run_file::config || name == run_file::task || name == "study.toml" ||
         (in_run && (has_extension(file, ".safetensors") || name == run_file::metrics || name == run_file::events ||
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

void convert_file(const fs::path& file, bool dry, std::vector<ConvertedFile>& done) {
  const std::string bytes = read_file(file);
  const fs::path now = present_name(file);
  const std::string content = converted(file, bytes).value_or(bytes);
  if (content == bytes && now == file) return;
  std::error_code error;
  if (now != file && fs::exists(now, error))
    fail("{} and {} are both there; remove the one that is out of date", file.string(), now.filename().string());
  done.push_back({file, now});
  if (dry) return;
  write_file(now, content);
  if (now != file) fs::remove(file);
}

}  // namespace

std::vector<ConvertedFile> convert_files(const fs::path& path, bool dry) {
  std::error_code error;
  PAIRS_CHECK(fs::exists(path, error), "{} does not exist; name a file or folder", printable(path.string(), 300));
  std::vector<ConvertedFile> done;
  if (!fs::is_directory(path, error)) {
    if (!converted(path, read_file(path)))
      fail_usage("{} is no file that is converted: name a run, a study or another folder, a task.toml or another TOML "
                 "file, or a session (.pairs)",
                 printable(path.string(), 300));
    convert_file(path, dry, done);
    return done;
  }
  const std::vector<fs::path> files = files_of(path);
  for (std::size_t i = 0; i < files.size();) {
    std::size_t end = i;
    while (end < files.size() && files[end].parent_path() == files[i].parent_path()) ++end;
    // All files of a folder are checked before the first one is written.
    std::vector<ConvertedFile> found;
    std::optional<FolderLock> lock;
    if (!dry && fs::exists(files[i].parent_path() / run_file::config)) lock.emplace(files[i].parent_path());
    for (std::size_t k = i; k < end; ++k) convert_file(files[k], true, found);
    if (!dry)
      for (const ConvertedFile& one : found) convert_file(one.before, false, done);
    else
      done.insert(done.end(), found.begin(), found.end());
    i = end;
  }
  return done;
}

}  // namespace pairs::batch
