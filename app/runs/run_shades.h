#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "core/report/shades.h"
#include "core/train/run/run.h"

namespace pairs {

// The shade of each run within its strategy's color, the same wherever it is shown. Later runs do not change the shades
// of earlier ones. Thread-safe.
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
  // Assigns new runs the first free shade of their task and strategy: shipped weights first, then by creation. The
  // others, also those no longer named, keep theirs.
  void list(std::vector<Run> runs);
  // 0 for a run that was never listed.
  int of(const std::string& run) const;
  // Grows when a run gets a shade other than 0.
  std::uint64_t version() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, int> shades_;
  std::map<std::pair<std::string, SeriesRole>, int> taken_;  // the next free shade
  std::uint64_t version_ = 0;
};

// A run on disk.
RunShades::Run listed_run(const std::filesystem::path& folder, const RunConfig& config, const std::string& name);
// The roles of these runs in a shared figure, in their shades.
std::vector<SeriesRole> run_roles(const std::vector<LoadedRun>& runs);

}  // namespace pairs
