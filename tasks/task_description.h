#pragma once

#include <filesystem>
#include <string>

namespace pairs {

// TaskInfo::data_source of a run whose stored sets are gone: it answers for observed sets, and has none of its own.
inline constexpr const char* kAbsentSets = "stored sets that are not at hand";

// What the file of a task of a person's own says, without anything of it run or measured.
struct TaskDescription {
  std::filesystem::path file;    // that was read: the person's own, or the copy that a run keeps
  std::filesystem::path origin;  // the person's own
  std::string name, title, summary;
  std::string command;  // of its program, which runs in the folder of `origin`; "": it has none
  std::string owner;    // the user whom `origin` belongs to, where that is another one
  bool agreed = true;   // to run that
};

}  // namespace pairs
