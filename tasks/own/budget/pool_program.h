#pragma once

#include <torch/types.h>

#include <cstdint>
#include <exception>
#include <map>
#include <string>
#include <vector>

#include "core/simulation_budget.h"
#include "core/task.h"
#include "tasks/own/budget/pool.h"
#include "tasks/own/budget/pool_layout.h"
#include "tasks/own/simulator.h"
#include "tasks/own/task_file.h"

namespace pairs::own {

// Observations that a program is asked for in one draw at most, and names of arrays that no task reads: how often a
// program was asked for each set's observations, and how many of its answers were invalid.
inline constexpr std::int64_t kPoolBlock = 64;
inline constexpr const char *kPoolAttempts = "attempts", *kPoolInvalid = "invalid";

// Asks a program for sets of a pool.
class PoolProgram {
 public:
  PoolProgram(const TaskFile& file, const Task& task, const std::vector<PooledSet>& sets, std::uint64_t seed,
              std::int64_t workers)
      : task_(task), sets_(sets), seed_(seed), simulator_(file, workers) {}

  // Sets as a file of [simulations] holds them: as many as were asked for, or where something went wrong, or a stop
  // came, the first of them, which were answered before.
  struct Sets {
    std::map<std::string, torch::Tensor> arrays;
    std::int64_t count = 0;
    std::exception_ptr failure;  // null: nothing went wrong
  };
  // The sets first .. first + count - 1.
  Sets simulate(std::int64_t first, std::int64_t count);

 private:
  const Task& task_;
  const std::vector<PooledSet>& sets_;
  std::uint64_t seed_;
  Simulator simulator_;
};

// How fast one worker of the program makes the sets of a layout: a draw costs something whatever its size, and so does
// each observation; both follow from sets of few observations and of more, which are measured for about a second.
SimulatorPace measured_pace(const TaskFile& file, const Task& task, const PoolLayout& layout);

}  // namespace pairs::own
