#pragma once

#include <cstdint>
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

// The same runs as each of so many processes trains them: on its share of the cores, where they do not say how many
// threads they take.
std::vector<StudyRun> on_share_of_cores(std::vector<StudyRun> runs, std::int64_t processes);
// How long so many processes take, each of which takes the next run as soon as it has done one: seconds from a plan of
// on_share_of_cores().
double study_seconds(const StudyPlan& plan, std::int64_t processes);

}  // namespace pairs
