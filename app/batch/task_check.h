#pragma once

#include <memory>

#include "app/batch/command.h"
#include "core/task.h"

namespace pairs::batch {

// What `data TASK --check` answers of a task of a person's own, before anything is trained: whether its program, or its
// stored sets, keep what docs/own-task.md asks for, how x is standardised, and how long simulating takes. Exit code 1
// where something is wrong. Of stored sets two observations of some sets of each split are read.
Result check_task(const Tasks& tasks, const std::shared_ptr<const Task>& task);

}  // namespace pairs::batch
