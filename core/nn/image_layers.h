#pragma once

#include <ATen/core/Generator.h>
#include <torch/nn/module.h>

namespace pairs {

// Height and width of what runs through a network.
struct ImageSize {
  std::int64_t height, width;
};

// Square convolution with bias and "same" padding (kernel - 1) / 2, initialised as PyTorch's Conv2d. Odd kernels only.
class Convolution : public torch::nn::Module {
 public:
  Convolution(std::int64_t in, std::int64_t out, std::int64_t kernel, std::int64_t stride, at::Generator& generator);
  // [M, in, H, W] -> [M, out, ceil(H / stride), ceil(W / stride)].
  torch::Tensor forward(const torch::Tensor& x) const;
  // Multiply-adds times two of one image of `size`, which becomes the size of the result.
  double flops(ImageSize& size) const;

 private:
  std::int64_t kernel_, stride_;
  torch::Tensor weight_, bias_;
};

// Group normalisation over min(32, channels) groups with a scale and a shift for each channel.
class ChannelNorm : public torch::nn::Module {
 public:
  explicit ChannelNorm(std::int64_t channels);
  torch::Tensor forward(const torch::Tensor& x) const;

 private:
  std::int64_t groups_;
  torch::Tensor weight_, bias_;
};

}  // namespace pairs
