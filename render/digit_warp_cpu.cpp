#include "render/digit_warp_cpu.h"

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/numbers/fast_normal.h"
#include "core/base/numbers/simd.h"
#include "core/base/text/error.h"

namespace pairs::render {
namespace {

// Pixels of an image with a border of zeros (one before, two after), so that clamped look-ups need no tests.
struct Padded {
  std::int32_t height, width, stride;
  std::vector<float> value;
  std::vector<float> dx, dy;  // of every output pixel from the center

  Padded(std::int64_t h, std::int64_t w)
      : height(static_cast<std::int32_t>(h)),
        width(static_cast<std::int32_t>(w)),
        stride(width + 3),
        value(static_cast<std::size_t>((h + 3) * (w + 3)), 0.0f) {
    for (std::int32_t r = 0; r < height; ++r)
      for (std::int32_t c = 0; c < width; ++c) {
        dx.push_back(static_cast<float>(c) - 0.5f * static_cast<float>(width - 1));
        dy.push_back(static_cast<float>(r) - 0.5f * static_cast<float>(height - 1));
      }
  }
};

PAIRS_SIMD_CLONES void load(const std::uint8_t* __restrict image, std::int32_t height, std::int32_t width,
                            std::int32_t stride, float* __restrict value) {
  for (std::int32_t r = 0; r < height; ++r)
    for (std::int32_t c = 0; c < width; ++c)
      value[(r + 1) * stride + c + 1] = static_cast<float>(image[r * width + c]) / 255.0f;
}

// Computes the source positions in the padded image: the upper left neighbor's index and the fractions beyond it, in
// float64 so that the interpolation is accurate in float32. Clamped to the border, where all neighbors are zero.
PAIRS_SIMD_CLONES void look_back(const float* __restrict dx, const float* __restrict dy, double cosine, double sine,
                                 std::int32_t height, std::int32_t width, std::int32_t stride, std::int32_t count,
                                 std::int32_t* __restrict at, float* __restrict fx, float* __restrict fy) {
  const double cx = 0.5 * (width - 1) + 1.0, cy = 0.5 * (height - 1) + 1.0, right = width + 1.0, bottom = height + 1.0;
  for (std::int32_t p = 0; p < count; ++p) {
    const double x0 = cx + (cosine * dx[p] - sine * dy[p]), y0 = cy + (sine * dx[p] + cosine * dy[p]);
    const double x1 = x0 < right ? x0 : right, y1 = y0 < bottom ? y0 : bottom;
    const double x = x1 > 0.0 ? x1 : 0.0, y = y1 > 0.0 ? y1 : 0.0;
    const auto j = static_cast<std::int32_t>(x), i = static_cast<std::int32_t>(y);
    at[p] = i * stride + j;
    fx[p] = static_cast<float>(x - j);
    fy[p] = static_cast<float>(y - i);
  }
}

// Writes bilinear values plus sigma times the normals in `out`.
PAIRS_SIMD_CLONES void blend(const float* __restrict value, std::int32_t stride, const std::int32_t* __restrict at,
                             const float* __restrict fx, const float* __restrict fy, float sigma, std::int32_t count,
                             float* __restrict out) {
  const float *right = value + 1, *down = value + stride, *both = value + stride + 1;
  for (std::int32_t p = 0; p < count; ++p) {
    const std::int32_t k = at[p];
    const float above = value[k] + fx[p] * (right[k] - value[k]);
    const float below = down[k] + fx[p] * (both[k] - down[k]);
    out[p] = above + fy[p] * (below - above) + sigma * out[p];
  }
}

void rotate_and_add(const Padded& image, double cosine, double sine, float sigma, float* out) {
  constexpr std::int32_t batch = 256;
  std::int32_t at[batch];
  float fx[batch], fy[batch];
  const std::int32_t pixels = image.height * image.width;
  for (std::int32_t p = 0; p < pixels; p += batch) {
    const std::int32_t count = std::min(batch, pixels - p);
    look_back(image.dx.data() + p, image.dy.data() + p, cosine, sine, image.height, image.width, image.stride, count,
              at, fx, fy);
    blend(image.value.data(), image.stride, at, fx, fy, sigma, count, out + p);
  }
}

}  // namespace

torch::Tensor warp_digits_cpu(const torch::Tensor& images, const torch::Tensor& pick, const torch::Tensor& angle,
                              const torch::Tensor& sigma, const torch::Tensor& set, const torch::Tensor& item,
                              std::int64_t key) {
  const std::int64_t kinds = images.size(0), height = images.size(1), width = images.size(2), count = pick.size(0);
  const std::int64_t pixels = height * width;
  torch::Tensor out = at::empty({count, 1, height, width}, torch::kFloat32);
  const auto* image = images.const_data_ptr<std::uint8_t>();
  const auto* which = pick.const_data_ptr<std::int64_t>();
  const auto* sets = set.const_data_ptr<std::int64_t>();
  const auto* items = item.const_data_ptr<std::int64_t>();
  const auto* angles = angle.const_data_ptr<float>();
  const auto* sigmas = sigma.const_data_ptr<float>();
  auto* result = out.mutable_data_ptr<float>();
  for (std::int64_t m = 0; m < count; ++m)
    PAIRS_CHECK(which[m] >= 0 && which[m] < kinds, "The digit warper was asked for image {} of {}", which[m], kinds);
  at::parallel_for(0, count, 16, [&](std::int64_t begin, std::int64_t end) {
    Padded padded(height, width);
    for (std::int64_t m = begin; m < end; ++m) {
      float* to = result + m * pixels;
      fill_normals(static_cast<std::uint64_t>(key), static_cast<std::uint64_t>(sets[m]),
                   static_cast<std::uint64_t>(items[m]), 1, pixels, to);
      load(image + which[m] * pixels, padded.height, padded.width, padded.stride, padded.value.data());
      rotate_and_add(padded, std::cos(static_cast<double>(angles[m])), std::sin(static_cast<double>(angles[m])),
                     sigmas[m], to);
    }
  });
  return out;
}

}  // namespace pairs::render
