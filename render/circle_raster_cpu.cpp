#include "render/circle_raster_cpu.h"

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/simd.h"

namespace pairs::render {
namespace {

constexpr std::int32_t lanes = 16;  // pixels are drawn in whole blocks, so rows have that many spare ends

// Where each row meets a circle's line: its pixels lie between `inner` and `outer` to both sides of the centre, where
// outer < 0 there are none. Both are a little generous, so that rounding loses no pixel.
PAIRS_SIMD_CLONES void find_chords(const float* circle, float reach, std::int32_t height, float* __restrict outer,
                                   float* __restrict inner) {
  const float y = circle[1], far = circle[2] + reach, near = circle[2] - reach;
  const float far2 = far > 0.0f ? far * far : 0.0f, near2 = near > 0.0f ? near * near : 0.0f;
  const float slack = 0.5f + 1e-3f * far, top = far > 0.0f ? far + slack : 0.0f;
  for (std::int32_t i = 0; i < height; ++i) {
    const float dy = (static_cast<float>(i) + 0.5f) - y, out = far2 - dy * dy, in = near2 - dy * dy;
    const float wide = std::sqrt(out > 0.0f ? out : 0.0f) + slack, hole = std::sqrt(in > 0.0f ? in : 0.0f) - slack;
    outer[i] = std::abs(dy) < top ? wide : -1.0f;
    inner[i] = hole > 0.0f ? hole : 0.0f;
  }
}

// One image of `count` circles: a pixel is black beyond `reach` from the middle of a line, where it is `most`. `row`
// has room for width + lanes pixels.
PAIRS_SIMD_CLONES void draw_image(const float* circles, std::int32_t count, std::int32_t height, std::int32_t width,
                                  float reach, float most, const float* outer, const float* inner,
                                  float* __restrict row, float* __restrict out) {
  const auto right = static_cast<float>(width);
  for (std::int32_t i = 0; i < height; ++i) {
    for (std::int32_t j = 0; j < width + lanes; ++j) row[j] = 0.0f;
    for (std::int32_t k = 0; k < count; ++k) {
      const float x = circles[3 * k], r = circles[3 * k + 2], far = outer[k * height + i], near = inner[k * height + i];
      if (!(far >= 0.0f)) continue;
      const float dy = (static_cast<float>(i) + 0.5f) - circles[3 * k + 1], dy2 = dy * dy;
      const float low[2] = {x - far, x + near}, high[2] = {x - near, x + far};
      for (int side = 0; side < 2; ++side) {
        const float from = low[side] > 0.0f ? low[side] : 0.0f, to = high[side] < right ? high[side] : right;
        if (!(from < to)) continue;
        const auto first = static_cast<std::int32_t>(from), end = static_cast<std::int32_t>(to) + 1;
        for (std::int32_t block = first; block < end && block < width; block += lanes) {
          float* pixel = row + block;
          for (std::int32_t j = 0; j < lanes; ++j) {
            const float dx = (static_cast<float>(block + j) + 0.5f) - x;
            const float covered = reach - std::abs(std::sqrt(dx * dx + dy2) - r);
            const float value = covered < most ? covered : most;
            pixel[j] = value > pixel[j] ? value : pixel[j];
          }
        }
      }
    }
    for (std::int32_t j = 0; j < width; ++j) out[i * width + j] = row[j];
  }
}

}  // namespace

torch::Tensor draw_circles_cpu(const torch::Tensor& circles, std::int64_t height, std::int64_t width, double line) {
  const std::int64_t images = circles.size(0), count = circles.size(1), pixels = height * width;
  torch::Tensor out = at::empty({images, 1, height, width}, torch::kFloat32);
  const auto* circle = circles.const_data_ptr<float>();
  auto* result = out.mutable_data_ptr<float>();
  const auto reach = static_cast<float>(0.5 * line + 0.5), most = static_cast<float>(std::min(1.0, line));
  const auto rows = static_cast<std::int32_t>(height), columns = static_cast<std::int32_t>(width);
  at::parallel_for(0, images, std::max<std::int64_t>(1, 65536 / pixels), [&](std::int64_t begin, std::int64_t end) {
    std::vector<float> chords(static_cast<std::size_t>(2 * count * height));
    float *outer = chords.data(), *inner = outer + count * height;
    std::vector<float> row(static_cast<std::size_t>(width + lanes));
    for (std::int64_t m = begin; m < end; ++m) {
      const float* mine = circle + 3 * count * m;
      for (std::int64_t k = 0; k < count; ++k) {
        if (std::isfinite(mine[3 * k]) && std::isfinite(mine[3 * k + 1]) && std::isfinite(mine[3 * k + 2]))
          find_chords(mine + 3 * k, reach, rows, outer + k * height, inner + k * height);
        else
          std::fill_n(outer + k * height, height, -1.0f);
      }
      draw_image(mine, static_cast<std::int32_t>(count), rows, columns, reach, most, outer, inner, row.data(),
                 result + m * pixels);
    }
  });
  return out;
}

}  // namespace pairs::render
