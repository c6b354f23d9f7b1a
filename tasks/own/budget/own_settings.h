#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/fields.h"
#include "core/task.h"

namespace pairs::own {

// What a run may choose of a task whose program simulates, beside its targets.
struct OwnSettings {
  std::int64_t simulations = 0;  // observations that the program is asked for in all; 0: no end

  std::vector<Field> fields();
};

// How a task within a budget tells so among its variants (TaskInfo::variant), by which runs, scores and presets know
// it; and the budget of a task, 0 where it has none.
std::string budget_variant(std::int64_t simulations);
std::int64_t budget_of(const TaskInfo& task);

}  // namespace pairs::own
