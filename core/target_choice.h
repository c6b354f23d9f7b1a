#pragma once

#include <torch/types.h>

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/task.h"

namespace pairs {

// The setting of a task that says which components of θ and ψ a run infers, names with commas between; "" for the
// task's own targets. Its key in the task's table, and among the settings of a run.
inline constexpr const char *kTargetsSetting = "targets", *kTaskTargets = "task.targets";

// How a nuisance parameter is inferred where a run chooses it as a target: as in Target.
struct NuisanceTarget {
  double low, high;  // all but a negligible part of the prior where it has no ends of its own
  double location, scale, range;
};

// A task of which a run may infer other components of θ and ψ than the task's own targets. Chosen components stand in
// the task's order, θ before ψ.
class ChoosesTargets {
 public:
  virtual ~ChoosesTargets() = default;
  // Of each nuisance; nothing where it cannot be a target.
  virtual std::vector<std::optional<NuisanceTarget>> nuisance_targets() const = 0;
  // The exact posterior of the chosen components, all others integrated out; null where it is not known.
  virtual std::unique_ptr<ReferencePosterior> exact_posterior_of(std::span<const Component> /*chosen*/) const {
    return nullptr;
  }
  // Their log prior density at `values` [S, chosen] float64 -> [S] float64; undefined where it is not known.
  virtual torch::Tensor log_prior_of(std::span<const Component> /*chosen*/, const torch::Tensor& /*values*/) const {
    return {};
  }
};

}  // namespace pairs
