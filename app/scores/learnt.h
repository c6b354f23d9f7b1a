#pragma once

#include <cstdint>
#include <vector>

#include "app/scores/verdict.h"

namespace pairs {

// Whether an evaluation shows that a run learnt nothing: at none of the sizes that it was trained for are its answers
// better than the best without observations, beyond twice the standard error of the difference on the same sets
// (PriorGain; of images: than the mean image). False where that is not known of any size.
bool learnt_nothing(const std::vector<EvaluationRow>& rows);
// Sizes that it was trained for at which its answers are worse than answers without observations, by four standard
// errors; of densities alone (worse_than_mean_image tells it of images).
std::vector<std::int64_t> worse_than_prior(const std::vector<EvaluationRow>& rows);

// What is said of a run that learnt nothing: by its evaluation, and by its training alone.
EvaluationVerdict learnt_nothing_verdict(const std::vector<EvaluationRow>& rows);
EvaluationVerdict learnt_nothing_verdict();

}  // namespace pairs
