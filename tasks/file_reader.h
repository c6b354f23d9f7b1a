#pragma once

#include <filesystem>
#include <string>

#include "core/base/face.h"
#include "core/set_references.h"
#include "core/task.h"

namespace pairs {

// A task whose file names a program that reads files of observations, [reader] of a task.toml, or a file of posteriors
// that are known of observed sets, [reference] file.
class HasFileReader : public HasSetReferences {
 public:
  // The command that reads this file (tasks/program_table.h), "" where the file is read without. Throws a usage Error
  // where nobody agreed to it.
  virtual std::string file_reader(const std::filesystem::path& file) const = 0;
};

// The same of any task.
inline std::string file_reader(const Task& task, const std::filesystem::path& file) {
  const HasFileReader* const reader = face<HasFileReader>(task);
  return reader != nullptr ? reader->file_reader(file) : "";
}

}  // namespace pairs
