#pragma once

#include <torch/types.h>

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/task.h"

namespace pairs {

// The setting of a task that selects which components of θ and ψ a run infers, as names separated by commas; "" for the
// task's own targets. Its key in the task's table, and among the settings of a run.
inline constexpr const char *kTargetsSetting = "targets", *kTaskTargets = "task.targets";

// How a nuisance parameter is inferred if a run selects it as a target; members as in Target.
struct NuisanceTarget {
  double low, high;  // if it is unbounded, all but a negligible part of the prior
  double location, scale, range;
};

// A task for which a run may infer other components of θ and ψ than the task's own targets. Selected components keep
// the task's order, θ before ψ.
class ChoosesTargets {
 public:
  virtual ~ChoosesTargets() = default;
  // One entry per nuisance; nothing if it cannot be a target.
  virtual std::vector<std::optional<NuisanceTarget>> nuisance_targets() const = 0;
  // The exact posterior of the selected components, all others integrated out; null if it is not known.
  virtual std::unique_ptr<ReferencePosterior> exact_posterior_of(std::span<const Component> /*chosen*/) const {
    return nullptr;
  }
  // The log prior density of the selected components at `values` [S, chosen] float64 -> [S] float64; undefined if it is
  // not known.
  virtual torch::Tensor log_prior_of(std::span<const Component> /*chosen*/, const torch::Tensor& /*values*/) const {
    return {};
  }
};

}  // namespace pairs
