#pragma once

#include <filesystem>
#include <string>

namespace pairs::model {

// Changes when the run's settings, weights or scores on disk do. `run` as find_run takes it; never throws.
std::string run_stamp(const std::string& run);
// Changes when its log of events grows.
std::string log_stamp(const std::string& run);

}  // namespace pairs::model
