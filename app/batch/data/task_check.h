#pragma once

#include <memory>

#include "app/batch/parts/command.h"
#include "core/task.h"

namespace pairs::batch {

// The result of `data TASK --check` for a custom task, before any training: whether its program or stored sets meet the
// requirements of docs/reference/simulators.md, how x is standardized, and how long simulations take. Exit code 1 if
// there is a fault. For stored sets, two observations of some sets of each split are read.
Result check_task(const Tasks& tasks, const std::shared_ptr<const Task>& task);

}  // namespace pairs::batch
