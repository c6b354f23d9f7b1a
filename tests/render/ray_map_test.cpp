#include "render/ray_map.h"

#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "core/base/text/error.h"
#include "render/orthographic_camera.h"
#include "tests/on_device.h"

namespace pairs::render {
namespace {

using Three = std::array<double, 3>;

Three cross_product(const Three& a, const Three& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

TEST(OrthographicCamera, BasisIsRightHandedAndLooksAtTheCenter) {
  for (const double azimuth : {0.0, 0.7, 2.5, -1.2, 6.2})
    for (const double elevation : {0.0, 0.4, -1.1, 1.5707963267948966}) {
      const CameraBasis b = camera_basis(azimuth, elevation);
      double toward[3];
      direction_of(azimuth, elevation, toward);
      const Three side = cross_product(std::to_array(b.right), std::to_array(b.up));
      for (int c = 0; c < 3; ++c) {
        EXPECT_NEAR(b.forward[c], -toward[c], 1e-15);
        EXPECT_NEAR(side[static_cast<std::size_t>(c)], toward[c], 1e-15);
      }
      EXPECT_NEAR(dot3(b.right, b.right), 1, 1e-15);
      EXPECT_NEAR(dot3(b.right, b.up), 0, 1e-15);
      EXPECT_EQ(b.right[2], 0.0);  // the horizon is level
      EXPECT_GE(b.up[2], 0.0);
    }
}

TEST(RayMap, MatchesDirectFormulas) {
  const double azimuth = 2.1, elevation = 0.6;
  const torch::Tensor cameras = at::tensor({0.0, 0.0, azimuth, elevation}, torch::kFloat64).view({2, 2});
  const std::int64_t height = 6, width = 8;
  const Three toward = {std::cos(elevation) * std::cos(azimuth), std::cos(elevation) * std::sin(azimuth),
                        std::sin(elevation)};
  const Three along = {-toward[0], -toward[1], -toward[2]};
  Three right = cross_product(along, {0, 0, 1});
  const double length = std::hypot(right[0], right[1]);
  for (double& x : right) x /= length;
  const Three up = cross_product(right, along);
  const auto map = [&](RayMap kind) { return ray_map(cameras, kind, height, width, torch::kCPU)[1]; };
  const torch::Tensor origin = map(RayMap::origin), direction = map(RayMap::direction), lines = map(RayMap::pluecker);
  ASSERT_EQ(origin.sizes(), (std::vector<std::int64_t>{3, height, width}));
  ASSERT_EQ(lines.sizes(), (std::vector<std::int64_t>{6, height, width}));
  for (std::int64_t i = 0; i < height; ++i)
    for (std::int64_t j = 0; j < width; ++j) {
      // Pixels are squares of 2 / width; the middle of the image is the scene's center.
      const double x = (static_cast<double>(j) - 3.5) * 0.25, y = (2.5 - static_cast<double>(i)) * 0.25;
      Three point;
      for (std::size_t c = 0; c < 3; ++c) point[c] = x * right[c] + y * up[c];
      const Three moment = cross_product(point, along);
      for (std::size_t c = 0; c < 3; ++c) {
        const auto k = static_cast<std::int64_t>(c);
        EXPECT_NEAR(origin[k][i][j].item<double>(), point[c], 2e-7);
        EXPECT_NEAR(direction[k][i][j].item<double>(), along[c], 1e-7);
        EXPECT_NEAR(lines[k][i][j].item<double>(), along[c], 1e-7);
        EXPECT_NEAR(lines[k + 3][i][j].item<double>(), moment[c], 2e-7);
      }
    }
}

PAIRS_DEVICE_TEST(RayMap, InPlaceIsTheSameToRounding) {
  const torch::Tensor cameras = at::tensor({0.0, 0.0, 2.1, 0.6, -1.3, 1.2, 6.2, -0.4}, torch::kFloat64).view({4, 2});
  for (const std::string& name : ray_map_names())
    for (const std::int64_t width : {5, 64}) {
      const RayMap kind = ray_map_named(name);
      const torch::Tensor here = ray_map_in_place(cameras.to(device), kind, 6, width);
      EXPECT_EQ(here.scalar_type(), torch::kFloat32);
      EXPECT_LT(apart(here, ray_map(cameras, kind, 6, width, torch::kCPU)), 1e-6) << name;
      EXPECT_LT(apart(ray_map(cameras, kind, 6, width, device), here), 1e-6) << name;
      // A tensor of the meta device has no values: asking for one would throw.
      EXPECT_EQ(ray_map(cameras.to(torch::kMeta), kind, 6, width, torch::kMeta).sizes(), here.sizes());
    }
}

TEST(RayMap, NamesAndChannels) {
  for (const std::string& name : ray_map_names())
    EXPECT_EQ(ray_map(at::zeros({2, 2}, torch::kFloat64), ray_map_named(name), 3, 5, torch::kCPU).size(1),
              ray_map_channels(ray_map_named(name)));
  EXPECT_EQ(ray_map_named("direction"), RayMap::direction);
  EXPECT_EQ(ray_map_named("pluecker"), RayMap::pluecker);
  EXPECT_THROW(ray_map_named("plucker"), Error);
  EXPECT_EQ(ray_map(at::zeros({0, 2}, torch::kFloat64), RayMap::origin, 3, 5, torch::kCPU).size(0), 0);
  EXPECT_THROW(ray_map(at::zeros({2, 3}, torch::kFloat64), RayMap::origin, 3, 5, torch::kCPU), Error);
}

}  // namespace
}  // namespace pairs::render
