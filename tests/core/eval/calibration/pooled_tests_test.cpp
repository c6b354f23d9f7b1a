#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "core/eval/calibration/calibration.h"
#include "core/eval/calibration/calibration_power.h"
#include "core/eval/calibration/rank_chi_square.h"
#include "tests/core/eval/rank_tables.h"
#include "tests/long_tests.h"

namespace pairs {
namespace {

const PooledTest& width_of_all(const std::vector<PooledTest>& tests) {
  return tests.at(0);
}

TEST(PooledTests, AreStandardNormalThoughSizesShareTheirSets) {
  for (const double correlation : {0.0, 0.78, 1.0}) {
    const int repeats = long_tests() ? 50000 : 2000;
    std::array<double, 3> square{};
    std::array<int, 3> rare{}, wide{};
    for (int r = 0; r < repeats; ++r) {
      RankTable table;
      table.sets = 200;
      table.sizes = {1, 10, 100};
      table.correlation = correlation;
      const std::vector<EvaluationRow> rows = rank_rows(table, static_cast<std::uint64_t>(r));
      const std::vector<PooledTest> tests = pooled_tests(rows, calibration_limits(rows));
      ASSERT_EQ(tests.size(), 5u);
      EXPECT_EQ(width_of_all(tests).target, -1);
      for (const std::size_t k : {0, 1, 2}) {
        square[k] += tests[k].z * tests[k].z / repeats;
        rare[k] += tests[k].p < 0.01;
        wide[k] += tests[k].p < 0.01 && tests[k].z < 0;
      }
    }
    for (const std::size_t k : {0, 1, 2}) {
      EXPECT_NEAR(square[k], 1, 0.13) << correlation;  // 4 errors
      EXPECT_NEAR(rare[k], 0.01 * repeats, 4 * std::sqrt(0.01 * repeats) + 0.002 * repeats) << correlation;
      // The sums are skewed: Student's t would find 1.24 times as many on this side.
      EXPECT_LE(wide[k], 0.005 * repeats + 3 * std::sqrt(0.005 * repeats)) << correlation;
    }
  }
}

// "At every N": two targets, 2,000 sets shared over nine sizes.
TEST(PooledTests, FindAWidthOfFivePercentAtEverySize) {
  const int repeats = long_tests() ? 200 : 30;
  for (const double targets : {0.0, 0.5}) {
    int found = 0, alone = 0;
    for (int r = 0; r < repeats; ++r) {
      RankTable table;
      table.sets = 2000;
      table.sizes = {1, 2, 4, 6, 8, 12, 20, 40, 80};
      table.correlation = 0.78;  // of normal scores; |rank − ½| correlates by 0.6
      table.of_targets = targets;
      table.narrow = 0.95;
      const std::vector<EvaluationRow> rows = rank_rows(table, static_cast<std::uint64_t>(1000 + r));
      const CalibrationLimits limits = calibration_limits(rows);
      const std::vector<PooledTest> tests = pooled_tests(rows, limits);
      found += std::any_of(tests.begin(), tests.end(),
                           [](const PooledTest& one) { return one.level != CalibrationLevel::calibrated; });
      alone += !calibration_faults(rows, limits).empty();
    }
    std::printf("targets correlate by %.1f: found in %d of %d, by the sizes' own tests in %d\n", targets, found,
                repeats, alone);
    EXPECT_GE(found, 0.8 * repeats);
  }
}

TEST(PooledTests, KnowSetsByTheirTruthsWhereTheirPlacesDiffer) {
  RankTable table;
  table.sets = 200;
  table.sizes = {1, 10};
  table.correlation = 1;
  std::vector<EvaluationRow> rows = rank_rows(table, 3);
  const CalibrationLimits limits = calibration_limits(rows);
  const double paired = width_of_all(pooled_tests(rows, limits)).z;
  for (std::size_t t = 0; t < 2; ++t) {
    std::reverse(rows[1].ranks[t].begin(), rows[1].ranks[t].end());
    std::reverse(rows[1].truths[t].begin(), rows[1].truths[t].end());
  }
  EXPECT_NEAR(width_of_all(pooled_tests(rows, limits)).z, paired, 1e-9);
  for (EvaluationRow& row : rows) row.truths.clear();
  EXPECT_GT(std::fabs(width_of_all(pooled_tests(rows, limits)).z - paired), 0.01) << "places pair other sets";
}

TEST(PooledTests, PoolNothingOfOneRowWithOneTarget) {
  RankTable table;
  table.sets = 200;
  table.targets = 1;
  table.sizes = {5};
  std::vector<EvaluationRow> rows = rank_rows(table, 1);
  EXPECT_EQ(calibration_limits(rows).pooled_tests, 0);
  EXPECT_TRUE(pooled_tests(rows, calibration_limits(rows)).empty());
  table.targets = 2;
  rows = rank_rows(table, 1);
  EXPECT_EQ(pooled_tests(rows, calibration_limits(rows)).size(), 1u) << "the width over both targets";
  table.sizes = {5, 6};
  rows = rank_rows(table, 1);
  rows[1].extrapolation = true;
  EXPECT_EQ(pooled_tests(rows, calibration_limits(rows)).size(), 1u);
  table.sets = 40;
  rows = rank_rows(table, 1);
  EXPECT_TRUE(pooled_tests(rows, calibration_limits(rows)).empty()) << "too few sets";
}

TEST(PooledTests, SeeTheWidthThatIsSaidInFourOfFive) {
  RankTable table;
  table.sets = 500;
  table.sizes = {1, 10, 100};
  table.correlation = 0.78;
  const std::vector<EvaluationRow> known = rank_rows(table, 1);
  const CalibrationLimits limits = calibration_limits(known);
  const double narrow = detectable_width(width_of_all(pooled_tests(known, limits)).error, limits.pooled_borderline.z);
  EXPECT_GT(narrow, 0.8);
  EXPECT_LT(narrow, 0.97);
  constexpr int repeats = 400;
  for (const double width : {narrow, 1 / narrow}) {
    table.narrow = width;
    int seen = 0;
    for (int r = 0; r < repeats; ++r) {
      const std::vector<EvaluationRow> rows = rank_rows(table, static_cast<std::uint64_t>(500 + r));
      seen += width_of_all(pooled_tests(rows, limits)).p < limits.pooled_borderline.p;
    }
    EXPECT_NEAR(seen / static_cast<double>(repeats), 0.8, 0.08) << width;
  }
}

// Its tail is that of the multinomial distribution, where the chi-square distribution's is too light.
TEST(RankChiSquare, HasTheTailOfItsCounts) {
  std::mt19937_64 bits(3);
  struct Layout {
    int sets;
    std::vector<std::int64_t> values;
  };
  for (const Layout& one : {Layout{200, std::vector<std::int64_t>(20, 15)}, Layout{50, {10, 10, 10, 11, 10}},
                            Layout{300, {1, 2, 1, 2, 1, 2, 1, 2}}}) {
    std::vector<double> shares;
    for (const std::int64_t v : one.values) shares.push_back(static_cast<double>(v));
    std::discrete_distribution<std::size_t> bin(shares.begin(), shares.end());
    const int repeats = long_tests() ? 1000000 : 60000;
    std::array<int, 3> seen{};
    const std::array<double, 3> levels = {0.1, 0.01, 0.001};
    for (int r = 0; r < repeats; ++r) {
      std::vector<double> counts(one.values.size(), 0);
      for (int s = 0; s < one.sets; ++s) ++counts[bin(bits)];
      const double p = chi_square_test(counts, one.values).p_value;
      for (std::size_t l = 0; l < levels.size(); ++l) seen[l] += p <= levels[l];
    }
    for (std::size_t l = 0; l < levels.size(); ++l) {
      const double expected = repeats * levels[l];
      std::printf("%d sets in %zu bins, p <= %g: %d, %.0f expected\n", one.sets, one.values.size(), levels[l], seen[l],
                  expected);
      EXPECT_LE(seen[l], expected + 4 * std::sqrt(expected));
      EXPECT_GE(seen[l], 0.8 * expected - 4 * std::sqrt(expected)) << "its steps are fine";
    }
  }
}

// Two bins: twice a binomial tail.
TEST(RankChiSquare, OfTwoBinsIsTheBinomial) {
  const std::vector<double> counts = {40, 10};
  double tail = 0;
  for (int k = 40; k <= 50; ++k) tail += std::exp(std::lgamma(51) - std::lgamma(k + 1) - std::lgamma(51 - k)) * 0x1p-49;
  const std::vector<std::int64_t> values = {1, 1};
  const ChiSquareTest test = chi_square_test(counts, values);
  EXPECT_NEAR(test.statistic, 18, 1e-9);
  EXPECT_NEAR(test.p_value / tail, 1, 1e-6);
  EXPECT_NEAR(chi_square_test(std::vector<double>{25, 25}, values).p_value, 1, 1e-12);
}

// Beyond what is exact it still falls, and of many sets it is the chi-square's.
TEST(RankChiSquare, FallsOn) {
  double before = 1;
  const std::vector<std::int64_t> values(10, 3);
  for (double more = 0; more <= 90; more += 5) {
    std::vector<double> counts(10, 100);
    counts[0] += more;
    counts[5] -= more;
    const double p = chi_square_test(counts, values).p_value;
    EXPECT_LE(p, before);
    EXPECT_TRUE(more == 0 || p < before) << more;
    before = p;
  }
  EXPECT_LT(before, 1e-25);
  std::vector<double> many(10, 20000);
  many[0] += 400;
  many[1] -= 400;
  EXPECT_NEAR(std::log(chi_square_test(many, values).p_value), std::log(0.06688), 0.2);
}

}  // namespace
}  // namespace pairs
