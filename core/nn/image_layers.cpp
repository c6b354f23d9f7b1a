#include "core/nn/image_layers.h"

#include <ATen/Functions.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/nn/initial.h"

namespace pairs {

Convolution::Convolution(std::int64_t in, std::int64_t out, std::int64_t kernel, std::int64_t stride,
                         at::Generator& generator)
    : kernel_(kernel), stride_(stride) {
  PAIRS_CHECK(in >= 1 && out >= 1, "a convolution needs at least one channel, not {} to {}", in, out);
  PAIRS_CHECK(kernel >= 1 && kernel % 2 == 1, "a convolution's kernel must be odd, not {}: change embedder.kernels",
              kernel);
  const double bound = uniform_bound(in * kernel * kernel);
  weight_ = register_parameter("weight", uniform_tensor({out, in, kernel, kernel}, bound, generator));
  bias_ = register_parameter("bias", uniform_tensor({out}, bound, generator));
}

torch::Tensor Convolution::forward(const torch::Tensor& x) const {
  const std::int64_t padding = kernel_ / 2;
  return at::conv2d(x, weight_, bias_, {stride_, stride_}, {padding, padding});
}

double Convolution::flops(ImageSize& size) const {
  size = {(size.height + stride_ - 1) / stride_, (size.width + stride_ - 1) / stride_};
  return 2.0 * static_cast<double>(weight_.numel()) * static_cast<double>(size.height * size.width);
}

ChannelNorm::ChannelNorm(std::int64_t channels)
    : groups_(std::min<std::int64_t>(32, channels)),
      weight_(register_parameter("weight", torch::ones({channels}))),
      bias_(register_parameter("bias", torch::zeros({channels}))) {
  PAIRS_CHECK(channels % groups_ == 0, "{} channels cannot be normalised in {} groups: use a multiple of {}", channels,
              groups_, groups_);
}

torch::Tensor ChannelNorm::forward(const torch::Tensor& x) const {
  return at::group_norm(x, groups_, weight_, bias_);
}

}  // namespace pairs
