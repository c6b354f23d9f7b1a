#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/task.h"

namespace pairs {

// What a folder holds of a data set.
struct FoundData {
  struct File {
    std::string name, at;  // at: where it stands; "" where it is missing
  };
  std::vector<File> files;
  std::int64_t training = 0, test = 0;  // members; both 0 where nobody has counted them yet
  std::string source;                   // the data set's name, or what stands there in its place
  std::string problem;                  // why it cannot be used, one sentence; "" when it can
  std::vector<std::string> notes = {};  // what is left out, a sentence each
  std::int64_t missing() const;
};

// A full account of a data set's members.
struct DataAccount {
  struct Count {
    std::string label;  // "meshes for stage 1"
    std::int64_t number;
  };
  struct Aside {
    std::string label;   // which: "line 12 (CC(C)", "chair/chair_0001.off"
    std::string reason;  // why, in words that others may share
    std::string detail;  // why, in full; "" where the reason says all
    std::string why() const { return detail.empty() ? reason : detail; }
  };
  std::vector<Count> counts;       // in the order in which people read them
  std::vector<Aside> set_aside;    // in the data set's order
  std::vector<std::string> notes;  // sentences: by which rules, what is not looked at

  struct Reason {
    std::string reason;
    std::int64_t number;
    std::size_t first;  // of set_aside
  };
  // The reasons, the commonest first, of equally common ones the first.
  std::vector<Reason> reasons() const;
};

// A data set that a task draws its observations from where people have it.
struct DataSet {
  std::string name;     // "MNIST"
  std::string task;     // whose it is
  std::string endings;  // that the files' names may have: "[.gz]"
  std::string layout;   // how it is read, one sentence
  // Looks into the folder (or file), "" = none; quickly.
  std::function<FoundData(const std::string& folder)> find;
  std::string members = "images";
  bool unique = true;  // there is but one of that name: other files in its layout are something else
  // Reads or measures all members of what `find` finds there, which may take minutes; none: `find` tells everything.
  // Throws Error, and Stopped as Preparation says.
  std::function<DataAccount(const std::string& folder, const Preparation& follow)> account = {};
};

}  // namespace pairs
