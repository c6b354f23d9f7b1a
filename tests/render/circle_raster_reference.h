#pragma once

#include <torch/types.h>

#include "render/circle_raster.h"

namespace pairs::render {

// draw_circles pixel by pixel in float64 on the CPU, for tests. Returns [M, 1, height, width] float64.
torch::Tensor draw_circles_reference(const torch::Tensor& circles, const RasterOptions& options);

}  // namespace pairs::render
