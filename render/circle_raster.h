#pragma once

#include <torch/types.h>

namespace pairs::render {

inline constexpr std::int64_t max_raster_side = 1024, max_circles = 64;

struct RasterOptions {
  std::int64_t height = 64, width = 64;  // pixels
  double line = 2;                       // width of the lines in pixels, more than 0 and at most 64
};

// Draws circles as white lines on black. circles [M, K, 3] float32: x and y of the center and the radius in pixels; the
// image spans [0, width] x [0, height], x to the right, y down, so that pixel (row i, column j) has its center at (j +
// 1/2, i + 1/2). Returns [M, 1, height, width] float32 in [0, 1] on the circles' device. A pixel at distance t from the
// middle of a line has the value max(0, min(1, line, line / 2 + 1/2 - t)), the share of a pixel's width along the
// line's normal that the line covers; where lines cross, the largest. A circle with a number that is not finite is not
// drawn. Bit-identical for any number of threads. Throws Error for shapes, types or options out of range.
torch::Tensor draw_circles(const torch::Tensor& circles, const RasterOptions& options);

}  // namespace pairs::render
