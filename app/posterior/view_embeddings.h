#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "core/estimator.h"
#include "tasks/scene_views.h"

namespace pairs {

// Embeddings of the views of one scene, each computed once: cameras that come, go or change places cost nothing for
// those that were there. Where ray maps are expressed in the target camera's axes, another target costs all of them.
class ViewEmbeddings {
 public:
  // `views` is a face of the estimator's task.
  ViewEmbeddings(std::shared_ptr<Estimator> estimator, const SceneViews& views);

  // Forgets what does not hold for this scene and target.
  void show(const render::SphereScene& scene, const render::Camera& target);
  // Embeds what of `views` is missing, in order and a few at a time; `go_on` is asked between. How many from the first
  // on are embedded now: all of them unless it said no.
  std::size_t embed(std::span<const render::Camera> views, const std::function<bool()>& go_on);
  // Mean embedding of the views, all embedded before -> [1, l] float64 on the CPU. Of sets that grow by their end the
  // sums of what went before are kept.
  torch::Tensor aggregate(std::span<const render::Camera> views);
  // Views embedded so far.
  std::int64_t count() const { return count_; }

 private:
  struct Known {
    render::Camera camera;
    torch::Tensor embedding;  // [l] float64
  };
  const Known* find(const render::Camera& camera) const;

  std::shared_ptr<Estimator> estimator_;
  const SceneViews& views_;
  torch::Tensor scene_;  // [1, 7S + 5]
  render::Camera target_;
  std::vector<Known> known_;
  std::vector<render::Camera> summed_;  // the cameras whose running sums are kept
  std::vector<torch::Tensor> sums_;     // [l] each
  std::int64_t count_ = 0;
};

}  // namespace pairs
