#pragma once

#include <filesystem>
#include <string>

namespace pairs {

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
