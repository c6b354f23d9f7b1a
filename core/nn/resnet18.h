#pragma once

#include <span>
#include <vector>

#include "core/nn/embedder.h"
#include "core/nn/image_layers.h"
#include "core/nn/mlp.h"
#include "core/nn/precision.h"

namespace pairs {

class NormedBlock;

// ResNet-18 with group normalisation (paper, 3D Object Properties; He et al. 2016): strided stem with 3x3 max-pooling,
// stages of BasicBlocks with strides 1, 2, 2, ..., mean over pixels, one linear layer to l. Convolutions have no bias.
// Settings make it smaller; the defaults with channels 64, 64, 128, 256, 512 are ResNet-18. The mean and the linear
// layer are float32 whatever the precision.
class ResNet18 : public Embedder {
 public:
  struct Settings {
    std::vector<std::int64_t> channels = {64, 64, 128, 256};  // of the stem and of each stage
    std::int64_t blocks = 2;                                  // BasicBlocks a stage
    std::int64_t stem_kernel = 7, stem_stride = 2;
    bool stem_pool = true;  // 3 x 3 with stride 2
    std::string precision = "float32";

    std::vector<Field> fields();
  };

  ResNet18(const Settings& own, std::int64_t embedding, std::span<const std::int64_t> image, at::Generator generator);
  torch::Tensor forward(const Observations& observed) override;
  std::int64_t size() const override { return output_->outputs(); }
  double flops() const override;
  double activations() const override;
  NetworkDescription describe() const override;

 private:
  ImageSize image_;
  Precision precision_;
  bool pool_;
  std::int64_t blocks_a_stage_;
  std::shared_ptr<Convolution> stem_;
  std::shared_ptr<NormRelu> stem_norm_;
  std::vector<std::shared_ptr<NormedBlock>> blocks_;
  std::shared_ptr<Mlp> output_;
};

}  // namespace pairs
