#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "app/studies/study_runs.h"

namespace pairs {

// The expected cost of one run of a study. A stage taken from another run costs nothing here.
struct RunPlan {
  std::string name;
  bool trained = true;  // false: its cost is reported, but not counted
  double gflop = 0;     // of training, by the paper's rule (docs/explanation/training.md, "Counting FLOPs")
  double pretrain_seconds = 0, cache_seconds = 0, finetune_seconds = 0, evaluate_seconds = 0;
  double cache_bytes = 0;  // during training
  std::string shares;      // the run and stages that it takes over: "pretrain of circle-pairs-s1"; ""
  double seconds() const { return pretrain_seconds + cache_seconds + finetune_seconds + evaluate_seconds; }
};

struct StudyPlan {
  std::vector<RunPlan> runs;
  std::string busy;  // a sentence if other processes ran during the measurement; else ""
};

// The plan of all runs of a study on an idle machine. Counts FLOPs, and times a few steps of each kind of run once (a
// second or two each), whatever its seeds; an upper bound if patience may end a stage earlier. `done`: runs that cost
// nothing more. `reported`, if set, receives the number of measured kinds and the total. Throws Stopped.
StudyPlan plan_study(const std::vector<StudyRun>& runs, const std::vector<bool>& done,
                     const std::function<bool()>& stop,
                     const std::function<void(std::size_t, std::size_t)>& reported = {});

// The runs as trained by each of this number of processes: on its share of the cores, unless they set their threads.
std::vector<StudyRun> on_share_of_cores(std::vector<StudyRun> runs, std::int64_t processes);
// The duration with this number of processes, each of which takes the next run when it has finished one, in seconds,
// from a plan of on_share_of_cores().
double study_seconds(const StudyPlan& plan, std::int64_t processes);

}  // namespace pairs
