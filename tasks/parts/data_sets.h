#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/task.h"

namespace pairs {

// The content of a folder for a data set.
struct FoundData {
  struct File {
    std::string name, at;  // at: its path; "" if it is missing
  };
  std::vector<File> files;
  std::int64_t training = 0, test = 0;  // members; both 0 if they have not been counted
  std::string source;                   // the data set's name, or a description of what is there instead
  std::string problem;                  // why it cannot be used, one sentence; "" if it can
  std::vector<std::string> notes = {};  // what is skipped, one sentence each
  std::int64_t missing() const;
};

// A full count of a data set's members.
struct DataAccount {
  struct Count {
    std::string label;  // "meshes for stage 1"
    std::int64_t number;
  };
  struct Aside {
    std::string label;   // which: "line 12 (CC(C)", "chair/chair_0001.off"
    std::string reason;  // why, in words that others may share
    std::string detail;  // why, in full; "" if the reason suffices
    std::string why() const { return detail.empty() ? reason : detail; }
  };
  std::vector<Count> counts;       // in display order
  std::vector<Aside> set_aside;    // in the data set's order
  std::vector<std::string> notes;  // sentences: the rules that apply, what is ignored

  struct Reason {
    std::string reason;
    std::int64_t number;
    std::size_t first;  // index in set_aside
  };
  // The reasons, the most common first; between equally common ones, the first.
  std::vector<Reason> reasons() const;
};

// A data set of real observations that a task can use.
struct DataSet {
  std::string name;     // "MNIST"
  std::string task;     // the task that uses it
  std::string endings;  // possible endings of the files' names: "[.gz]"
  std::string layout;   // how it is read, one sentence
  // Checks the folder (or file), "" = none; fast.
  std::function<FoundData(const std::string& folder)> find;
  std::string members = "images";
  bool unique = true;  // there is only one of that name: other files with its layout have other names
  // Reads or measures all members that `find` finds there, which may take minutes; empty: `find` counts everything.
  // Throws Error, and Stopped as described in Preparation.
  std::function<DataAccount(const std::string& folder, const Preparation& follow)> account = {};
};

}  // namespace pairs
