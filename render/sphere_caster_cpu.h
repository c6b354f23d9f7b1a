#pragma once

#include <torch/types.h>

#include <tuple>

namespace pairs::render {

// The CPU side of the operators pairs::cast_spheres and pairs::probe_spheres; arguments as checked by
// render/sphere_caster.cpp, contiguous. The latter returns depth, normal and id.
torch::Tensor cast_spheres_cpu(const torch::Tensor& scenes, const torch::Tensor& cameras, const torch::Tensor& owner,
                               std::int64_t height, std::int64_t width, double half_width, std::int64_t supersample);
std::tuple<torch::Tensor, torch::Tensor, torch::Tensor> probe_spheres_cpu(const torch::Tensor& scenes,
                                                                          const torch::Tensor& cameras,
                                                                          const torch::Tensor& owner,
                                                                          std::int64_t height, std::int64_t width,
                                                                          double half_width);

}  // namespace pairs::render
