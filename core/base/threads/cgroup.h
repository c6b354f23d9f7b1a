#pragma once

#include <filesystem>
#include <optional>

namespace pairs {

// How many cores' worth of time this process's container may use (cgroup v2 cpu.max, v1 cpu.cfs_quota_us): the smallest
// quota on the way up from its group; nothing if there is no limit. Tests pass another `root` of the file system.
std::optional<double> container_cores(const std::filesystem::path& root = "/");

}  // namespace pairs
