#include "render/circle_raster.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/library.h>

#include "core/base/text/error.h"
#include "render/circle_raster_cpu.h"

namespace pairs::render {
namespace {

using CircleOperator = torch::Tensor(const torch::Tensor&, std::int64_t, std::int64_t, double);

TORCH_LIBRARY_FRAGMENT(pairs, m) {
  m.def("draw_circles(Tensor circles, int height, int width, float line) -> Tensor");
}
// Registered here so that a static library always includes it.
TORCH_LIBRARY_IMPL(pairs, CPU, m) {
  m.impl("draw_circles", &draw_circles_cpu);
}

}  // namespace

torch::Tensor draw_circles(const torch::Tensor& circles, const RasterOptions& o) {
  PAIRS_CHECK(o.height >= 1 && o.height <= max_raster_side && o.width >= 1 && o.width <= max_raster_side,
              "An image of circles has 1 to {} pixels a side, not {} by {}", max_raster_side, o.width, o.height);
  PAIRS_CHECK(o.line > 0 && o.line <= 64, "Circles are drawn with lines of up to 64 pixels, not {}", o.line);
  PAIRS_CHECK(circles.dim() == 3 && circles.size(2) == 3 && circles.scalar_type() == torch::kFloat32 &&
                  circles.size(1) <= max_circles,
              "The rasteriser takes circles [M, K, 3] of float32, K up to {}", max_circles);
  static const auto op =
      c10::Dispatcher::singleton().findSchemaOrThrow("pairs::draw_circles", "").typed<CircleOperator>();
  return op.call(circles.contiguous(), o.height, o.width, o.line);
}

}  // namespace pairs::render
