#pragma once

#include <torch/nn/module.h>

#include <tuple>

namespace pairs {

// Conditional affine layer θ -> (θ - μ) e^{-s} = θ e^{-s} - m, with m and s linear in the context and in features of
// it, both starting at zero: the shift μ = m e^s is learned in units of the width, whatever the width. The term that is
// linear in the context lets it follow a narrow posterior whose mean is linear in the aggregate. s is bounded smoothly
// to ±15, so that the layer can widen a posterior by e^12 well within the bound.
class AffineLayer : public torch::nn::Module {
 public:
  // `features` 0: uses only the context.
  AffineLayer(std::int64_t d, std::int64_t context, std::int64_t features);

  // μ [R, d] and s [R, d] for context [R, c] and features [R, f] (undefined if the layer has none).
  std::tuple<torch::Tensor, torch::Tensor> shift_and_log_scale(const torch::Tensor& context,
                                                               const torch::Tensor& features) const;
  double flops() const;
  void absorb_context_affine(const torch::Tensor& scale, const torch::Tensor& shift);

 private:
  std::int64_t d_;
  torch::Tensor context_weight_, feature_weight_, bias_;
};

// Rewrites a linear layer whose input columns from `first` on are context: with weight [out, in] and bias [out] changed
// in place, feeding scale * c + shift gives the previous result for c. Computed in float64. Throws Error if a scale is
// zero or not finite, or if there are more scales than columns.
void absorb_into_linear(torch::Tensor weight, torch::Tensor bias, std::int64_t first, const torch::Tensor& scale,
                        const torch::Tensor& shift);

}  // namespace pairs
