#pragma once

#include <functional>
#include <nlohmann/json.hpp>

#include "core/eval/prior_gain.h"
#include "core/invalid_draws.h"
#include "core/train/source.h"
#include "core/train/stages.h"

namespace pairs {

// The first held-out sets of stage 1, at most `most`, as the head sees them. Throws Stopped when `stop` says so.
ScoredSets held_out_sets(Estimator& estimator, const SetSource& source, std::int64_t most, const torch::Device& device,
                         const std::function<bool()>& stop);

// Adds to what the end of a stage tells ("stage-done") what its answers gain over the prior: "prior_gain",
// "prior_gain_se" and, where that is nothing, "learnt_nothing" and a warning of its own.
void tell_gain(Stage stage, const PriorGain& gain, bool density, nlohmann::json& values, Monitor& monitor);

// Adds what was counted of invalid observations ("invalid"), where the task draws them again and there were any; from
// 1 % on with a warning of its own.
void tell_invalid(Stage stage, const InvalidDraws& invalid, nlohmann::json& values, Monitor& monitor);

}  // namespace pairs
