#pragma once

#include <memory>
#include <vector>

#include "core/ensemble.h"
#include "core/train/config.h"

namespace pairs {

// The width (core/ensemble.h) at which the mean of these members' posteriors is the most probable for the truths of up
// to 500 sets of each N of evaluate.sizes, of those that stage 3 validates on. What they are about is prepared first,
// then sizes are told one by one. Throws a usage error where a width cannot be had: a target with an end, stored
// simulations; Stopped.
double fitted_width(const std::vector<std::shared_ptr<Estimator>>& members, const RunConfig& config,
                    const Preparation& preparation = {});

}  // namespace pairs
