#include "core/standardized_embedder.h"

#include <ATen/Functions.h>

#include "core/base/text/error.h"

namespace pairs {

StandardizedEmbedder::StandardizedEmbedder(std::shared_ptr<Embedder> inner, const torch::Tensor& location,
                                           const torch::Tensor& scale)
    : inner_(register_module("inner", std::move(inner))),
      location_(register_buffer(kLocation, location.to(torch::kFloat64).flatten().clone())),
      scale_(register_buffer(kScale, scale.to(torch::kFloat64).flatten().clone())) {
  PAIRS_CHECK(location_.numel() == scale_.numel() && (scale_ > 0).all().item<bool>(),
              "x is standardized by {} locations and {} scales; there must be as many, and scales above 0",
              location_.numel(), scale_.numel());
}

torch::Tensor StandardizedEmbedder::forward(const Observations& x) {
  inner_->set_noise(noise_key(), noise_first());
  return inner_->forward(standardized(x, location_, scale_));
}

}  // namespace pairs
