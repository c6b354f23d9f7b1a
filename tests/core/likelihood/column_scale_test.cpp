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
  EXPECT_EQ(kind(at::remainder(rank, 3).square() + at::remainder(rank, 2) * 0.37), ColumnKind::categories);
  EXPECT_EQ(kind(at::remainder(rank, 100).square() * 0.37), ColumnKind::lattice) << "whole multiples";
  EXPECT_THAT(message_of([&] { kind((1 + at::remainder(rank, 100)).log()); }), HasSubstr("do not lie at one distance"));
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

// Amounts that are often exactly 0, measurements clipped at both ends, and a column of few values: single values are
// kept apart from the others, which are standardized as if they were alone.
TEST(ColumnScale, KeepsAtomsApart) {
  const Tensor normal = values(4096), other = values(4096, 2);
  const auto atoms = [](const Tensor& column) { return ColumnScale::of(column, "x").atoms(); };
  const Tensor amounts = at::where(other > 0.5, (2 * normal).exp(), at::zeros_like(normal)),
               clipped = normal.clamp(-1.3, 0.7), heavy = at::where(other > 0, normal / values(4096, 3), -999.0),
               few = (0.1 + 3.4 * (normal > 0).to(torch::kFloat64)).masked_fill(other < 0, 0.7);
  EXPECT_THAT(atoms(amounts), testing::ElementsAre(0));
  EXPECT_EQ(ColumnScale::of(amounts, "x").kind(), ColumnKind::positive) << "of those above 0";
  EXPECT_THAT(atoms(clipped), testing::ElementsAre(-1.3, 0.7));
  EXPECT_THAT(atoms(heavy), testing::ElementsAre(-999));
  EXPECT_EQ(ColumnScale::of(heavy, "x").kind(), ColumnKind::heavy);
  EXPECT_THAT(atoms(few), testing::ElementsAre(0.1, 0.7, 3.5));
  EXPECT_EQ(ColumnScale::of(few, "x").kind(), ColumnKind::categories);
  for (const Tensor& column : {normal, (3 * normal).exp(), (3 * normal).round(), (10 * normal).round() / 10,
                               at::where(other > 0, (3 * normal).round(), 0.0)})
    EXPECT_THAT(atoms(column), testing::IsEmpty());
  for (const Tensor& column : {amounts, clipped, heavy, few}) {
    const ColumnScale scale = ColumnScale::of(column, "x");
    const Tensor t = scale.standardized(column), narrow = t.to(torch::kFloat32), place = atom_of(narrow);
    for (std::int64_t k = 0; k < static_cast<std::int64_t>(scale.atoms().size()); ++k)
      EXPECT_TRUE(at::equal(place == k, column == scale.atoms()[static_cast<std::size_t>(k)]));
    EXPECT_TRUE(at::allclose(scale.original(narrow.to(torch::kFloat64)), column, 1e-4, 1e-5));
    EXPECT_EQ(scale.refused(column), "");
    EXPECT_TRUE(scale.log_slope(column).masked_select(place >= 0).eq(0).all().item<bool>());
    const ColumnScale again = ColumnScale::from(scale.numbers(), scale.atoms());
    EXPECT_TRUE(at::equal(again.standardized(column), t));
    EXPECT_EQ(again.form().atoms, scale.form().atoms);
    // Without the atoms the column is that of the rest.
    const Tensor rest = column.masked_select(place < 0);
    if (rest.numel() == 0) continue;
    const ColumnScale alone = ColumnScale::of(rest, "x");
    EXPECT_TRUE(at::equal(alone.standardized(rest), t.masked_select(place < 0)));
    EXPECT_TRUE(at::equal(alone.log_slope(rest), scale.log_slope(column).masked_select(place < 0)));
  }
  EXPECT_THAT(ColumnScale::of(few, "x").refused(torch::tensor({0.7, 0.2}, torch::kFloat64)),
              testing::AllOf(HasSubstr("only 0.1, 0.7, 3.5"), HasSubstr("0.2")));
  EXPECT_THAT(ColumnScale::of(amounts, "x").refused(torch::tensor({0.0, -2.0}, torch::kFloat64)), HasSubstr("above 0"));
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
