#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>

#include "core/ops/ops.h"
#include "core/pool/pool.h"

namespace pairs {
namespace {

// States are sums.
class MeanPool : public Pool {
 public:
  torch::Tensor forward(const torch::Tensor& embeddings, const torch::Tensor& offsets) const override {
    return ops::segment_mean(embeddings, offsets);
  }

  torch::Tensor empty(std::int64_t count, std::int64_t l, torch::Device device) const override {
    const auto options = at::TensorOptions().dtype(torch::kFloat64).device(device);
    return count > 0 ? at::zeros({count, l}, options) : at::zeros({l}, options);
  }
  torch::Tensor accumulate(const torch::Tensor& embeddings, const torch::Tensor& offsets) const override {
    return ops::segment_sum64(embeddings, offsets);
  }
  torch::Tensor accumulate(const torch::Tensor& embeddings) const override {
    const at::NoGradGuard no_grad;
    return embeddings.to(torch::kFloat64).sum(1);
  }
  torch::Tensor prefixes(const torch::Tensor& embeddings) const override {
    const at::NoGradGuard no_grad;
    return embeddings.to(torch::kFloat64).cumsum(0);
  }
  torch::Tensor merge(const torch::Tensor& a, const torch::Tensor& b) const override { return a + b; }
  void merge_into(torch::Tensor& states, const torch::Tensor& rows, const torch::Tensor& parts) const override {
    states.index_add_(0, rows, parts);
  }
  torch::Tensor merge_blocks(const torch::Tensor& states) const override { return states.cumsum(1); }
  void exchange(double* state, const float* added, const float* removed, std::int64_t l) const override {
    for (std::int64_t k = 0; k < l; ++k) state[k] += static_cast<double>(added[k]) - static_cast<double>(removed[k]);
  }

  torch::Tensor finish(const torch::Tensor& states, std::int64_t n) const override {
    return states / static_cast<double>(n);
  }
  torch::Tensor finish(const torch::Tensor& states, const torch::Tensor& n) const override { return states / n; }
  double share(std::int64_t block, std::int64_t n) const override {
    return static_cast<double>(block) / static_cast<double>(n);
  }
  torch::Tensor slope(const torch::Tensor& gradient, const torch::Tensor& n) const override { return gradient / n; }
  torch::Tensor spread(const torch::Tensor& between, const torch::Tensor& within, double n) const override {
    return between + within / n;
  }
  torch::Tensor spread(const torch::Tensor& between, const torch::Tensor& within,
                       const torch::Tensor& n) const override {
    return between + within / n;
  }
};

}  // namespace

std::shared_ptr<const Pool> mean_pool() {
  static const std::shared_ptr<const Pool> pool = std::make_shared<MeanPool>();
  return pool;
}

}  // namespace pairs
