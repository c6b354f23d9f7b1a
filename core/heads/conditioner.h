#pragma once

#include <ATen/core/Generator.h>
#include <torch/nn/module.h>

#include <vector>

namespace pairs {

// Masks [out, in] of an autoregressive network (Germain et al. 2015) with inputs (context, x_1 .. x_d), hidden `widths`
// and d outputs of `size` values each: output i depends on x_1 .. x_{i-1} and the context. The context is visible to
// every unit.
std::vector<torch::Tensor> autoregressive_masks(std::int64_t context, std::int64_t d,
                                                const std::vector<std::int64_t>& widths, std::int64_t size);

// The conditioner of a UMNN transform: an autoregressive ReLU network that computes h_i [size] for each target. With
// one target it has no masks, and its only input is the context.
class Conditioner : public torch::nn::Module {
 public:
  Conditioner(std::int64_t context, std::int64_t d, const std::vector<std::int64_t>& widths, std::int64_t size,
              at::Generator generator);

  // context [R, c], x [R, d] (unused with one target) -> [R, d, size].
  torch::Tensor forward(const torch::Tensor& context, const torch::Tensor& x);
  double flops() const;
  void absorb_context_affine(const torch::Tensor& scale, const torch::Tensor& shift);

 private:
  std::int64_t d_, size_;
  bool masked_;
  std::vector<torch::Tensor> weights_, biases_, masks_;
};

}  // namespace pairs
