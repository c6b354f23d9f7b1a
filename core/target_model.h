#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/heads/head.h"
#include "core/task.h"

namespace pairs {

// z = (θ - shift) / scale, with one shift and one scale per target, or a single one for all.
struct TargetScale {
  std::vector<double> shift, scale;
  double log_scale = 0;  // the sum of log scale, which converts a density's units
};

// What follows from the kind of a task's target: a few parameters, or one image.
class TargetModel {
 public:
  virtual ~TargetModel() = default;
  // Whether heads of a kind can model the target. If not, the refusal describes the target and the heads that can, for
  // "head.kind … does not model the target of task …, which is …".
  virtual bool modeled_by(const HeadKind& head) const = 0;
  virtual std::string refusal() const = 0;
  // The standardization of θ, and the supports in those coordinates. Both throw Error for a box around an unbounded
  // target.
  virtual TargetScale scale(const TaskInfo& info, const HeadConfig& head) const = 0;
  virtual std::vector<HeadTarget> head_targets(const TaskInfo& info, const HeadConfig& head) const = 0;
  // What a head for images needs to know; nothing for other targets.
  virtual std::optional<HeadImage> image(const std::shared_ptr<const Task>& task) const = 0;
  // Clamps samples θ [.., d] to the target's range, and wraps those of periodic targets into it.
  virtual torch::Tensor within_range(const TaskInfo& info, const torch::Tensor& theta) const = 0;
  // Why no linear map of aggregates can serve as its location, a clause: "an image"; "" if one can.
  virtual std::string not_linear(const TaskInfo& info) const = 0;
  // Whether Task::observe needs θ in addition to ψ and the conditions.
  virtual bool observed_through_theta() const = 0;
  // Whether θ is small enough to be stored with every cached set.
  virtual bool kept_in_cache() const = 0;
};

const TargetModel& target_model(const TaskInfo& info);

// The parts of the rows `rows` [K] of `latents` that simulating their observations needs.
Latents latents_to_observe(const TaskInfo& info, const Latents& latents, const torch::Tensor& rows);

}  // namespace pairs
