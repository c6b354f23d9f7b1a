#include "tests/render/framing.h"

#include <ATen/ops/arange.h>
#include <gtest/gtest.h>

namespace pairs::render {
namespace {

TEST(Framing, WithoutSpheresOnlyTheBackgroundVaries) {
  const Framing far = measure_framing(1000.0, 2000, 8);
  EXPECT_EQ(far.cut, 0.0);
  EXPECT_NEAR(far.mean_image_mse, 0.15 * 0.15 / 12, 5e-5);  // of U(0.05, 0.2)
}

TEST(Framing, CutSpheresAreSeenOnTheEdge) {
  const std::int64_t count = 400;
  std::vector<SphereScene> scenes;
  torch::Tensor cameras = at::empty({count, 2}, torch::kFloat64);
  for (std::int64_t k = 0; k < count; ++k) {
    scenes.push_back(draw_scene(1, Purpose::check, static_cast<std::uint64_t>(k)));
    const Camera camera = draw_camera(1, Purpose::check, static_cast<std::uint64_t>(k), 0);
    cameras[k][0] = camera.azimuth;
    cameras[k][1] = camera.elevation;
  }
  CastOptions options;
  options.height = options.width = 200;
  options.half_width = 1.2;
  const torch::Tensor id =
      cast_sphere_buffers(pack_scenes(scenes), cameras, at::arange(count, torch::kInt64), options, torch::kCPU).id;
  const torch::Tensor edge = id.select(1, 0)
                                 .amax(1)
                                 .maximum(id.select(1, 199).amax(1))
                                 .maximum(id.select(2, 0).amax(1).maximum(id.select(2, 199).amax(1)));
  const double seen = (edge >= 0).to(torch::kFloat64).mean().item<double>();
  EXPECT_NEAR(measure_framing(1.2, count, 4).cut, seen, 0.03);
}

TEST(Framing, TheDefaultIsAsDocumented) {
  const Framing framing = measure_framing(default_half_width, 4000);
  EXPECT_NEAR(framing.cut, 0.003, 0.0025);
  EXPECT_NEAR(framing.mean_image_mse, 0.0079, 0.0003);
}

}  // namespace
}  // namespace pairs::render
