#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/nn/embedder.h"
#include "core/nn/image_layers.h"
#include "core/nn/mlp.h"
#include "core/nn/precision.h"

namespace pairs {

class ResidualBlock;

// Residual network (He et al. 2016) with group normalization: a stem, with optional 3x3 max pooling, stages of blocks
// with strides 1, 2, 2, ..., mean over pixels, linear layers to l with dropout after every hidden one. Convolutions
// have no bias. The defaults with dropout are the compact network of the paper (Digit Expectation); two blocks per
// stage, a stem of 7 x 7 with stride 2 and pooling, no hidden layer, and channels 64, 64, 128, 256, 512 are ResNet-18
// (3D Object Properties). From the mean on everything is float32 whatever the precision.
class ResNet : public Embedder {
 public:
  struct Settings {
    std::vector<std::int64_t> channels = {64, 64, 128, 256};  // of the stem and of each stage
    std::int64_t blocks = 1;                                  // per stage
    std::int64_t stem_kernel = 3, stem_stride = 1;
    bool stem_pool = false;                        // 3 x 3 with stride 2
    std::vector<std::int64_t> projection = {256};  // hidden widths between the mean and l
    double dropout = 0;                            // after each hidden layer, training only
    std::string precision = "float32";

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
  Precision precision_;
  bool pool_;
  std::int64_t blocks_a_stage_;
  double dropout_;
  std::shared_ptr<Convolution> stem_;
  std::shared_ptr<NormRelu> stem_norm_;
  std::vector<std::shared_ptr<ResidualBlock>> blocks_;
  std::vector<std::shared_ptr<Mlp>> projection_;
};

}  // namespace pairs
