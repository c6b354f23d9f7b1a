#undef NDEBUG  // an index out of range must abort rather than read other memory
#include <algorithm>
#include <cassert>

#include "core/base/numbers/fast_normal.h"
#include "render/digit_warp_kernels.h"

namespace pairs::render::kernels {
inline namespace digit_warp_device {

__device__ float look_up(const std::uint8_t* image, const Digits& all, int row, int column) {
  const bool inside = row >= 0 && row < all.height && column >= 0 && column < all.width;
  return inside ? static_cast<float>(image[row * all.width + column]) / 255.0f : 0.0f;
}

// One thread computes the four pixels whose noise comes from one Philox block.
__global__ void warp_kernel(Digits d, float* out) {
  const int pixels = d.height * d.width, blocks = (pixels + 3) / 4;
  const std::int64_t work = d.count * blocks, step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t t = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; t < work; t += step) {
    const std::int64_t m = t / blocks;
    const int block = static_cast<int>(t - m * blocks);
    assert(d.pick[m] >= 0 && d.pick[m] < d.kinds);
    const auto s = static_cast<std::uint64_t>(d.set[m]), i = static_cast<std::uint64_t>(d.item[m]);
    const PhiloxBlock w =
        philox(d.key, static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(s),
               static_cast<std::uint32_t>((s >> 32) << 16) ^ static_cast<std::uint32_t>(i >> 32));
    const NormalPair a = box_muller(w.v[0], w.v[1]), b = box_muller(w.v[2], w.v[3]);
    const float noise[4] = {a.first, a.second, b.first, b.second};
    const std::uint8_t* image = d.pixel + d.pick[m] * pixels;
    double sine, cosine;
    sincos(static_cast<double>(d.angle[m]), &sine, &cosine);
    const double cx = 0.5 * (d.width - 1), cy = 0.5 * (d.height - 1);
    for (int k = 0; k < 4 && 4 * block + k < pixels; ++k) {
      const int p = 4 * block + k, row = p / d.width, column = p % d.width;
      const double dx = column - cx, dy = row - cy;
      const double x = cx + (cosine * dx - sine * dy), y = cy + (sine * dx + cosine * dy);
      const double left = floor(x), top = floor(y);
      const float fx = static_cast<float>(x - left), fy = static_cast<float>(y - top);
      const int r = static_cast<int>(top), c = static_cast<int>(left);
      const float v00 = look_up(image, d, r, c), v01 = look_up(image, d, r, c + 1);
      const float v10 = look_up(image, d, r + 1, c), v11 = look_up(image, d, r + 1, c + 1);
      const float above = v00 + fx * (v01 - v00), below = v10 + fx * (v11 - v10);
      out[m * pixels + p] = above + fy * (below - above) + d.sigma[m] * noise[k];
    }
  }
}

}  // namespace digit_warp_device

void warp(const Digits& d, float* out, cudaStream_t stream) {
  const std::int64_t work = d.count * ((d.height * d.width + 3) / 4);
  const int threads = 256;
  const auto grid = static_cast<unsigned>(std::min<std::int64_t>((work + threads - 1) / threads, 1 << 20));
  warp_kernel<<<grid, threads, 0, stream>>>(d, out);
}

}  // namespace pairs::render::kernels
