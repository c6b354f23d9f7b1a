#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "app/model/library/library.h"
#include "core/base/clock.h"

namespace pairs::model {

// Finds the runs on disk and reads what is known of them; what has not changed since the last look is not read again.
// A folder may lie on another machine, where each question takes long: a new run in it is told by its run.toml alone
// before all is known of it and of the others. For one thread.
class RunScan {
 public:
  static constexpr double kBetweenGlances = 0.5;  // seconds

  struct Listing {
    std::vector<RunEntry> runs;  // newest first, shipped weights last
    std::string problem;         // why the folder of runs cannot be looked through
    bool operator==(const Listing&) const = default;
  };

  // What is looked through.
  struct Places {
    std::filesystem::path runs_folder;         // of runs, in it or one folder deeper
    std::vector<std::filesystem::path> added;  // run folders, or folders of runs
    std::string data;                          // data folder, which the shipped weights must fit
  };

  // `stop` ends a look with Stopped; `tell` is given what a glance finds.
  explicit RunScan(Catalogue tasks, std::function<bool()> stop = {}, std::function<void(const Listing&)> tell = {})
      : tasks_(std::move(tasks)), stop_(std::move(stop)), tell_(std::move(tell)) {}

  // All that is known of all runs. Never throws for what is wrong with a run. Glances meanwhile.
  Listing look(const Places& places);
  // Lists the folders of runs alone, and tells the last listing with the runs that are new.
  void glance(const Places& places);
  // Whether glances have found runs that no look has read.
  bool behind() const { return !found_.empty(); }
  // Seconds of the last look that went into runs which were new or had changed.
  double reading_seconds() const { return reading_seconds_; }

 private:
  struct Known {
    std::uint64_t signature = 0;  // of all names, sizes and times in the folder
    std::string data;             // folder
    RunEntry entry;
    std::string scores;  // stamp of the files that the verdict is from
  };
  // Between two questions to the disk: stops the look, and glances where the last glance was some time ago.
  void between();
  void glance_now();
  RunEntry read(const std::filesystem::path& folder, const std::string& run, bool shipped, const std::string& data);
  // What its weights learnt from, what its task draws from, and what its scores say.
  void read_data(const std::filesystem::path& folder, const std::string& data, Known& known);

  Catalogue tasks_;
  std::function<bool()> stop_;
  std::function<void(const Listing&)> tell_;
  Places places_;
  Listing listing_;                         // of the last look, with what glances have found since
  std::set<std::string> found_;             // runs that glances have found, until a look has read them
  std::map<std::string, Stopwatch> empty_;  // folders that hold no run yet, since they were first seen
  Stopwatch since_glance_;
  double reading_seconds_ = 0;
  std::map<std::string, Known> known_;
  std::map<std::string, std::string> sources_;  // what tasks draw from, by task and data folder
};

// Whether the folder holds a run, be it a damaged one.
bool holds_run(const std::filesystem::path& folder);

}  // namespace pairs::model
