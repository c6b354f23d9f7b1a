#pragma once

#include <filesystem>
#include <string>

namespace pairs {

// TaskInfo::data_source of a run whose stored sets are gone: it can infer posteriors of observed sets, but has no sets
// of its own.
inline constexpr const char* kAbsentSets = "stored sets that are not at hand";

// The content of a custom task's file, without running or measuring anything.
struct TaskDescription {
  std::filesystem::path file;    // the file that was read: the user's own, or a run's copy
  std::filesystem::path origin;  // the user's own file
  std::string name, title, summary;
  std::string command;  // command of its program, which runs in the folder of `origin`; "": it has none
  std::string owner;    // the owner of `origin`, if that is another user
  bool agreed = true;   // whether the command is permitted
};

}  // namespace pairs
