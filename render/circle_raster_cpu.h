#pragma once

#include <torch/types.h>

namespace pairs::render {

// The CPU side of the operator pairs::draw_circles; arguments as checked by draw_circles, contiguous.
torch::Tensor draw_circles_cpu(const torch::Tensor& circles, std::int64_t height, std::int64_t width, double line);

}  // namespace pairs::render
