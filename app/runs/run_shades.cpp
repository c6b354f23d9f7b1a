#include "app/runs/run_shades.h"

#include <sys/stat.h>

#include <algorithm>
#include <tuple>

#include "app/runs/places.h"
#include "app/runs/strategy_look.h"

namespace pairs {
namespace {

// Normalizes the path of a folder.
std::string key_of(const std::string& run) {
  if (run.find('/') == run.npos) return run;
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::absolute(run, error).lexically_normal();
  return (folder.has_filename() ? folder : folder.parent_path()).string();
}

}  // namespace

void RunShades::list(std::vector<Run> runs) {
  std::stable_sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) {
    return std::tuple(!a.shipped, a.created, a.name) < std::tuple(!b.shipped, b.created, b.name);
  });
  const std::lock_guard lock(mutex_);
  for (const Run& run : runs) {
    const std::string key = key_of(run.run);
    if (shades_.contains(key)) continue;
    const int shade = taken_[{run.task, run.role}]++;
    shades_[key] = shade;
    if (shade > 0) ++version_;
  }
}

int RunShades::of(const std::string& run) const {
  const std::lock_guard lock(mutex_);
  const auto found = shades_.find(key_of(run));
  return found == shades_.end() ? 0 : found->second;
}

std::uint64_t RunShades::version() const {
  const std::lock_guard lock(mutex_);
  return version_;
}

RunShades::Run listed_run(const std::filesystem::path& folder, const RunConfig& config, const std::string& name) {
  struct stat status {};
  const bool known = ::stat((folder / run_file::config).c_str(), &status) == 0;
  return {folder.string(),
          config.task,
          strategy_role(config.strategy),
          is_shipped(folder),
          known ? static_cast<std::int64_t>(status.st_mtim.tv_sec) : 0,
          name};
}

std::vector<SeriesRole> run_roles(const std::vector<LoadedRun>& runs) {
  RunShades shades;
  std::vector<RunShades::Run> listed;
  for (const LoadedRun& run : runs) listed.push_back(listed_run(run.folder, run.config, run.name));
  shades.list(listed);
  std::vector<SeriesRole> roles;
  for (const RunShades::Run& run : listed) roles.push_back(shaded(run.role, shades.of(run.run)));
  return roles;
}

}  // namespace pairs
