#pragma once

#include <cstdint>
#include <memory>

#include "core/task.h"
#include "tasks/own/file/task_file.h"
#include "tasks/own/stored/simulations.h"

namespace pairs::own {

// The task of a complete file whose sets come from a pool, made with a budget of `simulations` simulations. Its data
// source is `file.info.data_source`, or identifies the pool's content if that is "".
std::shared_ptr<const Task> pooled_task(TaskFile file, std::shared_ptr<const Simulations> pool,
                                        std::int64_t simulations);
// Uses the pool in the folder of the run whose copy `file` is.
std::shared_ptr<const Task> pooled_task(TaskFile file, std::int64_t simulations);

}  // namespace pairs::own
