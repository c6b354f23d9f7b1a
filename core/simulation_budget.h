#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/task.h"

namespace pairs {

// The setting of a custom task that limits how many observations its simulator makes for a run: its key in the task's
// table, and among the settings of a run.
inline constexpr const char *kSimulationsSetting = "simulations", *kTaskSimulations = "task.simulations";
// The largest budget: a faster simulator can run at every training step instead.
inline constexpr std::int64_t kMostSimulations = 10'000'000;

// Sets of one size that a budget pays for, by use.
struct BudgetedSets {
  std::int64_t n = 0, training = 0, validation = 0, test = 0;
};

// How fast a simulator is: seconds per observation, averaged over the budget's sets, and how many observations were
// simulated to measure it, outside any budget.
struct SimulatorPace {
  double seconds = 0;
  std::int64_t simulations = 0;
};

// A task whose total number of simulated observations is limited by a budget. Its sets are simulated when a run's
// training begins, kept in the run's folder, and reused by all stages and evaluations. From then on the library
// replaces it by a task of stored sets (core/stored_sets.h).
class BudgetedSimulator {
 public:
  virtual ~BudgetedSimulator() = default;
  // The budget, in observations.
  virtual std::int64_t simulations() const = 0;
  // The copy of the task's file that a new run keeps (TaskLibrary::recorded). Nothing is simulated for it.
  virtual std::string recorded() const = 0;
  // The sets, by ascending n. `checks`: observations of the budget that are reserved to check the workers' seeds.
  virtual std::vector<BudgetedSets> budgeted_sets() const = 0;
  virtual std::int64_t checks() const = 0;
  // Whether the standardization of x is still unknown because it is measured on the simulated sets.
  virtual bool measures_input() const = 0;
  // Simulates the sets of this seed into the folder of the run that the task was read from, or continues where that was
  // stopped. Throws Error if the task belongs to no run, the disk is too small, or the simulator's results have
  // changed; throws Stopped and keeps what is done.
  virtual void simulate(std::uint64_t seed, const Preparation& preparation) const = 0;
  // The task as if the sets of this seed were already simulated, for plans and timing: θ, ψ and sizes are the real
  // ones, observations are zeros. Samples only the prior.
  virtual std::shared_ptr<const Task> planned(std::uint64_t seed) const = 0;
  // The speed of one worker of the simulator, measured for about a second; and how many workers run at once.
  virtual SimulatorPace pace() const = 0;
  virtual std::int64_t workers() const = 0;
};

}  // namespace pairs
