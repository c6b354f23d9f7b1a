#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tasks/registry.h"

namespace pairs {

// The built-in tasks, one of them made by `make` instead.
inline Catalog in_place_of(const std::string& replaced,
                           const std::function<std::shared_ptr<const Task>(const TaskOptions& options)>& make) {
  const Catalog built_in = built_in_tasks();
  std::vector<TaskEntry> entries;
  for (const std::string& name : built_in->names()) {
    TaskEntry& entry = entries.emplace_back();
    entry.name = name;
    entry.settings = built_in->default_settings(name);
    entry.make = [built_in, name](const TaskOptions& options) { return built_in->make(name, options); };
    if (name == replaced) entry.make = make;
  }
  return std::make_shared<TaskCatalog>(std::move(entries));
}

}  // namespace pairs
