#pragma once

#include <filesystem>
#include <string>

namespace pairs {

// "gaussian-20260711-153000": a run's name from the local time of day.
std::string stamped_name(const std::string& task);

// stamped_name with -2, -3, ... if `parent` already holds a folder of that name.
std::string new_run_name(const std::string& task, const std::filesystem::path& parent);

}  // namespace pairs
