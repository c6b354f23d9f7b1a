#include "core/base/threads/cgroup.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace pairs {
namespace {

namespace fs = std::filesystem;

std::optional<double> first_number(const fs::path& file) {
  std::ifstream in(file);
  double value = 0;
  return in >> value ? std::optional(value) : std::nullopt;
}

// "max 100000" or "150000 100000".
std::optional<double> quota_of_v2(const fs::path& group) {
  std::ifstream in(group / "cpu.max");
  std::string quota;
  double period = 0;
  if (!(in >> quota >> period) || quota == "max" || period <= 0) return {};
  std::istringstream number(quota);
  double value = 0;
  return number >> value && value > 0 ? std::optional(value / period) : std::nullopt;
}

std::optional<double> quota_of_v1(const fs::path& group) {
  const auto quota = first_number(group / "cpu.cfs_quota_us"), period = first_number(group / "cpu.cfs_period_us");
  if (!quota || !period || *quota <= 0 || *period <= 0) return {};
  return *quota / *period;
}

// The group's path in a line of /proc/self/cgroup, "0::/a/b" (v2) or "4:cpu,cpuacct:/a/b" (v1).
struct Membership {
  bool v2 = false;
  fs::path group;
};
std::vector<Membership> memberships(const fs::path& root) {
  std::vector<Membership> all;
  std::ifstream in(root / "proc/self/cgroup");
  for (std::string line; std::getline(in, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == line.npos || second == line.npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const bool v2 = line.starts_with("0::");
    if (v2 || controllers.find(",cpu,") != controllers.npos) all.push_back({v2, line.substr(second + 1)});
  }
  return all;
}

// The folder that holds the groups.
fs::path mount_of(const fs::path& root, bool v2) {
  const fs::path top = root / "sys/fs/cgroup";
  if (v2) return fs::exists(top / "unified") ? top / "unified" : top;
  return fs::exists(top / "cpu") ? top / "cpu" : top / "cpu,cpuacct";
}

}  // namespace

std::optional<double> container_cores(const fs::path& root) {
  std::optional<double> least;
  const auto take = [&](std::optional<double> quota) {
    if (quota && (!least || *quota < *least)) least = quota;
  };
  for (const Membership& one : memberships(root)) {
    const fs::path mount = mount_of(root, one.v2);
    // Inside a container its own group may be the mount itself, whatever its path is outside.
    for (fs::path group = one.group.relative_path();; group = group.parent_path()) {
      take(one.v2 ? quota_of_v2(mount / group) : quota_of_v1(mount / group));
      if (group.empty()) break;
    }
  }
  return least;
}

}  // namespace pairs
