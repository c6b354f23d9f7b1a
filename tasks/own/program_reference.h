#pragma once

#include <memory>
#include <vector>

#include "core/task.h"
#include "tasks/own/simulator.h"

namespace pairs::own {

// The posterior that a person's program says of a set, [reference] of its task.toml: log densities that it answers at
// values of θ. Where it says that they are normalised they are taken as they are; else they are made a density on a
// grid within the ranges of `targets`. Asked for the first time, it starts the program; all of its members throw Error
// where that fails.
std::unique_ptr<ReferencePosterior> program_reference(std::shared_ptr<Simulator> program, std::vector<Target> targets);

}  // namespace pairs::own
