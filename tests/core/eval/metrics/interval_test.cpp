#include "core/eval/metrics/interval.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <string>

#include "core/base/numbers/random.h"
#include "core/base/text/error.h"

namespace pairs {
namespace {

std::vector<double> on(const Cells& cells, const std::function<double(double)>& density) {
  std::vector<double> out;
  for (const double x : cells.middles()) out.push_back(density(x));
  return out;
}

const Interval& of(const Intervals& all, IntervalKind kind, std::size_t level) {
  return all[static_cast<std::size_t>(kind)][level];
}

TEST(Intervals, OfANormalAreInClosedForm) {
  const Cells cells{-8, 8, 4000};
  const Intervals all = cell_intervals(cells, on(cells, [](double x) { return std::exp(-0.5 * x * x); }));
  for (const IntervalKind kind : {IntervalKind::central, IntervalKind::highest_density}) {
    EXPECT_NEAR(of(all, kind, 0).low, -0.67449, 2e-3);
    EXPECT_NEAR(of(all, kind, 1).high, 1.64485, 2e-3);
  }
  EXPECT_NEAR(of(all, IntervalKind::upper_limit, 1).high, 1.28155, 2e-3);
  EXPECT_EQ(of(all, IntervalKind::upper_limit, 1).low, -8);
}

// Few cells to a standard deviation, and a peak anywhere among them: the shortest interval of a normal lies evenly
// about it.
TEST(Intervals, OfCoarseCellsLieEvenlyAboutAPeak) {
  for (const double peak : {0.0, 0.03, 0.07, 0.111}) {
    const Cells cells{-8, 8, 100};
    const auto density = on(cells, [&](double x) { return std::exp(-0.5 * (x - peak) * (x - peak)); });
    for (const double level : {0.5, 0.9}) {
      const Interval one = shortest_interval(cells, density, level);
      const double half = level == 0.5 ? 0.67449 : 1.64485;
      EXPECT_NEAR(one.low, peak - half, 0.012) << peak << ", " << level;
      EXPECT_NEAR(one.high, peak + half, 0.012) << peak << ", " << level;
    }
  }
}

TEST(Intervals, OfCellsWithoutSlopeOrNeighbors) {
  EXPECT_NEAR(shortest_interval({0, 1, 4}, {1, 1, 1, 1}, 0.5).width(), 0.5, 1e-12);
  const Interval spike = shortest_interval({0, 1, 4}, {0, 0, 3, 0}, 0.9);
  EXPECT_GE(spike.low, 0.5 - 1e-12);
  EXPECT_LE(spike.high, 0.75 + 1e-12);
  EXPECT_NEAR(spike.width(), 0.225, 1e-9);
  EXPECT_NEAR(shortest_interval({0, 1, 1}, {2}, 0.5).width(), 0.5, 1e-12);
}

// A density that peaks at the end of its support: the central interval leaves the peak out, the shortest begins there.
TEST(Intervals, ReachAPeakAtTheEndOfTheSupport) {
  const Cells cells{0, 20, 8000};
  const auto density = on(cells, [](double x) { return std::exp(-x); });
  const TargetNumbers numbers = cell_numbers(cells, density);
  EXPECT_TRUE(numbers.peak_outside());
  EXPECT_NEAR(numbers.most(IntervalKind::central).low, -std::log(0.95), 1e-3);
  EXPECT_NEAR(numbers.most(IntervalKind::highest_density).low, 0, 1e-9);
  EXPECT_NEAR(numbers.most(IntervalKind::highest_density).high, std::log(10.0), 2e-3);
  EXPECT_NEAR(numbers.most(IntervalKind::upper_limit).high, std::log(10.0), 2e-3);
  EXPECT_NEAR(numbers.mode, 0, 0.002);
  const Cells wide{-8, 8, 4000};
  EXPECT_FALSE(cell_numbers(wide, on(wide, [](double x) { return std::exp(-0.5 * x * x); })).peak_outside());
}

TEST(Intervals, OfNothingAreNothing) {
  const Cells cells{0, 1, 4};
  EXPECT_TRUE(std::isnan(shortest_interval(cells, {0, 0, 0, 0}, 0.9).low));
  EXPECT_TRUE(std::isnan(cell_numbers(cells, {0, 0, 0, 0}).most(IntervalKind::highest_density).high));
  EXPECT_THROW(draw_numbers({1}), Error);
}

TEST(Intervals, AreNamedOnTheCommandLine) {
  for (const IntervalName& name : kIntervalNames) EXPECT_EQ(interval_kind(name.word, "--interval"), name.kind);
  try {
    interval_kind("middle", "--interval");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("--interval middle"), std::string::npos);
  }
}

// θ ~ U(0, 1), x ~ N(θ, 0.3): θ's posterior is a normal truncated at both bounds, which often peaks at one of them.
// Over 4,000 sets each kind of interval, on cells and of draws, has its stated coverage (four standard errors).
TEST(Intervals, HoldTheTruthAsOftenAsTheySay) {
  constexpr int kSets = 4000, kOfDraws = 800, kDraws = 2000;
  constexpr double sd = 0.3;
  const Cells cells{0, 1, 400};
  double held[2][kIntervalKinds][2] = {};
  int beyond = 0;
  for (int i = 0; i < kSets; ++i) {
    Stream stream(stream_key(5, Purpose::check), static_cast<std::uint64_t>(i));
    const double theta = stream.uniform64(), x = theta + sd * stream.normal64();
    const auto density = on(cells, [&](double t) { return std::exp(-0.5 * std::pow((t - x) / sd, 2)); });
    const TargetNumbers numbers = cell_numbers(cells, density);
    beyond += numbers.peak_outside();
    Intervals of_draws;
    if (i < kOfDraws) {
      std::vector<double> draws;
      while (draws.size() < kDraws) {
        const double t = x + sd * stream.normal64();
        if (t >= 0 && t <= 1) draws.push_back(t);
      }
      of_draws = draw_intervals(draws);
    }
    for (std::size_t k = 0; k < kIntervalKinds; ++k)
      for (std::size_t l = 0; l < 2; ++l) {
        const auto holds = [&](const Interval& one) {
          const bool below = k != static_cast<std::size_t>(IntervalKind::upper_limit) && theta < one.low;
          return !below && theta <= one.high;
        };
        held[0][k][l] += holds(numbers.intervals[k][l]) / static_cast<double>(kSets);
        if (i < kOfDraws) held[1][k][l] += holds(of_draws[k][l]) / static_cast<double>(kOfDraws);
      }
  }
  EXPECT_GT(beyond, kSets / 5);
  for (std::size_t k = 0; k < kIntervalKinds; ++k)
    for (std::size_t l = 0; l < 2; ++l) {
      const double level = kIntervalLevels[l], spread = std::sqrt(level * (1 - level));
      EXPECT_NEAR(held[0][k][l], level, 4 * spread / std::sqrt(kSets)) << k << " " << l;
      EXPECT_NEAR(held[1][k][l], level, 4 * spread / std::sqrt(kOfDraws)) << "of draws, " << k << " " << l;
    }
}

}  // namespace
}  // namespace pairs
