#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/task.h"

namespace pairs {

// The setting of a task of a person's own that says how many observations its simulator makes for a run. Its key in the
// task's table, and among the settings of a run.
inline constexpr const char *kSimulationsSetting = "simulations", *kTaskSimulations = "task.simulations";
// The most of them: a program that makes more is fast enough to be asked at every step.
inline constexpr std::int64_t kMostSimulations = 10'000'000;

// Sets of one size that a budget makes, by what they are for.
struct BudgetedSets {
  std::int64_t n = 0, training = 0, validation = 0, test = 0;
};

// How fast a simulator is: seconds an observation, on average over the budget's sets, and how many it was asked for to
// measure that, beside any budget.
struct SimulatorPace {
  double seconds = 0;
  std::int64_t simulations = 0;
};

// A task that may ask its simulator for so many observations in all, before they are made: its
// sets are simulated when a run's training begins, kept in the run's folder, and drawn again and again by all stages
// and evaluations. From then on the library makes a task of stored sets (core/stored_sets.h) in its place.
class BudgetedSimulator {
 public:
  virtual ~BudgetedSimulator() = default;
  // How many observations.
  virtual std::int64_t simulations() const = 0;
  // The text of the copy of the task's file that a new run keeps (TaskLibrary::recorded), for which nothing is
  // simulated.
  virtual std::string recorded() const = 0;
  // The sets, by ascending n. `checks`: observations of the budget that are kept back to check the workers' seeds.
  virtual std::vector<BudgetedSets> budgeted_sets() const = 0;
  virtual std::int64_t checks() const = 0;
  // Whether it is not known yet how networks see x, since that is measured of the sets once they are made.
  virtual bool measures_input() const = 0;
  // Simulates the sets of this seed into the folder of the run that the task was read from, or goes on where that was
  // stopped. Throws Error where the task belongs to no run, the disk is too small, or the simulator answers otherwise
  // than before; Stopped with what is done kept.
  virtual void simulate(std::uint64_t seed, const Preparation& preparation) const = 0;
  // The task of the sets of this seed as if they were made, for plans and timing: θ, ψ and sizes are theirs, their
  // observations zeros. Draws from the prior alone.
  virtual std::shared_ptr<const Task> planned(std::uint64_t seed) const = 0;
  // How fast one worker of the simulator is, measured for about a second; and how many work at once.
  virtual SimulatorPace pace() const = 0;
  virtual std::int64_t workers() const = 0;
};

}  // namespace pairs
