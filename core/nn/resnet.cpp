#include "core/nn/resnet.h"

#include <ATen/Functions.h>

#include "core/base/error.h"
#include "core/nn/draws.h"
#include "core/nn/dropout.h"

namespace pairs {

BasicBlock::BasicBlock(std::int64_t in, std::int64_t out, std::int64_t stride, at::Generator& generator) {
  first_ = register_module("conv0", std::make_shared<Convolution>(in, out, 3, stride, generator));
  first_norm_ = register_module("norm0", std::make_shared<ChannelNorm>(out));
  second_ = register_module("conv1", std::make_shared<Convolution>(out, out, 3, 1, generator));
  second_norm_ = register_module("norm1", std::make_shared<ChannelNorm>(out));
  if (stride == 1 && in == out) return;
  shortcut_ = register_module("shortcut", std::make_shared<Convolution>(in, out, 1, stride, generator));
  shortcut_norm_ = register_module("shortcut_norm", std::make_shared<ChannelNorm>(out));
}

torch::Tensor BasicBlock::forward(const torch::Tensor& x) const {
  const torch::Tensor h = at::relu(first_norm_->forward(first_->forward(x)));
  const torch::Tensor shortcut = shortcut_ ? shortcut_norm_->forward(shortcut_->forward(x)) : x;
  return at::relu(second_norm_->forward(second_->forward(h)) + shortcut);
}

double BasicBlock::flops(ImageSize& size) const {
  ImageSize before = size;
  double total = first_->flops(size);
  total += second_->flops(size);
  if (shortcut_) total += shortcut_->flops(before);
  return total;
}

double BasicBlock::activations(ImageSize& size) const {
  const double map = first_->outputs(size);
  // Each convolution and its normalisation, and the rectified sum.
  return (shortcut_ ? 7 : 5) * map;
}

ResNet::ResNet(const Settings& own, std::int64_t embedding, std::span<const std::int64_t> image,
               at::Generator generator)
    : image_{image[1], image[2]}, dropout_(own.dropout) {
  PAIRS_CHECK(own.channels.size() >= 2, "a ResNet needs the channels of its stem and of at least one stage: set {}",
              "embedder.channels"_key);
  PAIRS_CHECK(dropout_ >= 0 && dropout_ < 1, "dropout must be in [0, 1), not {}: set {}", dropout_,
              "embedder.dropout"_key);
  stem_ = register_module("stem", std::make_shared<Convolution>(image[0], own.channels[0], 3, 1, generator));
  stem_norm_ = register_module("stem_norm", std::make_shared<ChannelNorm>(own.channels[0]));
  for (std::size_t i = 1; i < own.channels.size(); ++i)
    stages_.push_back(
        register_module(fmt::format("stage{}", i),
                        std::make_shared<BasicBlock>(own.channels[i - 1], own.channels[i], i == 1 ? 1 : 2, generator)));
  std::vector<std::int64_t> widths = own.projection;
  widths.push_back(embedding);
  std::int64_t in = own.channels.back();
  for (std::size_t i = 0; i < widths.size(); ++i) {
    projection_.push_back(
        register_module(fmt::format("projection{}", i),
                        std::make_shared<Mlp>(in, std::vector<std::int64_t>{}, widths[i], "relu", generator)));
    in = widths[i];
  }
}

std::vector<Field> ResNet::Settings::fields() {
  return {
      {"channels", &channels, "Channels of the stem and of each stage", 1, 65536},
      {"projection", &projection, "Hidden widths of the projection", 1, 65536},
      {"dropout", &dropout, "Dropout in the projection, training only", 0, 0.95},
  };
}

torch::Tensor ResNet::forward(const Observations& observed) {
  const torch::Tensor& x = observed.block();
  torch::Tensor h = at::relu(stem_norm_->forward(stem_->forward(x)));
  for (const auto& stage : stages_) h = stage->forward(h);
  h = h.mean({2, 3});
  for (std::size_t i = 0; i < projection_.size(); ++i) {
    h = projection_[i]->forward(h);
    if (i + 1 < projection_.size()) {
      h = at::relu(h);
      if (is_training() && dropout_ > 0)
        h = h *
            drawn(noise_key(), h.device(),
                  [i, first = noise_first(), rows = h.size(0), width = h.size(1), rate = dropout_](std::uint64_t key) {
                    return std::vector{dropout_mask(key + i, first, rows, width, rate)};
                  })[0];
    }
  }
  return h;
}

NetworkDescription ResNet::describe() const {
  std::vector<std::int64_t> channels = {stem_->channels()}, projection;
  for (const auto& stage : stages_) channels.push_back(stage->channels());
  for (const auto& layer : projection_) projection.push_back(layer->inputs());
  projection.push_back(size());
  return described(*this, {"ResNet", "channels " + widths_text(channels), "projection " + widths_text(projection)},
                   {{"kind", "resnet"}, {"dropout", fmt::format("{}", dropout_)}}, flops(), "a residual network",
                   "K. He et al. Deep Residual Learning for Image Recognition. CVPR 2016.");
}

double ResNet::activations() const {
  ImageSize size = image_;
  double total = 2 * stem_->outputs(size);
  for (const auto& stage : stages_) total += stage->activations(size);
  for (const auto& layer : projection_) total += 2 * layer->activations();
  return total;
}

double ResNet::flops() const {
  ImageSize size = image_;
  double total = stem_->flops(size);
  for (const auto& stage : stages_) total += stage->flops(size);
  for (const auto& layer : projection_) total += layer->flops();
  return total;
}

}  // namespace pairs
