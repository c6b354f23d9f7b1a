#pragma once

#include <functional>
#include <nlohmann/json.hpp>

#include "core/eval/metrics/prior_gain.h"
#include "core/invalid_draws.h"
#include "core/train/settings/source.h"
#include "core/train/settings/stages.h"

namespace pairs {

// The first held-out sets of stage 1, at most `most`, as the head sees them. Throws Stopped once `stop` returns true.
ScoredSets held_out_sets(Estimator& estimator, const SetSource& source, std::int64_t most, const torch::Device& device,
                         const std::function<bool()>& stop);

// Adds the gain over the prior to a stage's final event ("stage-done"): "prior_gain", "prior_gain_se" and, if the
// posterior is no better than the prior, "learned_nothing" and a warning.
void report_gain(Stage stage, const PriorGain& gain, bool density, nlohmann::json& values, Monitor& monitor);

// Adds the count of invalid observations ("invalid") if the task repeats them and there were any; above 1 % with a
// warning.
void report_invalid(Stage stage, const InvalidDraws& invalid, nlohmann::json& values, Monitor& monitor);

}  // namespace pairs
