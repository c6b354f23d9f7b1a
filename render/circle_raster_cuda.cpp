#include <ATen/ops/empty.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/library.h>
#include <torch/types.h>

#include <algorithm>

#include "render/circle_raster_kernels.h"

namespace pairs::render {
namespace {

torch::Tensor draw_circles_cuda(const torch::Tensor& circles, std::int64_t height, std::int64_t width, double line) {
  const c10::cuda::CUDAGuard guard(circles.device());
  const std::int64_t images = circles.size(0);
  torch::Tensor out = at::empty({images, 1, height, width}, circles.options());
  if (images == 0) return out;
  kernels::draw(
      {circles.const_data_ptr<float>(), images, static_cast<int>(circles.size(1)), static_cast<int>(height),
       static_cast<int>(width), static_cast<float>(0.5 * line + 0.5), static_cast<float>(std::min(1.0, line))},
      out.mutable_data_ptr<float>(), c10::cuda::getCurrentCUDAStream());
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return out;
}

TORCH_LIBRARY_IMPL(pairs, CUDA, m) {
  m.impl("draw_circles", &draw_circles_cuda);
}

}  // namespace
}  // namespace pairs::render
