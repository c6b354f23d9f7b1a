#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/task.h"

namespace pairs {

// Facts about files for a file browser, and permissions.

// Whether a path is meant as the file of a custom task: a file that describes targets, or a folder with a task.toml
// that is not a run's.
bool is_task_file(const std::filesystem::path& path);
// Permits running the program that such a file names, in this and every later process of the user
// (tasks/own/file/permission.h); without permission it is not run.
void allow_task_file(const std::filesystem::path& file);

// Facts about a task.toml, or a folder that holds one. Nothing is opened, measured or run: omitted values are NaN.
// Throws a usage error that names file and line.
struct TaskFileFacts {
  TaskInfo info;
  bool simulated = false;  // by a program; otherwise its sets are stored
};
TaskFileFacts task_file_facts(const std::filesystem::path& file);

// The files that the command of such a file's program names in the folder where it runs ("simulate.py"); none for a
// task without a program. They need not exist. Throws as task_file_facts does.
std::vector<std::filesystem::path> program_files(const std::filesystem::path& file);

// The arrays of an HDF5 file, without their numbers. Throws Error.
struct ArrayFacts {
  std::string name;
  bool numbers = false;  // whether tasks can read its values as numbers
  std::vector<std::int64_t> shape;
};
std::vector<ArrayFacts> hdf5_facts(const std::filesystem::path& file);

}  // namespace pairs
