#include "core/periodic.h"

#include <ATen/Functions.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/base/numbers/random.h"

namespace pairs {
namespace {

std::vector<Target> angle_and_size() {
  return {{.name = "angle", .low = 0, .high = 360, .periodic = true}, {.name = "size", .low = 0, .high = 1}};
}

torch::Tensor normal_around(double center, double sd, std::int64_t count) {
  Stream stream(5, 0);
  torch::Tensor out = at::empty({count, 2}, at::kDouble);
  for (std::int64_t i = 0; i < count; ++i) {
    out[i][0] = wrapped(center + sd * stream.normal64(), 0, 360);
    out[i][1] = stream.uniform64();
  }
  return out;
}

TEST(Periodic, ValuesAreWrappedIntoTheirRange) {
  const double cases[][2] = {{0, 0}, {360, 0}, {-1e-17, 0}, {-90, 270}, {725, 5}, {359.5, 359.5}, {-720, 0}};
  for (const auto& [value, in] : cases) {
    EXPECT_DOUBLE_EQ(wrapped(value, 0, 360), in) << value;
    EXPECT_DOUBLE_EQ(wrapped(at::full({1}, value, at::kDouble), 0, 360).item<double>(), in) << value;
  }
  const torch::Tensor theta = torch::tensor({{400.0, 7.0}}, torch::kFloat64);
  EXPECT_TRUE(at::equal(wrapped(angle_and_size(), theta), torch::tensor({{40.0, 7.0}}, torch::kFloat64)));
}

// Mean and spread of samples on both sides of the cut are those of the same samples elsewhere.
TEST(Periodic, SamplesAreUnrolledAroundTheirCircularMean) {
  const std::vector<Target> targets = angle_and_size();
  for (const double center : {180.0, 2.0, 359.0}) {
    const torch::Tensor samples = normal_around(center, 10, 4000);
    const torch::Tensor own = unrolled(targets, samples);
    EXPECT_NEAR(wrapped(own.select(1, 0).mean().item<double>() - center, -180, 360), 0, 0.7) << center;
    EXPECT_NEAR(own.select(1, 0).std().item<double>(), 10, 0.5) << center;
    EXPECT_TRUE(at::equal(own.select(1, 1), samples.select(1, 1)));
    EXPECT_TRUE(at::allclose(wrapped(targets, own), samples, 1e-9, 1e-9));
    const Unrolled both = unrolled(targets, samples.unsqueeze(0), torch::tensor({{center + 15, 0.5}}, torch::kFloat64));
    EXPECT_NEAR((both.theta[0][0] - both.samples[0].select(0, 0)[0]).abs().item<double>(), 0, 60) << center;
    const Target turned_one = turned(targets, samples).front();
    EXPECT_NEAR(turned_one.high - turned_one.low, 360, 1e-9);
    EXPECT_GT(own.select(1, 0).min().item<double>(), turned_one.low);
    EXPECT_LT(own.select(1, 0).max().item<double>(), turned_one.high);
  }
  // Weights count: of two clusters, the heavy one decides.
  const torch::Tensor values = torch::tensor({10.0, 350.0, 170.0}, torch::kFloat64);
  EXPECT_NEAR(wrapped(circular_mean(values, 0, 360, torch::tensor({0.45, 0.45, 0.1}, torch::kFloat64)).item<double>(),
                      -180, 360),
              0, 3);
  // Values all around have no direction.
  const torch::Tensor even = at::arange(360, at::kDouble);
  EXPECT_EQ(circular_mean(even, 0, 360).item<double>(), 180);
}

// No peak is cut, wherever several lie, and values all around leave the circle as it is.
TEST(Periodic, TheCircleIsCutOpenWhereThereIsLeast) {
  const std::vector<Target> targets = angle_and_size();
  for (const double first : {0.0, 95.0, 180.0}) {
    const torch::Tensor two = at::cat({normal_around(first, 12, 1000), normal_around(first + 180, 12, 1000)});
    const Target open = turned(targets, two).front();
    for (const double peak : {first, first + 180}) {
      const double from_cut = wrapped(peak - open.low, 0, 360);
      EXPECT_GT(std::min(from_cut, 360 - from_cut), 45) << peak;
    }
    const double mean = unrolled(targets, two).select(1, 0).mean().item<double>();
    EXPECT_GE(mean, 0);
    EXPECT_LT(mean, 360);
  }
  // Weights decide what counts as much.
  const torch::Tensor spread = at::arange(0, 360, 0.25, at::kDouble);
  const torch::Tensor weight = (-0.5 * (wrapped(spread - 5, -180, 360) / 20).square()).exp();
  const double start = cut_open_at(spread, 0, 360, weight);
  EXPECT_NEAR(wrapped(start - 185, -180, 360), 0, 10);
  EXPECT_EQ(cut_open_at(spread, 0, 360), 0) << "values all around";
}

// Ranks of truths from the posterior's own distribution are uniform, wherever it lies.
TEST(Periodic, RanksFromADrawnCutAreUniform) {
  const std::vector<Target> targets = angle_and_size();
  for (const double center : {180.0, 0.0}) {
    double sum = 0, square = 0;
    constexpr std::int64_t sets = 3000, count = 19;
    const torch::Tensor all = normal_around(center, 60, sets * (count + 1)).view({sets, count + 1, 2});
    const Unrolled cut = cut_open(targets, all.slice(1, 1), all.select(1, 0), 3);
    const torch::Tensor below = (cut.samples < cut.theta.unsqueeze(1)).to(torch::kFloat64).sum(1).select(1, 0) / count;
    sum = below.mean().item<double>();
    square = below.square().mean().item<double>();
    EXPECT_NEAR(sum, 0.5, 5 * 0.3 / std::sqrt(sets)) << center;
    // The mean square of a uniform whole number from 0 to 19 over 19.
    EXPECT_NEAR(square, (2 * count + 1) / (6.0 * count), 5 * 0.3 / std::sqrt(sets)) << center;
    EXPECT_GT(cut.theta.select(1, 0).std().item<double>(), 80) << "cuts lie anywhere";
  }
}

}  // namespace
}  // namespace pairs
