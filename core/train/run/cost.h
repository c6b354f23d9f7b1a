#pragma once

#include "core/train/run/run.h"
#include "core/train/run/run_progress.h"

namespace pairs {

// How many sets the stages of a run visited, counted from its events, without validation passes
// (docs/explanation/training.md, "Counting FLOPs").
struct Visits {
  double pretrain = 0, finetune = 0;
  bool known = false;
  double refreshes = 0;  // refreshes of the cache in stage 3, summed over heads
  bool cached = false;   // stage 2 is finished
  double embedded = 0;   // members of pools that stage 2 embedded instead of its sets' observations; 0: there are none
  // GFLOP of the runs that pretrain.from goes back to; NaN if they left no record.
  double before = 0, before_with_cache = 0;
};
Visits visits_of(const RunProgress& run);

// Training cost in GFLOP by the paper's rule (docs/explanation/training.md, "Counting FLOPs"): three times the forward
// FLOPs for each item seen in training. The rule does not count stage 2; `cache` is its forward passes. The cost of the
// run in pretrain.from is included.
struct Cost {
  double pretrain = 0, cache = 0, finetune = 0, before = 0, before_with_cache = 0;
  double paper() const { return before + pretrain + finetune; }
  double with_cache() const { return before_with_cache + pretrain + cache + finetune; }
};
// `stored`: the stored sets of the run's task (Task::stored).
Cost training_cost(const RunConfig& config, const Visits& visits, double embedder_flops, double head_flops,
                   const StoredSets* stored = nullptr);

// FLOPs of one forward pass: one observation through the embedder, one set through the head.
struct NetworkFlops {
  double embedder = 0, head = 0;
};
// The FLOPs of a run's networks, from their shapes; `finetuned`: with the head that stage 3 trains.
NetworkFlops network_flops(const RunConfig& config, const std::shared_ptr<const Task>& task, bool finetuned);

// The cost of a run on disk, or of shipped weights with a record in the same folder. If the cost is unknown, `missing`
// states what is missing in its record or that of a run it started from: "its events.jsonl is missing".
struct RunCost {
  Cost cost;
  bool known = false;
  std::string missing = {};
};
RunCost cost_of(const LoadedRun& run);
// The cost of a run that is not loaded, from its log; `stored`: its task's stored sets, `finished`: its last stage is
// done.
RunCost cost_of(const RunConfig& config, const RunProgress& progress, const NetworkFlops& flops,
                const StoredSets* stored, bool finished);

// The event in which a run with pretrain.from records its start and the cost so far (visits_of reads it).
Event started_from(const LoadedRun& from);

}  // namespace pairs
