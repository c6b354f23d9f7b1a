#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/task.h"

namespace pairs {

// What files say of themselves, as a file browser tells it; defined beside the registry, which alone sees all tasks.

// A task.toml, or a folder that holds one. Nothing is opened for make_task(), measured or run: what the file leaves out
// is NaN. Throws a usage error that names file and line.
struct TaskFileFacts {
  TaskInfo info;
  bool simulated = false;  // by a program; else its sets are stored
};
TaskFileFacts task_file_facts(const std::filesystem::path& file);

// The arrays of a HDF5 file, without their numbers. Throws Error.
struct ArrayFacts {
  std::string name;
  bool numbers = false;  // that tasks can read
  std::vector<std::int64_t> shape;
};
std::vector<ArrayFacts> hdf5_facts(const std::filesystem::path& file);

}  // namespace pairs
