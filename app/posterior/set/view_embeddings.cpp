#include "app/posterior/set/view_embeddings.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/zeros.h>

#include <algorithm>

#include "core/base/text/error.h"

namespace pairs {
namespace {

constexpr std::int64_t kViewsAtOnce = 4;  // between checks for cancellation

bool same_view(const render::Camera& a, const render::Camera& b) {
  return a.azimuth == b.azimuth && a.elevation == b.elevation;
}

}  // namespace

ViewEmbeddings::ViewEmbeddings(std::shared_ptr<Estimator> estimator, const SceneViews& views)
    : estimator_(std::move(estimator)), views_(views) {}

void ViewEmbeddings::show(const render::SphereScene& scene, const render::Camera& target) {
  const torch::Tensor row = render::pack_scenes({scene});
  const bool same_scene = scene_.defined() && at::equal(row, scene_);
  const bool same_frame = !views_.follow_target() || same_view(target, target_);
  scene_ = row;
  target_ = target;
  if (same_scene && same_frame) return;
  known_.clear();
  summed_.clear();
  states_.clear();
}

const ViewEmbeddings::Known* ViewEmbeddings::find(const render::Camera& camera) const {
  const auto found =
      std::find_if(known_.begin(), known_.end(), [&](const Known& one) { return same_view(one.camera, camera); });
  return found == known_.end() ? nullptr : &*found;
}

std::size_t ViewEmbeddings::embed(std::span<const render::Camera> views, const std::function<bool()>& go_on) {
  torch::NoGradGuard no_grad;
  std::vector<render::Camera> missing;
  for (const render::Camera& view : views)
    if (!find(view)) missing.push_back(view);
  for (std::size_t first = 0; first < missing.size();) {
    if (!go_on()) break;
    const auto count = std::min<std::int64_t>(kViewsAtOnce, static_cast<std::int64_t>(missing.size() - first));
    torch::Tensor cameras = at::empty({count, 2}, torch::kFloat64);
    auto* angle = cameras.mutable_data_ptr<double>();
    for (std::int64_t k = 0; k < count; ++k) {
      const render::Camera& camera = missing[first + static_cast<std::size_t>(k)];
      angle[2 * k] = camera.azimuth;
      angle[2 * k + 1] = camera.elevation;
    }
    const torch::Tensor images =
        render::cast_spheres(scene_, cameras, at::zeros({count}, torch::kInt64), views_.cast(), torch::kCPU);
    const torch::Tensor x = views_.observations(images, cameras, target_).to(estimator_->device());
    const torch::Tensor embeddings = estimator_->embed(x).to(torch::kCPU);
    const torch::Tensor states = estimator_->pool().accumulate(embeddings.unsqueeze(1));
    for (std::int64_t k = 0; k < count; ++k)
      known_.push_back({missing[first + static_cast<std::size_t>(k)], states[k].clone()});
    count_ += count;
    first += static_cast<std::size_t>(count);
  }
  std::size_t ready = 0;
  while (ready < views.size() && find(views[ready])) ++ready;
  return ready;
}

torch::Tensor ViewEmbeddings::aggregate(std::span<const render::Camera> views) {
  PAIRS_CHECK(!views.empty(), "A set holds at least one view");
  std::size_t same = 0;
  while (same < std::min(views.size(), summed_.size()) && same_view(views[same], summed_[same])) ++same;
  if (same < views.size()) {
    summed_.resize(same);
    states_.resize(same);
  }
  for (std::size_t k = same; k < views.size(); ++k) {
    const Known* known = find(views[k]);
    PAIRS_CHECK(known, "View {} of {} has not been embedded", k + 1, views.size());
    states_.push_back(k == 0 ? known->state : estimator_->pool().merge(states_.back(), known->state));
    summed_.push_back(views[k]);
  }
  return estimator_->pool().finish(states_[views.size() - 1], static_cast<std::int64_t>(views.size())).unsqueeze(0);
}

}  // namespace pairs
