#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "core/invalid_draws.h"
#include "core/task.h"
#include "tasks/own/budget/pool_layout.h"
#include "tasks/own/stored/simulations.h"
#include "tasks/own/task_file.h"

namespace pairs::own {

// A set of a pool: whose parameters it has, by the index of Purpose::pretrain, and how many observations.
struct PooledSet {
  std::int64_t index = 0, n = 2;
};

// The sets of a layout, by ascending n: the first indices of the seed whose θ are of the split that wants them. Throws
// Error where the prior draws too few different θ to fill every split.
std::vector<PooledSet> pooled_sets(const Task& task, const PoolLayout& layout, std::uint64_t seed);

// The pool of a run lies in this folder of the run's, as files that [simulations] reads.
std::filesystem::path pool_folder(const std::filesystem::path& run);
SimulationFiles pool_files();
// Whether all of its sets are there.
bool pool_complete(const std::filesystem::path& run);

// Asks the program of `file` for the sets, whose parameters are those of `task`, and keeps them in the run's folder
// every so often; goes on with those that are there. Throws as BudgetedSimulator::simulate.
void simulate_pool(const TaskFile& file, const Task& task, const std::filesystem::path& run, const PoolLayout& layout,
                   std::uint64_t seed, std::int64_t budget, const Preparation& preparation);
// What was counted of invalid observations while a run's pool was made; nothing where its task does not draw them
// again.
InvalidDraws pool_invalid(const std::filesystem::path& run, const TaskFile& file);
// Tells that all of its sets are there.
void mark_complete(const std::filesystem::path& run);

// The sets with observations that are zeros and take no room on disk; the files go with the object.
std::shared_ptr<const Simulations> hollow_simulations(const Task& task, const std::vector<PooledSet>& sets,
                                                      std::uint64_t seed);

}  // namespace pairs::own
