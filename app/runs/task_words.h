#pragma once

#include <string>

#include "core/train/run.h"

namespace pairs {

// The text with each role of a task in braces, {first}, {exact}, {data} or {views}, replaced by the name of the task
// that has it: examples of commands name no task themselves.
std::string with_task_names(std::string text);

// Why runs of task `a` and task `b`, or of the variants of one task, cannot stand side by side: the sentence that names
// them, "" where they can.
struct AskedTask {
  std::string run, task, variant;  // variant: TaskInfo::variant
};
AskedTask asked_task(const LoadedRun& run);
std::string other_question(const AskedTask& a, const AskedTask& b);

}  // namespace pairs
