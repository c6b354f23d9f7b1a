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

// The shape of a U-Net; members are settings of the flow-matching head ("head.channels", ...).
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

// Input of a U-Net: an image [channels, height, width], a map of `map_channels` of the same size (0: none) and a
// context of `context` columns.
struct UNetShape {
  std::int64_t channels, height, width, map_channels, context;
};

class UNetBlock;
class UNetAttention;

// Velocity network after Dhariwal and Nichol 2021 (docs/explanation/networks.md, "Flow matching"): residual blocks with
// adaptive group normalization by an embedding of time and context, `blocks` per resolution on the way down and one
// more on the way up, attention at selected resolutions and then also in the middle, zero-initialized second and output
// convolutions. Runs channels-last.
class UNet : public torch::nn::Module {
 public:
  // Weights from `generator` (CPU). Throws Error if the image cannot be halved as often as the configuration requires.
  UNet(const UNetConfig& config, const UNetShape& shape, at::Generator generator);

  // image [B, C, H, W], map [B, map_channels, H, W] (undefined if there is none), t [B] in [0, 1], context [B, c] ->
  // [B, C, H, W]. All are float32, or float64 if the weights are (for checks).
  torch::Tensor forward(const torch::Tensor& image, const torch::Tensor& map, const torch::Tensor& t,
                        const torch::Tensor& context) const;

  // Multiply-adds times two for one image (convolutions, linear layers, attention); see docs/explanation/training.md,
  // "Counting FLOPs".
  double flops() const;
  // The part of flops() for the embeddings of time and context.
  double embedding_flops() const;
  // The layers with the context as input: its columns are their first inputs.
  std::vector<std::shared_ptr<Mlp>> context_layers() const;

 private:
  // One step of the way down or up: a residual block with optional attention, or a change of resolution.
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
  std::vector<std::int64_t> adaptive_widths_;  // channels of each adaptive normalization
  std::shared_ptr<Convolution> input_, output_;
  std::shared_ptr<NormSilu> output_norm_;
  std::vector<Step> down_, middle_, up_;
};

// Sinusoidal embedding of 1000 t: t [B] -> [B, size], cosines then sines at frequencies exp(-ln(1e4) i / (size / 2)).
torch::Tensor time_embedding(const torch::Tensor& t, std::int64_t size);

}  // namespace pairs
