#pragma once

#include <cstdint>
#include <memory>

#include "core/task.h"
#include "tasks/own/stored/simulations.h"
#include "tasks/own/task_file.h"

namespace pairs::own {

// The task of a complete file whose sets are those of a pool, which a budget of so many simulations made. Its data
// source is `file.info.data_source`, or tells the pool's content where that is "".
std::shared_ptr<const Task> pooled_task(TaskFile file, std::shared_ptr<const Simulations> pool,
                                        std::int64_t simulations);
// The same of the pool in the folder of the run whose copy `file` is.
std::shared_ptr<const Task> pooled_task(TaskFile file, std::int64_t simulations);

}  // namespace pairs::own
