#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/task.h"
#include "tasks/parts/task_entry.h"

namespace pairs {

// The settings of a task of which a run may choose the targets (core/target_choice.h): the task's own, and the choice.
struct TargetedSettings {
  TaskSettings own = {};
  std::string targets = {};

  std::vector<Field> fields();
};
// What settings say of the targets; those that are a task's own alone choose none.
TargetedSettings targeted(TaskSettings settings);

// The entry of a task that ChoosesTargets, with the setting `targets`.
TaskEntry choosing_targets(TaskEntry entry);

// Names of what a run may infer, in the task's order: its targets, and the nuisances that can be one. Empty where the
// task leaves no choice.
std::vector<std::string> choosable_targets(const Task& task);

// The task with other targets: those components of θ and ψ that `names` lists with commas between, in the task's order;
// the rest of them are nuisances. Its sets and simulations are the task's own. The task itself where `names` is empty
// or names its own targets. Throws a usage error about the setting for what cannot be inferred.
std::shared_ptr<const Task> with_targets(std::shared_ptr<const Task> task, const std::string& names);

}  // namespace pairs
