#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "app/model/library/library.h"
#include "core/base/threads/clock.h"

namespace pairs::model {

// Finds the runs on disk and reads them; skips what has not changed since the last scan. On a slow network folder, a
// glance lists a new run from its run.toml before the full scan has read it. Use from one thread only.
class RunScan {
 public:
  static constexpr double kBetweenGlances = 0.5;  // seconds

  struct Listing {
    std::vector<RunEntry> runs;  // newest first, shipped weights last
    std::string problem;         // why the folder of runs cannot be read
    bool operator==(const Listing&) const = default;
  };

  // The folders to scan.
  struct Places {
    std::filesystem::path runs_folder;         // holds runs directly or one level deeper
    std::vector<std::filesystem::path> added;  // run folders, or folders of runs
    std::string data;                          // data folder, which must match the shipped weights
  };

  // `stop` ends a scan with Stopped; `tell` receives the result of each glance.
  explicit RunScan(Catalog tasks, std::function<bool()> stop = {}, std::function<void(const Listing&)> report = {})
      : tasks_(std::move(tasks)), stop_(std::move(stop)), report_(std::move(report)) {}

  // Scans all runs. Never throws for a problem of a run. Glances in between.
  Listing look(const Places& places);
  // Lists only the folders, and passes on the last listing with the new runs added.
  void glance(const Places& places);
  // Whether glances have found runs that no scan has read yet.
  bool behind() const { return !found_.empty(); }
  // Time that the last scan spent on new or changed runs, in seconds.
  double reading_seconds() const { return reading_seconds_; }

 private:
  struct Known {
    std::uint64_t signature = 0;  // of all names, sizes and times in the folder
    std::string data;             // folder
    RunEntry entry;
    std::string scores;  // stamp of the files behind the verdict
  };
  // Called between disk accesses: stops the scan, or glances if the last glance was some time ago.
  void between();
  void glance_now();
  RunEntry read(const std::filesystem::path& folder, const std::string& run, bool shipped, const std::string& data);
  // Reads the data its weights were trained on, its task's data now, and the verdict of its scores.
  void read_data(const std::filesystem::path& folder, const std::string& data, Known& known);

  Catalog tasks_;
  std::function<bool()> stop_;
  std::function<void(const Listing&)> report_;
  Places places_;
  Listing listing_;                         // the last scan, plus later glances
  std::set<std::string> found_;             // runs that glances have found and no scan has read yet
  std::map<std::string, Stopwatch> empty_;  // folders without a run yet, and the time since they were first seen
  Stopwatch since_glance_;
  double reading_seconds_ = 0;
  std::map<std::string, Known> known_;
  std::map<std::string, std::string> sources_;  // the data of tasks, by task and data folder
};

// Whether the folder holds a run, even a damaged one.
bool holds_run(const std::filesystem::path& folder);

}  // namespace pairs::model
