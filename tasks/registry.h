#pragma once

#include <memory>
#include <string>

#include "tasks/catalog.h"

namespace pairs {

// A catalog of the built-in tasks, in the order in which they are listed.
std::shared_ptr<TaskCatalog> built_in_tasks();

// The role of a built-in task where the program needs one of a kind: at the first start, and in examples of commands.
enum class TaskRole {
  first,  // the window opens it by default, and the tour uses it
  exact,  // two targets with a known exact posterior
  data,   // observations come from real data if there is a folder of them
  views,  // observations are views of a scene
};
std::string task_in_role(TaskRole role);

}  // namespace pairs
