#include "core/nn/unet.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <cmath>

#include "core/base/text/error.h"
#include "core/nn/initial.h"
#include "core/ops/ops.h"

namespace pairs {

// Two 3x3 convolutions, the second with adaptive normalization; `extra` is the skip connection from the way down.
class UNetBlock : public torch::nn::Module {
 public:
  UNetBlock(std::int64_t in, std::int64_t out, std::int64_t which, at::Generator& generator)
      : which_(which), groups_(norm_groups(out)) {
    norm_ = register_module("norm", std::make_shared<NormSilu>(in));
    first_ = register_module("conv0", std::make_shared<Convolution>(in, out, 3, 1, generator));
    second_ = register_module("conv1", std::make_shared<Convolution>(out, out, 3, 1, generator));
    second_->clear();
    if (in != out) shortcut_ = register_module("shortcut", std::make_shared<Convolution>(in, out, 1, 1, generator));
  }

  // Scale and shift of the adaptive normalization: [B, out] each.
  torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& extra, const torch::Tensor& scale,
                        const torch::Tensor& shift) const {
    const bool joined = extra.defined();
    torch::Tensor h = first_->forward(joined ? norm_->forward(x, extra) : norm_->forward(x));
    h = second_->forward(ops::group_norm_act(h, std::nullopt, scale, shift, groups_, "silu"));
    if (!shortcut_) return h.add_(x);
    return h.add_(joined ? shortcut_->forward(x, extra) : shortcut_->forward(x));
  }

  // The index of its adaptive normalization in the network.
  std::int64_t which() const { return which_; }
  double flops(ImageSize size) const {
    return first_->flops(size) + second_->flops(size) + (shortcut_ ? shortcut_->flops(size) : 0.0);
  }

 private:
  std::int64_t which_, groups_;
  std::shared_ptr<NormSilu> norm_;
  std::shared_ptr<Convolution> first_, second_, shortcut_;
};

// Self-attention of a map's pixels around a shortcut.
class UNetAttention : public torch::nn::Module {
 public:
  UNetAttention(std::int64_t channels, std::int64_t channels_a_head, at::Generator& generator)
      : channels_(channels), heads_(std::max<std::int64_t>(1, channels / channels_a_head)) {
    PAIRS_CHECK(channels % heads_ == 0, "{} channels cannot be shared by {} attention heads: change {}", channels,
                heads_, "head.attention_channels"_key);
    norm_ = register_module("norm", std::make_shared<NormSilu>(channels, false));
    inputs_ = register_module("qkv", std::make_shared<Convolution>(channels, 3 * channels, 1, 1, generator));
    output_ = register_module("output", std::make_shared<Convolution>(channels, channels, 1, 1, generator));
    output_->clear();
  }

  torch::Tensor forward(const torch::Tensor& x) const {
    const std::int64_t batch = x.size(0), pixels = x.size(2) * x.size(3);
    const torch::Tensor rows = inputs_->forward(norm_->forward(x)).permute({0, 2, 3, 1});
    const auto parts = rows.reshape({batch, pixels, 3, heads_, channels_ / heads_}).permute({2, 0, 3, 1, 4}).unbind(0);
    const torch::Tensor mixed = at::scaled_dot_product_attention(parts[0], parts[1], parts[2]);
    const torch::Tensor back =
        mixed.transpose(1, 2).reshape({batch, x.size(2), x.size(3), channels_}).permute({0, 3, 1, 2});
    return output_->forward(back).add_(x);
  }

  double flops(ImageSize size) const {
    const double pixels = static_cast<double>(size.height * size.width);
    return inputs_->flops(size) + output_->flops(size) + 4.0 * pixels * pixels * static_cast<double>(channels_);
  }

 private:
  std::int64_t channels_, heads_;
  std::shared_ptr<NormSilu> norm_;
  std::shared_ptr<Convolution> inputs_, output_;
};

torch::Tensor time_embedding(const torch::Tensor& t, std::int64_t size) {
  const std::int64_t half = size / 2;
  const torch::Tensor index = at::arange(half, t.options());
  const torch::Tensor frequency = at::exp(index * (-std::log(1e4) / static_cast<double>(half)));
  const torch::Tensor angle = (1000.0 * t).unsqueeze(1) * frequency;
  return at::cat({angle.cos(), angle.sin()}, 1);
}

void UNet::add_step(std::vector<Step>& steps, const std::string& name, std::int64_t in, std::int64_t out, bool attends,
                    at::Generator& generator) {
  Step step;
  step.block = register_module(
      name, std::make_shared<UNetBlock>(in, out, static_cast<std::int64_t>(adaptive_widths_.size()), generator));
  adaptive_widths_.push_back(out);
  if (attends)
    step.attention = register_module(name + "_attention",
                                     std::make_shared<UNetAttention>(out, config_.attention_channels, generator));
  steps.push_back(step);
}

UNet::UNet(const UNetConfig& config, const UNetShape& shape, at::Generator generator)
    : config_(config), shape_(shape), precision_(config.precision) {
  const auto levels = static_cast<std::int64_t>(config.multipliers.size());
  PAIRS_CHECK(levels >= 1 && config.blocks >= 1 && config.channels >= 1 && config.attention_channels >= 1,
              "a U-Net needs one resolution and one block or more: set {} and {}", "head.multipliers"_key,
              "head.blocks"_key);
  PAIRS_CHECK(config.time_size >= 2 && config.time_size % 2 == 0, "{} must be even, not {}", "head.time_size"_key,
              config.time_size);
  PAIRS_CHECK(levels <= 16, "a U-Net has at most 16 resolutions, not {}: shorten {}", levels, "head.multipliers"_key);
  const std::int64_t divisor = config.patch << (levels - 1);
  PAIRS_CHECK(config.patch >= 1 && shape.height % divisor == 0 && shape.width % divisor == 0,
              "an image of {} x {} cannot enter a U-Net of {} resolutions in patches of {}: its sides must be "
              "multiples of {}; change {} or {}",
              shape.height, shape.width, levels, config.patch, divisor, "head.multipliers"_key, "head.patch"_key);
  std::vector<std::int64_t> heights;
  for (std::int64_t level = 0; level < levels; ++level) heights.push_back(shape.height / config.patch >> level);
  for (const std::int64_t wanted : config.attention)
    PAIRS_CHECK(std::find(heights.begin(), heights.end(), wanted) != heights.end(),
                "{} has {}, but the maps of this U-Net are {} pixels high; choose among them, or [] for none",
                "head.attention"_key, wanted, fmt::join(heights, ", "));
  const std::int64_t embedding = 4 * config.channels, places = config.patch * config.patch;
  time_ = register_module("time", std::make_shared<Mlp>(config.time_size, std::vector<std::int64_t>{embedding},
                                                        embedding, "silu", generator));
  context_ = register_module(
      "context", std::make_shared<Mlp>(shape.context, std::vector<std::int64_t>{}, embedding, "silu", generator));

  const auto attends = [&](std::int64_t height) {
    return std::find(config.attention.begin(), config.attention.end(), height) != config.attention.end();
  };
  std::int64_t channels = config.channels * config.multipliers[0], height = shape.height / config.patch;
  input_ = register_module("input", std::make_shared<Convolution>((shape.channels + shape.map_channels) * places,
                                                                  channels, 3, 1, generator));
  std::vector<std::int64_t> extra = {channels};
  for (std::int64_t level = 0; level < levels; ++level) {
    const std::int64_t out = config.channels * config.multipliers[static_cast<std::size_t>(level)];
    for (std::int64_t b = 0; b < config.blocks; ++b) {
      add_step(down_, fmt::format("down{}_{}", level, b), channels, out, attends(height), generator);
      extra.push_back(channels = out);
    }
    if (level + 1 == levels) break;
    Step step;
    step.down = register_module(fmt::format("down{}", level),
                                std::make_shared<Convolution>(channels, channels, 3, 2, generator));
    down_.push_back(step);
    extra.push_back(channels);
    height /= 2;
  }
  if (config.context_map) {
    const std::int64_t pixels = shape.height / divisor * (shape.width / divisor);
    context_map_ = register_module("context_map", std::make_shared<Mlp>(shape.context, std::vector<std::int64_t>{},
                                                                        channels * pixels, "silu", generator));
    torch::NoGradGuard no_grad;
    context_map_->first_weight().zero_();
    context_map_->first_bias().zero_();
  }
  add_step(middle_, "middle0", channels, channels, !config.attention.empty(), generator);
  add_step(middle_, "middle1", channels, channels, false, generator);
  for (std::int64_t level = levels; level-- > 0;) {
    const std::int64_t out = config.channels * config.multipliers[static_cast<std::size_t>(level)];
    for (std::int64_t b = 0; b <= config.blocks; ++b) {
      add_step(up_, fmt::format("up{}_{}", level, b), channels + extra.back(), out, attends(height), generator);
      extra.pop_back();
      channels = out;
    }
    if (level == 0) break;
    Step step;
    step.up =
        register_module(fmt::format("up{}", level), std::make_shared<Convolution>(channels, channels, 3, 1, generator));
    up_.push_back(step);
    height *= 2;
  }
  output_norm_ = register_module("output_norm", std::make_shared<NormSilu>(channels));
  output_ =
      register_module("output", std::make_shared<Convolution>(channels, shape.channels * places, 3, 1, generator));
  output_->clear();

  std::int64_t total = 0;
  for (const std::int64_t width : adaptive_widths_) total += width;
  adaptive_ = register_module(
      "adaptive", std::make_shared<Mlp>(embedding, std::vector<std::int64_t>{}, 2 * total, "silu", generator));
}

torch::Tensor UNet::forward(const torch::Tensor& image, const torch::Tensor& map, const torch::Tensor& t,
                            const torch::Tensor& context) const {
  const torch::Tensor embedding =
      at::silu(time_->forward(time_embedding(t, config_.time_size)) + context_->forward(context));
  const auto halves = adaptive_->forward(embedding).chunk(2, 1);
  const auto scales = (halves[0] + 1.0).split_with_sizes(adaptive_widths_, 1);
  const auto shifts = halves[1].split_with_sizes(adaptive_widths_, 1);
  const auto run = [&](const Step& step, const torch::Tensor& x, const torch::Tensor& extra) {
    const auto which = static_cast<std::size_t>(step.block->which());
    const torch::Tensor h = step.block->forward(x, extra, scales[which], shifts[which]);
    return step.attention ? step.attention->forward(h) : h;
  };

  const bool exact = image.scalar_type() == torch::kDouble;  // a network in float64, for checks
  torch::Tensor h = map.defined() ? at::cat({image, map}, 1) : image;
  if (config_.patch > 1) h = at::pixel_unshuffle(h, config_.patch);
  h = input_->forward(
      h.to(exact ? torch::kDouble : precision_.on(h.device())).contiguous(at::MemoryFormat::ChannelsLast));
  std::vector<torch::Tensor> extra = {h};
  for (const Step& step : down_) {
    h = step.down ? step.down->forward(h) : run(step, h, {});
    extra.push_back(h);
  }
  if (context_map_)
    h = h + context_map_->forward(context)
                .reshape({h.size(0), h.size(2), h.size(3), h.size(1)})
                .permute({0, 3, 1, 2})
                .to(h.scalar_type());
  for (const Step& step : middle_) h = run(step, h, {});
  for (const Step& step : up_) {
    if (step.up) {
      h = step.up->forward(at::upsample_nearest2d(h, {2 * h.size(2), 2 * h.size(3)}));
    } else {
      h = run(step, h, extra.back());
      extra.pop_back();
    }
  }
  h = output_->forward(output_norm_->forward(h)).to(image.scalar_type());
  return config_.patch > 1 ? at::pixel_shuffle(h, config_.patch) : h;
}

double UNet::embedding_flops() const {
  return time_->flops() + context_->flops();
}

double UNet::flops() const {
  ImageSize size = {shape_.height / config_.patch, shape_.width / config_.patch};
  double total = embedding_flops() + adaptive_->flops() + (context_map_ ? context_map_->flops() : 0.0);
  const auto add = [&](const std::vector<Step>& steps) {
    for (const Step& step : steps) {
      if (step.up) size = {2 * size.height, 2 * size.width};
      if (step.down || step.up) total += (step.down ? step.down : step.up)->flops(size);
      if (step.block) total += step.block->flops(size);
      if (step.attention) total += step.attention->flops(size);
    }
  };
  total += input_->flops(size);
  add(down_);
  add(middle_);
  add(up_);
  return total + output_->flops(size);
}

std::vector<std::shared_ptr<Mlp>> UNet::context_layers() const {
  std::vector<std::shared_ptr<Mlp>> layers = {context_};
  if (context_map_) layers.push_back(context_map_);
  return layers;
}

}  // namespace pairs
