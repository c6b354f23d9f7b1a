#pragma once

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "render/sphere_caster.h"
#include "render/sphere_scene.h"

namespace pairs::render {

// What a half-width of the image plane does to the prior's images.
struct Framing {
  double cut;             // share of (scene, camera) in which a sphere reaches beyond the image's edge
  double mean_image_mse;  // mean squared difference of an image in [0, 1] from the mean image, an unbiased estimate
};

// Over `count` scenes of the prior with one camera each, in square images of `side` pixels.
inline Framing measure_framing(double half_width, std::int64_t count, std::int64_t side = 64, std::int64_t spheres = 3,
                               std::uint64_t seed = 1) {
  CastOptions options;
  options.height = options.width = side;
  options.half_width = half_width;
  std::int64_t cut = 0;
  torch::Tensor sum = at::zeros({3, side, side}, torch::kFloat64), squares = sum.clone();
  for (std::int64_t first = 0; first < count; first += 500) {
    const std::int64_t some = std::min<std::int64_t>(500, count - first);
    std::vector<SphereScene> scenes;
    torch::Tensor cameras = at::empty({some, 2}, torch::kFloat64), owner = at::empty({some}, torch::kInt64);
    for (std::int64_t k = 0; k < some; ++k) {
      const auto index = static_cast<std::uint64_t>(first + k);
      scenes.push_back(draw_scene(seed, Purpose::check, index, spheres));
      const Camera camera = draw_camera(seed, Purpose::check, index, 0);
      cameras.mutable_data_ptr<double>()[2 * k] = camera.azimuth;
      cameras.mutable_data_ptr<double>()[2 * k + 1] = camera.elevation;
      owner.mutable_data_ptr<std::int64_t>()[k] = k;
      const CameraBasis basis = camera_basis(camera.azimuth, camera.elevation);
      bool beyond = false;
      for (const Sphere& s : scenes.back().spheres)
        beyond = beyond || std::abs(dot3(s.center, basis.right)) + s.radius > half_width ||
                 std::abs(dot3(s.center, basis.up)) + s.radius > half_width;
      cut += beyond ? 1 : 0;
    }
    const torch::Tensor images =
        cast_spheres(pack_scenes(scenes), cameras, owner, options, torch::kCPU).to(torch::kFloat64);
    sum += images.sum(0);
    squares += images.square().sum(0);
  }
  const auto n = static_cast<double>(count);
  return {static_cast<double>(cut) / n, ((squares / n - (sum / n).square()) * (n / (n - 1))).mean().item<double>()};
}

}  // namespace pairs::render
