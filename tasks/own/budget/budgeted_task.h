#pragma once

#include <cstdint>
#include <memory>

#include "core/task.h"
#include "tasks/own/file/task_file.h"

namespace pairs::own {

// A task whose program simulates `simulations` observations in total, before these are made (BudgetedSimulator). Its
// own sets are simulated only for display; training and evaluations are refused. Throws a usage error if the budget is
// too small.
std::shared_ptr<const Task> make_budgeted_task(const TaskFile& file, std::shared_ptr<const Task> simulated,
                                               std::int64_t simulations);

}  // namespace pairs::own
