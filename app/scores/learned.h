#pragma once

#include <cstdint>
#include <vector>

#include "app/scores/verdict.h"

namespace pairs {

// Whether an evaluation shows that a run is no better than the prior: at none of its training sizes do its posteriors
// beat the best guess without observations by more than twice the standard error of the difference on the same sets
// (PriorGain; for images, the mean image). False if that is unknown at all sizes.
bool learned_nothing(const std::vector<EvaluationRow>& rows);
// Training sizes at which its posteriors are worse than the prior, by four standard errors; only for densities
// (worse_than_mean_image covers images).
std::vector<std::int64_t> worse_than_prior(const std::vector<EvaluationRow>& rows);

// The verdict on a run that is no better than the prior: by its evaluation, and by its training alone.
EvaluationVerdict learned_nothing_verdict(const std::vector<EvaluationRow>& rows);
EvaluationVerdict learned_nothing_verdict();

}  // namespace pairs
