#pragma once

#include <torch/types.h>

#include <cstdint>
#include <vector>

#include "core/estimator.h"

namespace pairs {

// How much the members of an ensemble disagree about one set, i.e. how much of its posterior depends on the training
// run.
struct Disagreement {
  std::int64_t members = 0;  // 0: not an ensemble
  // Jensen–Shannon divergence of the members' posteriors, in nats, estimated from their samples, and its standard
  // error: the mutual information between θ and the member that it was sampled from. Between 0, up to that error, and
  // log(members).
  double nat = 0, nat_se = 0;
  // For each target, the standard deviation of the members' means in units of the ensemble's standard deviation: 0 if
  // they agree, at most 1.
  std::vector<double> spread;
};

// Disagreement about an aggregate [1, l] of n [1] observations with conditions [1, g] or undefined. A pure function of
// these.
Disagreement disagreement(const Estimator& estimator, const torch::Tensor& aggregate, const torch::Tensor& n,
                          const torch::Tensor& given = {});

}  // namespace pairs
