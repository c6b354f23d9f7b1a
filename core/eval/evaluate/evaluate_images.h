#pragma once

#include "core/eval/evaluate/evaluate.h"

namespace pairs {

// evaluate() for targets that are images: squared errors instead of densities and ranks. The sets of all sizes are
// prefixes of the same sets, whose observations are embedded once for the largest size; a set's samples start from the
// same noise at every size, so that sizes can be compared pairwise. All samples of a batch of sets are held in memory
// at once; samples = 0 measures only the prior's error.
std::vector<EvaluationRow> evaluate_images(Estimator& estimator, const EvaluationOptions& options,
                                           const std::function<bool()>& keep_going,
                                           const std::function<void(const EvaluationRow&)>& row_done,
                                           const std::function<void(std::int64_t)>& step);

}  // namespace pairs
