#pragma once

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "app/scores/metrics_file.h"
#include "core/report/figure.h"
#include "core/task_library.h"
#include "core/train/cost.h"

namespace pairs::model {

// A run as lists of runs know it: what is shown of it before its files are read.
struct ListedRun {
  std::string run;  // as Studio::open_run takes it
  std::filesystem::path folder;
  std::string name, note, task, preset, strategy, state, problem;
  std::vector<std::string> tags;
  SeriesRole role = SeriesRole::other;  // in its shade
  std::int64_t seed = 1, created = 0;   // seconds since 1970
  bool archived = false, shipped = false, finished = false, pretrained = false;
  std::uint64_t signature = 0;  // another one when any file of the run is
  std::string data_here;        // what its task draws from now
  friend bool operator==(const ListedRun&, const ListedRun&) = default;
};

// What a run's files tell. Immutable; read on a worker.
struct RunFacts {
  std::uint64_t signature = 0;  // of the files that it was read from
  std::string data_here;
  std::map<std::string, std::string> settings;  // that it reads, by key, as TOML
  std::string alike;  // the same of runs whose weights differ by the seed alone; "" where it cannot be read
  double gflop = NAN, gflop_with_cache = NAN, seconds = NAN;
  std::string no_cost;  // why the cost is not known
  std::string weights;  // checksum; "" without
  // Of its present weights and data, without what only figures of one evaluation ask for; null where there are none.
  std::shared_ptr<const Metrics> metrics;
  std::string no_scores;        // why not
  bool learnt_nothing = false;  // by its training, or by its scores
};

struct RunRecord {
  ListedRun listed;
  std::shared_ptr<const RunFacts> facts;  // null: not read yet
};

// The facts of all runs that were read, and the cost of networks that were seen. From any thread.
class FactStore {
 public:
  // Of the run as it is listed; null where its files have changed since they were read.
  std::shared_ptr<const RunFacts> find(const ListedRun& run) const;
  // Reads the run's files. Never throws for what is wrong with a run: its facts say so.
  std::shared_ptr<const RunFacts> read(const Tasks& tasks, const ListedRun& run);

 private:
  void read_cost(const ListedRun& run, const RunConfig& config, RunFacts& facts);
  NetworkFlops flops_of(const RunConfig& config, bool finished, const RunFacts& facts);

  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const RunFacts>> facts_;  // by ListedRun::run
  std::map<std::string, NetworkFlops> flops_;                     // by what the networks' shapes depend on
};

}  // namespace pairs::model
