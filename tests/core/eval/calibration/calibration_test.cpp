#include "core/eval/calibration/calibration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "core/base/numbers/random.h"
#include "core/base/text/error.h"
#include "core/eval/calibration/calibration_power.h"
#include "core/eval/metrics/metrics.h"
#include "tests/core/eval/normals.h"

namespace pairs {
namespace {

// Simulated evaluations detect it at the stated rate.
TEST(CalibrationPower, SeesWhatItSaysInFourOfFive) {
  constexpr std::int64_t sets = 400, samples = 199;
  constexpr int repeats = 400;
  const double z = calibration_limits(4).borderline.z;
  const DetectableFault fault = detectable_fault(sets, z);
  std::mt19937_64 bits(5);
  std::normal_distribution<double> normal;
  const auto seen = [&](double shift, double wide, bool location) {
    int count = 0;
    for (int repeat = 0; repeat < repeats; ++repeat) {
      std::vector<double> ranks;
      for (std::int64_t set = 0; set < sets; ++set) {
        const double truth = normal(bits);
        int below = 0;
        for (std::int64_t s = 0; s < samples; ++s) below += shift + wide * normal(bits) < truth ? 1 : 0;
        ranks.push_back(static_cast<double>(below) / static_cast<double>(samples));
      }
      const RankTest test = rank_test(ranks, samples);
      count += std::fabs(location ? test.location_z : test.width_z) > z ? 1 : 0;
    }
    return static_cast<double>(count) / repeats;
  };
  EXPECT_NEAR(seen(fault.shift, 1, true), 0.8, 0.07);
  EXPECT_NEAR(seen(0, fault.narrow, false), 0.8, 0.07);
  EXPECT_TRUE(std::isinf(detectable_fault(10, z).shift) || detectable_fault(10, z).shift > 1);
}

double normal_below(double z) {
  return 0.5 * std::erfc(-z / std::sqrt(2.0));
}

std::vector<double> uniform_ranks(std::int64_t sets, std::int64_t samples, Stream& stream) {
  std::vector<double> ranks;
  for (std::int64_t i = 0; i < sets; ++i)
    ranks.push_back(static_cast<double>(stream.below(static_cast<std::uint64_t>(samples) + 1)) /
                    static_cast<double>(samples));
  return ranks;
}

// Ranks of truths of N(0, 1) among draws of N(bias, wide).
std::vector<double> gaussian_draw_ranks(std::int64_t sets, std::int64_t samples, double bias, double wide,
                                        std::uint64_t seed) {
  std::vector<double> ranks;
  for (std::int64_t i = 0; i < sets; ++i) {
    Stream stream(stream_key(seed, Purpose::check), static_cast<std::uint64_t>(i));
    const double share = normal_below((stream.normal64() - bias) / wide);
    std::int64_t below = 0;
    for (std::int64_t k = 0; k < samples; ++k) below += stream.uniform64() < share;
    ranks.push_back(static_cast<double>(below) / static_cast<double>(samples));
  }
  return ranks;
}

// Every value equally often: as even as ranks can be. Twenty bins of [0, 1] see the 21st value of 301 in the last one.
TEST(RankTests, FindNothingInAllValuesEquallyOften) {
  for (const std::int64_t samples : {12, 19, 20, 299, 300, 499, 500, 1000}) {
    std::vector<double> ranks;
    for (std::int64_t k = 0; k <= samples; ++k)
      for (int repeat = 0; repeat < 2000; ++repeat)
        ranks.push_back(static_cast<double>(k) / static_cast<double>(samples));
    const RankTest test = rank_test(ranks, samples);
    EXPECT_NEAR(test.location_z, 0, 1e-6) << samples;
    EXPECT_NEAR(test.width_z, 0, 1e-6) << samples;
    EXPECT_NEAR(test.rank_p, 1, 1e-12) << samples;
  }
}

TEST(RankTests, AreStandardNormalAndUniformForUniformRanks) {
  for (const std::int64_t samples : {4, 20, 299}) {
    constexpr int repeats = 4000;
    double location = 0, location2 = 0, width = 0, width2 = 0, low = 0, rare = 0;
    for (int r = 0; r < repeats; ++r) {
      Stream stream(stream_key(7, Purpose::check), static_cast<std::uint64_t>(r), static_cast<std::uint64_t>(samples));
      const RankTest test = rank_test(uniform_ranks(400, samples, stream), samples);
      location += test.location_z / repeats;
      location2 += test.location_z * test.location_z / repeats;
      width += test.width_z / repeats;
      width2 += test.width_z * test.width_z / repeats;
      low += (test.rank_p < 0.1) / static_cast<double>(repeats);
      rare += (test.rank_p < 0.01) / static_cast<double>(repeats);
    }
    // Standard errors: 0.016, 0.022 and, of the shares, 0.005 and 0.0016.
    EXPECT_NEAR(location, 0, 0.06) << samples;
    EXPECT_NEAR(width, 0, 0.06) << samples;
    EXPECT_NEAR(location2, 1, 0.09) << samples;
    EXPECT_NEAR(width2, 1, 0.09) << samples;
    EXPECT_NEAR(low, 0.1, 0.02) << samples;
    EXPECT_NEAR(rare, 0.01, 0.006) << samples;
  }
}

// An error of earlier shipped weights: a bias in a posterior that is too wide.
TEST(RankTests, SeeABiasThatAcaucPasses) {
  constexpr std::int64_t sets = 5000, samples = 299;
  const std::vector<double> ranks = gaussian_draw_ranks(sets, samples, -0.25, 1.035, 3);
  const torch::Tensor column = torch::tensor(ranks, torch::kFloat64);
  EXPECT_LT(acauc(column), acauc_noise_floor(column.unsqueeze(1), samples).p95);
  const RankTest test = rank_test(ranks, samples);
  EXPECT_GT(test.location_z, 10);
  EXPECT_LT(std::fabs(test.width_z), 4);
  EXPECT_LT(test.rank_p, 1e-12);
}

TEST(RankTests, SeeWidthsOnBothSides) {
  const RankTest narrow = rank_test(gaussian_draw_ranks(5000, 299, 0, 0.9, 4), 299);
  EXPECT_GT(narrow.width_z, 4);
  EXPECT_LT(std::fabs(narrow.location_z), 4);
  const RankTest wide = rank_test(gaussian_draw_ranks(5000, 299, 0, 1.1, 5), 299);
  EXPECT_LT(wide.width_z, -4);
}

// Truths and samples of four values, calibrated: split evenly, ties would crowd the middle.
TEST(RankTests, PassCalibratedTies) {
  constexpr std::int64_t sets = 4000, samples = 19;
  torch::Tensor truth = torch::empty({sets, 1}, torch::kFloat64),
                drawn = torch::empty({sets, samples, 1}, torch::kFloat64);
  for (torch::Tensor* of : {&truth, &drawn}) {
    Stream stream(stream_key(6, Purpose::check), static_cast<std::uint64_t>(of->dim()));
    for (std::int64_t i = 0; i < of->numel(); ++i)
      of->mutable_data_ptr<double>()[i] = static_cast<double>(stream.below(4));
  }
  const torch::Tensor ranks = central_ranks(drawn, truth, 9);
  const RankTest test = rank_test({ranks.const_data_ptr<double>(), static_cast<std::size_t>(sets)}, samples);
  EXPECT_LT(std::fabs(test.location_z), 4);
  EXPECT_LT(std::fabs(test.width_z), 4);
  EXPECT_GT(test.rank_p, 1e-4);
}

TEST(RankTests, AreMissingForTooFewSetsAndRefuseWhatIsNoRank) {
  const RankTest test = rank_test(std::vector<double>(19, 0.5), 10);
  EXPECT_TRUE(std::isnan(test.location_z) && std::isnan(test.width_z) && std::isnan(test.rank_p));
  std::vector<double> bad(30, 0.5);
  bad[3] = 1.5;
  EXPECT_THROW(rank_test(bad, 10), Error);
  bad[3] = NAN;
  EXPECT_THROW(rank_test(bad, 10), Error);
}

TEST(RankHistogram, DividesTheValuesEvenlyWhereItCan) {
  Stream stream(1, 2);
  const RankHistogram even = rank_histogram(uniform_ranks(2000, 299, stream), 299);
  ASSERT_EQ(even.counts.size(), 20u);
  for (const double expected : even.expected) EXPECT_NEAR(expected, 100, 1e-9);
  // 501 = 3 * 167 has no divisor from 10 to 20: bins of 25 and 26 values.
  const RankHistogram uneven = rank_histogram(uniform_ranks(2000, 500, stream), 500);
  ASSERT_EQ(uneven.counts.size(), 20u);
  EXPECT_NEAR(uneven.expected.back(), 2000 * 26.0 / 501, 1e-9);
  EXPECT_NEAR(uneven.expected.front(), 2000 * 25.0 / 501, 1e-9);
  // 33 = 3 * 11, and 60 ranks fill six bins at most.
  EXPECT_EQ(rank_histogram(uniform_ranks(2000, 32, stream), 32).counts.size(), 11u);
  EXPECT_EQ(rank_histogram(uniform_ranks(60, 299, stream), 299).counts.size(), 6u);
  for (const RankHistogram& one : {even, uneven}) {
    double counts = 0, expected = 0;
    for (const double c : one.counts) counts += c;
    for (const double e : one.expected) expected += e;
    EXPECT_EQ(counts, 2000);
    EXPECT_NEAR(expected, 2000, 1e-9);
  }
}

TEST(RankHistogram, GivesTheChiSquareOfAHandWorkedCase) {
  // One sample: ranks 0 and 1, 30 and 20 of them; chi-square 2 with one degree of freedom.
  std::vector<double> ranks(30, 0.0);
  ranks.insert(ranks.end(), 20, 1.0);
  const RankHistogram histogram = rank_histogram(ranks, 1);
  EXPECT_THAT(histogram.counts, testing::ElementsAre(30, 20));
  EXPECT_NEAR(histogram.p_value, 0.20264, 1e-5) << "of the binomial; the chi-square distribution has 0.157";
  EXPECT_THROW(rank_histogram(std::vector<double>(5, 0.5), 10), Error);
}

TEST(UniformCoverage, CountsTheValuesInsideEachInterval) {
  for (const std::int64_t samples : {1, 4, 9, 300}) {
    torch::Tensor ranks = torch::arange(samples + 1, torch::kFloat64) / static_cast<double>(samples);
    const std::vector<double> levels = {0, 0.1, 0.5, 0.6, 0.95, 1};
    const std::vector<double> counted = central_coverage(ranks, levels);
    for (std::size_t i = 0; i < levels.size(); ++i)
      EXPECT_NEAR(central_coverage_of_uniform(samples, levels[i]), counted[i], 1e-12) << samples << " " << levels[i];
  }
}

EvaluationRow tested(std::vector<RankTest> tests) {
  EvaluationRow row;
  row.sets = 5000;
  row.samples = 299;
  row.rank_tests = std::move(tests);
  return row;
}

TEST(CalibrationLevels, AreCorrectedForTheNumberOfTests) {
  EXPECT_NEAR(calibration_limits(1).miscalibrated.z, 3.2905, 1e-3);
  EXPECT_NEAR(calibration_limits(1).borderline.z, 1.9600, 1e-3);
  EXPECT_NEAR(2 * normal_below(-calibration_limits(24).miscalibrated.z), 0.001 / 24, 1e-12);
  EXPECT_NEAR(calibration_limits(24).borderline.p, 0.05 / 24, 1e-12);
  const EvaluationRow two = tested({{0, 0, 0.5}, {0, 0, 0.5}});
  EXPECT_EQ(calibration_limits({two, two}).tests, 24) << "four a target, the ACAUC, TARP, C2ST and regions";
  EXPECT_EQ(calibration_limits({two, two}).pooled_tests, 5) << "width of both, location and width of each";
  EXPECT_NEAR(calibration_limits({two, two}).borderline.p, 0.025 / 24, 1e-12);
  EXPECT_NEAR(calibration_limits({two, two}).pooled_miscalibrated.p, 0.0005 / 5, 1e-12);
  EXPECT_EQ(calibration_limits({two, two}, 9).tests, 108) << "of sizes that are still to come, too";
  EXPECT_EQ(acauc_checks(9, 2), 216);
  EvaluationRow pooled = two;
  pooled.pool = 1000;
  EXPECT_EQ(calibration_limits({two, pooled}).tests, 16) << "ranks and ACAUC beside a pool are not judged";
}

TEST(CalibrationLevels, OfARowAreThoseOfItsWorstTest) {
  const EvaluationRow fine = tested({{2.5, -2.5, 0.01}, {0, 0, 0.5}});
  const CalibrationLimits limits = calibration_limits({fine, fine});
  const auto text = [&](const EvaluationRow& row) { return calibration_text(calibration(row, limits)); };
  EXPECT_EQ(text(fine), "none detected");
  EXPECT_EQ(text(tested({{0, 0, 0.5}, {-6.8, 0, 0.5}})), "off center");
  EXPECT_EQ(text(tested({{0, 5, 0.5}})), "too narrow");
  EXPECT_EQ(text(tested({{0, -5, 0.5}})), "too wide");
  EXPECT_EQ(text(tested({{0, 0, 1e-6}})), "uneven");
  EXPECT_EQ(text(tested({{3.5, 0, 0.5}})), "borderline: off center");
  EXPECT_EQ(text(tested({{0, 3.5, 0.5}})), "borderline: too narrow");
  EXPECT_EQ(text(tested({{0, 0, 5e-4}})), "borderline: uneven");
  EXPECT_EQ(text(tested({{3.5, 7, 0.5}})), "too narrow") << "the gravest, not the first";
  EXPECT_EQ(text(tested({})), "–");
  EXPECT_EQ(text(tested({RankTest()})), "–");
  EvaluationRow row = fine;
  row.acauc = 0.022;
  row.acauc_p95 = 0.014;
  EXPECT_EQ(text(row), "borderline: ACAUC");
  row.acauc = 0.5;
  EXPECT_EQ(calibration(row, limits).level, CalibrationLevel::borderline) << "its floor is known for this level alone";
}

TEST(CalibrationLevels, JudgeTheLocationBesideWhatThePoolDoes) {
  EvaluationRow row = tested({{18.6, 1, 1e-20}});
  row.acauc = 0.2;
  row.acauc_p95 = 0.014;
  const CalibrationLimits limits = calibration_limits({row});
  EXPECT_EQ(calibration_text(calibration(row, limits)), "off center");
  row.pool = 10000;
  row.pool_location_sd = {0.08};
  row.pool_location_z = {0.9};
  EXPECT_EQ(calibration(row, limits).level, CalibrationLevel::calibrated);
  row.pool_location_z = {-6};
  EXPECT_EQ(calibration_text(calibration(row, limits)), "off center");
}

// One evaluation of four sizes with two targets, whose floor is that of all its evaluations.
std::vector<EvaluationRow> evaluation_of(std::uint64_t seed, double correlation, double wide, double p95) {
  std::vector<EvaluationRow> rows;
  for (std::uint64_t k = 0; k < 4; ++k) {
    torch::Tensor ranks = dependent_ranks(500, 2, correlation, 4 * seed + k, 299);
    if (wide != 1) ranks = 0.5 + (ranks - 0.5) * wide;  // towards the middle: too wide a posterior
    EvaluationRow row;
    row.sets = 500;
    row.samples = 299;
    row.acauc = acauc(ranks);
    row.acauc_p95 = p95;
    for (std::int64_t t = 0; t < 2; ++t) {
      const torch::Tensor column = ranks.select(1, t).contiguous();
      row.rank_tests.push_back(rank_test({column.const_data_ptr<double>(), 500}, 299));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

CalibrationLevel worst_level(const std::vector<EvaluationRow>& rows) {
  const CalibrationLimits limits = calibration_limits(rows);
  CalibrationLevel worst = CalibrationLevel::unknown;
  for (const EvaluationRow& row : rows) worst = std::max(worst, calibration(row, limits).level);
  return worst;
}

// 1,500 calibrated evaluations, of targets that depend on each other and of free ones: at most one in 20 is borderline
// or worse, one in 1,000 miscalibrated; posteriors too wide by a tenth are called.
TEST(CalibrationLevels, RaiseNoMoreFalseAlarmsThanTheySay) {
  constexpr int kRuns = 1500;
  for (const double correlation : {0.0, 0.95}) {
    const double p95 = acauc_noise_floor(dependent_ranks(500, 2, correlation, 1, 299), 299, acauc_checks(4, 2)).p95;
    int doubtful = 0, bad = 0;
    for (std::uint64_t r = 0; r < kRuns; ++r) {
      const CalibrationLevel level = worst_level(evaluation_of(1000 + r, correlation, 1, p95));
      doubtful += level != CalibrationLevel::calibrated;
      bad += level == CalibrationLevel::miscalibrated;
    }
    RecordProperty(correlation > 0 ? "dependent" : "free", doubtful);
    EXPECT_LE(doubtful, 0.05 * kRuns + 3.3 * std::sqrt(0.05 * kRuns)) << correlation;
    // By the tests of ranks at each size alone, which have less than half of the family's share.
    EXPECT_GE(doubtful, 0.004 * kRuns) << "not so careful that it sees nothing; " << correlation;
    EXPECT_LE(bad, 6) << correlation;
    for (std::uint64_t r = 0; r < 20; ++r)
      EXPECT_EQ(worst_level(evaluation_of(r, correlation, 0.8, p95)), CalibrationLevel::miscalibrated);
  }
}

}  // namespace
}  // namespace pairs
