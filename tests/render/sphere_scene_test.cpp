#include "render/sphere_scene.h"

#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/base/text/error.h"

namespace pairs::render {
namespace {

constexpr double half_circle = std::numbers::pi;

// Minimum, maximum and mean of many draws.
struct Range {
  double low = 1e300, high = -1e300, sum = 0;
  int count = 0;
  void add(double x) {
    low = std::min(low, x);
    high = std::max(high, x);
    sum += x;
    ++count;
  }
};

// Uniform on [low, high]: stays inside, comes near the ends, mean within four standard errors (that of independent
// draws).
void expect_uniform(const Range& r, double low, double high) {
  EXPECT_GE(r.low, low);
  EXPECT_LE(r.high, high);
  EXPECT_LT(r.low, low + 0.02 * (high - low));
  EXPECT_GT(r.high, high - 0.02 * (high - low));
  EXPECT_NEAR(r.sum / r.count, 0.5 * (low + high), 4 * (high - low) / std::sqrt(12.0 * r.count));
}

double distance(const Sphere& a, const Sphere& b) {
  return std::hypot(a.center[0] - b.center[0], a.center[1] - b.center[1], a.center[2] - b.center[2]);
}

SphereScene good_scene() {
  SphereScene scene;
  scene.spheres = {{{0, 0, 0}, 0.3, {1, 0, 0}}, {{0.5, 0, 0}, 0.2, {0, 1, 0}}};
  return scene;
}

std::string scene_refusal(const SphereScene& scene, const SceneLimits& limits = world_limits) {
  try {
    check_scene(scene, limits, "here");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(SphereScene, PriorHasItsRanges) {
  Range radius, azimuth, elevation, background, center, camera_azimuth, camera_elevation;
  for (std::uint64_t index = 0; index < 2000; ++index) {
    const SphereScene scene = draw_scene(3, Purpose::check, index);
    ASSERT_EQ(scene.spheres.size(), 3u);
    ASSERT_EQ(scene_refusal(scene, prior_limits), "");
    for (std::size_t i = 0; i < 3; ++i) {
      const Sphere& s = scene.spheres[i];
      radius.add(s.radius);
      for (const double x : s.center) center.add(x);
      for (std::size_t j = 0; j < i; ++j) ASSERT_GE(distance(s, scene.spheres[j]), s.radius + scene.spheres[j].radius);
      // Saturated and bright: the largest channel is the value, the smallest at most a quarter of it.
      const auto [low, high] = std::minmax({s.color[0], s.color[1], s.color[2]});
      ASSERT_GE(high, 0.75);
      ASSERT_LE(high, 1.0);
      ASSERT_LE(low, 0.25 * high + 1e-12);
      ASSERT_GE(low, -1e-12);
    }
    azimuth.add(scene.light_azimuth);
    elevation.add(scene.light_elevation);
    for (const double c : scene.background) background.add(c);
    const Camera camera = draw_camera(3, Purpose::check, index, index % 7);
    camera_azimuth.add(camera.azimuth);
    camera_elevation.add(camera.elevation);
  }
  expect_uniform(radius, 0.15, 0.4);
  expect_uniform(azimuth, 0, 2 * half_circle);
  expect_uniform(elevation, half_circle / 6, half_circle / 3);
  expect_uniform(background, 0.05, 0.2);
  expect_uniform(center, -0.8, 0.8);
  expect_uniform(camera_azimuth, 0, 2 * half_circle);
  expect_uniform(camera_elevation, half_circle / 8, 3 * half_circle / 8);
}

TEST(SphereScene, HuesGoRoundTheCircle) {
  // Each of the six sextants of hue is as frequent as the others: which channel is largest, which smallest.
  int sextant[3][3] = {};
  const int draws = 3000;
  for (int index = 0; index < draws; ++index) {
    const SphereScene scene = draw_scene(4, Purpose::check, static_cast<std::uint64_t>(index), 1);
    const double* c = scene.spheres[0].color;
    ++sextant[std::max_element(c, c + 3) - c][std::min_element(c, c + 3) - c];
  }
  for (int high = 0; high < 3; ++high)
    for (int low = 0; low < 3; ++low) {
      if (high == low) continue;
      EXPECT_NEAR(sextant[high][low], draws / 6.0, 5 * std::sqrt(draws / 6.0));
    }
}

TEST(SphereScene, DrawsAreAPureFunctionOfTheirKey) {
  const auto row = [](std::uint64_t seed, Purpose purpose, std::uint64_t index) {
    return pack_scenes({draw_scene(seed, purpose, index)});
  };
  const torch::Tensor first = row(1, Purpose::test, 5);
  draw_scene(9, Purpose::pretrain, 1);
  EXPECT_TRUE(at::equal(row(1, Purpose::test, 5), first));
  for (const torch::Tensor& other : {row(2, Purpose::test, 5), row(1, Purpose::pretrain, 5), row(1, Purpose::test, 6)})
    EXPECT_GT((other - first).abs().min().item<double>(), 0.0);
  const Camera camera = draw_camera(1, Purpose::test, 5, 2);
  EXPECT_EQ(draw_camera(1, Purpose::test, 5, 2).azimuth, camera.azimuth);
  EXPECT_NE(draw_camera(1, Purpose::test, 5, 3).azimuth, camera.azimuth);
  EXPECT_NE(draw_camera(1, Purpose::test, 6, 2).elevation, camera.elevation);
}

TEST(SphereScene, ManySpheresStillFit) {
  for (std::uint64_t index = 0; index < 20; ++index)
    EXPECT_EQ(scene_refusal(draw_scene(1, Purpose::check, index, max_drawn_spheres), prior_limits), "");
  EXPECT_THROW(draw_scene(1, Purpose::check, 0, max_drawn_spheres + 1), Error);
  EXPECT_THROW(draw_scene(1, Purpose::check, 0, 0), Error);
}

TEST(SphereScene, RowsComeBack) {
  const SphereScene scene = draw_scene(1, Purpose::check, 3);
  const torch::Tensor row = pack_scenes({scene, scene})[1];
  EXPECT_EQ(row.size(0), scene_columns(3));
  EXPECT_EQ(row[3].item<double>(), scene.spheres[0].radius);
  EXPECT_EQ(row[7].item<double>(), scene.spheres[1].center[0]);
  EXPECT_EQ(row[11].item<double>(), scene.spheres[1].color[0]);
  EXPECT_EQ(row[21].item<double>(), scene.light_azimuth);
  EXPECT_EQ(row[22].item<double>(), scene.light_elevation);
  EXPECT_EQ(row[23].item<double>(), scene.background[0]);
  EXPECT_TRUE(at::equal(pack_scenes({unpack_scene(row)})[0], row));
  EXPECT_THROW(pack_scenes({scene, draw_scene(1, Purpose::check, 3, 2)}), Error);
  EXPECT_THROW(unpack_scene(row.slice(0, 1)), Error);
  EXPECT_EQ(spheres_of_columns(26), 3);
  for (const std::int64_t columns : {0, 5, 11, 25, 27, 5 + 7 * 17}) EXPECT_THROW(spheres_of_columns(columns), Error);
}

TEST(SphereScene, ChecksSayWhatIsWrong) {
  using ::testing::AllOf;
  using ::testing::HasSubstr;
  SphereScene scene = good_scene();
  EXPECT_EQ(scene_refusal(scene), "");  // they touch
  scene.spheres[1].center[0] = 0.49;
  EXPECT_THAT(scene_refusal(scene), AllOf(HasSubstr("here: spheres 1 and 2 overlap"), HasSubstr("0.01")));
  scene = good_scene();
  scene.spheres[1].center[2] = -2.5;
  EXPECT_THAT(scene_refusal(scene), AllOf(HasSubstr("center of sphere 2"), HasSubstr("-2.5")));
  scene = good_scene();
  scene.spheres[0].radius = 0;
  EXPECT_THAT(scene_refusal(scene), HasSubstr("radius of sphere 1"));
  scene.spheres[0].radius = std::nan("");
  EXPECT_THAT(scene_refusal(scene), HasSubstr("radius of sphere 1"));
  scene = good_scene();
  scene.spheres[1].color[1] = 1.5;
  EXPECT_THAT(scene_refusal(scene), AllOf(HasSubstr("color of sphere 2"), HasSubstr("1.5")));
  scene = good_scene();
  scene.background[2] = -0.1;
  EXPECT_THAT(scene_refusal(scene), HasSubstr("background"));
  scene = good_scene();
  scene.light_elevation = 2;
  EXPECT_THAT(scene_refusal(scene), HasSubstr("light"));
  EXPECT_THAT(scene_refusal({}), HasSubstr("no spheres"));
  scene = good_scene();
  scene.spheres.resize(max_spheres + 1);
  EXPECT_THAT(scene_refusal(scene), HasSubstr("at most 16"));
  scene = good_scene();
  scene.spheres[0].center[1] = 0.9;
  EXPECT_EQ(scene_refusal(scene), "");
  EXPECT_THAT(scene_refusal(scene, prior_limits), HasSubstr("within 0.8"));
  check_camera({0, half_circle / 2});
  for (const Camera& camera : {Camera{0, 1.6}, Camera{7, 0}, Camera{std::nan(""), 0}, Camera{0, std::nan("")}})
    EXPECT_THROW(check_camera(camera), Error);
}

}  // namespace
}  // namespace pairs::render
