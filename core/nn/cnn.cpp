#include "core/nn/cnn.h"

#include <ATen/Functions.h>

#include "core/base/text/error.h"
#include "core/ops/relu_pool.h"

namespace pairs {
Cnn::Cnn(const Settings& own, std::int64_t embedding, std::span<const std::int64_t> image, at::Generator generator)
    : image_{image[1], image[2]}, precision_(own.precision) {
  PAIRS_CHECK(!own.channels.empty() && own.channels.size() == own.kernels.size(),
              "a CNN needs one kernel for each block, not {} kernels for {} channels: set {} and {}",
              own.kernels.size(), own.channels.size(), "embedder.kernels"_key, "embedder.channels"_key);
  std::int64_t channels = image[0];
  ImageSize size = image_;
  for (std::size_t i = 0; i < own.channels.size(); ++i) {
    blocks_.push_back(register_module(
        fmt::format("block{}", i),
        std::make_shared<Convolution>(channels, own.channels[i], own.kernels[i], 1, generator, own.initial == "he")));
    channels = own.channels[i];
    size = {size.height / 2, size.width / 2};
    PAIRS_CHECK(size.height >= 1 && size.width >= 1, "images of {} x {} are too small for {} CNN blocks: remove some",
                image_.height, image_.width, own.channels.size());
  }
  output_ =
      register_module("output", std::make_shared<Mlp>(channels * size.height * size.width, std::vector<std::int64_t>{},
                                                      embedding, "relu", std::move(generator)));
}

std::vector<Field> Cnn::Settings::fields() {
  return {
      {"channels", &channels, "Channels of each block's convolution", 1, 65536},
      {"kernels", &kernels, "Sizes of their kernels", 1, 31},
      Field::choice("initial", &initial, "Fresh weights", {"uniform", "he"}),
      precision_field(&precision),
  };
}

torch::Tensor Cnn::forward(const Observations& observed) {
  const torch::Tensor& x = observed.block();
  if (const torch::ScalarType type = precision_.on(x.device()); type == torch::kBFloat16) {
    torch::Tensor h = x.to(type, false, false, at::MemoryFormat::ChannelsLast);
    for (const auto& block : blocks_) h = ops::relu_pool(block->forward(h));
    return output_->forward(h.to(x.scalar_type()).flatten(1));
  }
  // Channels-last is slightly faster here on the CPU; with the ResNet's group normalization it is slower.
  torch::Tensor h = x.is_cpu() && x.size(1) > 1 ? x.contiguous(at::MemoryFormat::ChannelsLast) : x;
  for (const auto& block : blocks_) {
    h = ops::relu_pool(block->forward(h));
    if (h.is_cpu()) h = h.contiguous(at::MemoryFormat::ChannelsLast);
  }
  return output_->forward(h.flatten(1));
}

NetworkDescription Cnn::describe() const {
  std::vector<std::int64_t> channels, kernels;
  for (const auto& block : blocks_) {
    channels.push_back(block->channels());
    kernels.push_back(block->kernel());
  }
  return described(
      *this,
      {"CNN with ReLU", "channels " + widths_text(channels), fmt::format("kernels {}", fmt::join(kernels, ", "))},
      {{"kind", "cnn"}, {"precision", precision_.name()}}, flops(), "a convolutional network");
}

double Cnn::activations() const {
  ImageSize size = image_;
  double total = output_->activations();
  // bf16: the output takes half of a float; a quarter of it is kept, with the positions of the maxima taking as much.
  const double kept = precision_.on(parameters().front().device()) == torch::kBFloat16 ? 0.75 : 2.0;
  for (const auto& block : blocks_) {
    // float32: the convolution's output; on a GPU also, for a quarter of it, the maxima, their positions with two
    // numbers each, and the rectified copy.
    total += kept * block->outputs(size);
    size = {size.height / 2, size.width / 2};
  }
  return total;
}

double Cnn::flops() const {
  ImageSize size = image_;
  double total = output_->flops();
  for (const auto& block : blocks_) {
    total += block->flops(size);
    size = {size.height / 2, size.width / 2};
  }
  return total;
}

}  // namespace pairs
