#pragma once

#include <span>
#include <vector>

#include "core/nn/embedder.h"
#include "core/nn/image_layers.h"
#include "core/nn/mlp.h"
#include "core/nn/precision.h"

namespace pairs {

// Simple CNN (paper, Circle Radius): conv + ReLU + 2x2 max-pool per block, then one linear layer to l, which is float32
// whatever the precision of the blocks.
class Cnn : public Embedder {
 public:
  struct Settings {
    std::vector<std::int64_t> channels = {64, 64, 128, 256};  // of each block's convolution
    std::vector<std::int64_t> kernels = {5, 5, 3, 3};         // their sizes
    // "uniform" is PyTorch's default, with which activations shrink from layer to layer; "he" preserves their second
    // moment through the rectified layers, with zero biases (He et al. 2015).
    std::string initial = "uniform";
    std::string precision = "float32";

    std::vector<Field> fields();
  };

  Cnn(const Settings& own, std::int64_t embedding, std::span<const std::int64_t> image, at::Generator generator);
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
