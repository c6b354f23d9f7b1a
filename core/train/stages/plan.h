#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/stored_sets.h"
#include "core/train/events/events.h"
#include "core/train/settings/config.h"

namespace pairs {

// The task whose sets a run draws, for plans and timing: the configuration's task, or its planned version if its budget
// of simulations has not been made yet (BudgetedSimulator::planned).
std::shared_ptr<const Task> planned_task(const RunConfig& config);

// The sets that the stages of a run and its evaluation draw, with the largest number of each (patience may end a stage
// early). Sets of stage 1 never repeat or are reused in every pass (finite_sets). Throws a usage error if the task's
// stored sets hold fewer observations than cache.sizes require.
std::vector<SetDemand> set_demands(const RunConfig& config, const std::shared_ptr<const Task>& task);

// The planned optimization of each stage (patience may end it early): its steps, over all heads, its epochs, each
// followed by a validation, and its cost by the paper's rule (training_cost). Stage 2 has no steps; its cost is that of
// its forward passes, which the rule omits.
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
// For demands of a task that simulates: the files of an equivalent task of stored sets, by ascending n, divided by
// StoredShares. Fewer sets also work: each is then drawn several times.
std::vector<SetsToStore> sets_to_store(const std::vector<SetDemand>& demands);

}  // namespace pairs
