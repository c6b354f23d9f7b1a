#include "core/likelihood/column_scale.h"

#include <ATen/Functions.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/base/message.h"

namespace pairs {
namespace {

using testing::HasSubstr;
using torch::Tensor;

Tensor values(std::int64_t count, std::uint64_t seed = 1) {
  at::Generator generator = at::detail::createCPUGenerator(seed);
  return at::randn({count}, generator, at::TensorOptions(at::kDouble));
}

TEST(ColumnScale, KnowsWhatAColumnHolds) {
  const Tensor normal = values(4096), rank = at::arange(4096).to(torch::kFloat64);
  const auto kind = [](const Tensor& column) { return ColumnScale::of(column, "x").kind(); };
  EXPECT_EQ(kind(normal), ColumnKind::continuous);
  EXPECT_EQ(kind(normal + 10), ColumnKind::continuous) << "positive, but not close to 0";
  EXPECT_EQ(kind(normal.exp()), ColumnKind::positive);
  EXPECT_EQ(kind(normal.square()), ColumnKind::positive);
  EXPECT_EQ(kind((3 * normal).exp()), ColumnKind::positive);
  EXPECT_EQ(kind((3 * normal).exp() - 1), ColumnKind::heavy) << "not positive";
  EXPECT_EQ(kind(normal / values(4096, 2)), ColumnKind::heavy) << "Cauchy";
  EXPECT_EQ(kind((3 * normal).round()), ColumnKind::lattice);
  EXPECT_EQ(kind(at::remainder(rank, 9) / 2 - 2), ColumnKind::lattice) << "halves";
  EXPECT_EQ(kind((10 * normal).round() / 10), ColumnKind::lattice) << "rounded measurements";
  EXPECT_EQ(kind(at::remainder(rank, 3) + 0.3), ColumnKind::lattice) << "beside the origin";
  EXPECT_THAT(message_of([&] { kind(at::remainder(rank, 3).square() + at::remainder(rank, 2) * 0.37); }),
              HasSubstr("do not lie at one distance"));
  EXPECT_THAT(message_of([&] { kind(at::ones({8}, torch::kFloat64)); }), HasSubstr("never changes"));
}

TEST(ColumnScale, StandardizesAndGoesBack) {
  const Tensor normal = values(4096);
  for (const Tensor& column : {normal, (3 * normal).exp(), normal / values(4096, 2), (3 * normal).round(),
                               (10 * normal).round() / 10, at::remainder((3 * normal).round(), 3) + 0.3}) {
    const ColumnScale scale = ColumnScale::of(column, "x");
    const Tensor t = scale.standardized(column);
    EXPECT_LT(t.abs().max().item<double>(), 40);
    EXPECT_NEAR(t.std().item<double>(), 1, 0.6);
    EXPECT_TRUE(at::allclose(scale.original(t), column, 1e-9, 1e-9));
    EXPECT_EQ(scale.refused(column), "");
    const ColumnScale again = ColumnScale::from(scale.numbers());
    EXPECT_TRUE(at::equal(again.standardized(column), t));
    EXPECT_EQ(again.form().cell, scale.form().cell);
    if (scale.kind() != ColumnKind::lattice) continue;
    const double step = std::get<0>(at::_unique(t, true)).diff().min().item<double>();
    EXPECT_NEAR(scale.form().cell, step, 1e-9);
    EXPECT_TRUE(at::allclose(scale.original(t + 0.4 * scale.form().cell), column, 1e-9, 1e-9))
        << "rounded to the lattice";
  }
}

TEST(ColumnScale, SlopeIsThatOfTheStandardizedValue) {
  const Tensor normal = values(4096);
  const auto expect = [](const ColumnScale& scale, const Tensor& column) {
    const Tensor h = 1e-6 * column.abs().clamp_min(1e-3);
    const Tensor slope = (scale.standardized(column + h) - scale.standardized(column - h)) / (2 * h);
    EXPECT_TRUE(at::allclose(scale.log_slope(column), slope.log(), 1e-4, 1e-4)) << static_cast<int>(scale.kind());
  };
  for (const Tensor& column : {normal, 7 * normal + 100, (3 * normal).exp(), normal / values(4096, 2)})
    expect(ColumnScale::of(column, "x"), column);
  expect(ColumnScale::of(180 + 10 * normal, "x", 360), 180 + 10 * normal.slice(0, 0, 100).clamp(-2, 2));
  const Tensor whole = (3 * normal).round();
  EXPECT_TRUE(at::equal(ColumnScale::of(whole, "x").log_slope(whole), at::zeros_like(whole)));
}

TEST(ColumnScale, RefusesWhatSimulationsDoNotHold) {
  const Tensor normal = values(4096), other = at::full({1}, 0.123, torch::kFloat64);
  EXPECT_THAT(ColumnScale::of((3 * normal).round(), "x").refused(other), HasSubstr("whole numbers"));
  EXPECT_THAT(ColumnScale::of((10 * normal).round() / 10, "x").refused(other), HasSubstr("distances of 0.1"));
  EXPECT_THAT(ColumnScale::of((3 * normal).exp(), "x").refused(-other), HasSubstr("above 0"));
  EXPECT_EQ(ColumnScale::of(normal, "x").refused(other), "");
}

TEST(ColumnScale, RefusesNumbersOfNoScale) {
  const ColumnScale scale = ColumnScale::of(values(64), "x");
  auto numbers = scale.numbers();
  numbers[2] = 9;
  EXPECT_THAT(message_of([&] { ColumnScale::from(numbers); }), HasSubstr("unknown kind"));
  numbers = scale.numbers();
  numbers[1] = 0;
  EXPECT_THAT(message_of([&] { ColumnScale::from(numbers); }), HasSubstr("not above 0"));
}

TEST(ColumnScale, OfAPeriodicColumnIsAnAngle) {
  at::Generator generator = at::detail::createCPUGenerator(8);
  const torch::Tensor normal = at::randn({4000}, generator, at::TensorOptions(at::kDouble));
  const torch::Tensor degrees = 350 + 30 * normal;
  const ColumnScale scale = ColumnScale::of(degrees, "wind", 360);
  EXPECT_EQ(scale.kind(), ColumnKind::periodic);
  EXPECT_EQ(scale.form().cell, 0);
  EXPECT_TRUE(scale.form().circle);
  const torch::Tensor t = scale.standardized(degrees);
  EXPECT_NEAR(t.mean().item<double>(), 0, 0.02) << "the mean direction is in the middle";
  EXPECT_NEAR(t.std().item<double>(), 30 * M_PI / 180, 0.02);
  EXPECT_TRUE(at::allclose(scale.standardized(degrees - 720), t, 1e-9, 1e-9));
  const torch::Tensor turns = (scale.original(t) - degrees) / 360;
  EXPECT_TRUE(at::allclose(turns, turns.round(), 1e-9, 1e-9));
  EXPECT_EQ(scale.refused(degrees + 0.123), "");
  // Directions in steps of ten degrees are a lattice around the circle.
  const ColumnScale steps = ColumnScale::of((degrees / 10).round() * 10, "wind", 360);
  EXPECT_NEAR(steps.form().cell, M_PI / 18, 1e-9);
  EXPECT_EQ(steps.refused(torch::tensor({0.0, 360.0, -90.0}, torch::kFloat64)), "");
  EXPECT_THAT(steps.refused(torch::tensor({5.0}, torch::kFloat64)), HasSubstr("distances of 10"));
  for (const ColumnScale& one : {scale, steps}) {
    const ColumnScale again = ColumnScale::from(one.numbers());
    EXPECT_EQ(again.form().cell, one.form().cell);
    EXPECT_TRUE(at::equal(again.standardized(degrees), one.standardized(degrees)));
  }
}

}  // namespace
}  // namespace pairs
