#include "render/scene_edit.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/base/text/error.h"
#include "render/sphere_scene.h"

namespace pairs::render {
namespace {

bool legal(const SphereScene& scene, const SceneLimits& limits) {
  try {
    check_scene(scene, limits);
    return true;
  } catch (const Error&) {
    return false;
  }
}

TEST(SettleScene, LeavesALegalSceneAlone) {
  for (std::uint64_t index = 0; index < 50; ++index) {
    const SphereScene drawn = draw_scene(3, Purpose::check, index, 4);
    SphereScene settled = drawn;
    settle_scene(settled, index % 5);
    EXPECT_TRUE(torch::equal(pack_scenes({settled}), pack_scenes({drawn}))) << index;
  }
}

TEST(SettleScene, AnyEditBecomesLegalAndTheEditedSphereStays) {
  Stream stream(11, 0);
  const auto within = [&](double low, double high) { return low + (high - low) * stream.uniform64(); };
  for (std::uint64_t round = 0; round < 3000; ++round) {
    const std::int64_t spheres = 1 + static_cast<std::int64_t>(round % max_drawn_spheres);
    SphereScene scene = draw_scene(4, Purpose::check, round, spheres);
    const auto k = static_cast<std::size_t>(stream.below(static_cast<std::uint64_t>(spheres)));
    // Also into walls and corners, and onto others.
    for (double& x : scene.spheres[k].center) x = stream.below(3) == 0 ? 0.8 : within(-0.8, 0.8);
    if (round % 4 == 0) std::copy_n(scene.spheres[0].center, 3, scene.spheres[k].center);
    scene.spheres[k].radius = within(0.15, 0.4);
    const Sphere put = scene.spheres[k];
    settle_scene(scene, k);
    ASSERT_TRUE(legal(scene, prior_limits)) << round;
    for (int c = 0; c < 3; ++c) ASSERT_EQ(scene.spheres[k].center[c], put.center[c]) << round;
    if (spheres <= 3) {
      EXPECT_EQ(scene.spheres[k].radius, put.radius) << round << ": three spheres find room";
    }
  }
}

TEST(SettleScene, ASphereInTheCornerGivesWay) {
  SphereScene scene;
  scene.spheres.resize(2);
  scene.spheres[0].radius = scene.spheres[1].radius = 0.4;
  for (double& x : scene.spheres[0].center) x = 0.7;
  for (double& x : scene.spheres[1].center) x = 0.8;
  settle_scene(scene, 0);
  EXPECT_TRUE(legal(scene, prior_limits));
  EXPECT_EQ(scene.spheres[0].center[0], 0.7);
  EXPECT_EQ(scene.spheres[1].radius, 0.4) << "it moves rather than shrinks";
}

}  // namespace
}  // namespace pairs::render
