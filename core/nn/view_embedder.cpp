#include "core/nn/view_embedder.h"

#include <ATen/Functions.h>

#include <algorithm>

#include "core/base/text/error.h"

namespace pairs {
namespace {
constexpr std::int64_t kLastMap = 4, kColors = 3;
}

// Normalization, SiLU and 3x3 convolution twice around a shortcut, which is projected if the shape changes.
class ViewBlock : public torch::nn::Module {
 public:
  ViewBlock(std::int64_t in, std::int64_t out, std::int64_t stride, at::Generator& generator) {
    first_norm_ = register_module("norm0", std::make_shared<NormSilu>(in));
    first_ = register_module("conv0", std::make_shared<Convolution>(in, out, 3, stride, generator));
    second_norm_ = register_module("norm1", std::make_shared<NormSilu>(out));
    second_ = register_module("conv1", std::make_shared<Convolution>(out, out, 3, 1, generator));
    if (stride != 1 || in != out)
      shortcut_ = register_module("shortcut", std::make_shared<Convolution>(in, out, 1, stride, generator));
  }

  torch::Tensor forward(const torch::Tensor& x) const {
    const torch::Tensor h = second_->forward(second_norm_->forward(first_->forward(first_norm_->forward(x))));
    return h.add_(shortcut_ ? shortcut_->forward(x) : x);
  }

  // Maps before and after each normalization, and the sum. `in`: size of its input.
  double activations(ImageSize& size, double in) const { return in + 4 * first_->outputs(size); }

  std::int64_t channels() const { return second_->channels(); }
  double flops(ImageSize& size) const {
    ImageSize before = size;
    double total = first_->flops(size);
    total += second_->flops(size);
    if (shortcut_) total += shortcut_->flops(before);
    return total;
  }

 private:
  std::shared_ptr<NormSilu> first_norm_, second_norm_;
  std::shared_ptr<Convolution> first_, second_, shortcut_;
};

ViewEmbedder::ViewEmbedder(const Settings& own, std::int64_t embedding, std::span<const std::int64_t> image,
                           at::Generator generator)
    : image_{image[1], image[2]},
      precision_(own.precision),
      input_location_(own.input_location),
      input_scale_(own.input_scale) {
  PAIRS_CHECK(own.channels.size() >= 2,
              "a view embedder needs the channels of its stem and of at least one stage: set {}",
              "embedder.channels"_key);
  stem_ = register_module("stem", std::make_shared<Convolution>(image[0], own.channels[0], 7, own.stride, generator));
  ImageSize size = image_;
  stem_->flops(size);
  for (std::size_t i = 1; i < own.channels.size(); ++i) {
    const std::int64_t stride = std::min(size.height, size.width) >= 2 * kLastMap ? 2 : 1;
    blocks_.push_back(
        register_module(fmt::format("stage{}", i),
                        std::make_shared<ViewBlock>(own.channels[i - 1], own.channels[i], stride, generator)));
    size = {(size.height + stride - 1) / stride, (size.width + stride - 1) / stride};
  }
  last_ = size;
  output_ = register_module("output", std::make_shared<Mlp>(own.channels.back() * size.height * size.width,
                                                            std::vector<std::int64_t>{}, embedding, "silu", generator));
}

torch::Tensor ViewEmbedder::features(const torch::Tensor& x) const {
  if (input_location_ == 0 && input_scale_ == 1) return x;
  const torch::Tensor colors = x.narrow(1, 0, kColors).sub(input_location_).div_(input_scale_);
  return at::cat({colors, x.narrow(1, kColors, x.size(1) - kColors)}, 1);
}

std::vector<Field> ViewEmbedder::Settings::fields() {
  return {
      {"channels", &channels, "Channels of the stem and of each residual block", 1, 65536},
      {"input_location", &input_location, "Colors enter less this", -1e6, 1e6},
      {"input_scale", &input_scale, "And over this", 1e-6, 1e6},
      {"stride", &stride, "Stride of the stem", 1, 4},
      precision_field(&precision),
  };
}

torch::Tensor ViewEmbedder::forward(const Observations& observed) {
  const torch::Tensor& x = observed.block();
  torch::Tensor h =
      stem_->forward(features(x).to(precision_.on(x.device())).contiguous(at::MemoryFormat::ChannelsLast));
  for (const auto& block : blocks_) h = block->forward(h);
  // Flattened pixel by pixel, in memory order.
  return output_->forward(at::silu(h.to(torch::kFloat)).permute({0, 2, 3, 1}).flatten(1));
}

NetworkDescription ViewEmbedder::describe() const {
  std::vector<std::int64_t> channels = {stem_->channels()};
  for (const auto& block : blocks_) channels.push_back(block->channels());
  return described(*this,
                   {"residual CNN with SiLU", "channels " + widths_text(channels),
                    fmt::format("{} × {} pixels to a map of {} × {}, then linear", image_.height, image_.width,
                                last_.height, last_.width)},
                   {{"kind", "view"}, {"precision", precision_.name()}}, flops(), "a residual convolutional network",
                   "K. He et al. Deep Residual Learning for Image Recognition. CVPR 2016.");
}

double ViewEmbedder::activations() const {
  ImageSize size = image_;
  double map = stem_->outputs(size), total = 2 * map;
  for (const auto& block : blocks_) {
    const double part = block->activations(size, map);
    map = (part - map) / 4;
    total += part;
  }
  return total + output_->activations();
}

double ViewEmbedder::flops() const {
  ImageSize size = image_;
  double total = stem_->flops(size);
  for (const auto& block : blocks_) total += block->flops(size);
  return total + output_->flops();
}

}  // namespace pairs
