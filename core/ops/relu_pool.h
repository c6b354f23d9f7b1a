#pragma once

#include <torch/types.h>

namespace pairs::ops {

// relu(max) over blocks of 2 x 2 pixels: x [M, C, H, W] -> [M, C, H / 2, W / 2], dropping an odd last row or column;
// equal to at::relu(at::max_pool2d(x, 2)) bit for bit, including gradients. On the CPU, bfloat16 (channels-last) and
// float32 use a kernel of our own, which needs less memory and a fraction of the time; there a block with infinities or
// NaN gives NaN.
torch::Tensor relu_pool(const torch::Tensor& x);

}  // namespace pairs::ops
