#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/heads/head.h"
#include "core/task.h"

namespace pairs {

// z = (θ - shift) / scale of each target, or of all alike where there is one of each.
struct TargetScale {
  std::vector<double> shift, scale;
  double log_scale = 0;  // of a density's units: the sum of log scale
};

// What follows from how a task gives its target: as some numbers, or as one image.
class TargetModel {
 public:
  virtual ~TargetModel() = default;
  // Whether heads of a kind model it; and where not, what it is and which do, for "head.kind … does not model the
  // target of task …, which is …".
  virtual bool modelled_by(const HeadKind& head) const = 0;
  virtual std::string refusal() const = 0;
  // How θ is standardised, and the supports in those coordinates. Throw Error for a box around an unbounded target.
  virtual TargetScale scale(const TaskInfo& info, const HeadConfig& head) const = 0;
  virtual std::vector<HeadTarget> head_targets(const TaskInfo& info, const HeadConfig& head) const = 0;
  // What a head of images is told; nothing for other targets.
  virtual std::optional<HeadImage> image(const std::shared_ptr<const Task>& task) const = 0;
  // Draws θ [.., d] brought into the target's range.
  virtual torch::Tensor within_range(const TaskInfo& info, const torch::Tensor& theta) const = 0;
  // Whether a linear map of aggregates can be its location.
  virtual bool linear() const = 0;
  // Whether Task::observe needs θ beside ψ and what is given.
  virtual bool observed_through_theta() const = 0;
  // Whether θ is short enough to be kept with every cached set.
  virtual bool kept_in_cache() const = 0;
};

const TargetModel& target_model(const TaskInfo& info);

// The rows of `latents` that the sets `rows` [K] need to be observed.
Latents latents_to_observe(const TaskInfo& info, const Latents& latents, const torch::Tensor& rows);

}  // namespace pairs
