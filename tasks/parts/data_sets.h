#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace pairs {

// What a folder holds of a data set.
struct FoundData {
  struct File {
    std::string name, at;  // at: where it stands; "" where it is missing
  };
  std::vector<File> files;
  std::int64_t training = 0, test = 0;  // images
  std::string source;                   // the data set's name, or what stands there in its place
  std::string problem;                  // why it cannot be used, one sentence; "" when it can
  std::int64_t missing() const;
};

// A data set that a task draws its observations from where people have it.
struct DataSet {
  std::string name;     // "MNIST"
  std::string task;     // whose it is
  std::string endings;  // that the files' names may have: "[.gz]"
  std::string layout;   // how it is read, one sentence
  // Looks into the folder, "" = none.
  std::function<FoundData(const std::string& folder)> find;
};

}  // namespace pairs
