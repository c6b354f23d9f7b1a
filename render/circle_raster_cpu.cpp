#include "render/circle_raster_cpu.h"

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/numbers/simd.h"

// Makes GCC turn the next loop into one vector operation instead of unrolling its eight rounds.
#if defined(__GNUC__) && !defined(__clang__)
#define PAIRS_AS_A_VECTOR _Pragma("GCC unroll 1")
#else
#define PAIRS_AS_A_VECTOR
#endif

namespace pairs::render {
namespace {

constexpr std::int32_t lanes = 8;  // pixels are drawn in blocks of this size

// The pixels of each row that a circle's line may touch: from[side][row] to end[side][row] - 1, left and right of the
// center. Slightly wide, so that rounding loses none.
struct Runs {
  explicit Runs(std::int64_t height) : all(static_cast<std::size_t>(4 * height)), rows(height) {}
  std::int32_t* from(std::int64_t side) { return all.data() + 2 * side * rows; }
  std::int32_t* end(std::int64_t side) { return from(side) + rows; }

  std::vector<std::int32_t> all;
  std::int64_t rows;
};

PAIRS_SIMD_CLONES void find_runs(const float* circle, float reach, std::int32_t height, std::int32_t width,
                                 std::int32_t* __restrict left_from, std::int32_t* __restrict left_end,
                                 std::int32_t* __restrict right_from, std::int32_t* __restrict right_end) {
  const float x = circle[0], y = circle[1], far = circle[2] + reach, near = circle[2] - reach;
  const float far2 = far > 0.0f ? far * far : 0.0f, near2 = near > 0.0f ? near * near : 0.0f;
  const float slack = 0.25f + 1e-3f * far, top = far > 0.0f ? far + slack : 0.0f, last = static_cast<float>(width);
  for (std::int32_t i = 0; i < height; ++i) {
    const float dy = (static_cast<float>(i) + 0.5f) - y, out = far2 - dy * dy, in = near2 - dy * dy;
    const float wide = std::sqrt(out > 0.0f ? out : 0.0f) + slack, hole = std::sqrt(in > 0.0f ? in : 0.0f) - slack;
    const float narrow = hole > 0.0f ? hole : 0.0f;
    const bool seen = std::abs(dy) < top;
    float a = x - wide, b = x - narrow, c = x + narrow, d = x + wide;
    a = a > 0.0f ? a : 0.0f;
    c = c > 0.0f ? c : 0.0f;
    b = b < last ? b : last;
    d = d < last ? d : last;
    const bool left = seen & (a < b), right = seen & (c < d);
    left_from[i] = static_cast<std::int32_t>(left ? a : 0.0f);
    left_end[i] = static_cast<std::int32_t>(left ? b + 1.0f : 0.0f);
    right_from[i] = static_cast<std::int32_t>(right ? c : 0.0f);
    right_end[i] = static_cast<std::int32_t>(right ? d + 1.0f : 0.0f);
  }
}

// Draws half a circle into an image with rows of `width` >= lanes pixels: black beyond `reach` from the middle of the
// line, where it is `most`.
PAIRS_SIMD_CLONES void draw_runs(const float* circle, const std::int32_t* from, const std::int32_t* end,
                                 std::int32_t height, std::int32_t width, float reach, float most,
                                 float* __restrict out) {
  const float x = circle[0], r = circle[2];
  for (std::int32_t i = 0; i < height; ++i) {
    std::int32_t block = from[i];
    const std::int32_t stop = end[i] < width ? end[i] : width;
    const float dy = (static_cast<float>(i) + 0.5f) - circle[1], dy2 = dy * dy;
    while (block < stop) {
      block = block < width - lanes ? block : width - lanes;
      float* pixel = out + i * width + block;
      PAIRS_AS_A_VECTOR
      for (std::int32_t j = 0; j < lanes; ++j) {
        const float dx = (static_cast<float>(block + j) + 0.5f) - x;
        const float covered = reach - std::abs(std::sqrt(dx * dx + dy2) - r);
        const float value = covered < most ? covered : most;
        pixel[j] = value > pixel[j] ? value : pixel[j];
      }
      block += lanes;
    }
  }
}

}  // namespace

torch::Tensor draw_circles_cpu(const torch::Tensor& circles, std::int64_t height, std::int64_t width, double line) {
  const std::int64_t images = circles.size(0), count = circles.size(1), pixels = height * width;
  torch::Tensor out = at::empty({images, 1, height, width}, torch::kFloat32);
  const auto* circle = circles.const_data_ptr<float>();
  auto* result = out.mutable_data_ptr<float>();
  const auto reach = static_cast<float>(0.5 * line + 0.5), most = static_cast<float>(std::min(1.0, line));
  const auto rows = static_cast<std::int32_t>(height), columns = std::max(static_cast<std::int32_t>(width), lanes);
  at::parallel_for(0, images, std::max<std::int64_t>(1, 65536 / pixels), [&](std::int64_t begin, std::int64_t end) {
    Runs runs(height);
    std::vector<float> wide(width < lanes ? static_cast<std::size_t>(rows * columns) : 0);
    for (std::int64_t m = begin; m < end; ++m) {
      float *own = result + m * pixels, *image = wide.empty() ? own : wide.data();
      std::fill_n(image, rows * columns, 0.0f);
      for (const float *c = circle + 3 * count * m, *last = c + 3 * count; c < last; c += 3) {
        if (!std::isfinite(c[0]) || !std::isfinite(c[1]) || !std::isfinite(c[2])) continue;
        find_runs(c, reach, rows, static_cast<std::int32_t>(width), runs.from(0), runs.end(0), runs.from(1),
                  runs.end(1));
        for (const int side : {0, 1}) draw_runs(c, runs.from(side), runs.end(side), rows, columns, reach, most, image);
      }
      for (std::int64_t i = 0; i < rows && !wide.empty(); ++i) std::copy_n(image + i * columns, width, own + i * width);
    }
  });
  return out;
}

}  // namespace pairs::render
