#pragma once

#include <memory>

#include "core/pool/pool.h"

namespace pairs {

// The mean times three: whoever forms an aggregate without the estimator's pool lacks the factor.
class ScaledPool : public Pool {
 public:
  static constexpr double factor = 3;

  torch::Tensor forward(const torch::Tensor& embeddings, const torch::Tensor& offsets) const override {
    return mean_->forward(embeddings, offsets) * factor;
  }
  torch::Tensor empty(std::int64_t count, std::int64_t l, torch::Device device) const override {
    return mean_->empty(count, l, device);
  }
  torch::Tensor accumulate(const torch::Tensor& embeddings, const torch::Tensor& offsets) const override {
    return mean_->accumulate(embeddings, offsets);
  }
  torch::Tensor accumulate(const torch::Tensor& embeddings) const override { return mean_->accumulate(embeddings); }
  torch::Tensor prefixes(const torch::Tensor& embeddings) const override { return mean_->prefixes(embeddings); }
  torch::Tensor merge(const torch::Tensor& a, const torch::Tensor& b) const override { return mean_->merge(a, b); }
  void merge_into(torch::Tensor& states, const torch::Tensor& rows, const torch::Tensor& parts) const override {
    mean_->merge_into(states, rows, parts);
  }
  torch::Tensor merge_blocks(const torch::Tensor& states) const override { return mean_->merge_blocks(states); }
  void exchange(double* state, const float* added, const float* removed, std::int64_t l) const override {
    mean_->exchange(state, added, removed, l);
  }
  torch::Tensor finish(const torch::Tensor& states, std::int64_t n) const override {
    return mean_->finish(states, n) * factor;
  }
  torch::Tensor finish(const torch::Tensor& states, const torch::Tensor& n) const override {
    return mean_->finish(states, n) * factor;
  }
  double share(std::int64_t block, std::int64_t n) const override { return mean_->share(block, n); }
  torch::Tensor slope(const torch::Tensor& gradient, const torch::Tensor& n) const override {
    return mean_->slope(gradient, n) * factor;
  }
  torch::Tensor spread(const torch::Tensor& between, const torch::Tensor& within, double n) const override {
    return mean_->spread(between, within, n) * (factor * factor);
  }
  torch::Tensor spread(const torch::Tensor& between, const torch::Tensor& within,
                       const torch::Tensor& n) const override {
    return mean_->spread(between, within, n) * (factor * factor);
  }

 private:
  std::shared_ptr<const Pool> mean_ = mean_pool();
};

}  // namespace pairs
