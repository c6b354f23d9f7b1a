#pragma once

#include <ATen/core/Generator.h>
#include <torch/nn/module.h>

#include <string>

namespace pairs {

// Height and width of a network's activations.
struct ImageSize {
  std::int64_t height, width;
};

// Square convolution with "same" padding (kernel - 1) / 2, initialized like PyTorch's Conv2d. Odd kernels only. Its
// weights are stored in float32 and used in the type of the input. On the CPU, the forward and the backward pass are
// interruption points (core/base/threads/interruption.h).
class Convolution : public torch::nn::Module {
 public:
  // `he`: initial weights preserve the second moment of a rectified input, uniform with variance 2 / fan in, and the
  // bias is zero (He et al. 2015, arXiv:1502.01852). `bias`: whether there is one.
  Convolution(std::int64_t in, std::int64_t out, std::int64_t kernel, std::int64_t stride, at::Generator& generator,
              bool he = false, bool bias = true);
  // [M, in, H, W] -> [M, out, ceil(H / stride), ceil(W / stride)].
  torch::Tensor forward(const torch::Tensor& x) const;
  // Convolves x and `extra` concatenated along the channels, without building the concatenation.
  torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& extra) const;
  // Channels of the output.
  std::int64_t channels() const { return weight_.size(0); }
  std::int64_t kernel() const { return kernel_; }
  // Sets weights and bias to zero.
  void clear();
  // Multiply-adds times two for one image of `size`, which is replaced by the size of the result.
  double flops(ImageSize& size) const;
  // Numbers in its output for one image of `size`, which is replaced by the output's size.
  double outputs(ImageSize& size) const;

 private:
  std::int64_t kernel_, stride_;
  torch::Tensor weight_, bias_;
};

// The number of channel groups to normalize: the largest power of two up to 32 that divides the channels and leaves at
// least four in each.
std::int64_t norm_groups(std::int64_t channels);

// Group normalization and SiLU in one operator (core/ops, group_norm_act) with a scale and a shift per channel, over
// norm_groups(channels) groups.
class NormSilu : public torch::nn::Module {
 public:
  explicit NormSilu(std::int64_t channels, bool silu = true);
  torch::Tensor forward(const torch::Tensor& x) const;
  // Normalizes x and `extra` concatenated along the channels.
  torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& extra) const;

 private:
  std::int64_t groups_;
  std::string act_;
  torch::Tensor weight_, bias_;
};

// Group normalization over 32 groups, or fewer if groups would have less than two channels, with a scale and a shift
// per channel, followed by ReLU if `relu` is set, in one operator (core/ops, group_norm_relu).
class NormRelu : public torch::nn::Module {
 public:
  explicit NormRelu(std::int64_t channels, bool relu = true);
  torch::Tensor forward(const torch::Tensor& x) const;
  // Adds `residual` before the ReLU.
  torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& residual) const;

 private:
  std::int64_t groups_;
  bool relu_;
  torch::Tensor weight_, bias_;
};

}  // namespace pairs
