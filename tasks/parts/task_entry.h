#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/task.h"
#include "tasks/parts/data_sets.h"
#include "tasks/parts/self_check.h"

namespace pairs {

// The entry of a task in a catalog, defined in the task's folder.
struct TaskEntry {
  std::string name;
  // Makes the task with a folder of real data and settings, if the task uses these.
  std::function<std::shared_ptr<const Task>(const TaskOptions& options)> make;
  TaskSettings settings = {};        // the defaults; empty: it has none
  std::optional<DataSet> data = {};  // real data that the task can use
  std::vector<SelfCheck> checks = {};
};

}  // namespace pairs
