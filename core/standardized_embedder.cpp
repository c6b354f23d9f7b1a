#include "core/standardized_embedder.h"

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>

#include "core/base/text/error.h"

namespace pairs {

StandardizedEmbedder::StandardizedEmbedder(std::shared_ptr<Embedder> inner, const torch::Tensor& location,
                                           const torch::Tensor& scale)
    : inner_(register_module("inner", std::move(inner))),
      location_(register_buffer(kLocation, location.to(torch::kFloat64).flatten().clone())),
      scale_(register_buffer(kScale, scale.to(torch::kFloat64).flatten().clone())),
      middle_(register_buffer(kMiddle, at::zeros_like(location_))),
      spread_(register_buffer(kSpread, at::zeros_like(location_))) {
  PAIRS_CHECK(location_.numel() == scale_.numel() && (scale_ > 0).all().item<bool>(),
              "x is standardized by {} locations and {} scales; there must be as many, and scales above 0",
              location_.numel(), scale_.numel());
}

void StandardizedEmbedder::curve(const torch::Tensor& middle, const torch::Tensor& spread) {
  const at::NoGradGuard no_grad;
  curved_ = spread.defined() && (spread > 0).any().item<bool>();
  if (!curved_) {
    middle_.zero_();
    spread_.zero_();
    return;
  }
  PAIRS_CHECK(
      middle.numel() == location_.numel() && spread.numel() == location_.numel() && (spread >= 0).all().item<bool>(),
      "x is curved by {} middles and {} spreads; there must be {} of each, and no spread below 0", middle.numel(),
      spread.numel(), location_.numel());
  middle_.copy_(middle.flatten());
  spread_.copy_(spread.flatten());
}

torch::Tensor StandardizedEmbedder::forward(const Observations& x) {
  inner_->set_noise(noise_key(), noise_first());
  return inner_->forward(curved_ ? standardized(x, location_, scale_, middle_, spread_)
                                 : standardized(x, location_, scale_));
}

}  // namespace pairs
