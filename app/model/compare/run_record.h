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
#include "core/train/run/cost.h"

namespace pairs::model {

// A run as lists show it before its files are read.
struct ListedRun {
  std::string run;  // as Studio::open_run takes it
  std::filesystem::path folder;
  std::string name, note, task, preset, strategy, state, problem;
  std::vector<std::string> tags;
  SeriesRole role = SeriesRole::other;  // with the run's shade
  std::int64_t seed = 1, created = 0;   // seconds since 1970
  bool archived = false, shipped = false, finished = false, pretrained = false;
  std::uint64_t signature = 0;  // changes whenever a file of the run changes
  std::string data_here;        // the data that its task reads now
  friend bool operator==(const ListedRun&, const ListedRun&) = default;
};

// The contents of a run's files. Immutable; read on a worker.
struct RunFacts {
  std::uint64_t signature = 0;  // of the files when they were read
  std::string data_here;
  std::map<std::string, std::string> settings;  // the settings that it reads, by key, as TOML
  std::string alike;                            // equal for runs that differ only in the seed; "" if unreadable
  double gflop = NAN, gflop_with_cache = NAN, seconds = NAN;
  std::string no_cost;  // why the cost is unknown
  std::string weights;  // checksum; "" without weights
  // The scores of its present weights on its present data, without the parts that only figures of one evaluation need;
  // null if there are none.
  std::shared_ptr<const Metrics> metrics;
  std::string no_scores;         // why there are no scores
  bool learned_nothing = false;  // no better than the prior, by its training or its scores
};

struct RunRecord {
  ListedRun listed;
  std::shared_ptr<const RunFacts> facts;  // null until read
};

// The facts of all runs read so far, and the costs of their networks. Thread-safe.
class FactStore {
 public:
  // The run's facts; null if its files have changed since they were read.
  std::shared_ptr<const RunFacts> find(const ListedRun& run) const;
  // Reads the run's files. Never throws: the facts report problems of the run.
  std::shared_ptr<const RunFacts> read(const Tasks& tasks, const ListedRun& run);

 private:
  void read_cost(const ListedRun& run, const RunConfig& config, RunFacts& facts);
  NetworkFlops flops_of(const RunConfig& config, bool finished, const RunFacts& facts);

  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const RunFacts>> facts_;  // by ListedRun::run
  std::map<std::string, NetworkFlops> flops_;                     // by the settings that fix the networks' shapes
};

}  // namespace pairs::model
