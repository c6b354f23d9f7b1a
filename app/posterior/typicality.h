#pragma once

#include <torch/types.h>

#include "core/estimator.h"

namespace pairs {

// How an observed aggregate [1, l] at set size n [1] stands among those of training.
struct Typicality {
  bool known = false;    // the estimator keeps a record of its training
  bool outside = false;  // training never saw the like of it
  double distance = 0;   // Mahalanobis, from the middle of training sets of this size
  double percentile = 0;
};
Typicality typicality_of(const Estimator& estimator, const torch::Tensor& aggregate, const torch::Tensor& n);

}  // namespace pairs
