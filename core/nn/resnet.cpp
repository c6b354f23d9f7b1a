#include "core/nn/resnet.h"

#include <ATen/Functions.h>

#include <utility>

#include "core/base/text/error.h"
#include "core/nn/draws.h"
#include "core/nn/dropout.h"

namespace pairs {

// Convolution, normalization and ReLU twice around a shortcut, which is projected if the shape changes and added before
// the last ReLU.
class ResidualBlock : public torch::nn::Module {
 public:
  ResidualBlock(std::int64_t in, std::int64_t out, std::int64_t stride, at::Generator& generator) {
    first_ = register_module("conv0", std::make_shared<Convolution>(in, out, 3, stride, generator, true, false));
    first_norm_ = register_module("norm0", std::make_shared<NormRelu>(out));
    second_ = register_module("conv1", std::make_shared<Convolution>(out, out, 3, 1, generator, true, false));
    second_norm_ = register_module("norm1", std::make_shared<NormRelu>(out));
    if (stride == 1 && in == out) return;
    shortcut_ = register_module("shortcut", std::make_shared<Convolution>(in, out, 1, stride, generator, true, false));
    shortcut_norm_ = register_module("shortcut_norm", std::make_shared<NormRelu>(out, false));
  }

  torch::Tensor forward(const torch::Tensor& x) const {
    const torch::Tensor shortcut = shortcut_ ? shortcut_norm_->forward(shortcut_->forward(x)) : x;
    return second_norm_->forward(second_->forward(first_norm_->forward(first_->forward(x))), shortcut);
  }

  std::int64_t channels() const { return second_->channels(); }
  double flops(ImageSize& size) const {
    ImageSize before = size;
    double total = first_->flops(size);
    total += second_->flops(size);
    if (shortcut_) total += shortcut_->flops(before);
    return total;
  }
  // Each convolution with its normalization; for the shortcut only the convolution.
  double activations(ImageSize& size) const { return (shortcut_ ? 5 : 4) * first_->outputs(size); }

 private:
  std::shared_ptr<Convolution> first_, second_, shortcut_;
  std::shared_ptr<NormRelu> first_norm_, second_norm_, shortcut_norm_;
};

namespace {
ImageSize pooled(ImageSize size) {
  return {(size.height + 1) / 2, (size.width + 1) / 2};
}
}  // namespace

ResNet::ResNet(const Settings& own, std::int64_t embedding, std::span<const std::int64_t> image,
               at::Generator generator)
    : image_{image[1], image[2]},
      precision_(own.precision),
      pool_(own.stem_pool),
      blocks_a_stage_(own.blocks),
      dropout_(own.dropout) {
  PAIRS_CHECK(own.channels.size() >= 2, "a ResNet needs the channels of its stem and of at least one stage: set {}",
              "embedder.channels"_key);
  PAIRS_CHECK(own.blocks >= 1, "a ResNet needs a block a stage or more, not {}: set {}", own.blocks,
              "embedder.blocks"_key);
  PAIRS_CHECK(own.stem_stride >= 1, "a stem's stride must be 1 or more, not {}: set {}", own.stem_stride,
              "embedder.stem_stride"_key);
  PAIRS_CHECK(own.stem_kernel % 2 == 1, "a stem's kernel must be odd, not {}: set {}", own.stem_kernel,
              "embedder.stem_kernel"_key);
  PAIRS_CHECK(dropout_ >= 0 && dropout_ < 1, "dropout must be in [0, 1), not {}: set {}", dropout_,
              "embedder.dropout"_key);
  stem_ = register_module("stem", std::make_shared<Convolution>(image[0], own.channels[0], own.stem_kernel,
                                                                own.stem_stride, generator, true, false));
  stem_norm_ = register_module("stem_norm", std::make_shared<NormRelu>(own.channels[0]));
  std::int64_t in = own.channels[0];
  for (std::size_t i = 1; i < own.channels.size(); ++i)
    for (std::int64_t k = 0; k < own.blocks; ++k) {
      const std::int64_t out = own.channels[i], stride = k == 0 && i > 1 ? 2 : 1;
      blocks_.push_back(register_module(fmt::format("stage{}_block{}", i, k),
                                        std::make_shared<ResidualBlock>(in, out, stride, generator)));
      in = out;
    }
  std::vector<std::int64_t> widths = own.projection;
  widths.push_back(embedding);
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
      {"blocks", &blocks, "Residual blocks a stage", 1, 64},
      {"stem_kernel", &stem_kernel, "Kernel of the stem, odd", 1, 31},
      {"stem_stride", &stem_stride, "Stride of the stem", 1, 4},
      {"stem_pool", &stem_pool, "3 x 3 max-pooling with stride 2 after the stem"},
      {"projection", &projection, "Hidden widths of the projection", 1, 65536},
      {"dropout", &dropout, "Dropout in the projection, training only", 0, 0.95},
      precision_field(&precision),
  };
}

torch::Tensor ResNet::forward(const Observations& observed) {
  const torch::Tensor& images = observed.block();
  const torch::Tensor x = images.to(precision_.on(images.device())).contiguous(at::MemoryFormat::ChannelsLast);
  torch::Tensor h = stem_norm_->forward(stem_->forward(x));
  if (pool_) h = at::max_pool2d(h, {3, 3}, {2, 2}, {1, 1});
  for (const auto& block : blocks_) h = block->forward(h);
  h = at::mean(h, at::IntArrayRef{2, 3}, false, torch::kFloat);
  for (std::size_t i = 0; i < projection_.size(); ++i) {
    h = projection_[i]->forward(h);
    if (i + 1 == projection_.size()) break;
    h = at::relu(h);
    if (is_training() && dropout_ > 0)
      h = h * drawn(noise_key(), h.device(),
                    [i, first = noise_first(), rows = h.size(0), width = h.size(1), rate = dropout_](
                        std::uint64_t key) { return std::vector{dropout_mask(key + i, first, rows, width, rate)}; })[0];
  }
  return h;
}

NetworkDescription ResNet::describe() const {
  std::vector<std::int64_t> channels = {stem_->channels()}, projection;
  for (std::size_t i = 0; i < blocks_.size(); i += static_cast<std::size_t>(blocks_a_stage_))
    channels.push_back(blocks_[i]->channels());
  for (const auto& layer : projection_) projection.push_back(layer->inputs());
  projection.push_back(size());
  return described(*this,
                   {"ResNet with group normalization",
                    fmt::format("stem {0} x {0}{1}", stem_->kernel(), pool_ ? " and max-pooling" : ""),
                    "channels " + widths_text(channels),
                    fmt::format("{} block{} a stage", blocks_a_stage_, blocks_a_stage_ == 1 ? "" : "s"),
                    "projection " + widths_text(projection)},
                   {{"kind", "resnet"}, {"dropout", fmt::format("{}", dropout_)}, {"precision", precision_.name()}},
                   flops(), "a residual network with group normalization",
                   "K. He et al. Deep Residual Learning for Image Recognition. CVPR 2016.");
}

double ResNet::activations() const {
  ImageSize size = image_;
  const double map = stem_->outputs(size);
  double total = 2 * map;
  // Max pooling also stores the position of each maximum as a 64-bit number, which counts as two floats and is not
  // halved by the precision.
  double places = 0;
  if (pool_) {
    size = pooled(size);
    const double maxima = static_cast<double>(stem_->channels() * size.height * size.width);
    total += maxima;
    places = 2 * maxima;
  }
  for (const auto& block : blocks_) total += block->activations(size);
  if (precision_.on(parameters().front().device()) == torch::kBFloat16) total *= 0.5;
  for (const auto& layer : projection_) total += 2 * layer->activations();
  return total + places;
}

double ResNet::flops() const {
  ImageSize size = image_;
  double total = stem_->flops(size);
  if (pool_) size = pooled(size);
  for (const auto& block : blocks_) total += block->flops(size);
  for (const auto& layer : projection_) total += layer->flops();
  return total;
}

}  // namespace pairs
