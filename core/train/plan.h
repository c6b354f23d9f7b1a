#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/stored_sets.h"
#include "core/train/config.h"
#include "core/train/events.h"

namespace pairs {

// The task whose sets a run draws, for plans and timing: the configuration's, or, where its simulations within a budget
// are still to be made, the one that plans them (BudgetedSimulator::planned).
std::shared_ptr<const Task> planned_task(const RunConfig& config);

// The sets that the stages of a run draw and that its evaluation takes, with the most of each that may be drawn
// (patience may end a stage before). Those of stage 1 never repeat or come again in every pass (finite_sets). Throws a
// usage error where stored sets of the task hold fewer observations than cache.sizes ask for.
std::vector<SetDemand> set_demands(const RunConfig& config, const std::shared_ptr<const Task>& task);

// The optimisation of each stage as planned (patience may end it before): its steps, over all heads, the groups of
// steps that are each followed by a validation, and its cost by the paper's rule (training_cost). Stage 2 takes no
// step; it stands there with its forward passes, which the rule leaves out.
struct StagePlan {
  Stage stage;
  std::int64_t steps = 0, epochs = 0;
  double gflop = 0;
};
std::vector<StagePlan> stage_plans(const RunConfig& config, const std::shared_ptr<const Task>& task);

// Sets to simulate and store so that a run draws each once: `sets` of n observations.
struct SetsToStore {
  std::int64_t n = 0, sets = 0;
  std::string use = {};  // "stage 1", "stage 2, N up to 100; evaluation"
};
// By ascending n, for demands of a task that simulates: what the files of a task of stored sets would hold, divided as
// StoredShares says. Fewer sets do, too: each is then drawn several times.
std::vector<SetsToStore> sets_to_store(const std::vector<SetDemand>& demands);

}  // namespace pairs
