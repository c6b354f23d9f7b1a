#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/train/config.h"

namespace pairs {

inline constexpr const char* kAboutFile = "about.toml";

// What people call a run and say of it. It stands in RUN/about.toml (kAboutFile), which people may edit and no training
// reads.
struct RunAbout {
  std::string name, note;         // "": the folder's name; none
  std::vector<std::string> tags;  // each once, as they were given
  bool archived = false;          // kept, and left out of lists

  bool tagged(std::string_view tag) const;
  friend bool operator==(const RunAbout&, const RunAbout&) = default;
};

// Empty where the folder says nothing. Throws Error on a damaged file.
RunAbout load_about(const std::filesystem::path& folder);
// The same for a list of runs: empty where the file is damaged, too.
RunAbout read_about(const std::filesystem::path& folder);
// Reads what a run says of itself, changes it and writes it, while nobody else does so. Throws Error.
RunAbout change_about(const std::filesystem::path& folder, const std::function<void(RunAbout&)>& change);
// Written beside and renamed. Throws Error.
void write_about(const std::filesystem::path& folder, const RunAbout& about);

// Names a new run whose folder has a stamped name (core/train/run_name.h), as people tell runs apart: "TASK quick
// #3 · pairs · 05:23", the third of its task and preset among the runs beside it that were named so. A run that says
// something of itself already, and one whose folder a person named, stay as they are. Throws Error.
void name_new_run(const std::filesystem::path& folder, const RunConfig& config);

// A tag is a word of at most 40 bytes without blanks and the marks of a filter (commas, quotes, colons, comparisons).
// Throws a usage Error that says what is wrong with it.
void check_tag(const std::string& tag);
// Puts tags on and takes others off; tags are told apart regardless of capitals.
void change_tags(RunAbout& about, const std::vector<std::string>& add, const std::vector<std::string>& remove);
// At most 2,000 bytes of whole characters, without blanks at its ends; on one line unless `lines`.
std::string tidy_text(std::string text, bool lines);

}  // namespace pairs
