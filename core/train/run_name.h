#pragma once

#include <filesystem>
#include <string>

namespace pairs {

// "gaussian-20260711-153000": a run's name from the local time of day.
std::string stamped_name(const std::string& task);

// The same with -2, -3, ... where `parent` holds that name already.
std::string new_run_name(const std::string& task, const std::filesystem::path& parent);

}  // namespace pairs
