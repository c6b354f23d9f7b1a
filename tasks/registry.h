#pragma once

#include <memory>
#include <string>

#include "tasks/catalogue.h"

namespace pairs {

// A catalogue of the tasks that are built in, in the order people meet them.
std::shared_ptr<TaskCatalogue> built_in_tasks();

// What a built-in task stands for where the program needs one of its kind: on the first start, and in examples of
// commands.
enum class TaskRole {
  first,  // what the window opens before anything was chosen, and the tour leads through
  exact,  // two targets, whose exact posterior is known
  data,   // observations come from real data where there is a folder of them
  views,  // observations are views of a scene
};
std::string task_in_role(TaskRole role);

}  // namespace pairs
