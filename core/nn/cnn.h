#pragma once

#include <span>
#include <vector>

#include "core/nn/embedder.h"
#include "core/nn/image_layers.h"
#include "core/nn/mlp.h"
#include "core/nn/precision.h"

namespace pairs {

// Simple CNN (paper, Circle Radius): conv + ReLU + 2x2 max-pool a block, then one linear layer to l, which is float32
// whatever the precision of the blocks.
class Cnn : public Embedder {
 public:
  Cnn(const EmbedderConfig& config, std::span<const std::int64_t> image, at::Generator generator);
  static std::vector<Field> fields(EmbedderConfig& config);
  static std::shared_ptr<Embedder> make(const EmbedderConfig& config, const ObservationShape& x,
                                        at::Generator generator);
  torch::Tensor forward(const Observations& observed) override;
  std::int64_t size() const override { return output_->outputs(); }
  double flops() const override;
  double activations() const override;
  NetworkDescription describe() const override;

 private:
  ImageSize image_;
  Precision precision_;
  std::vector<std::shared_ptr<Convolution>> blocks_;
  std::shared_ptr<Mlp> output_;
};

}  // namespace pairs
