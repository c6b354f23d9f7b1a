#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/studies/study_runs.h"

namespace pairs {

// What one run of a study is expected to cost. A stage that it takes from another run costs nothing here.
struct RunPlan {
  std::string name;
  bool trained = true;  // false: its cost is told, and does not count
  double gflop = 0;     // of training, by the paper's rule (docs/method.md, "Counting FLOPs")
  double pretrain_seconds = 0, cache_seconds = 0, finetune_seconds = 0, evaluate_seconds = 0;
  double cache_bytes = 0;  // while it trains
  std::string shares;      // the run whose stage it takes, with the stages: "pretrain of circle-pairs-s1"; ""
  double seconds() const { return pretrain_seconds + cache_seconds + finetune_seconds + evaluate_seconds; }
};

struct StudyPlan {
  std::vector<RunPlan> runs;
  std::string busy;  // that other processes worked while it was measured, a sentence; "": they did not
};

// Of all runs of a study, with the machine to itself. Counts FLOPs, and times a few steps of each kind of run once (a
// second or two for each), whatever its seeds; where patience may end a stage earlier, this is the most. `done`: runs
// that cost nothing any more. `told`, when set, hears how many kinds of how many are measured. Throws Stopped.
StudyPlan plan_study(const std::vector<StudyRun>& runs, const std::vector<bool>& done,
                     const std::function<bool()>& stop, const std::function<void(std::size_t, std::size_t)>& told = {});

}  // namespace pairs
