#pragma once

#include <memory>
#include <vector>

#include "core/task.h"
#include "tasks/own/program/simulator.h"

namespace pairs::own {

// The posterior of a set according to a user's program, [reference] of its task.toml, which returns log densities at
// values of θ. If it declares them normalized, they are used unchanged; otherwise they are normalized on a grid within
// the ranges of `targets`. The first use starts the program; all members throw Error if that fails.
std::unique_ptr<ReferencePosterior> program_reference(std::shared_ptr<Simulator> program, std::vector<Target> targets);

}  // namespace pairs::own
