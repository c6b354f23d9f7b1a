#pragma once

#include <memory>
#include <vector>

#include "core/ensemble.h"
#include "core/train/settings/config.h"

namespace pairs {

// The width (core/ensemble.h) that maximizes the likelihood of the truths under the mixture of these members'
// posteriors, for up to 500 validation sets of stage 3 for each N in evaluate.sizes. Prepares the data of these sets
// first, then reports progress by size. Throws a usage error if no width can be fitted (a target is bounded,
// simulations are stored); throws Stopped.
double fitted_width(const std::vector<std::shared_ptr<Estimator>>& members, const RunConfig& config,
                    const Preparation& preparation = {});

}  // namespace pairs
