#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/numbers/expression.h"
#include "core/given.h"
#include "core/input_scale.h"
#include "core/task.h"
#include "tasks/file_columns.h"
#include "tasks/own/stored/simulation_files.h"

namespace pairs::own {

// The table [simulator]: a program that provides parameters and observations (docs/reference/task-file.md).
struct SimulatorProgram {
  std::vector<std::string> command;  // program and arguments; ~/ is the user's home
  std::int64_t workers = 0;          // number that run at once, limited by the CPU threads; 0: one per thread
  // Lines of the file that affect only how a machine runs it, not its results: workers and timeout.
  std::vector<std::int64_t> machine_lines = {};
  double timeout = 60;  // seconds for an answer
  // Whether an invalid observation, one with a number that is not finite, is simulated again; otherwise it ends the
  // run.
  bool redraws = false;
};

// The table [reference]: the program also returns log posterior densities of its targets.
struct ProgramReferenceSettings {
  bool normalized = false;  // they are normalized; otherwise they are known up to a constant
};

// The table [reference] if it names a file of log densities of observed sets (reference_file.h).
struct ReferenceFileSettings {
  std::string file;  // a path like those in [simulations]
  bool normalized = false;
};

// An entry of [sufficient]: a statistic of one observation whose mean over a set is sufficient for the targets.
struct SufficientExpression {
  std::string text;  // "x1^2", an expression in the columns of [x]
  Expression value;
};

// The table [reader]: a program that reads files of observations (tasks/program_table.h).
struct FileReaderProgram {
  std::vector<std::string> command;  // like the simulator's
  std::vector<std::string> endings;  // of the files, ".root", in lower case; empty: those that nothing else reads
};

// An entry of [[conditions]]: a condition of a set.
struct GivenQuantity {
  // Its distribution for training if the file defines it, by the file's key: uniform and log_uniform between two
  // numbers, normal with a mean and a standard deviation, values with equal probability; "": it comes from the program,
  // or the file of simulations.
  std::string drawn = {};
  std::vector<double> numbers = {};
};

// Measured ranges of a target, nuisance or condition whose prior is unbounded; stored in the copies that runs keep.
struct Measured {
  std::string name;
  double location = 0, scale = 1, range = 1, view_low = 0, view_high = 1;
};

// The content of a task.toml.
struct TaskFile {
  std::filesystem::path file;    // the file that was read: the user's own, or a run's copy
  std::filesystem::path origin;  // the user's own, absolute: the program runs in its folder
  std::string text;              // the file's text, without what a copy adds
  TaskInfo info;                 // `file` is its file; what must be measured is NaN
  std::optional<SimulatorProgram> simulator;
  std::optional<SimulationFiles> simulations;
  std::optional<ProgramReferenceSettings> reference;
  std::vector<SufficientExpression> sufficient;
  std::optional<FileReaderProgram> reader;
  std::optional<ReferenceFileSettings> reference_file;
  // Whether x is standardized for networks, and how: from the file, or as recorded in a copy; empty: to be measured.
  bool standardizes = true;
  InputScale input;
  // For points whose columns are tables, [[x.columns]]: how users' files store them; else empty.
  std::vector<FileColumn> columns;
  std::vector<GivenQuantity> given;
  std::vector<GivenRange> given_ranges;             // per condition; what must be measured is NaN
  std::vector<double> nuisance_low, nuisance_high;  // supports, infinite if unbounded
  std::vector<bool> given_location, given_scale, given_range, given_view;  // per target: which values the file gives
  std::vector<bool> given_nuisance_view;

  // Whether it runs programs, which must be permitted.
  bool runs_programs() const { return simulator.has_value() || reader.has_value(); }
  // Whether anything must be measured on samples of the prior.
  bool incomplete() const;
  // Whether it states priors that were not compared with those samples yet.
  bool unproved() const;
  // How many of [[conditions]] come with samples of the prior: all of them, or none if the file defines their
  // distributions.
  std::size_t given_by_prior() const { return !given.empty() && given.front().drawn.empty() ? given.size() : 0; }
};

// Reads a task.toml, or a folder that holds one. Throws a usage Error that names file and line.
TaskFile read_task_file(const std::filesystem::path& file);
// Parses a text as if it were the content of `file`.
TaskFile parse_task(std::string_view text, const std::filesystem::path& file);

// The text that a permission, and a run, depend on: the file's text with its machine_lines replaced by `instead`; "
// " keeps the numbers of the lines after them.
std::string agreed_text(const TaskFile& task, const char* instead = "");

// Fills in values of targets, nuisances and conditions that the file omits.
void complete(TaskFile& task, const std::vector<Measured>& measured);
// The values of a complete task for its targets, nuisances and conditions, in that order.
std::vector<Measured> measured_of(const TaskFile& task);

// The copy that a run keeps: the file's text, its path, and the measured values.
std::string copy_text(const TaskFile& task);

// A sentence on the first line in which two texts differ, ignoring comments and empty lines, "" if they do not: "line
// 12 was "max_n = 100" and is "max_n = 200"".
std::string changed_line(std::string_view before, std::string_view now);

}  // namespace pairs::own
