#pragma once

#include <filesystem>
#include <string>

#include "core/base/fields/face.h"
#include "core/set_references.h"
#include "core/task.h"

namespace pairs {

// A task whose file names a program that reads files of observations, [reader] of a task.toml, or a file with known
// posteriors of observed sets, [reference] file.
class HasFileReader : public HasSetReferences {
 public:
  // The command that reads this file (tasks/program_table.h), "" if none is needed. Throws a usage Error if it is not
  // permitted to run.
  virtual std::string file_reader(const std::filesystem::path& file) const = 0;
};

// The command for a file of any task, "" if none is needed.
inline std::string file_reader(const Task& task, const std::filesystem::path& file) {
  const HasFileReader* const reader = face<HasFileReader>(task);
  return reader != nullptr ? reader->file_reader(file) : "";
}

}  // namespace pairs
