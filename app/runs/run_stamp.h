#pragma once

#include <filesystem>
#include <string>

#include "core/task_library.h"

namespace pairs::model {

// Changes when the run's settings, weights or scores on disk do. `run` and `data` as find_run takes them; never throws.
std::string run_stamp(const Tasks& tasks, const std::string& run, const std::string& data);
// Changes when its log of events grows.
std::string log_stamp(const Tasks& tasks, const std::string& run, const std::string& data);

}  // namespace pairs::model
