#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "core/invalid_draws.h"
#include "core/task.h"
#include "tasks/own/budget/pool_layout.h"
#include "tasks/own/file/task_file.h"
#include "tasks/own/stored/simulations.h"

namespace pairs::own {

// A set of a pool: the index of Purpose::pretrain whose parameters it has, its number of observations, and which of the
// sets with these parameters it is.
struct PooledSet {
  std::int64_t index = 0, n = 2, repeat = 0;
};

// The sets of a layout, by ascending n: the first indices of the seed with a θ in the required split, and their repeats
// after those that are repeated. Throws Error if
// the prior gives too few different θ to fill every split.
std::vector<PooledSet> pooled_sets(const Task& task, const PoolLayout& layout, std::uint64_t seed);

// The pool of a run, in this folder of the run, as files for [simulations].
std::filesystem::path pool_folder(const std::filesystem::path& run);
SimulationFiles pool_files();
// Whether the pool has all of its sets.
bool pool_complete(const std::filesystem::path& run);

// Simulates the sets by the program of `file`, with parameters from `task`, and saves them in the run's folder at
// intervals; continues after the existing ones. Throws as BudgetedSimulator::simulate does.
void simulate_pool(const TaskFile& file, const Task& task, const std::filesystem::path& run, const PoolLayout& layout,
                   std::uint64_t seed, std::int64_t budget, const Preparation& preparation);
// The counts of invalid observations from making a run's pool; none if its task does not repeat them.
InvalidDraws pool_invalid(const std::filesystem::path& run, const TaskFile& file);
// Marks the pool as complete.
void mark_complete(const std::filesystem::path& run);

// The sets with observations that are zeros and take no room on disk; the files are removed with the object.
std::shared_ptr<const Simulations> hollow_simulations(const Task& task, const std::vector<PooledSet>& sets,
                                                      std::uint64_t seed);

}  // namespace pairs::own
