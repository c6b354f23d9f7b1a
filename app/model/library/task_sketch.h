#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tasks/catalog.h"

namespace pairs::model {

// The dialog's description of a custom task, all values as typed, before its folder is written.
struct TaskSketch {
  enum class X { columns, shape, rows };
  enum class Source { python, program, stored };
  // A target or nuisance with the bounds of its support ("inf": unbounded).
  struct Quantity {
    std::string name, label, unit, low = "0", high = "1";
  };

  std::string folder;  // the folder to write
  std::string name = "my-task", title, summary, max_n = "1000";
  std::vector<Quantity> targets = {{"theta", "θ", ""}}, nuisances = {{"psi", "ψ", ""}};
  std::vector<Quantity> given;  // conditions of a set; simulated training draws them uniformly between the bounds
  X x = X::columns;
  std::string x_text = "x";    // column names, or the sizes of a shape, separated by commas
  std::string typical = "10";  // rows per observation, for X::rows
  Source source = Source::python;
  std::string python = "python3";                  // interpreter of Source::python; needs numpy
  std::string command = "./simulate";              // of Source::program, as for a shell, without quotes
  std::string files = "pairs-*.npz, large-*.npz";  // of Source::stored

  // The task.toml of this description.
  std::string text() const;
  // A Python simulator to start from, with functions that draw what the description names. Only for Source::python.
  std::string simulator() const;
  // Why it cannot be added to `tasks`, in one sentence; "" if it can be written.
  std::string problem(const TaskCatalog& tasks) const;
  // Writes the folder, task.toml and, for Source::python, simulate.py; returns the path of task.toml. Throws Error.
  // Never overwrites files.
  std::filesystem::path write(const TaskCatalog& tasks) const;
};

// The default folder of new tasks: next to the folder of runs.
std::filesystem::path default_task_folder(const std::filesystem::path& runs_folder, const std::string& name);

}  // namespace pairs::model
