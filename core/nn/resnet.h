#pragma once

#include <span>
#include <vector>

#include "core/nn/embedder.h"
#include "core/nn/image_layers.h"
#include "core/nn/mlp.h"

namespace pairs {

// Two 3x3 convolutions with group normalisation around a shortcut (He et al. 2016), which is projected where the shape
// changes.
class BasicBlock : public torch::nn::Module {
 public:
  BasicBlock(std::int64_t in, std::int64_t out, std::int64_t stride, at::Generator& generator);
  torch::Tensor forward(const torch::Tensor& x) const;
  std::int64_t channels() const { return second_->channels(); }
  double flops(ImageSize& size) const;
  double activations(ImageSize& size) const;

 private:
  std::shared_ptr<Convolution> first_, second_, shortcut_;
  std::shared_ptr<ChannelNorm> first_norm_, second_norm_, shortcut_norm_;
};

// Compact ResNet (paper, Digit Expectation): 3x3 stem, one BasicBlock a stage with strides 1, 2, 2, ..., mean over
// pixels, projection with dropout after every hidden layer.
class ResNet : public Embedder {
 public:
  struct Settings {
    std::vector<std::int64_t> channels = {64, 64, 128, 256};  // of the stem and of each stage
    std::vector<std::int64_t> projection = {256};             // hidden widths of the projection
    double dropout = 0.1;                                     // in it, training only

    std::vector<Field> fields();
  };

  ResNet(const Settings& own, std::int64_t embedding, std::span<const std::int64_t> image, at::Generator generator);
  torch::Tensor forward(const Observations& observed) override;
  std::int64_t size() const override { return projection_.back()->outputs(); }
  double flops() const override;
  double activations() const override;
  NetworkDescription describe() const override;

 private:
  ImageSize image_;
  double dropout_;
  std::shared_ptr<Convolution> stem_;
  std::shared_ptr<ChannelNorm> stem_norm_;
  std::vector<std::shared_ptr<BasicBlock>> stages_;
  std::vector<std::shared_ptr<Mlp>> projection_;  // one layer each
};

}  // namespace pairs
