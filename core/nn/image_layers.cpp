#include "core/nn/image_layers.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <cmath>

#include "core/base/text/error.h"
#include "core/base/threads/interruption.h"
#include "core/nn/initial.h"
#include "core/ops/group_norm_relu.h"
#include "core/ops/ops.h"

namespace pairs {
namespace {

// An interruption point here, and where the gradients come back.
torch::Tensor breakable(torch::Tensor x) {
  if (!interruptible()) return x;
  interruption_point();
  if (x.requires_grad()) x.register_hook([](const torch::Tensor&) { interruption_point(); });
  return x;
}

}  // namespace

Convolution::Convolution(std::int64_t in, std::int64_t out, std::int64_t kernel, std::int64_t stride,
                         at::Generator& generator, bool he, bool bias)
    : kernel_(kernel), stride_(stride) {
  PAIRS_CHECK(in >= 1 && out >= 1, "a convolution needs at least one channel, not {} to {}", in, out);
  PAIRS_CHECK(kernel >= 1 && kernel % 2 == 1, "a convolution's kernel must be odd, not {}: change {}", kernel,
              "embedder.kernels"_key);
  const double bound = uniform_bound(in * kernel * kernel);
  weight_ = register_parameter(
      "weight", uniform_tensor({out, in, kernel, kernel}, he ? std::sqrt(6.0) * bound : bound, generator));
  if (bias) bias_ = register_parameter("bias", uniform_tensor({out}, he ? 0 : bound, generator));
}

torch::Tensor Convolution::forward(const torch::Tensor& x) const {
  const std::int64_t padding = kernel_ / 2;
  const auto type = x.scalar_type();
  return breakable(at::conv2d(x, weight_.to(type), bias_.defined() ? bias_.to(type) : bias_, {stride_, stride_},
                              {padding, padding}));
}

torch::Tensor Convolution::forward(const torch::Tensor& x, const torch::Tensor& extra) const {
  const std::int64_t padding = kernel_ / 2;
  const torch::Tensor weight = weight_.to(x.scalar_type());
  const auto part = [&](const torch::Tensor& in, std::int64_t first, const torch::Tensor& bias) {
    return breakable(at::conv2d(in, weight.narrow(1, first, in.size(1)), bias, {stride_, stride_}, {padding, padding}));
  };
  return part(x, 0, bias_.defined() ? bias_.to(x.scalar_type()) : bias_).add_(part(extra, x.size(1), {}));
}

void Convolution::clear() {
  torch::NoGradGuard no_grad;
  weight_.zero_();
  if (bias_.defined()) bias_.zero_();
}

double Convolution::flops(ImageSize& size) const {
  return 2.0 * static_cast<double>(weight_.numel() / weight_.size(0)) * outputs(size);
}

double Convolution::outputs(ImageSize& size) const {
  size = {(size.height + stride_ - 1) / stride_, (size.width + stride_ - 1) / stride_};
  return static_cast<double>(weight_.size(0) * size.height * size.width);
}

std::int64_t norm_groups(std::int64_t channels) {
  std::int64_t groups = 1;
  while (groups < 32 && channels % (2 * groups) == 0 && channels >= 8 * groups) groups *= 2;
  return groups;
}

NormSilu::NormSilu(std::int64_t channels, bool silu)
    : groups_(norm_groups(channels)),
      act_(silu ? "silu" : "none"),
      weight_(register_parameter("weight", torch::ones({channels}, weight_options()))),
      bias_(register_parameter("bias", torch::zeros({channels}, weight_options()))) {}

torch::Tensor NormSilu::forward(const torch::Tensor& x) const {
  return ops::group_norm_act(x, std::nullopt, weight_.unsqueeze(0), bias_.unsqueeze(0), groups_, act_);
}

torch::Tensor NormSilu::forward(const torch::Tensor& x, const torch::Tensor& extra) const {
  return ops::group_norm_act(x, extra, weight_.unsqueeze(0), bias_.unsqueeze(0), groups_, act_);
}

NormRelu::NormRelu(std::int64_t channels, bool relu)
    : groups_(std::clamp<std::int64_t>(channels / 2, 1, 32)),
      relu_(relu),
      weight_(register_parameter("weight", torch::ones({channels}, weight_options()))),
      bias_(register_parameter("bias", torch::zeros({channels}, weight_options()))) {
  PAIRS_CHECK(channels % groups_ == 0,
              "{} channels cannot be normalized in {} groups: take even numbers, above 64 multiples of 32, for {}",
              channels, groups_, "embedder.channels"_key);
}

torch::Tensor NormRelu::forward(const torch::Tensor& x) const {
  if (relu_) return ops::group_norm_relu(x, std::nullopt, weight_, bias_, groups_);
  return ops::group_norm_act(x, std::nullopt, weight_.unsqueeze(0), bias_.unsqueeze(0), groups_, "none");
}

torch::Tensor NormRelu::forward(const torch::Tensor& x, const torch::Tensor& residual) const {
  return ops::group_norm_relu(x, residual, weight_, bias_, groups_);
}

}  // namespace pairs
