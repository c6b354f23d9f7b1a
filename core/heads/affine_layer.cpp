#include "core/heads/affine_layer.h"

#include "core/base/text/error.h"
#include "core/nn/initial.h"

namespace pairs {
namespace {
constexpr double kBound = 15.0;
}

AffineLayer::AffineLayer(std::int64_t d, std::int64_t context, std::int64_t features) : d_(d) {
  context_weight_ = register_parameter("context_weight", torch::zeros({2 * d, context}, weight_options()));
  if (features > 0)
    feature_weight_ = register_parameter("feature_weight", torch::zeros({2 * d, features}, weight_options()));
  bias_ = register_parameter("bias", torch::zeros({2 * d}, weight_options()));
}

std::tuple<torch::Tensor, torch::Tensor> AffineLayer::shift_and_log_scale(const torch::Tensor& context,
                                                                          const torch::Tensor& features) const {
  torch::Tensor raw = torch::addmm(bias_, context, context_weight_.t());
  if (feature_weight_.defined()) raw = torch::addmm(raw, features, feature_weight_.t());
  const torch::Tensor log_scale = kBound * torch::tanh(raw.narrow(1, d_, d_) / kBound);
  return {raw.narrow(1, 0, d_) * log_scale.exp(), log_scale};
}

double AffineLayer::flops() const {
  const double features = feature_weight_.defined() ? static_cast<double>(feature_weight_.numel()) : 0;
  return 2 * (static_cast<double>(context_weight_.numel()) + features);
}

void AffineLayer::absorb_context_affine(const torch::Tensor& scale, const torch::Tensor& shift) {
  absorb_into_linear(context_weight_, bias_, 0, scale, shift);
}

void absorb_into_linear(torch::Tensor weight, torch::Tensor bias, std::int64_t first, const torch::Tensor& scale,
                        const torch::Tensor& shift) {
  torch::NoGradGuard no_grad;
  PAIRS_CHECK(scale.dim() == 1 && scale.sizes() == shift.sizes() && first + scale.size(0) <= weight.size(1),
              "an affine map of {} context columns does not fit a layer with {} inputs", scale.numel(), weight.size(1));
  const auto to64 = [&](const torch::Tensor& t) { return t.to(weight.device()).to(torch::kDouble); };
  const torch::Tensor a = to64(scale), b = to64(shift);
  PAIRS_CHECK((a.isfinite() & b.isfinite() & (a != 0)).all().item<bool>(),
              "the scales of a context must be finite and not zero, and its shifts finite");
  torch::Tensor columns = weight.narrow(1, first, a.size(0));
  const torch::Tensor changed = columns.to(torch::kDouble) / a;
  bias.copy_(bias.to(torch::kDouble) - changed.mv(b));
  columns.copy_(changed);
}

}  // namespace pairs
