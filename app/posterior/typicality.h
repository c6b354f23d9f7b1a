#pragma once

#include <torch/types.h>

#include "core/aggregate_distance.h"
#include "core/estimator.h"

namespace pairs {

// How an observed aggregate [1, l] at set size n [1] stands among those of training.
struct Typicality {
  bool known = false;    // the estimator keeps a record of its training
  bool outside = false;  // training never saw the like of it
  double distance = 0;   // Mahalanobis, from the middle of training sets of this size
  double percentile = 0;
};
// `distance`: what is kept of the estimator for many sets; null: it is worked out anew.
Typicality typicality_of(const Estimator& estimator, const torch::Tensor& aggregate, const torch::Tensor& n,
                         AggregateDistance* distance = nullptr);

}  // namespace pairs
