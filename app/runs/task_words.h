#pragma once

#include <string>

namespace pairs {

// The text with each role of a task in braces, {first}, {exact}, {data} or {views}, replaced by the name of the task
// that has it: examples of commands name no task themselves.
std::string with_task_names(std::string text);

}  // namespace pairs
