#include "render/sphere_caster.h"

#include <ATen/Parallel.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "core/base/text/error.h"
#include "render/sphere_scene.h"
#include "tests/on_device.h"
#include "tests/render/sphere_caster_reference.h"

namespace pairs::render {
namespace {

constexpr double half_turn = std::numbers::pi;

struct CasterBatch {
  torch::Tensor scenes, cameras, owner;
};

// Scenes and cameras from the prior, two views a scene.
CasterBatch prior_batch(std::int64_t views, std::int64_t spheres = 3, std::uint64_t seed = 1) {
  std::vector<SphereScene> scenes;
  CasterBatch out{{}, at::empty({views, 2}, torch::kFloat64), at::arange(views, torch::kInt64).floor_divide(2)};
  for (std::int64_t v = 0; v < views; ++v) {
    const auto index = static_cast<std::uint64_t>(v / 2);
    if (v % 2 == 0) scenes.push_back(draw_scene(seed, Purpose::check, index, spheres));
    const Camera camera = draw_camera(seed, Purpose::check, index, static_cast<std::uint64_t>(v % 2));
    out.cameras[v][0] = camera.azimuth;
    out.cameras[v][1] = camera.elevation;
  }
  out.scenes = pack_scenes(scenes);
  return out;
}

CasterBatch one_view(const SphereScene& scene, double azimuth, double elevation) {
  return {pack_scenes({scene}), at::tensor({azimuth, elevation}, torch::kFloat64).unsqueeze(0),
          at::zeros({1}, torch::kInt64)};
}

CastOptions sized(std::int64_t height, std::int64_t width, std::int64_t supersample = 1,
                  double half_width = default_half_width) {
  CastOptions o;
  o.height = height;
  o.width = width;
  o.supersample = supersample;
  o.half_width = half_width;
  return o;
}

torch::Tensor cast(const CasterBatch& b, const CastOptions& o, torch::Device device = torch::kCPU) {
  return cast_spheres(b.scenes, b.cameras, b.owner, o, device);
}

// Pixels [V, H, W] away from every outline: the reference sees one sphere, or none, at the pixel's own corners and
// those of its neighbors, asked for on a grid of twice the resolution.
torch::Tensor away_from_outlines(const CasterBatch& b, CastOptions o) {
  const std::int64_t height = o.height, width = o.width;
  o.height *= 2;
  o.width *= 2;
  o.supersample = 1;
  const torch::Tensor id = cast_spheres_reference(b.scenes, b.cameras, b.owner, o).id;
  torch::Tensor same = at::full({b.cameras.size(0), height, width}, true, torch::kBool);
  auto out = same.accessor<bool, 3>();
  const auto fine = id.accessor<std::int32_t, 3>();
  for (std::int64_t v = 0; v < same.size(0); ++v)
    for (std::int64_t i = 0; i < height; ++i)
      for (std::int64_t j = 0; j < width; ++j)
        for (std::int64_t a = std::max<std::int64_t>(0, 2 * i - 1); a < std::min(2 * height, 2 * i + 3); ++a)
          for (std::int64_t c = std::max<std::int64_t>(0, 2 * j - 1); c < std::min(2 * width, 2 * j + 3); ++c)
            out[v][i][j] = out[v][i][j] && fine[v][a][c] == fine[v][2 * i][2 * j];
  return same;
}

// Agreement with the reference: 1e-5 away from outlines; on them at most one pixel of 5,000 (of all) differs by more.
void expect_agreement(const torch::Tensor& image, const CasterBatch& b, const CastOptions& o) {
  const torch::Tensor slow = cast_spheres_reference(b.scenes, b.cameras, b.owner, o).color;
  const torch::Tensor error = (image.to(torch::kCPU, torch::kFloat64) - slow).abs().amax(1);
  EXPECT_LT(error.masked_select(away_from_outlines(b, o)).max().item<double>(), 1e-5) << o.width << " x " << o.height;
  EXPECT_LE((error > 1e-5).sum().item<std::int64_t>(), 1 + error.numel() / 5000) << o.width << " x " << o.height;
}

TEST(SphereCaster, MatchesTheReferenceOverScenesAndSizes) {
  expect_agreement(cast(prior_batch(60), sized(64, 64)), prior_batch(60), sized(64, 64));
  for (const auto& [height, width] : {std::pair(1, 1), std::pair(7, 5), std::pair(33, 47), std::pair(48, 17)}) {
    const CastOptions o = sized(height, width);
    expect_agreement(cast(prior_batch(20), o), prior_batch(20), o);
  }
  for (const std::int64_t spheres : {std::int64_t{1}, std::int64_t{2}, max_drawn_spheres})
    expect_agreement(cast(prior_batch(10, spheres), sized(40, 40)), prior_batch(10, spheres), sized(40, 40));
  expect_agreement(cast(prior_batch(2), sized(300, 256)), prior_batch(2), sized(300, 256));
}

TEST(SphereCaster, MatchesTheReferenceAtOtherFramings) {
  for (const double half_width : {0.3, 0.7, 3.0}) {
    const CastOptions o = sized(37, 53, 1, half_width);
    expect_agreement(cast(prior_batch(20), o), prior_batch(20), o);
  }
}

TEST(SphereCaster, MatchesTheReferenceWhenSupersampling) {
  for (const std::int64_t k : {2, 3, 5}) {
    const CastOptions o = sized(19, 23, k);
    const CasterBatch b = prior_batch(12);
    const torch::Tensor slow = cast_spheres_reference(b.scenes, b.cameras, b.owner, o).color;
    EXPECT_LT((cast(b, o).to(torch::kFloat64) - slow).abs().mean().item<double>(), 1e-6) << k;
    expect_agreement(cast(b, o), b, o);
  }
}

TEST(SphereCaster, MatchesTheReferenceWhereSpheresIntersect) {
  SphereScene scene;
  scene.spheres = {{{0, 0, 0}, 0.6, {1, 0, 0}}, {{0.3, 0.2, 0.1}, 0.5, {0, 1, 0}}, {{0.3, 0.2, 0.1}, 0.2, {0, 0, 1}}};
  for (const double azimuth : {0.4, 2.0, 5.0})
    expect_agreement(cast(one_view(scene, azimuth, 0.6), sized(64, 64)), one_view(scene, azimuth, 0.6), sized(64, 64));
}

TEST(SphereCaster, ASphereInTheMiddleHasItsRadiusAndShade) {
  SphereScene scene;
  scene.spheres = {{{0, 0, 0}, 0.5, {1.0, 0.5, 0.25}}};
  scene.light_azimuth = 0.3;
  scene.light_elevation = 0.9;
  const CastOptions o = sized(201, 201, 1, 1.0);
  // Seen from the light, the middle is lit in full; its shade falls with the cosine towards the outline.
  const torch::Tensor lit = cast(one_view(scene, 0.3, 0.9), o)[0];
  EXPECT_NEAR(lit[0][100][100].item<double>(), 1.0, 1e-6);
  EXPECT_NEAR(lit[1][100][100].item<double>(), 0.5, 1e-6);
  EXPECT_NEAR(lit[2][100][100].item<double>(), 0.25, 1e-6);
  const double pixel = 2.0 / 201, sine = 40 * pixel / 0.5;
  for (const auto& [i, j] : {std::pair(100, 140), std::pair(100, 60), std::pair(60, 100), std::pair(140, 100)})
    EXPECT_NEAR(lit[0][i][j].item<double>(), 0.2 + 0.8 * std::sqrt(1 - sine * sine), 1e-5);
  EXPECT_NEAR(lit[0][3][3].item<double>(), 0.1, 1e-7);
  // From the far side only ambient light is left, and the disc has the sphere's radius.
  const torch::Tensor dark = cast(one_view(scene, 0.3 + half_turn, -0.9), o)[0];
  EXPECT_NEAR(dark[0][100][100].item<double>(), 0.2, 1e-6);
  const double radius = 0.5 / pixel;
  EXPECT_EQ((dark[0][100] > 0.15).sum().item<std::int64_t>(), 2 * static_cast<std::int64_t>(radius) + 1);
  EXPECT_NEAR((dark[0] > 0.15).sum().item<double>(), half_turn * radius * radius, 0.01 * half_turn * radius * radius);
}

TEST(SphereCaster, AxesAreAsPeopleExpect) {
  // From the x axis, y points right, z up; the nearer sphere hides the farther one.
  SphereScene scene;
  scene.spheres = {{{0, 0.8, 0}, 0.2, {1, 0, 0}},
                   {{0, 0, 0.8}, 0.2, {0, 1, 0}},
                   {{-0.8, 0, 0}, 0.4, {0, 0, 1}},
                   {{0.8, 0, 0}, 0.2, {1, 1, 0}}};
  const CasterBatch b = one_view(scene, 0, 0);
  const SphereBuffers seen = cast_sphere_buffers(b.scenes, b.cameras, b.owner, sized(31, 31, 1, 1.0), torch::kCPU);
  const auto id = seen.id.accessor<std::int32_t, 3>();
  EXPECT_EQ(id[0][15][27], 0);
  EXPECT_EQ(id[0][3][15], 1);
  EXPECT_EQ(id[0][15][15], 3);
  EXPECT_EQ(id[0][15][10], 2);
  EXPECT_EQ(id[0][0][0], -1);
  EXPECT_NEAR(seen.depth[0][15][15].item<double>(), -1.0, 1e-6);
  EXPECT_NEAR(seen.normal[0][0][15][15].item<double>(), 1.0, 1e-6);
}

TEST(SphereCaster, BuffersMatchTheReference) {
  for (const auto& [height, width] : {std::pair(64, 64), std::pair(21, 35)}) {
    const CasterBatch b = prior_batch(16);
    const CastOptions o = sized(height, width, 2);
    const SphereBuffers fast = cast_sphere_buffers(b.scenes, b.cameras, b.owner, o, torch::kCPU);
    const SphereBuffers slow = cast_spheres_reference(b.scenes, b.cameras, b.owner, o);
    EXPECT_TRUE(at::equal(fast.color, cast(b, o)));
    const torch::Tensor inside = away_from_outlines(b, o), ball = inside.logical_and(slow.id >= 0);
    EXPECT_TRUE(at::equal(fast.id.masked_select(inside), slow.id.masked_select(inside)));
    EXPECT_LE((fast.id != slow.id).sum().item<std::int64_t>(), 2);
    EXPECT_LT((fast.depth - slow.depth).abs().masked_select(ball).max().item<double>(), 1e-5);
    EXPECT_LT((fast.normal - slow.normal).abs().amax(1).masked_select(ball).max().item<double>(), 2e-5);
    EXPECT_TRUE(fast.depth.masked_select(fast.id < 0).isinf().all().item<bool>());
    EXPECT_EQ(fast.normal.abs().amax(1).masked_select(fast.id < 0).max().item<double>(), 0.0);
  }
}

TEST(SphereCaster, ThreadsDoNotMatter) {
  const CasterBatch b = prior_batch(9);
  const int threads = at::get_num_threads();
  for (const CastOptions& o : {sized(64, 64), sized(333, 222, 2)}) {
    at::set_num_threads(1);
    const torch::Tensor alone = cast(b, o);
    at::set_num_threads(3);
    EXPECT_TRUE(at::equal(cast(b, o), alone));
    at::set_num_threads(threads);
  }
}

TEST(SphereCaster, ViewsDoNotDependOnTheirBatch) {
  const CasterBatch b = prior_batch(10);
  const torch::Tensor all = cast(b, sized(40, 40));
  const CasterBatch last{b.scenes, b.cameras.slice(0, 9), b.owner.slice(0, 9)};
  EXPECT_TRUE(at::equal(cast(last, sized(40, 40))[0], all[9]));
  EXPECT_EQ(cast({b.scenes, b.cameras.slice(0, 0, 0), b.owner.slice(0, 0, 0)}, sized(40, 30)).sizes(),
            (std::vector<std::int64_t>{0, 3, 40, 30}));
}

TEST(SphereCaster, SurvivesNumbersThatAreNone) {
  for (const double odd :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), 1e300, 0.0, -1.0}) {
    const CasterBatch good = prior_batch(1);
    for (std::int64_t column = 0; column < good.scenes.size(1); ++column) {
      CasterBatch b{good.scenes.clone(), good.cameras, good.owner};
      b.scenes[0][column] = odd;
      EXPECT_EQ(cast(b, sized(20, 20)).numel(), 1200);
    }
    CasterBatch b{good.scenes, at::full({1, 2}, odd, torch::kFloat64), good.owner};
    EXPECT_EQ(cast_sphere_buffers(b.scenes, b.cameras, b.owner, sized(20, 20), torch::kCPU).id.numel(), 400);
  }
}

TEST(SphereCaster, RefusesWhatDoesNotFit) {
  const CasterBatch b = prior_batch(4);
  EXPECT_THROW(cast({b.scenes.slice(1, 1), b.cameras, b.owner}, sized(8, 8)), Error);
  EXPECT_THROW(cast({b.scenes.to(torch::kFloat32), b.cameras, b.owner}, sized(8, 8)), Error);
  EXPECT_THROW(cast({b.scenes, b.cameras.slice(0, 0, 3), b.owner}, sized(8, 8)), Error);
  EXPECT_THROW(cast({b.scenes, b.cameras, b.owner + 1}, sized(8, 8)), Error);
  EXPECT_THROW(cast({b.scenes, b.cameras, b.owner - 1}, sized(8, 8)), Error);
  EXPECT_THROW(cast(b, sized(0, 8)), Error);
  EXPECT_THROW(cast(b, sized(8, max_image_side + 1)), Error);
  EXPECT_THROW(cast(b, sized(8, 8, 0)), Error);
  EXPECT_THROW(cast(b, sized(8, 8, 1, 0.0)), Error);
  EXPECT_THROW(cast(b, sized(8, 8, 1, std::nan(""))), Error);
}

PAIRS_DEVICE_TEST(SphereCaster, MatchesTheReferenceOnTheDevice) {
  const CasterBatch b = prior_batch(40);
  for (const CastOptions& o : {sized(64, 64), sized(33, 47), sized(20, 20, 3)}) {
    expect_agreement(cast(b, o, device), b, o);
    const torch::Tensor inside = away_from_outlines(b, o), host = cast(b, o);
    EXPECT_LT((cast(b, o, device).to(torch::kCPU) - host).abs().amax(1).masked_select(inside).max().item<double>(),
              1e-5);
  }
  const CastOptions o = sized(64, 64);
  const SphereBuffers fast = cast_sphere_buffers(b.scenes, b.cameras, b.owner, o, device);
  const SphereBuffers slow = cast_spheres_reference(b.scenes, b.cameras, b.owner, o);
  const torch::Tensor inside = away_from_outlines(b, o), ball = inside.logical_and(slow.id >= 0);
  EXPECT_TRUE(at::equal(fast.id.to(torch::kCPU).masked_select(inside), slow.id.masked_select(inside)));
  EXPECT_LT((fast.depth.to(torch::kCPU) - slow.depth).abs().masked_select(ball).max().item<double>(), 1e-5);
  EXPECT_LT((fast.normal.to(torch::kCPU) - slow.normal).abs().amax(1).masked_select(ball).max().item<double>(), 2e-5);
}

}  // namespace
}  // namespace pairs::render
