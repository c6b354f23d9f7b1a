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
#include "tasks/own/file/task_file.h"
#include "tasks/own/program/simulator.h"

namespace pairs::own {

// The largest number of observations that a program simulates in one draw, and names of arrays that no task reads: how
// many attempts each set's observations took, and how many of these were invalid.
inline constexpr std::int64_t kPoolBlock = 64;
inline constexpr const char *kPoolAttempts = "attempts", *kPoolInvalid = "invalid";

// Simulates sets of a pool by a program.
class PoolProgram {
 public:
  PoolProgram(const TaskFile& file, const Task& task, const std::vector<PooledSet>& sets, std::uint64_t seed,
              std::int64_t workers)
      : task_(task), sets_(sets), seed_(seed), simulator_(file, workers) {}

  // Sets as stored in a file of [simulations]: all requested ones or, after an error or a stop, the first ones that
  // were finished.
  struct Sets {
    std::map<std::string, torch::Tensor> arrays;
    std::int64_t count = 0;
    std::exception_ptr failure;  // null: no error
  };
  // Simulates the sets first .. first + count - 1.
  Sets simulate(std::int64_t first, std::int64_t count);

 private:
  const Task& task_;
  const std::vector<PooledSet>& sets_;
  std::uint64_t seed_;
  Simulator simulator_;
};

// The speed at which one worker of the program makes the sets of a layout. Each draw has a fixed cost and a cost per
// observation; both follow from sets of few and of more observations, which are measured for about a second.
SimulatorPace measured_pace(const TaskFile& file, const Task& task, const PoolLayout& layout);

}  // namespace pairs::own
