#include "core/target_model.h"

#include <cmath>
#include <limits>

#include "core/base/text/error.h"
#include "core/periodic.h"

namespace pairs {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

class ParameterTarget final : public TargetModel {
 public:
  bool modeled_by(const HeadKind& head) const override { return !head.images; }
  std::string refusal() const override { return "no image: use \"spline\", \"mixture\", \"umnn\" or \"gaussian\""; }
  TargetScale scale(const TaskInfo& info, const HeadConfig& head) const override {
    TargetScale out;
    for (const Target& t : info.targets) {
      const bool whole = confines(head) || t.periodic;
      out.shift.push_back(whole ? t.low : t.location);
      out.scale.push_back(whole ? t.high - t.low : t.scale);
      out.log_scale += std::log(out.scale.back());
    }
    return out;
  }
  std::vector<HeadTarget> head_targets(const TaskInfo& info, const HeadConfig& head) const override {
    std::vector<HeadTarget> targets;
    for (const Target& t : info.targets) {
      if (confines(head))
        PAIRS_CHECK(std::isfinite(t.low) && std::isfinite(t.high),
                    "{} = \"box\" needs a bounded target, but {} of task {} is unbounded; use \"real\"",
                    "head.support"_key, t.name, info.name);
      const double width = t.high - t.low;
      targets.push_back(confines(head) ? HeadTarget{0, 1, (t.location - t.low) / width, t.scale / width}
                                       : HeadTarget{-kInfinity, kInfinity});
      targets.back().periodic = t.periodic;
    }
    return targets;
  }
  std::optional<HeadImage> image(const std::shared_ptr<const Task>&) const override { return std::nullopt; }
  torch::Tensor within_range(const TaskInfo& info, const torch::Tensor& theta) const override {
    return wrapped(info.targets, theta);
  }
  std::string not_linear(const TaskInfo& info) const override { return any_periodic(info.targets) ? "periodic" : ""; }
  bool observed_through_theta() const override { return true; }
  bool kept_in_cache() const override { return true; }
};

class WholeImageTarget final : public TargetModel {
 public:
  bool modeled_by(const HeadKind& head) const override { return head.images; }
  std::string refusal() const override { return "an image: only \"flow-matching\" does"; }
  TargetScale scale(const TaskInfo& info, const HeadConfig&) const override {
    return {{info.image.location}, {info.image.scale}, 0};
  }
  std::vector<HeadTarget> head_targets(const TaskInfo& info, const HeadConfig&) const override {
    return std::vector<HeadTarget>(static_cast<std::size_t>(info.target_size()), HeadTarget{-kInfinity, kInfinity});
  }
  std::optional<HeadImage> image(const std::shared_ptr<const Task>& task) const override {
    const TaskInfo& info = task->info();
    HeadImage image{info.image.channels, info.image.height, info.image.width, info.given_size(),
                    info.image.map_channels};
    if (info.image.map_channels > 0) image.map = [task](const torch::Tensor& given) { return task->target_map(given); };
    return image;
  }
  torch::Tensor within_range(const TaskInfo& info, const torch::Tensor& theta) const override {
    return theta.clamp(info.image.low, info.image.high);
  }
  std::string not_linear(const TaskInfo&) const override { return "an image"; }
  // An image depends only on ψ and the conditions; images of all sets need not be copied.
  bool observed_through_theta() const override { return false; }
  bool kept_in_cache() const override { return false; }
};

}  // namespace

const TargetModel& target_model(const TaskInfo& info) {
  static const ParameterTarget parameters;
  static const WholeImageTarget image;
  switch (info.target_kind) {
    case TargetKind::parameters:
      return parameters;
    case TargetKind::image:
      return image;
  }
  fail("The task {} gives its target in no way that is known", info.name);
}

Latents latents_to_observe(const TaskInfo& info, const Latents& latents, const torch::Tensor& rows) {
  const auto mine = [&](const torch::Tensor& all) { return all.defined() ? all.index_select(0, rows) : all; };
  return {target_model(info).observed_through_theta() ? mine(latents.theta) : torch::Tensor(), mine(latents.psi),
          mine(latents.given)};
}

}  // namespace pairs
