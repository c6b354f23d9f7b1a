#include "tasks/novel_view/novel_view.h"

#include <ATen/ops/allclose.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/equal.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "core/base/fields/face.h"
#include "core/base/text/error.h"
#include "render/ray_map.h"
#include "render/scene_edit.h"
#include "render/sphere_caster.h"
#include "tests/tasks/sets.h"

namespace pairs {
namespace {

using namespace pairs::testing;

NovelViewSettings small_views(const std::string& frame = "world") {
  NovelViewSettings options;
  options.size = 16;
  options.frame = frame;
  return options;
}

const SceneViews& face(const std::shared_ptr<const Task>& task) {
  const SceneViews* views = face<SceneViews>(*task);
  if (!views) throw std::runtime_error("the task is no SceneViews");
  return *views;
}

torch::Tensor view_observations(const NovelViewSettings& settings, const torch::Tensor& images,
                                const torch::Tensor& cameras, const render::Camera& target) {
  return face(make_novel_view(settings)).observations(images, cameras, target);
}

TEST(NovelView, ThetaIsTheSceneSeenByTheTargetCamera) {
  const NovelViewSettings options = small_views();
  const auto task = make_novel_view(options);
  const Latents l = latents_of(*task, 5, Purpose::test, 40, 3);
  ASSERT_EQ(l.theta.size(1), task->info().target_size());
  for (std::int64_t i = 0; i < 3; ++i) {
    const render::SphereScene scene =
        render::draw_scene(5, Purpose::test, static_cast<std::uint64_t>(40 + i), options.spheres);
    EXPECT_TRUE(at::equal(render::pack_scenes({scene}), l.psi.slice(0, i, i + 1)));
    const render::Camera camera = face(task).target(l.given[i]);
    EXPECT_GE(camera.elevation, std::numbers::pi / 8 - 1e-12);
    EXPECT_LE(camera.elevation, 3 * std::numbers::pi / 8 + 1e-12);
    const torch::Tensor image = render::cast_spheres(
        render::pack_scenes({scene}), torch::tensor({{camera.azimuth, camera.elevation}}, torch::kFloat64),
        torch::zeros({1}, torch::kInt64), {.height = 16, .width = 16}, torch::kCPU);
    EXPECT_TRUE(at::allclose(image.flatten().to(torch::kFloat64), l.theta[i], 0, 1e-5)) << i;
  }
}

TEST(NovelView, SetsArePrefixesAndPurposesDiffer) {
  const auto task = make_novel_view(small_views());
  const std::int64_t index = 7;
  const Latents l = task->latents(1, Purpose::pretrain, {&index, 1});
  const SetRange all{7, 0, 6}, part{7, 3, 2};
  const torch::Tensor x = task->observe(l, 1, Purpose::pretrain, {&all, 1}, torch::kCPU);
  EXPECT_TRUE(at::equal(task->observe(l, 1, Purpose::pretrain, {&part, 1}, torch::kCPU), x.slice(0, 3, 5)));
  Latents bare = l;
  bare.theta = torch::Tensor();
  EXPECT_TRUE(at::equal(task->observe(bare, 1, Purpose::pretrain, {&all, 1}, torch::kCPU), x));
  EXPECT_FALSE(at::equal(task->latents(1, Purpose::finetune, {&index, 1}).psi, l.psi));
}

TEST(NovelView, OnlyTrainingViewsAreNoisy) {
  NovelViewSettings options = small_views();
  const auto noisy = make_novel_view(options);
  options.noise = 0;
  const auto clean = make_novel_view(options);
  std::vector<std::int64_t> indices(40);
  std::vector<SetRange> ranges;
  for (std::int64_t i = 0; i < 40; ++i) {
    indices[static_cast<std::size_t>(i)] = i;
    ranges.push_back({i, 0, 2});
  }
  for (const Purpose purpose : {Purpose::pretrain, Purpose::finetune, Purpose::test, Purpose::explore}) {
    const Latents l = noisy->latents(3, purpose, indices);
    const torch::Tensor difference = noisy->observe(l, 3, purpose, ranges, torch::kCPU).block() -
                                     clean->observe(l, 3, purpose, ranges, torch::kCPU).block();
    const torch::Tensor noise = difference.slice(1, 0, 3);
    EXPECT_EQ(difference.slice(1, 3).abs().max().item<double>(), 0) << "ray maps have no noise";
    if (purpose == Purpose::pretrain || purpose == Purpose::finetune) {
      const double values = static_cast<double>(noise.numel());
      EXPECT_NEAR(noise.std().item<double>(), 0.03, 0.03 * 4 / std::sqrt(2 * values));
      EXPECT_NEAR(noise.mean().item<double>(), 0, 0.03 * 4 / std::sqrt(values));
    } else {
      EXPECT_EQ(noise.abs().max().item<double>(), 0);
    }
  }
}

// In the target's frame the observations do not change when scene and cameras turn together.
TEST(NovelView, TargetFrameForgetsWhereTheWorldsAxesPoint) {
  const NovelViewSettings options = small_views("target");
  const torch::Tensor images = torch::rand({4, 3, 16, 16});
  const torch::Tensor cameras = torch::tensor({{0.3, 0.5}, {2.0, 0.9}, {4.4, 1.1}, {6.0, 0.4}}, torch::kFloat64);
  const torch::Tensor x = view_observations(options, images, cameras, {1.2, 0.7});
  const double turn = 0.81;
  torch::Tensor turned = cameras.clone();
  turned.select(1, 0).add_(turn).remainder_(2 * std::numbers::pi);
  const torch::Tensor same = view_observations(options, images, turned, {1.2 + turn, 0.7});
  EXPECT_TRUE(at::allclose(x, same, 0, 1e-5));
  const NovelViewSettings world = small_views("world");
  EXPECT_FALSE(at::allclose(view_observations(world, images, cameras, {1.2, 0.7}),
                            view_observations(world, images, turned, {1.2 + turn, 0.7}), 0, 1e-2));
}

// The maps of all views give a point of the scene the same coordinates in the target's axes.
TEST(NovelView, TargetFrameIsTheTargetsPixels) {
  const NovelViewSettings options = small_views("target");
  const auto task = make_novel_view(options);
  const render::Camera target{2.5, 0.6};
  const torch::Tensor given = face(task).given(target);
  const torch::Tensor own = task->target_map(given)[0];
  for (std::int64_t row = 0; row < 16; ++row)
    for (std::int64_t column = 0; column < 16; ++column) {
      EXPECT_NEAR(own[0][row][column].item<double>(), render::column_middle(static_cast<double>(column), 16), 1e-5);
      EXPECT_NEAR(own[1][row][column].item<double>(), render::row_middle(static_cast<double>(row), 16, 16), 1e-5);
      EXPECT_NEAR(own[2][row][column].item<double>(), 0, 1e-5);
    }
  // Another camera's map: its origin in world axes, projected on the target's by hand.
  const render::Camera camera{0.4, 1.0};
  const torch::Tensor x =
      view_observations(options, torch::zeros({1, 3, 16, 16}),
                        torch::tensor({{camera.azimuth, camera.elevation}}, torch::kFloat64), target);
  const render::CameraBasis from = render::camera_basis(camera.azimuth, camera.elevation);
  const render::CameraBasis to = render::camera_basis(target.azimuth, target.elevation);
  const double across = render::column_middle(11, 16), up = render::row_middle(2, 16, 16);
  double origin[3];
  for (int k = 0; k < 3; ++k) origin[k] = across * from.right[k] + up * from.up[k];
  EXPECT_NEAR(x[0][3][2][11].item<double>(), render::dot3(origin, to.right), 1e-5);
  EXPECT_NEAR(x[0][4][2][11].item<double>(), render::dot3(origin, to.up), 1e-5);
  EXPECT_NEAR(x[0][5][2][11].item<double>(), render::dot3(origin, to.forward), 1e-5);
}

TEST(NovelView, ObservationsOfAPersonAreThoseOfTheTask) {
  for (const char* frame : {"world", "target"}) {
    const NovelViewSettings options = small_views(frame);
    const auto task = make_novel_view(options);
    const std::int64_t index = 3;
    const Latents l = task->latents(9, Purpose::test, {&index, 1});
    const SetRange range{3, 0, 5};
    const torch::Tensor x = task->observe(l, 9, Purpose::test, {&range, 1}, torch::kCPU);
    torch::Tensor cameras = torch::empty({5, 2}, torch::kFloat64);
    for (std::int64_t j = 0; j < 5; ++j) {
      const render::Camera camera = render::draw_camera(9, Purpose::test, 3, static_cast<std::uint64_t>(j));
      cameras[j][0] = camera.azimuth;
      cameras[j][1] = camera.elevation;
    }
    EXPECT_TRUE(
        at::allclose(view_observations(options, x.slice(1, 0, 3), cameras, face(task).target(l.given)), x, 0, 1e-5));
  }
}

TEST(NovelView, RefusesWhatIsNoView) {
  const NovelViewSettings options = small_views();
  const torch::Tensor camera = torch::tensor({{0.1, 0.5}}, torch::kFloat64);
  EXPECT_THROW(view_observations(options, torch::zeros({1, 3, 16, 20}), camera, {0, 0.5}), Error);
  EXPECT_THROW(view_observations(options, torch::zeros({1, 1, 16, 16}), camera, {0, 0.5}), Error);
  EXPECT_THROW(view_observations(options, torch::zeros({2, 3, 16, 16}), camera, {0, 0.5}), Error);
  EXPECT_THROW(view_observations(options, torch::zeros({1, 3, 16, 16}), camera * 9, {0, 0.5}), Error);
  EXPECT_THROW(view_observations(options, torch::zeros({1, 3, 16, 16}), camera, {0, 2.5}), Error);
}

TEST(NovelView, StandardizesByThePriorsPixels) {
  const auto task = make_novel_view(small_views());
  const Latents l = latents_of(*task, 11, Purpose::test, 0, 2000);
  const ImageTarget& image = task->info().image;
  EXPECT_NEAR(l.theta.mean().item<double>(), image.location, 0.006);
  EXPECT_NEAR(l.theta.std().item<double>(), image.scale, 0.006);
  NovelViewSettings paper = small_views();
  paper.scale = "signed";
  EXPECT_EQ(make_novel_view(paper)->info().image.location, 0.5);
  EXPECT_EQ(make_novel_view(paper)->info().image.scale, 0.5);
}

TEST(NovelView, AChangedSceneStaysPossible) {
  const auto task = make_novel_view(small_views());
  std::mt19937 random(4);
  for (std::int64_t index = 0; index < 50; ++index) {
    Latents l = task->latents(2, Purpose::explore, {&index, 1});
    const auto sphere = static_cast<std::int64_t>(random() % 3);
    // Onto another sphere.
    const std::int64_t other = (sphere + 1) % 3;
    for (std::int64_t k = 0; k < 3; ++k) l.psi[0][7 * sphere + k] = l.psi[0][7 * other + k].item<double>() + 0.01;
    const torch::Tensor kept = l.psi.slice(1, 7 * sphere, 7 * sphere + 3).clone().clamp(-0.8, 0.8);
    task->constrain(l, {true, 7 * sphere});
    EXPECT_NO_THROW(render::check_scene(render::unpack_scene(l.psi[0]), render::prior_limits)) << index;
    EXPECT_TRUE(at::equal(l.psi.slice(1, 7 * sphere, 7 * sphere + 3), kept)) << "the changed sphere stays";
    EXPECT_TRUE(at::equal(l.theta, face(task).target_views(l.psi, l.given)));
  }
}

}  // namespace
}  // namespace pairs
