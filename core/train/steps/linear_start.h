#pragma once

#include "core/estimator.h"
#include "core/train/cache/aggregate_cache.h"
#include "core/train/settings/config.h"

namespace pairs {

// Sets each head's location map to the weighted least-squares fit of the standardized target on the aggregates, in
// float64, over draws from the training cache. If the posterior mean is nearly linear in a mean of embeddings, as for
// exponential families (paper, Corollary 3), the head can then follow a posterior that is thousands of times narrower
// than the prior without having to learn its location. Weights are the inverse residual variances of octaves of N,
// iterated, so that large sets, which determine θ best, dominate.
void linear_start(Estimator& estimator, const RunConfig& config, const AggregateCache& cache);

}  // namespace pairs
