#pragma once

#include <memory>

#include "core/input_scale.h"
#include "core/nn/embedder.h"

namespace pairs {

// An embedder behind a standardisation: observations of any real type are standardised in float64, rounded to float32
// and handed on. The standardisation is a part of the weights, whatever a task measures later.
class StandardisedEmbedder : public Embedder {
 public:
  // Names of its own tensors [channels], float64, beside those of the inner embedder.
  static constexpr const char *kLocation = "x_location", *kScale = "x_scale";

  // Throws Error where a scale is not above 0, or their numbers differ.
  StandardisedEmbedder(std::shared_ptr<Embedder> inner, const torch::Tensor& location, const torch::Tensor& scale);

  torch::Tensor forward(const Observations& x) override;
  std::int64_t size() const override { return inner_->size(); }
  double flops() const override { return inner_->flops(); }
  double activations() const override { return inner_->activations(); }
  NetworkDescription describe() const override { return inner_->describe(); }

  const std::shared_ptr<Embedder>& inner() const { return inner_; }

 private:
  std::shared_ptr<Embedder> inner_;
  torch::Tensor location_, scale_;
};

}  // namespace pairs
