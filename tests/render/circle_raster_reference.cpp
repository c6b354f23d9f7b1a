#include "tests/render/circle_raster_reference.h"

#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>

namespace pairs::render {

torch::Tensor draw_circles_reference(const torch::Tensor& circles, const RasterOptions& options) {
  torch::Tensor out = at::zeros({circles.size(0), 1, options.height, options.width}, torch::kFloat64);
  const auto circle = circles.accessor<float, 3>();
  auto value = out.accessor<double, 4>();
  for (std::int64_t m = 0; m < circles.size(0); ++m)
    for (std::int64_t k = 0; k < circles.size(1); ++k) {
      const double x = circle[m][k][0], y = circle[m][k][1], radius = circle[m][k][2];
      if (!std::isfinite(x) || !std::isfinite(y) || !std::isfinite(radius)) continue;
      for (std::int64_t row = 0; row < options.height; ++row)
        for (std::int64_t column = 0; column < options.width; ++column) {
          const double dx = static_cast<double>(column) + 0.5 - x, dy = static_cast<double>(row) + 0.5 - y;
          const double t = std::abs(std::sqrt(dx * dx + dy * dy) - radius);
          const double covered = std::min({1.0, options.line, options.line / 2 + 0.5 - t});
          value[m][0][row][column] = std::max(value[m][0][row][column], covered);
        }
    }
  return out;
}

}  // namespace pairs::render
