#pragma once

#include "core/train/settings/config.h"

namespace pairs {

// The options of a run's task without its folder of real data, which may be wrong or missing.
inline TaskOptions options_without_data(const RunConfig& config) {
  TaskOptions options = config.task_options();
  options.data.clear();
  return options;
}

}  // namespace pairs
