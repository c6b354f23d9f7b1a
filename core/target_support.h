#pragma once

#include <torch/types.h>

#include <string>
#include <vector>

#include "core/base/numbers/random.h"
#include "core/task.h"

namespace pairs {

// The box of all possible values of a task's targets: the supports of their priors, either bound of which may be
// infinite. Every value of a periodic target is possible, so that it has no bounds here. An image's box is treated as
// unbounded.
class TargetSupport {
 public:
  explicit TargetSupport(const std::vector<Target>& targets);

  // Whether any bound is finite.
  bool bounded() const { return bounded_; }
  const torch::Tensor& low() const { return low_; }  // [d] float64
  const torch::Tensor& high() const { return high_; }
  // θ [.., d] float64 on the CPU -> [..] bool, true where it lies outside; NaN counts as inside.
  torch::Tensor excludes(const torch::Tensor& theta) const;

  // The density used if nothing but the support is known about a set: independent targets, as wide as the prior,
  // uniform between two finite bounds, exponential from one, logistic if there is none. Its log at θ [.., d] within the
  // support -> [..], and `count` samples [count, d]; float64.
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
