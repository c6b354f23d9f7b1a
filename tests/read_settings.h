#pragma once

#include <string>
#include <vector>

#include "core/train/settings/config.h"
#include "core/train/settings/unread.h"

namespace pairs {

// load_preset with those of the settings that something reads: for tests that have one list for networks of all kinds.
inline RunConfig load_read(const Tasks& tasks, const TaskInfo& task, const std::string& preset,
                           const std::string& strategy, const std::vector<std::string>& settings) {
  return load_preset(tasks, task, preset, strategy,
                     read_assignments(preset_values(tasks, task, preset, strategy), settings));
}

}  // namespace pairs
