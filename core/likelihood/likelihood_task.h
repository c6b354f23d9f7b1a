#pragma once

#include <memory>

#include "core/likelihood/learned_likelihood.h"
#include "core/task.h"

namespace pairs {

// A task of stored sets as if it simulated: observations at any parameters are drawn from its learned likelihood, and
// parameters of the prior are those of the stored sets for training. Sets of any size are prefixes of larger ones.
// Throws Error if the task stores no sets.
std::shared_ptr<const Task> simulated_by(std::shared_ptr<const LearnedLikelihood> likelihood,
                                         std::shared_ptr<const Task> stored);

}  // namespace pairs
