#pragma once

#include <ATen/core/Generator.h>
#include <torch/nn/module.h>

#include <string>

namespace pairs {

// Height and width of what runs through a network.
struct ImageSize {
  std::int64_t height, width;
};

// Square convolution with "same" padding (kernel - 1) / 2, initialised as PyTorch's Conv2d. Odd kernels only.
// Its weights are kept in float32 and used in the type of what they are given. On the CPU the pass forward and the pass
// back are points of interruption (core/base/interruption.h).
class Convolution : public torch::nn::Module {
 public:
  // `he`: fresh weights keep the second moment of a rectified input, uniform of variance 2 / fan in, and the bias is
  // zero (He et al. 2015, arXiv:1502.01852). `bias`: there is one.
  Convolution(std::int64_t in, std::int64_t out, std::int64_t kernel, std::int64_t stride, at::Generator& generator,
              bool he = false, bool bias = true);
  // [M, in, H, W] -> [M, out, ceil(H / stride), ceil(W / stride)].
  torch::Tensor forward(const torch::Tensor& x) const;
  // The same of x and `beside` as one concatenation along the channels, which is not made.
  torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& beside) const;
  // Of the output.
  std::int64_t channels() const { return weight_.size(0); }
  std::int64_t kernel() const { return kernel_; }
  // Weights and bias become zero.
  void clear();
  // Multiply-adds times two of one image of `size`, which becomes the size of the result.
  double flops(ImageSize& size) const;
  // Numbers of its output for one image of `size`, which becomes the output's.
  double outputs(ImageSize& size) const;

 private:
  std::int64_t kernel_, stride_;
  torch::Tensor weight_, bias_;
};

// How many groups of channels are normalised: the largest power of two up to 32 that divides the channels and leaves
// four or more in each.
std::int64_t norm_groups(std::int64_t channels);

// Group normalisation and SiLU in one operator (core/ops, group_norm_act) with a scale and a shift for each channel,
// over norm_groups(channels) groups.
class NormSilu : public torch::nn::Module {
 public:
  explicit NormSilu(std::int64_t channels, bool silu = true);
  torch::Tensor forward(const torch::Tensor& x) const;
  // Of x and `beside` concatenated along the channels.
  torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& beside) const;

 private:
  std::int64_t groups_;
  std::string act_;
  torch::Tensor weight_, bias_;
};

// Group normalisation over 32 groups, fewer where that leaves less than two channels in each, with a scale and a shift
// for each channel, and ReLU unless told otherwise, in one operator (core/ops, group_norm_relu).
class NormRelu : public torch::nn::Module {
 public:
  explicit NormRelu(std::int64_t channels, bool relu = true);
  torch::Tensor forward(const torch::Tensor& x) const;
  // With `residual` added before the ReLU.
  torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& residual) const;

 private:
  std::int64_t groups_;
  bool relu_;
  torch::Tensor weight_, bias_;
};

}  // namespace pairs
