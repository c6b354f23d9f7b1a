#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/task.h"
#include "tasks/parts/task_entry.h"

namespace pairs {

// The settings of a task whose targets a run may select (core/target_choice.h): the task's own settings, and the
// selection.
struct TargetedSettings {
  TaskSettings own = {};
  std::string targets = {};

  std::vector<Field> fields();
};
// Converts settings; those with only a task's own settings select no targets.
TargetedSettings targeted(TaskSettings settings);

// The entry of a task that ChoosesTargets, with the additional setting `targets`.
TaskEntry choosing_targets(TaskEntry entry);

// Names of the components that a run may infer, in the task's order: its targets, and the nuisances that can be
// targets. Empty if the task offers no choice.
std::vector<std::string> choosable_targets(const Task& task);

// The task with other targets: the components of θ and ψ listed in `names`, separated by commas, in the task's order;
// the others become nuisances. Sets and simulations do not change. Returns the task itself if `names` is empty or names
// its own targets. Throws a usage error about the setting for components that cannot be inferred.
std::shared_ptr<const Task> with_targets(std::shared_ptr<const Task> task, const std::string& names);

}  // namespace pairs
