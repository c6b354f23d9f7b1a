#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tasks/catalogue.h"

namespace pairs::model {

// A task of one's own as it is described in a dialog, everything as typed, before its folder is written.
struct TaskSketch {
  enum class X { columns, shape, rows };
  enum class Source { python, program, stored };
  // A target or nuisance; its support ends at `low` and `high` ("inf": nowhere).
  struct Quantity {
    std::string name, label, unit, low = "0", high = "1";
  };

  std::string folder;  // that is written
  std::string name = "my-task", title, summary, max_n = "1000";
  std::vector<Quantity> targets = {{"theta", "θ", ""}}, nuisances = {{"psi", "ψ", ""}};
  std::vector<Quantity> given;  // known of a set; drawn uniformly from low to high for training, where it is simulated
  X x = X::columns;
  std::string x_text = "x";    // names of columns, or the numbers of a shape, with commas between
  std::string typical = "10";  // rows of an observation, of X::rows
  Source source = Source::python;
  std::string python = "python3";                  // the interpreter of Source::python, which must have numpy
  std::string command = "./simulate";              // of Source::program, as a shell would take it without quotes
  std::string files = "pairs-*.npz, large-*.npz";  // of Source::stored

  // The task.toml that says all this.
  std::string text() const;
  // A simulator to start from, in Python, whose functions draw what the sketch describes. Only of Source::python.
  std::string simulator() const;
  // What is wrong with it as a task beside `tasks`, one sentence; "" where it can be written.
  std::string problem(const TaskCatalogue& tasks) const;
  // Writes the folder: task.toml, and simulate.py where the sketch is of one -> the path of task.toml. Throws Error;
  // nothing that is there already is replaced.
  std::filesystem::path write(const TaskCatalogue& tasks) const;
};

// Where tasks are written when nobody says otherwise: beside the folder of runs.
std::filesystem::path default_task_folder(const std::filesystem::path& runs_folder, const std::string& name);

}  // namespace pairs::model
