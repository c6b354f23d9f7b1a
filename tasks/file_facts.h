#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/task.h"

namespace pairs {

// What files say of themselves, as a file browser tells it, and what is agreed to of them.

// Whether a path is meant for the file of a task of a person's own: a file that describes targets, or a folder with a
// task.toml that is no run's.
bool is_task_file(const std::filesystem::path& path);
// Agrees to run the program that such a file names, in this and every later process of the person
// (tasks/own/permission.h); before that nothing of it is run.
void allow_task_file(const std::filesystem::path& file);

// A task.toml, or a folder that holds one. Nothing is opened, measured or run: what the file leaves out
// is NaN. Throws a usage error that names file and line.
struct TaskFileFacts {
  TaskInfo info;
  bool simulated = false;  // by a program; else its sets are stored
};
TaskFileFacts task_file_facts(const std::filesystem::path& file);

// The files that the command of such a file's program names in the folder where it runs ("simulate.py"); none of a task
// without a program. They need not exist. Throws as task_file_facts.
std::vector<std::filesystem::path> program_files(const std::filesystem::path& file);

// The arrays of a HDF5 file, without their numbers. Throws Error.
struct ArrayFacts {
  std::string name;
  bool numbers = false;  // that tasks can read
  std::vector<std::int64_t> shape;
};
std::vector<ArrayFacts> hdf5_facts(const std::filesystem::path& file);

}  // namespace pairs
