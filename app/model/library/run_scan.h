#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "app/model/library/library.h"

namespace pairs::model {

// Finds the runs on disk and reads what is known of them; what has not changed since the last look is not read again.
// For one thread.
class RunScan {
 public:
  explicit RunScan(Catalogue tasks) : tasks_(std::move(tasks)) {}

  struct Listing {
    std::vector<RunEntry> runs;  // newest first, shipped weights last
    std::string problem;         // why the folder of runs cannot be looked through
    bool operator==(const Listing&) const = default;
  };

  // Runs of `runs_folder` (in it or one folder deeper), of `added` (run folders, or folders of runs) and the shipped
  // weights that fit the data folder `data`. Never throws for what is wrong with a run; throws Stopped when `stop` says
  // so.
  Listing look(const std::filesystem::path& runs_folder, const std::vector<std::filesystem::path>& added,
               const std::string& data, const std::function<bool()>& stop);
  // Seconds of the last look that went into runs which were new or had changed.
  double reading_seconds() const { return reading_seconds_; }

 private:
  struct Known {
    std::uint64_t signature = 0;  // of all names, sizes and times in the folder
    std::string data;             // folder
    RunEntry entry;
    std::string scores;  // stamp of the files that the verdict is from
  };
  RunEntry read(const std::filesystem::path& folder, const std::string& run, bool shipped, const std::string& data);
  // What its weights learnt from, what its task draws from, and what its scores say.
  void read_data(const std::filesystem::path& folder, const std::string& data, Known& known);

  Catalogue tasks_;
  double reading_seconds_ = 0;
  std::map<std::string, Known> known_;
  std::map<std::string, std::string> sources_;  // what tasks draw from, by task and data folder
};

// Whether the folder holds a run, be it a damaged one.
bool holds_run(const std::filesystem::path& folder);

}  // namespace pairs::model
