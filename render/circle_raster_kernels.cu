#include <algorithm>

#include "render/circle_raster_kernels.h"

namespace pairs::render::kernels {
inline namespace circle_raster_device {

// One thread draws one pixel; neighbors read the same circles.
__global__ void draw_kernel(Circles c, float* out) {
  const std::int64_t pixels = static_cast<std::int64_t>(c.height) * c.width, work = c.images * pixels;
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t t = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; t < work; t += step) {
    const std::int64_t image = t / pixels;
    const int pixel = static_cast<int>(t - image * pixels), row = pixel / c.width, column = pixel - row * c.width;
    const float* circle = c.circle + 3 * c.count * image;
    float value = 0.0f;
    for (int k = 0; k < c.count; ++k, circle += 3) {
      if (!isfinite(circle[0]) || !isfinite(circle[1]) || !isfinite(circle[2])) continue;
      const float dx = (static_cast<float>(column) + 0.5f) - circle[0];
      const float dy = (static_cast<float>(row) + 0.5f) - circle[1];
      const float covered = c.reach - fabsf(sqrtf(__fadd_rn(__fmul_rn(dx, dx), __fmul_rn(dy, dy))) - circle[2]);
      value = fmaxf(value, fminf(covered, c.most));
    }
    out[t] = value;
  }
}

}  // namespace circle_raster_device

void draw(const Circles& c, float* out, cudaStream_t stream) {
  const std::int64_t work = c.images * c.height * c.width;
  const int threads = 256;
  const auto grid = static_cast<unsigned>(std::min<std::int64_t>((work + threads - 1) / threads, 1 << 20));
  draw_kernel<<<grid, threads, 0, stream>>>(c, out);
}

}  // namespace pairs::render::kernels
