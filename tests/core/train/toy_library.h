#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/text/error.h"
#include "core/task_library.h"

namespace pairs {

// A library of one task, which has no settings.
class ToyLibrary final : public TaskLibrary {
 public:
  explicit ToyLibrary(std::shared_ptr<const Task> task) : task_(std::move(task)) {}
  std::vector<std::string> names() const override { return {task_->info().name}; }
  std::shared_ptr<const Task> make(const std::string& name, const TaskOptions&) const override {
    if (name != task_->info().name) fail_usage("There is no toy {}", name);
    return task_;
  }

 private:
  std::shared_ptr<const Task> task_;
};

}  // namespace pairs
