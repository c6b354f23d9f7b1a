#pragma once

#include <torch/types.h>

#include <cstdint>
#include <vector>

#include "core/estimator.h"

namespace pairs {

// How far the members of an ensemble differ about one set: what of its answer is due to how each was trained.
struct Disagreement {
  std::int64_t members = 0;  // 0: it is no ensemble
  // Jensen–Shannon divergence of the members' posteriors, in nat, estimated from their draws, and its standard error:
  // what knowing which member drew θ tells of θ. At least 0 but for that error, at most log(members).
  double nat = 0, nat_se = 0;
  // By target the standard deviation of the members' means, in units of the ensemble's standard deviation: 0 where they
  // agree, at most 1.
  std::vector<double> spread;
};

// Of an aggregate [1, l] of n [1] observations, and what is given of their set [1, g] or undefined. A function of these
// alone.
Disagreement disagreement(const Estimator& estimator, const torch::Tensor& aggregate, const torch::Tensor& n,
                          const torch::Tensor& given = {});

}  // namespace pairs
