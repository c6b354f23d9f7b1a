#pragma once

#include <torch/types.h>

namespace pairs::ops {

// relu(max) over blocks of 2 x 2 pixels: x [M, C, H, W] -> [M, C, H / 2, W / 2], an odd last row or column left out, as
// at::relu(at::max_pool2d(x, 2)) to the bit, gradients too. On the CPU bfloat16 (in channels-last) and float32 run in a
// kernel of our own, which keeps fewer bits and takes a fraction of the time; a block that holds infinities or NaN
// gives NaN there.
torch::Tensor relu_pool(const torch::Tensor& x);

}  // namespace pairs::ops
