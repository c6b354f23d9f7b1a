#pragma once

#include <ATen/core/Generator.h>
#include <torch/nn/module.h>

#include <memory>
#include <string>
#include <vector>

#include "core/nn/image_layers.h"
#include "core/nn/mlp.h"
#include "core/nn/precision.h"

namespace pairs {

// Shape of a U-Net; the words are those of HeadConfig.
struct UNetConfig {
  std::int64_t channels = 64;
  std::vector<std::int64_t> multipliers = {1, 2, 2, 2};
  std::int64_t blocks = 3;
  std::vector<std::int64_t> attention = {16};
  std::int64_t attention_channels = 64;
  std::int64_t time_size = 256;
  std::int64_t patch = 1;
  bool context_map = false;
  std::string precision = "float32";
};

// What runs through a U-Net: an image [channels, height, width], a map of `map_channels` beside it (0: none) and a
// context of `context` columns.
struct UNetShape {
  std::int64_t channels, height, width, map_channels, context;
};

class UNetBlock;
class UNetAttention;

// Velocity network after Dhariwal and Nichol 2021 (docs/method.md, "Flow matching"): residual blocks with adaptive
// group normalisation by an embedding of time and context, `blocks` a resolution on the way down and one more on the
// way up, attention at chosen resolutions and then also in the middle, zero-initialised second and output convolutions.
// Runs channels-last.
class UNet : public torch::nn::Module {
 public:
  // Weights from `generator` (CPU). Throws Error when the image cannot be halved as often as asked.
  UNet(const UNetConfig& config, const UNetShape& shape, at::Generator generator);

  // image [B, C, H, W], map [B, map_channels, H, W] (undefined without one), t [B] in [0, 1], context [B, c] -> [B, C,
  // H, W]. All are float32, or float64 when the weights are: for checks.
  torch::Tensor forward(const torch::Tensor& image, const torch::Tensor& map, const torch::Tensor& t,
                        const torch::Tensor& context) const;

  // Multiply-adds times two of one image (convolutions, linear layers, attention), as docs/method.md, "Counting FLOPs",
  // tells.
  double flops() const;
  // Those of the embeddings of time and context alone, a part of flops().
  double embedding_flops() const;
  // The layers that see the context: its columns are their first inputs.
  std::vector<std::shared_ptr<Mlp>> context_layers() const;

 private:
  // One step of the way down or up: a residual block and attention where there is one, or a change of the resolution.
  struct Step {
    std::shared_ptr<UNetBlock> block = {};
    std::shared_ptr<UNetAttention> attention = {};
    std::shared_ptr<Convolution> down = {}, up = {};
  };
  void add_step(std::vector<Step>& steps, const std::string& name, std::int64_t in, std::int64_t out, bool attends,
                at::Generator& generator);

  UNetConfig config_;
  UNetShape shape_;
  Precision precision_;
  std::shared_ptr<Mlp> time_, context_, adaptive_, context_map_;
  std::vector<std::int64_t> adaptive_widths_;  // channels of each adaptive normalisation
  std::shared_ptr<Convolution> input_, output_;
  std::shared_ptr<NormSilu> output_norm_;
  std::vector<Step> down_, middle_, up_;
};

// Sinusoidal embedding of 1000 t: t [B] -> [B, size], cosines then sines at frequencies exp(-ln(1e4) i / (size / 2)).
torch::Tensor time_embedding(const torch::Tensor& t, std::int64_t size);

}  // namespace pairs
