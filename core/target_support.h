#pragma once

#include <torch/types.h>

#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/task.h"

namespace pairs {

// The box of all values that a task's targets can take: the supports of their priors, either end of which may be
// infinite. An image's box is taken to be unbounded.
class TargetSupport {
 public:
  explicit TargetSupport(const std::vector<Target>& targets);

  // Whether any end is finite.
  bool bounded() const { return bounded_; }
  const torch::Tensor& low() const { return low_; }  // [d] float64
  const torch::Tensor& high() const { return high_; }
  // θ [.., d] float64 on the CPU -> [..] bool, true where it lies outside; NaN lies nowhere and is not outside.
  torch::Tensor excludes(const torch::Tensor& theta) const;

  // The density of a set about which nothing is known but the support: independent targets, uniform between two ends,
  // exponential from one, logistic where there is none, as wide as the prior. Its log at θ [.., d] within the support
  // -> [..], and `count` draws [count, d]; float64.
  torch::Tensor broad_log_density(const torch::Tensor& theta) const;
  torch::Tensor broad_samples(std::int64_t count, Stream& stream) const;

 private:
  std::vector<Target> targets_;
  torch::Tensor low_, high_;
  bool bounded_ = false;
};

// "[0, ∞)": the support of one target.
std::string support_text(const Target& target);

}  // namespace pairs
