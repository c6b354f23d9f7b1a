#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/model/compare/comparison.h"
#include "app/model/hub/scores.h"
#include "app/runs/run_shades.h"
#include "app/scores/metrics_file.h"
#include "core/base/threads/latest_worker.h"
#include "core/train/run/cost.h"
#include "core/train/run/session.h"
#include "core/train/settings/config.h"

namespace pairs::model {

// A run as it is on disk.
struct ReadRun {
  std::string stamp, log;  // signatures of its files
  std::string name, error;
  bool shipped = false, finetuned = true;
  RunConfig config;
  RunProgress progress;
  std::string untrained;  // why it has no weights
  std::string weights, variant, data, data_hint;
  RunCost cost;
  std::optional<Metrics> metrics;
  std::string metrics_error;
};
using ReadRuns = std::map<std::string, std::shared_ptr<const ReadRun>>;

// A request to the worker.
struct AskedComparison {
  std::vector<std::string> wanted;
  std::string baseline, data;  // data: folder
  LossLook losses;
  bool rate = false;  // whether to draw the learning rate
  friend bool operator==(const AskedComparison&, const AskedComparison&) = default;
};

// The worker's result.
struct MadeComparison {
  AskedComparison asked;
  ReadRuns runs;
  std::vector<ComparedRun> entries;
  std::shared_ptr<const Comparison::View> view;
  std::uint64_t shaded = 0;  // version of the shades
  std::string evaluated;     // identifies the scores taken from memory
  std::string arguments;     // arguments of the command that reproduces the scores
  std::string note;          // why the command does not reproduce them
};

// Rereads the wanted runs that have changed and rebuilds the comparison; null if nothing has changed. Throws Stopped.
std::shared_ptr<const MadeComparison> make_comparison(const Tasks& tasks, const AskedComparison& asked,
                                                      const KeptScores& kept, const RunShades& shades,
                                                      const std::shared_ptr<const MadeComparison>& before,
                                                      const LatestWorker::Stale& stale);

}  // namespace pairs::model
