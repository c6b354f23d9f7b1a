#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/expression.h"
#include "core/given.h"
#include "core/input_scale.h"
#include "core/task.h"
#include "tasks/file_columns.h"
#include "tasks/own/stored/simulation_files.h"

namespace pairs::own {

// The table [simulator]: a program that is asked for parameters and observations (docs/own-task.md).
struct SimulatorProgram {
  std::vector<std::string> command;  // program and arguments; ~/ is the person's home
  std::int64_t workers = 0;          // that run at once, no more than there are CPU threads; 0: one a thread
  // Lines of the file that say how a machine runs it, and nothing of what it answers: workers and timeout.
  std::vector<std::int64_t> machine_lines = {};
  double timeout = 60;  // seconds for an answer
  // Whether an invalid observation, one with a number that is not finite, is drawn again; else it ends the run.
  bool redraws = false;
};

// The table [reference]: the program also answers log posterior densities of its targets.
struct ProgramReferenceSettings {
  bool normalised = false;  // as it answers them; else they are known up to a constant
};

// The table [reference] where it names a file of log densities of observed sets (reference_file.h).
struct ReferenceFileSettings {
  std::string file;  // as [simulations] names its own
  bool normalised = false;
};

// One of [sufficient]: a number of one observation whose mean over a set is sufficient for the targets.
struct SufficientExpression {
  std::string text;  // "x1^2", of the columns of [x]
  Expression value;
};

// The table [reader]: a program that reads files of observations (tasks/program_table.h).
struct FileReaderProgram {
  std::vector<std::string> command;  // as that of the simulator
  std::vector<std::string> endings;  // of the files, ".root", in lower case; empty: those that nothing else reads
};

// One of [[given]]: what is known of a set beside its observations.
struct GivenQuantity {
  // How it is drawn for training where the file says so, by key of the file: uniform and log_uniform between two
  // numbers, normal of a mean and a standard deviation, values each as often; "": the program, or the file of
  // simulations, says.
  std::string drawn = {};
  std::vector<double> numbers = {};
};

// What was measured of a target, nuisance or given quantity whose prior has no ends: it stands in the copies that runs
// keep.
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
  std::optional<ProgramReferenceSettings> reference;
  std::vector<SufficientExpression> sufficient;
  std::optional<FileReaderProgram> reader;
  std::optional<ReferenceFileSettings> reference_file;
  // Whether networks see x standardised, and how: as the file says, or as a copy recorded; empty: to be measured.
  bool standardises = true;
  InputScale input;
  // Of points whose columns are tables, [[x.columns]]: how people's files write them; else empty.
  std::vector<FileColumn> columns;
  std::vector<GivenQuantity> given;
  std::vector<GivenRange> given_ranges;                                    // of each; what must be measured is NaN
  std::vector<double> nuisance_low, nuisance_high;                         // supports, infinite where there are none
  std::vector<bool> given_location, given_scale, given_range, given_view;  // of each target: which the file gives
  std::vector<bool> given_nuisance_view;

  // Whether programs are run for it, which must be agreed to.
  bool runs_programs() const { return simulator.has_value() || reader.has_value(); }
  // Whether anything must be measured of draws from the prior.
  bool incomplete() const;
  // How many of [[given]] come with the draws from the prior: all of them, or none where the file says how they are
  // drawn.
  std::size_t given_by_prior() const { return !given.empty() && given.front().drawn.empty() ? given.size() : 0; }
};

// Reads a task.toml, or a folder that holds one. Throws a usage Error that names file and line.
TaskFile read_task_file(const std::filesystem::path& file);
// The same of text, as if it stood in `file`.
TaskFile parse_task(std::string_view text, const std::filesystem::path& file);

// What a person agrees to, and a run depends on: the text of the file but for its machine_lines, in whose place stands
// `instead`: "\n" keeps the numbers of the lines behind them.
std::string agreed_text(const TaskFile& task, const char* instead = "");

// Fills in what the file leaves out of targets, nuisances and what is given.
void complete(TaskFile& task, const std::vector<Measured>& measured);
// What a complete task has of its targets, nuisances and what is given, in that order.
std::vector<Measured> measured_of(const TaskFile& task);

// The text of the copy that a run keeps: that of the file, where it stands, and what was measured.
std::string copy_text(const TaskFile& task);

// A sentence on the first line in which two texts differ beside comments and empty lines, "" when they do not:
// "line 12 was "max_n = 100" and is "max_n = 200"".
std::string changed_line(std::string_view before, std::string_view now);

}  // namespace pairs::own
