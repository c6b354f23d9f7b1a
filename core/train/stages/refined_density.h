#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "core/eval/evaluate/made_scores.h"
#include "core/likelihood/refined_posterior.h"
#include "core/train/stages/likelihood_stage.h"

namespace pairs {

// The posterior of the observations x [N, ...] with conditions [1, g] or undefined by a learned likelihood. `start`:
// samples θ [S, d] of another posterior to begin with, or undefined. `log_ratio` and `sequential_pairs`:
// those of RefineOptions. Throws Stopped once `keep_going` returns false.
RefinedPosterior refined_by(const LearnedLikelihood& likelihood, const Task& task, const Observations& x,
                            const torch::Tensor& given, const torch::Tensor& start, std::uint64_t seed,
                            const std::function<bool()>& keep_going,
                            const std::function<torch::Tensor(const torch::Tensor& theta)>& log_ratio = {},
                            double sequential_pairs = 0);

// The refined posterior as a density to score, on the first `sets` of each size; nothing for a set that is refused.
MadeDensity refined_density(const RunLikelihood& known, const std::shared_ptr<const Task>& task, std::int64_t sets,
                            const std::function<bool()>& keep_going = {});

}  // namespace pairs
