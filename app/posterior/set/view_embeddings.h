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

// Embeddings of the views of one scene, each computed once: adding, removing or reordering cameras does not recompute
// the others. If ray maps are expressed in the target camera's axes, another target invalidates all of them.
class ViewEmbeddings {
 public:
  // `views` is an interface of the estimator's task.
  ViewEmbeddings(std::shared_ptr<Estimator> estimator, const SceneViews& views);

  // Drops embeddings that are not valid for this scene and target.
  void show(const render::SphereScene& scene, const render::Camera& target);
  // Embeds the missing `views` in order, a few at a time, and calls `go_on` in between. Returns how many are embedded
  // from the first on: all unless it returned false.
  std::size_t embed(std::span<const render::Camera> views, const std::function<bool()>& go_on);
  // The mean embedding of the views, which must be embedded -> [1, l] float64 on the CPU. Keeps running sums for sets
  // that grow at their end.
  torch::Tensor aggregate(std::span<const render::Camera> views);
  // The number of views embedded so far.
  std::int64_t count() const { return count_; }

 private:
  struct Known {
    render::Camera camera;
    torch::Tensor state;  // of the pool, [l]
  };
  const Known* find(const render::Camera& camera) const;

  std::shared_ptr<Estimator> estimator_;
  const SceneViews& views_;
  torch::Tensor scene_;  // [1, 7S + 5]
  render::Camera target_;
  std::vector<Known> known_;
  std::vector<render::Camera> summed_;  // the cameras whose running sums are kept
  std::vector<torch::Tensor> states_;   // of the pool, [l] each
  std::int64_t count_ = 0;
};

}  // namespace pairs
