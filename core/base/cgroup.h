#pragma once

#include <filesystem>
#include <optional>

namespace pairs {

// How many cores' worth of time the container of this process may use (cgroup v2 cpu.max, v1 cpu.cfs_quota_us): the
// least quota on the way from its group up; none where there is no limit. `root`: of the file system, for tests.
std::optional<double> container_cores(const std::filesystem::path& root = "/");

}  // namespace pairs
