#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "core/report/shades.h"
#include "core/train/run.h"

namespace pairs {

// Which shade of its strategy's colour a run has, the same wherever it is shown. A run that comes later leaves the
// shades of earlier ones as they are. From any thread.
class RunShades {
 public:
  struct Run {
    std::string run;  // its absolute folder, or a task's name for its shipped weights
    std::string task;
    SeriesRole role = SeriesRole::other;  // of its strategy
    bool shipped = false;
    std::int64_t created = 0;  // seconds since 1970
    std::string name;
  };
  // Runs that are new take the first free shade of their task and strategy: shipped weights first, then by their
  // creation. The others, also those no longer named, keep theirs.
  void list(std::vector<Run> runs);
  // 0 for a run that was never listed.
  int of(const std::string& run) const;
  // Grows when a run gets a shade other than 0.
  std::uint64_t version() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, int> shades_;
  std::map<std::pair<std::string, SeriesRole>, int> taken_;  // the next free one
  std::uint64_t version_ = 0;
};

// A run as it lies on disk.
RunShades::Run listed_run(const std::filesystem::path& folder, const RunConfig& config, const std::string& name);
// The roles in figures of these runs beside one another, in their shades.
std::vector<SeriesRole> run_roles(const std::vector<LoadedRun>& runs);

}  // namespace pairs
