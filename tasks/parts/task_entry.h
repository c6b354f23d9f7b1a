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

// What a task's folder says of it: all that a catalogue of tasks knows.
struct TaskEntry {
  std::string name;
  // Of a folder of real data and settings, where the task has these.
  std::function<std::shared_ptr<const Task>(const TaskOptions& options)> make;
  TaskSettings settings = {};        // at their defaults; empty: it has none
  std::optional<DataSet> data = {};  // which it draws from where people have it
  std::vector<SelfCheck> checks = {};
};

}  // namespace pairs
