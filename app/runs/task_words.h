#pragma once

#include <string>

#include "core/train/run.h"

namespace pairs {

// The text with each role of a task in braces, {first}, {exact}, {data} or {views}, replaced by the name of the task
// that has it: examples of commands name no task themselves.
std::string with_task_names(std::string text);

// What to do where a run is used on other data than it was trained on: "name the folder of MNIST with --data". Of what
// the program generates there is no folder, and stored sets of a person's own are named by their task. `option`: that
// names the folder to the command; "" in the window.
std::string other_data_advice(const LoadedRun& run, const std::string& option);

// Why runs of task `a` and task `b`, or of the variants of one task, cannot stand side by side: the sentence that names
// them, "" where they can.
struct AskedTask {
  std::string run, task, variant;  // variant: TaskInfo::variant
};
AskedTask asked_task(const LoadedRun& run);
std::string other_question(const AskedTask& a, const AskedTask& b);

}  // namespace pairs
