#include <ATen/ops/empty.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/library.h>
#include <torch/types.h>

#include "render/digit_warp_kernels.h"

namespace pairs::render {
namespace {

torch::Tensor warp_digits_cuda(const torch::Tensor& images, const torch::Tensor& pick, const torch::Tensor& angle,
                               const torch::Tensor& sigma, const torch::Tensor& set, const torch::Tensor& item,
                               std::int64_t key) {
  const c10::cuda::CUDAGuard guard(images.device());
  const std::int64_t count = pick.size(0);
  torch::Tensor out = at::empty({count, 1, images.size(1), images.size(2)}, angle.options());
  if (count == 0) return out;
  kernels::warp({images.const_data_ptr<std::uint8_t>(), images.size(0), static_cast<int>(images.size(1)),
                 static_cast<int>(images.size(2)), pick.const_data_ptr<std::int64_t>(), angle.const_data_ptr<float>(),
                 sigma.const_data_ptr<float>(), set.const_data_ptr<std::int64_t>(), item.const_data_ptr<std::int64_t>(),
                 static_cast<std::uint64_t>(key), count},
                out.mutable_data_ptr<float>(), c10::cuda::getCurrentCUDAStream());
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return out;
}

TORCH_LIBRARY_IMPL(pairs, CUDA, m) {
  m.impl("warp_digits", &warp_digits_cuda);
}

}  // namespace
}  // namespace pairs::render
