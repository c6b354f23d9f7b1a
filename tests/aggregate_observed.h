#pragma once

#include <ATen/Functions.h>

#include <algorithm>

#include "core/base/text/error.h"
#include "core/estimator.h"

namespace pairs {

// Aggregate [1, l] float64 of an observed set, embedded in chunks, whatever the blocks of EmbeddedSet.
inline torch::Tensor aggregate_observed(Estimator& estimator, const Observations& x) {
  PAIRS_CHECK(x.count() >= 1, "The observed set is empty; a set holds at least one observation");
  torch::Tensor sum = torch::zeros({estimator.embedding_size()}, torch::kFloat64);
  const std::int64_t chunk = estimator.observations_at_once();
  for (std::int64_t first = 0; first < x.count(); first += chunk) {
    const Observations part = x.slice(first, std::min(first + chunk, x.count()));
    sum += estimator.embed(part.to(estimator.device())).to(torch::kCPU, torch::kFloat64).sum(0);
  }
  return (sum / static_cast<double>(x.count())).unsqueeze(0);
}

}  // namespace pairs
