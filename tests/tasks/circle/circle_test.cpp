#include "tasks/circle/circle.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/rot90.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include "core/base/fields/face.h"
#include "core/base/gpu/transfer.h"
#include "core/base/text/error.h"
#include "render/circle_raster.h"
#include "tasks/parts/outlines.h"
#include "tests/tasks/sets.h"

namespace pairs {
namespace {

using namespace pairs::testing;

TEST(Circle, PriorIsUniform) {
  const auto task = make_circle({});
  const Latents l = latents_of(*task, 3, Purpose::pretrain, 0, 20000);
  EXPECT_LT(kolmogorov(doubles(l.theta.select(1, 0)), [](double v) { return (v - 15) / 35; }), 1.95);
  for (int d = 0; d < 2; ++d)
    EXPECT_LT(kolmogorov(doubles(l.psi.select(1, d)), [](double v) { return v / 64; }), 1.95) << d;
  const Target& target = task->info().targets[0];
  EXPECT_EQ(target.location, 32.5);
  EXPECT_NEAR(l.theta.std().item<double>(), target.scale, 0.02 * target.scale);
  EXPECT_EQ(target.range, 35);
  EXPECT_GE(l.theta.min().item<double>(), target.low);
  EXPECT_LE(l.theta.max().item<double>(), target.high);
}

// A pixel that is bright in every image belongs to the circle that all share.
TEST(Circle, WhatAllImagesShareIsTheTargetAlone) {
  const auto task = make_circle({});
  const Latents l = latents_of(*task, 5, Purpose::test, 0, 6);
  const torch::Tensor x = sets_of(*task, l, 5, Purpose::test, 0, 300);
  for (std::int64_t k = 0; k < 6; ++k) {
    const torch::Tensor circle = at::cat({l.psi[k], l.theta[k]}).to(torch::kFloat32).view({1, 1, 3});
    EXPECT_TRUE(at::equal(x[k].amin(0), render::draw_circles(circle, {})[0])) << k;
  }
}

// What is added to the target has the ink of three circles of the prior.
TEST(Circle, DistractorsComeFromTheTargetsOwnPrior) {
  CircleSettings settings;
  settings.distractors = 0;
  const auto alone = make_circle(settings);
  settings.distractors = 1;
  const auto one = make_circle(settings);
  const Latents l = latents_of(*alone, 1, Purpose::test, 0, 4000);
  const torch::Tensor ink = sets_of(*alone, l, 1, Purpose::test, 0, 1).flatten(1).sum(1);
  // The target far outside: what is left is the distractor.
  const Latents away{l.theta, at::full({4000, 2}, 4000.0, torch::kFloat64)};
  const torch::Tensor other = sets_of(*one, away, 1, Purpose::test, 0, 1).flatten(1).sum(1);
  EXPECT_FALSE(at::equal(ink, other));
  const auto values = doubles(ink);
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  // Two samples of 4,000: the distance of one from the other's distribution is √2 that from the true one.
  EXPECT_LT(
      kolmogorov(doubles(other),
                 [&](double v) {
                   return static_cast<double>(std::upper_bound(sorted.begin(), sorted.end(), v) - sorted.begin()) /
                          static_cast<double>(sorted.size());
                 }),
      1.95 * std::sqrt(2.0));
  const torch::Tensor again = sets_of(*one, away, 1, Purpose::test, 0, 2);
  EXPECT_FALSE(at::equal(again.select(1, 0), again.select(1, 1))) << "every image has its own";
}

TEST(Circle, AddressableAndDescribed) {
  const auto task = make_circle({});
  expect_addressable(*task);
  expect_described(*task);
  EXPECT_EQ(task->info().observation_shape, (std::vector<std::int64_t>{1, 64, 64}));
  EXPECT_TRUE(task->references().empty());
}

TEST(Circle, SettingsTakeEffect) {
  const auto usual = make_circle({});
  EXPECT_EQ(usual->info().variant, "");
  const Latents l = latents_of(*usual, 1, Purpose::test, 0, 2);
  const torch::Tensor x = sets_of(*usual, l, 1, Purpose::test, 0, 3);
  CircleSettings thick;
  thick.line = 4;
  EXPECT_GT(sets_of(*make_circle(thick), l, 1, Purpose::test, 0, 3).mean().item<double>(),
            1.5 * x.mean().item<double>());
  EXPECT_NE(make_circle(thick)->info().variant, "");
  CircleSettings few;
  few.distractors = 1;
  EXPECT_LT(sets_of(*make_circle(few), l, 1, Purpose::test, 0, 3).mean().item<double>(), 0.8 * x.mean().item<double>());
  CircleSettings narrow;
  narrow.center_low = 24;
  narrow.center_high = 40;
  const torch::Tensor psi = latents_of(*make_circle(narrow), 1, Purpose::test, 0, 500).psi;
  EXPECT_GE(psi.min().item<double>(), 24);
  EXPECT_LE(psi.max().item<double>(), 40);
  EXPECT_TRUE(make_circle(narrow)->info().rotation_invariant);
  narrow.center_high = 41;
  EXPECT_FALSE(make_circle(narrow)->info().rotation_invariant) << "turned, centers would lie where the prior has none";
  narrow.center_high = 24;
  EXPECT_THROW(make_circle(narrow), Error);
}

TEST(Circle, ItsOutlineLiesOnItsLine) {
  const auto task = make_circle({});
  const Outlines* const look = face<Outlines>(*task);
  ASSERT_NE(look, nullptr);
  const double theta[] = {20.5}, psi[] = {30.25, 33};
  const auto curves = look->outlines(theta, psi);
  ASSERT_EQ(curves.size(), 1u);
  const torch::Tensor circle = at::tensor({30.25f, 33.0f, 20.5f}, torch::kFloat32).view({1, 1, 3});
  const torch::Tensor image = render::draw_circles(circle, {})[0][0];
  for (std::size_t i = 0; i < curves[0].x.size(); ++i)
    EXPECT_GT(
        image[static_cast<std::int64_t>(curves[0].y[i])][static_cast<std::int64_t>(curves[0].x[i])].item<double>(),
        0.75);
}

TEST(Circle, WhatIsSetByHandStaysWithinThePrior) {
  const auto task = make_circle({});
  Latents l = latents_of(*task, 1, Purpose::explore, 0, 1);
  l.theta[0][0] = 90;
  l.psi[0][1] = -3;
  task->constrain(l, {});
  EXPECT_EQ(l.theta[0][0].item<double>(), 50);
  EXPECT_EQ(l.psi[0][1].item<double>(), 0);
}

}  // namespace
}  // namespace pairs
