#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/fields/fields.h"
#include "core/task.h"

namespace pairs::own {

// A run's settings for a task with a simulator program, in addition to its targets.
struct OwnSettings {
  std::int64_t simulations = 0;  // total number of observations from the program; 0: unlimited

  std::vector<Field> fields();
};

// The text by which a task's variant (TaskInfo::variant) names the budget, for runs, scores and presets; and the budget
// of a task, 0 if it has none.
std::string budget_variant(std::int64_t simulations);
std::int64_t budget_of(const TaskInfo& task);

}  // namespace pairs::own
