#pragma once

#include <torch/types.h>

#include "core/estimator.h"

namespace pairs {

// The typicality of an observed aggregate [1, l] at set size n [1] relative to training.
struct Typicality {
  bool known = false;    // the estimator has a record of its training
  bool outside = false;  // out of distribution
  double distance = 0;   // Mahalanobis distance from the center of training sets of this size
  double percentile = 0;
};
Typicality typicality_of(const Estimator& estimator, const torch::Tensor& aggregate, const torch::Tensor& n);

}  // namespace pairs
