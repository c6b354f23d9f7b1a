#include <ATen/ops/empty.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/library.h>
#include <torch/types.h>

#include "core/base/fast_normal.h"

namespace pairs::render {
namespace {

struct Images {
  const std::uint8_t* pixel;
  std::int64_t kinds;
  int height, width;
};

__device__ float look_up(const std::uint8_t* image, const Images& all, int row, int column) {
  const bool inside = row >= 0 && row < all.height && column >= 0 && column < all.width;
  return inside ? static_cast<float>(image[row * all.width + column]) / 255.0f : 0.0f;
}

// One thread makes the four pixels whose noise comes from one Philox block.
__global__ void warp_kernel(Images images, const std::int64_t* pick, const float* angle, const float* sigma,
                            const std::int64_t* set, const std::int64_t* item, std::uint64_t key, std::int64_t count,
                            float* out) {
  const int pixels = images.height * images.width, blocks = (pixels + 3) / 4;
  const std::int64_t work = count * blocks, step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t t = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; t < work; t += step) {
    const std::int64_t m = t / blocks;
    const int block = static_cast<int>(t - m * blocks);
    CUDA_KERNEL_ASSERT(pick[m] >= 0 && pick[m] < images.kinds);
    const auto s = static_cast<std::uint64_t>(set[m]), i = static_cast<std::uint64_t>(item[m]);
    const PhiloxBlock w =
        philox(key, static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(s),
               static_cast<std::uint32_t>((s >> 32) << 16) ^ static_cast<std::uint32_t>(i >> 32));
    const NormalPair a = box_muller(w.v[0], w.v[1]), b = box_muller(w.v[2], w.v[3]);
    const float noise[4] = {a.first, a.second, b.first, b.second};
    const std::uint8_t* image = images.pixel + pick[m] * pixels;
    double sine, cosine;
    sincos(static_cast<double>(angle[m]), &sine, &cosine);
    const double cx = 0.5 * (images.width - 1), cy = 0.5 * (images.height - 1);
    for (int k = 0; k < 4 && 4 * block + k < pixels; ++k) {
      const int p = 4 * block + k, row = p / images.width, column = p % images.width;
      const double dx = column - cx, dy = row - cy;
      const double x = cx + (cosine * dx - sine * dy), y = cy + (sine * dx + cosine * dy);
      const double left = floor(x), top = floor(y);
      const float fx = static_cast<float>(x - left), fy = static_cast<float>(y - top);
      const int r = static_cast<int>(top), c = static_cast<int>(left);
      const float v00 = look_up(image, images, r, c), v01 = look_up(image, images, r, c + 1);
      const float v10 = look_up(image, images, r + 1, c), v11 = look_up(image, images, r + 1, c + 1);
      const float above = v00 + fx * (v01 - v00), below = v10 + fx * (v11 - v10);
      out[m * pixels + p] = above + fy * (below - above) + sigma[m] * noise[k];
    }
  }
}

torch::Tensor warp_digits_cuda(const torch::Tensor& images, const torch::Tensor& pick, const torch::Tensor& angle,
                               const torch::Tensor& sigma, const torch::Tensor& set, const torch::Tensor& item,
                               std::int64_t key) {
  const c10::cuda::CUDAGuard guard(images.device());
  const std::int64_t count = pick.size(0);
  torch::Tensor out = at::empty({count, 1, images.size(1), images.size(2)}, angle.options());
  if (count == 0) return out;
  const Images all{images.const_data_ptr<std::uint8_t>(), images.size(0), static_cast<int>(images.size(1)),
                   static_cast<int>(images.size(2))};
  const std::int64_t work = count * ((images.size(1) * images.size(2) + 3) / 4);
  const int threads = 256;
  const auto grid = static_cast<unsigned>(std::min<std::int64_t>((work + threads - 1) / threads, 1 << 20));
  warp_kernel<<<grid, threads, 0, c10::cuda::getCurrentCUDAStream()>>>(
      all, pick.const_data_ptr<std::int64_t>(), angle.const_data_ptr<float>(), sigma.const_data_ptr<float>(),
      set.const_data_ptr<std::int64_t>(), item.const_data_ptr<std::int64_t>(), static_cast<std::uint64_t>(key), count,
      out.mutable_data_ptr<float>());
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return out;
}

TORCH_LIBRARY_IMPL(pairs, CUDA, m) {
  m.impl("warp_digits", &warp_digits_cuda);
}

}  // namespace
}  // namespace pairs::render
