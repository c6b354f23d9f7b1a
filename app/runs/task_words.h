#pragma once

#include <string>

#include "core/train/run/run.h"

namespace pairs {

// Replaces each role of a task in braces, {first}, {exact}, {data} or {views}, by the name of the task that has it, so
// that examples of commands need not name tasks.
std::string with_task_names(std::string text);

// What to do if a run is used on other data than it was trained on: "name the folder of MNIST with --data". Data that
// the program generates have no folder, and stored sets of custom tasks are named by their task. `option`: the
// command's option for the folder; "" in the window.
std::string other_data_advice(const LoadedRun& run, const std::string& option);

// Why runs of task `a` and task `b`, or of the variants of one task, cannot be compared: a sentence that names them, or
// "".
struct AskedTask {
  std::string run, task, variant;  // variant: TaskInfo::variant
};
AskedTask asked_task(const LoadedRun& run);
std::string other_question(const AskedTask& a, const AskedTask& b);

}  // namespace pairs
