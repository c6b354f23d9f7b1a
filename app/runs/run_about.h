#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/train/settings/config.h"

namespace pairs {

inline constexpr const char* kAboutFile = "about.toml";

// The name, note and tags of a run, stored in RUN/about.toml (kAboutFile), which the user may edit and training never
// reads.
struct RunAbout {
  std::string name, note;         // "": the folder's name; no note
  std::vector<std::string> tags;  // each once, as given
  bool archived = false;          // kept, but hidden from lists

  bool tagged(std::string_view tag) const;
  friend bool operator==(const RunAbout&, const RunAbout&) = default;
};

// Empty if the folder has no such file. Throws Error for a damaged file.
RunAbout load_about(const std::filesystem::path& folder);
// As load_about, for lists of runs, but empty for a damaged file as well.
RunAbout read_about(const std::filesystem::path& folder);
// Reads, changes and writes a run's about.toml under a lock. Throws Error.
RunAbout change_about(const std::filesystem::path& folder, const std::function<void(RunAbout&)>& change);
// Writes a temporary file and renames it. Throws Error.
void write_about(const std::filesystem::path& folder, const RunAbout& about);

// Names a new run whose folder has a stamped name (core/train/run/run_name.h): "TASK quick #3 · pairs · 05:23", the
// third of its task and preset among the runs next to it with such names. Leaves a run with an about.toml or a folder
// named by the user unchanged. Throws Error.
void name_new_run(const std::filesystem::path& folder, const RunConfig& config);

// A tag is a word of at most 40 bytes without blanks and the special characters of a filter (commas, quotes, colons,
// comparisons). Throws a usage Error that describes the problem.
void check_tag(const std::string& tag);
// Adds and removes tags; tags are compared without regard to case.
void change_tags(RunAbout& about, const std::vector<std::string>& add, const std::vector<std::string>& remove);
// The text cut to at most 2,000 bytes of whole characters and trimmed; on one line unless `lines`.
std::string tidy_text(std::string text, bool lines);

}  // namespace pairs
