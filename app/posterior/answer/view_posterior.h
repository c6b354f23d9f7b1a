#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/posterior/caveats/posterior_warnings.h"
#include "app/posterior/set/view_embeddings.h"
#include "core/heads/head.h"
#include "core/train/run/run.h"

namespace pairs {

// A run that infers a camera's image from views of a scene. Images are [3, H, W] float32 in [0, 1] on the CPU.
// Single-threaded.
class ViewPosterior {
 public:
  // Throws Error if the run cannot be loaded or has no such task.
  ViewPosterior(const Tasks& tasks, const std::string& run, const std::string& data, const std::string& device);

  const LoadedRun& loaded() const { return loaded_; }
  const SceneViews& views() const { return views_; }
  std::int64_t steps() const;
  // The warnings that always apply, and those for sets of n views.
  std::vector<PosteriorWarning> warnings() const { return training_warnings(loaded_, trained_.learned_nothing); }
  std::vector<PosteriorWarning> warnings(std::int64_t n) const { return size_warnings(loaded_, n, trained_); }
  ViewEmbeddings& embeddings() { return embeddings_; }
  // The set sizes that have a head; empty: all.
  std::vector<std::int64_t> sizes() const { return loaded_.estimator->sizes(); }

  // The head's context for n views with that mean embedding and the target camera.
  torch::Tensor context(const torch::Tensor& aggregate, std::int64_t n, const render::Camera& target);
  // E[θ | X] from one evaluation of the network.
  torch::Tensor expected(const torch::Tensor& context, std::int64_t n);
  // Samples with the indices first .. first + count - 1, [count, 3, H, W]; each depends only on its batch's `first` and
  // its position in the batch. `on_step` receives every intermediate state (of the same shape); if it returns false,
  // the result is undefined.
  torch::Tensor samples(const torch::Tensor& context, std::int64_t n, std::int64_t first, std::int64_t count,
                        const std::function<bool(std::int64_t step, const torch::Tensor& state)>& on_step = {});

  torch::Tensor truth(const render::SphereScene& scene, const render::Camera& target) const;
  // The mean of the prior's target images.
  const torch::Tensor& mean_image();

 private:
  SteppedSampler& sampler(std::int64_t n) const;
  torch::Tensor restored(const torch::Tensor& z) const;  // [.., d] -> [.., 3, H, W]

  LoadedRun loaded_;
  TrainingRecord trained_;
  const SceneViews& views_;  // an interface of its task
  ViewEmbeddings embeddings_;
  torch::Tensor mean_image_;
};

}  // namespace pairs
