#include "core/heads/conditioner.h"

#include "core/base/text/error.h"
#include "core/heads/affine_layer.h"
#include "core/nn/initial.h"
#include "core/ops/ops.h"

namespace pairs {

using torch::Tensor;

std::vector<Tensor> autoregressive_masks(std::int64_t context, std::int64_t d, const std::vector<std::int64_t>& widths,
                                         std::int64_t size) {
  // Degrees: a unit of degree m depends on inputs of degree <= m, the output for an input of degree m on units of
  // degree < m. The context has degree 0, targets 1 .. d. Hidden units cycle through 0 .. d - 1.
  const auto whole = weight_options().dtype(torch::kLong);
  const Tensor targets = torch::arange(1, d + 1, whole);
  Tensor below = torch::cat({torch::zeros({context}, whole), targets});
  std::vector<Tensor> masks;
  for (const std::int64_t width : widths) {
    const Tensor degree = torch::arange(width, whole).remainder(d);
    masks.push_back((below.unsqueeze(0) <= degree.unsqueeze(1)).to(torch::kFloat));
    below = degree;
  }
  masks.push_back((below.unsqueeze(0) < targets.repeat_interleave(size).unsqueeze(1)).to(torch::kFloat));
  return masks;
}

Conditioner::Conditioner(std::int64_t context, std::int64_t d, const std::vector<std::int64_t>& widths,
                         std::int64_t size, at::Generator generator)
    : d_(d), size_(size), masked_(d > 1) {
  PAIRS_CHECK(!widths.empty(), "a UMNN conditioner needs at least one hidden layer: set {}", "head.conditioner"_key);
  if (masked_) masks_ = autoregressive_masks(context, d, widths, size);
  std::int64_t in = context + (masked_ ? d : 0);
  for (std::size_t l = 0; l <= widths.size(); ++l) {
    const std::int64_t out = l < widths.size() ? widths[l] : d * size;
    const double limit = uniform_bound(in);
    weights_.push_back(register_parameter(fmt::format("weight{}", l), uniform_tensor({out, in}, limit, generator)));
    biases_.push_back(register_parameter(fmt::format("bias{}", l), uniform_tensor({out}, limit, generator)));
    if (masked_) masks_[l] = register_buffer(fmt::format("mask{}", l), masks_[l]);
    in = out;
  }
}

Tensor Conditioner::forward(const Tensor& context, const Tensor& x) {
  Tensor a = masked_ ? torch::cat({context, x}, 1) : context;
  for (std::size_t l = 0; l < weights_.size(); ++l) {
    const Tensor weight = masked_ ? weights_[l] * masks_[l] : weights_[l];
    a = ops::linear_act(a, weight, biases_[l], l + 1 < weights_.size() ? "relu" : "none");
  }
  return a.view({-1, d_, size_});
}

double Conditioner::flops() const {
  double total = 0;
  for (const Tensor& w : weights_) total += 2 * static_cast<double>(w.numel());
  return total;
}

void Conditioner::absorb_context_affine(const Tensor& scale, const Tensor& shift) {
  if (!masked_) return absorb_into_linear(weights_[0], biases_[0], 0, scale, shift);
  // The bias may only absorb inputs that pass the mask.
  torch::NoGradGuard no_grad;
  weights_[0].mul_(masks_[0]);
  absorb_into_linear(weights_[0], biases_[0], 0, scale, shift);
}

}  // namespace pairs
