#include "render/ray_map.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/linalg_cross.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>

#include "core/base/fields/fields.h"
#include "core/base/gpu/transfer.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "render/orthographic_camera.h"

namespace pairs::render {
namespace {

void cross3(const double a[3], const double b[3], double out[3]) {
  for (int c = 0; c < 3; ++c) out[c] = a[(c + 1) % 3] * b[(c + 2) % 3] - a[(c + 2) % 3] * b[(c + 1) % 3];
}

// Computes each channel's value at the image center and its slopes along columns and rows, per half-width.
void planes_of(const CameraBasis& basis, RayMap kind, float* middle, float* right, float* up) {
  double moment_right[3], moment_up[3];
  cross3(basis.right, basis.forward, moment_right);
  cross3(basis.up, basis.forward, moment_up);
  const int moment = kind == RayMap::pluecker ? 3 : 0;
  for (int c = 0; c < 3; ++c) {
    if (kind != RayMap::origin) {
      middle[c] = static_cast<float>(basis.forward[c]);
      right[c] = up[c] = 0.0f;
      if (moment == 0) continue;
    }
    middle[moment + c] = 0.0f;
    right[moment + c] = static_cast<float>(moment != 0 ? moment_right[c] : basis.right[c]);
    up[moment + c] = static_cast<float>(moment != 0 ? moment_up[c] : basis.up[c]);
  }
}

}  // namespace

const std::vector<std::string>& ray_map_names() {
  static const std::vector<std::string> names = {"origin", "direction", "pluecker"};
  return names;
}

RayMap ray_map_named(const std::string& name) {
  const std::vector<std::string>& names = ray_map_names();
  const auto at = std::find(names.begin(), names.end(), name);
  if (at == names.end()) fail_usage("There is no ray map {}; choose {}", printable(name), fmt::join(names, ", "));
  return static_cast<RayMap>(at - names.begin());
}

std::int64_t ray_map_channels(RayMap kind) {
  return kind == RayMap::pluecker ? 6 : 3;
}

torch::Tensor ray_map_in_place(const torch::Tensor& cameras, RayMap kind, std::int64_t height, std::int64_t width) {
  const torch::Tensor from = cameras.to(torch::kFloat64), a = from.select(1, 0), e = from.select(1, 1);
  const torch::Tensor ca = a.cos(), sa = a.sin(), ce = e.cos(), se = e.sin(), zero = at::zeros_like(a);
  const torch::Tensor right = at::stack({-sa, ca, zero}, 1), up = at::stack({-se * ca, -se * sa, ce}, 1),
                      forward = at::stack({-ce * ca, -ce * sa, -se}, 1), none = at::zeros_like(forward);
  const auto plane = [&](const torch::Tensor& direction, const torch::Tensor& slope) {
    const torch::Tensor channels = kind == RayMap::origin      ? slope
                                   : kind == RayMap::direction ? direction
                                                               : at::cat({direction, slope}, 1);
    return channels.to(torch::kFloat32).unsqueeze(2).unsqueeze(3);
  };
  const auto slope = [&](const torch::Tensor& axis) {
    return kind == RayMap::pluecker ? at::linalg_cross(axis, forward, 1) : axis;
  };
  const auto h = static_cast<double>(height), w = static_cast<double>(width);
  const torch::Tensor x = ((2.0 * at::arange(width, from.options()) + 1.0) / w - 1.0).to(torch::kFloat32),
                      y = ((h - (2.0 * at::arange(height, from.options()) + 1.0)) / w).to(torch::kFloat32).unsqueeze(1);
  return (plane(forward, none) + plane(none, slope(up)) * y) + plane(none, slope(right)) * x;
}

torch::Tensor ray_map(const torch::Tensor& cameras, RayMap kind, std::int64_t height, std::int64_t width,
                      torch::Device device) {
  PAIRS_CHECK(cameras.dim() == 2 && cameras.size(1) == 2 && height >= 1 && width >= 1,
              "Ray maps need cameras [V, 2] and a size of at least one pixel");
  if (!device.is_cpu()) return ray_map_in_place(send(cameras, device), kind, height, width);
  const std::int64_t count = cameras.size(0), channels = ray_map_channels(kind);
  const torch::Tensor from = cameras.to(torch::kCPU, torch::kFloat64).contiguous();
  const auto* camera = from.const_data_ptr<double>();
  torch::Tensor planes = at::empty({3, count, channels, 1, 1}, torch::kFloat32);
  auto* value = planes.mutable_data_ptr<float>();
  for (std::int64_t v = 0; v < count; ++v) {
    float* middle = value + v * channels;
    planes_of(camera_basis(camera[2 * v], camera[2 * v + 1]), kind, middle, middle + count * channels,
              middle + 2 * count * channels);
  }
  torch::Tensor grid = at::empty({width + height}, torch::kFloat32);
  auto* at = grid.mutable_data_ptr<float>();
  const auto h = static_cast<double>(height), w = static_cast<double>(width);
  for (std::int64_t j = 0; j < width; ++j) at[j] = static_cast<float>(column_middle(static_cast<double>(j), w));
  for (std::int64_t i = 0; i < height; ++i)
    at[width + i] = static_cast<float>(row_middle(static_cast<double>(i), h, w));
  const torch::Tensor x = grid.slice(0, 0, width), y = grid.slice(0, width).unsqueeze(1);
  return (planes[0] + planes[2] * y) + planes[1] * x;
}

}  // namespace pairs::render
