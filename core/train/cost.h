#pragma once

#include "core/train/run.h"
#include "core/train/run_progress.h"

namespace pairs {

// Sets that the stages of a run visited, counted from its events: validation passes left out (docs/method.md, "Counting
// FLOPs").
struct Visits {
  double pretrain = 0, finetune = 0;
  bool known = false;
  double refreshes = 0;  // of the cache in stage 3, summed over heads
  bool cached = false;   // stage 2 has been finished
  double embedded = 0;   // members of pools that stage 2 embedded in place of its sets' observations; 0: there are none
  // GFLOP of the runs that pretrain.from goes back to; NaN where they left no record.
  double before = 0, before_with_cache = 0;
};
Visits visits_of(const RunProgress& run);

// Training cost in GFLOP by the paper's rule (docs/method.md, "Counting FLOPs"): forward FLOPs times three for each
// item seen in training. The rule does not count stage 2; `cache` is its forward passes. What a run of pretrain.from
// cost before counts, too.
struct Cost {
  double pretrain = 0, cache = 0, finetune = 0, before = 0, before_with_cache = 0;
  double paper() const { return before + pretrain + finetune; }
  double with_cache() const { return before_with_cache + pretrain + cache + finetune; }
};
// `stored`: of the run's task (Task::stored).
Cost training_cost(const RunConfig& config, const Visits& visits, double embedder_flops, double head_flops,
                   const StoredSets* stored = nullptr);

// FLOPs of one forward pass: of an observation through the embedder, of a set through the head.
struct NetworkFlops {
  double embedder = 0, head = 0;
};
// Of a run's networks, known from their shapes; `finetuned`: with the head that stage 3 trains.
NetworkFlops network_flops(const RunConfig& config, const std::shared_ptr<const Task>& task, bool finetuned);

// Of a run on disk, or of shipped weights whose record lies beside them. `missing` says what its record lacks, its own
// or that of a run it started from, where the cost is not known: "its events.jsonl is missing".
struct RunCost {
  Cost cost;
  bool known = false;
  std::string missing = {};
};
RunCost cost_of(const LoadedRun& run);
// The cost of a run that is not loaded, by what its log told; `stored` of its task, `finished`: its last stage is done.
RunCost cost_of(const RunConfig& config, const RunProgress& progress, const NetworkFlops& flops,
                const StoredSets* stored, bool finished);

// The event with which a run of pretrain.from records where it started and what that had cost (visits_of reads it).
Event started_from(const LoadedRun& from);

}  // namespace pairs
