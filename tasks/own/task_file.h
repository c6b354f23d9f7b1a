#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/task.h"

namespace pairs::own {

// The table [simulator]: a program that is asked for parameters and observations (docs/own-task.md).
struct SimulatorProgram {
  std::vector<std::string> command;  // program and arguments
  std::int64_t workers = 0;          // that run at once; 0: one a core
  double timeout = 60;               // seconds for an answer
};

// The table [simulations]: files of simulations made before, and the names of the arrays that they hold; "" where there
// are none.
struct SimulationFiles {
  std::vector<std::string> files;  // as written, relative to the folder of the task's file
  std::string theta = "theta", psi, x = "x", offsets;
};

// What was measured of a target or nuisance whose prior has no ends: it stands in the copies that runs keep.
struct Measured {
  std::string name;
  double location = 0, scale = 1, range = 1, view_low = 0, view_high = 1;
};

// A task.toml.
struct TaskFile {
  std::filesystem::path file;    // the file that was read: a person's own, or the copy that a run keeps
  std::filesystem::path origin;  // the person's own, absolute: its folder is where the program runs
  std::string text;              // of the file, without what a copy adds
  TaskInfo info;                 // `file` is its file; what must be measured is NaN
  std::optional<SimulatorProgram> simulator;
  std::optional<SimulationFiles> simulations;
  std::vector<double> nuisance_low, nuisance_high;                         // supports, infinite where there are none
  std::vector<bool> given_location, given_scale, given_range, given_view;  // of each target: which the file gives
  std::vector<bool> given_nuisance_view;

  // Whether anything must be measured of draws from the prior.
  bool incomplete() const;
};

// Reads a task.toml, or a folder that holds one. Throws a usage Error that names file and line.
TaskFile read_task_file(const std::filesystem::path& file);
// The same of text, as if it stood in `file`.
TaskFile parse_task(std::string_view text, const std::filesystem::path& file);

// Fills in what the file leaves out.
void complete(TaskFile& task, const std::vector<Measured>& measured);
// What a complete task has of its targets and nuisances, in that order.
std::vector<Measured> measured_of(const TaskFile& task);

// The text of the copy that a run keeps: that of the file, where it stands, and what was measured.
std::string copy_text(const TaskFile& task);

// A sentence on the first line in which two texts differ beside comments and empty lines, "" when they do not:
// "line 12 was "max_n = 100" and is "max_n = 200"".
std::string changed_line(std::string_view before, std::string_view now);

// The command as a shell would take it.
std::string command_text(const SimulatorProgram& program);

}  // namespace pairs::own
