#include <ATen/ops/empty.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/library.h>
#include <torch/types.h>

#include <tuple>

#include "render/sphere_caster_kernels.h"

namespace pairs::render {
namespace {

kernels::SphereViews sphere_views(const torch::Tensor& scenes, const torch::Tensor& cameras, const torch::Tensor& owner,
                                  std::int64_t height, std::int64_t width, double half_width) {
  return {scenes.const_data_ptr<double>(),
          scenes.size(0),
          scenes.size(1),
          cameras.const_data_ptr<double>(),
          owner.const_data_ptr<std::int64_t>(),
          cameras.size(0),
          static_cast<int>(height),
          static_cast<int>(width),
          half_width};
}

torch::Tensor cast_spheres_cuda(const torch::Tensor& scenes, const torch::Tensor& cameras, const torch::Tensor& owner,
                                std::int64_t height, std::int64_t width, double half_width, std::int64_t supersample) {
  const c10::cuda::CUDAGuard guard(scenes.device());
  torch::Tensor out = at::empty({cameras.size(0), 3, height, width}, scenes.options().dtype(torch::kFloat32));
  if (out.numel() == 0) return out;
  kernels::cast(sphere_views(scenes, cameras, owner, height, width, half_width), static_cast<int>(supersample),
                out.mutable_data_ptr<float>(), c10::cuda::getCurrentCUDAStream());
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return out;
}

std::tuple<torch::Tensor, torch::Tensor, torch::Tensor> probe_spheres_cuda(const torch::Tensor& scenes,
                                                                           const torch::Tensor& cameras,
                                                                           const torch::Tensor& owner,
                                                                           std::int64_t height, std::int64_t width,
                                                                           double half_width) {
  const c10::cuda::CUDAGuard guard(scenes.device());
  const std::int64_t views = cameras.size(0);
  const auto real = scenes.options().dtype(torch::kFloat32);
  torch::Tensor depth = at::empty({views, height, width}, real), normal = at::empty({views, 3, height, width}, real);
  torch::Tensor id = at::empty({views, height, width}, scenes.options().dtype(torch::kInt32));
  if (views == 0) return {depth, normal, id};
  kernels::probe(sphere_views(scenes, cameras, owner, height, width, half_width), depth.mutable_data_ptr<float>(),
                 normal.mutable_data_ptr<float>(), id.mutable_data_ptr<std::int32_t>(),
                 c10::cuda::getCurrentCUDAStream());
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return {depth, normal, id};
}

TORCH_LIBRARY_IMPL(pairs, CUDA, m) {
  m.impl("cast_spheres", &cast_spheres_cuda);
  m.impl("probe_spheres", &probe_spheres_cuda);
}

}  // namespace
}  // namespace pairs::render
