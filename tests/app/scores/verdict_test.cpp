#include "app/scores/verdict.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "app/scores/learned.h"
#include "core/base/numbers/random.h"
#include "core/eval/calibration/calibration.h"
#include "core/eval/calibration/calibration_power.h"
#include "core/eval/calibration/regions.h"
#include "core/eval/calibration/uniform_ecdf.h"
#include "core/eval/metrics/metrics.h"
#include "tests/core/eval/rank_tables.h"
#include "tests/long_tests.h"

namespace pairs {
namespace {

EvaluationRow judged_row(std::int64_t n, std::vector<RankTest> tests) {
  EvaluationRow out;
  out.n = n;
  out.sets = 1000;
  out.samples = 299;
  out.rank_tests = std::move(tests);
  return out;
}

const RankTest kGood{0.4, -0.7, 0.3};

// What stands where no test is beyond its limit.
std::string nothing_detected(const std::vector<EvaluationRow>& rows, const std::string& sets = "1,000 sets",
                             std::size_t sizes = 0) {
  const WidthPower power = width_power(rows, calibration_limits(rows, sizes), {});
  return fmt::format("No miscalibration detected ({}; a width {:.2g} % off would have been seen with 80 %)", sets,
                     100 * power.one_size);
}

TEST(EvaluationVerdict, CountsTheSizesAndNamesThoseThatAreOff) {
  std::vector<EvaluationRow> rows;
  for (const std::int64_t n : {1, 2, 5, 10, 100, 1000, 10000}) rows.push_back(judged_row(n, {kGood}));
  EvaluationVerdict verdict = evaluation_verdict(rows, {{"θ"}});
  EXPECT_FALSE(verdict.bad);
  EXPECT_EQ(verdict.level, CalibrationLevel::calibrated);
  EXPECT_EQ(verdict.text, "No miscalibration detected (1,000 sets; a width 13 % off would have been seen with 80 %)");
  EXPECT_EQ(verdict.text, nothing_detected(rows));
  EXPECT_EQ(verdict.brief, "no miscalibration detected");
  EXPECT_EQ(verdict.family,
            "56 tests at 7 sizes and 2 pooled over sizes and targets: family-wise false-alarm rate 5 % (borderline), "
            "0.1 % (miscalibrated)");
  rows[0].rank_tests[0].location_z = 6;
  verdict = evaluation_verdict(rows, {{"θ"}});
  EXPECT_TRUE(verdict.bad);
  EXPECT_EQ(verdict.text,
            "Miscalibrated at N = 1: truths lie too high (location z 6.0); none detected at 6 of 7 sizes alone");
  EXPECT_EQ(verdict.brief, "miscalibrated at 1 of 7 sizes");
  rows[0].rank_tests[0].location_z = -6;
  rows[5].rank_tests[0].width_z = 5;
  rows[6].rank_tests[0].width_z = 9;
  EXPECT_EQ(evaluation_verdict(rows, {{"θ"}}).text,
            "Miscalibrated at N = 1: truths lie too low (location z −6.0); miscalibrated at N = 1,000 and 10,000: "
            "posteriors too narrow (width z 5.0, 9.0); none detected at 4 of 7 sizes alone");
  rows[1].rank_tests[0].rank_p = 1e-9;
  EXPECT_EQ(evaluation_verdict(rows, {{"θ"}}).text,
            "Miscalibrated at N = 1: truths lie too low (location z −6.0); miscalibrated at N = 2: ranks are uneven "
            "(rank p 1e-09); 2 more; none detected at 3 of 7 sizes alone");
}

// Few sets see large faults alone: where none is seen the verdict names how large.
TEST(EvaluationVerdict, SaysHowLittleFewSetsSee) {
  std::vector<EvaluationRow> rows = {judged_row(1, {kGood}), judged_row(50, {kGood})};
  rows[1].sets = 40;
  const double narrow = detectable_fault(40, calibration_limits(rows).borderline.z).narrow;
  EXPECT_EQ(evaluation_verdict(rows, {{"θ"}}).text,
            fmt::format("No miscalibration detected (40 to 1,000 sets; a width {:.2g} % off would have been seen with "
                        "80 %)",
                        100 * (1 / narrow - 1)));
  EXPECT_LT(narrow, 0.6);
  rows[1].sets = 2;
  EXPECT_EQ(evaluation_verdict(rows, {{"θ"}}).text,
            "No miscalibration detected (2 to 1,000 sets, too few to see even a width far off)");
  rows[0].rank_tests[0].location_z = 6;  // a fault that was seen needs no such words
  EXPECT_EQ(evaluation_verdict(rows, {{"θ"}}).text.find("sets"), std::string::npos);
}

// The shipped objects: 9 sizes, two targets.
TEST(EvaluationVerdict, CallsWhatIsBorderlineSo) {
  std::vector<EvaluationRow> rows;
  for (const std::int64_t n : {1, 2, 4, 6, 8, 12, 20, 40, 80}) rows.push_back(judged_row(n, {kGood, kGood}));
  rows[2].rank_tests[0].width_z = 4.0;
  rows[2].acauc = 0.0222;
  rows[2].acauc_p95 = 0.0143;
  rows[3].rank_tests[0].width_z = 3.9;
  EvaluationVerdict verdict = evaluation_verdict(rows, {{"V", "log a"}});
  EXPECT_EQ(verdict.level, CalibrationLevel::borderline);
  EXPECT_FALSE(verdict.bad);
  EXPECT_EQ(verdict.text,
            "Borderline at N = 4 and 6: V too narrow (width z 4.0, 3.9); none detected at 7 of 9 sizes alone");
  EXPECT_EQ(verdict.brief, "borderline at 2 of 9 sizes");
  EXPECT_TRUE(verdict.family.starts_with("108 tests at 9 sizes and 5 pooled"));
  rows[2].rank_tests[0] = rows[3].rank_tests[0] = kGood;
  EXPECT_EQ(evaluation_verdict(rows, {{"V", "log a"}}).text,
            "Borderline at N = 4: coverage off (ACAUC 0.0222); none detected at 8 of 9 sizes alone");
}

TEST(EvaluationVerdict, SaysThatItIsSoFarWhileSizesAreMissing) {
  const std::vector<EvaluationRow> rows = {judged_row(1, {kGood}), judged_row(2, {kGood})};
  const EvaluationVerdict verdict = evaluation_verdict(rows, {{"θ"}, 5, ""});
  EXPECT_EQ(verdict.text, "So far, 2 of 5 sizes: n" + nothing_detected(rows, "1,000 sets", 5).substr(1));
  EXPECT_EQ(verdict.brief, "so far no miscalibration detected");
  EXPECT_TRUE(verdict.family.starts_with("40 tests at 5 sizes")) << verdict.family;
}

TEST(EvaluationVerdict, TellsBesideCalibratedWhatIsLost) {
  std::vector<EvaluationRow> rows = {judged_row(1, {kGood}), judged_row(1000, {kGood})};
  rows[0].gap = 0.012;
  rows[0].gap_se = 0.004;
  rows[1].gap = 0.071;
  rows[1].gap_se = 0.005;
  EXPECT_EQ(
      evaluation_verdict(rows, {{"θ"}}).text,
      nothing_detected(rows) + "; mean log-score deficit against the exact posterior: 0.071 ± 0.005 nat at N = 1,000");
  rows[0].gap = 0.001;
  rows[1].gap = 0.004;
  EXPECT_EQ(
      evaluation_verdict(rows, {{"θ"}}).text,
      nothing_detected(rows) + "; no measurable log-score deficit against the exact posterior (at most 0.014 nat)");
  rows[0].companion = {0.05};
  rows[1].companion = {0.37};
  EXPECT_TRUE(evaluation_verdict(rows, {{"θ"}, 0, "line-2"})
                  .text.ends_with("; its means lie 0.05 sd from those of line-2 at N = 1, 0.37 sd at N = 1,000"));
}

TEST(EvaluationVerdict, NamesTheTargetWhereThereAreSeveral) {
  std::vector<EvaluationRow> rows = {judged_row(1, {kGood, kGood}), judged_row(10, {kGood, {0, 8, 0.1}})};
  const VerdictContext context = {{"θ₁", "θ₂"}, 0, ""};
  EXPECT_EQ(evaluation_verdict(rows, context).text,
            "Miscalibrated at N = 10: θ₂ too narrow (width z 8.0); none detected at 1 of 2 sizes alone");
  rows[1].rank_tests[0].width_z = 7;
  EXPECT_EQ(evaluation_verdict(rows, context).text,
            "Miscalibrated at N = 10: θ₁ and θ₂ too narrow (width z 8.0); none detected at 1 of 2 sizes alone");
  rows[1].rank_tests[1].location_z = 12;
  EXPECT_EQ(evaluation_verdict(rows, context).text,
            "Miscalibrated at N = 10: truths of θ₂ lie too high (location z 12.0); none detected at 1 of 2 sizes "
            "alone");
  const std::vector<CalibrationFault> faults = calibration_faults(rows, calibration_limits(rows));
  ASSERT_EQ(faults.size(), 3u);
  EXPECT_EQ(faults[0].test, CalibrationTest::location);
  EXPECT_EQ(faults[0].target, 1u);
  EXPECT_EQ(faults[1].test, CalibrationTest::width);
  EXPECT_EQ(faults[2].target, 1u);
}

TEST(EvaluationVerdict, JudgesTheLocationBesideThePoolAndNotTheRanksItMoves) {
  EvaluationRow one = judged_row(1000, {{9, 0, 1e-9}});
  one.pool = 10000;
  one.pool_location_sd = {0.02};
  one.pool_location_z = {1.1};
  EXPECT_EQ(evaluation_verdict({one}, {{"θ"}}).text, nothing_detected({one}));
  one.pool_location_z = {-5};
  EXPECT_EQ(evaluation_verdict({one}, {{"θ"}}).text,
            "Miscalibrated at N = 1,000: truths lie too low (location z −5.0)");
}

// An answer without observations is calibrated, and worth nothing.
TEST(EvaluationVerdict, SaysThatARunLearnedNothing) {
  std::vector<EvaluationRow> rows = {judged_row(1, {kGood}), judged_row(100, {kGood})};
  for (EvaluationRow& row : rows) row.prior_gain = 0.002, row.prior_gain_se = 0.004;
  const EvaluationVerdict verdict = evaluation_verdict(rows, {{"θ"}});
  EXPECT_TRUE(verdict.bad);
  EXPECT_THAT(verdict.text, testing::StartsWith("No better than the prior"));
  EXPECT_THAT(verdict.text, testing::HasSubstr("N = 100"));
  EXPECT_EQ(verdict.text.find("alibrated"), std::string::npos);
  EXPECT_EQ(verdict.brief, "no better than the prior");
  // A little at one size is something, if it is beyond chance.
  rows[1].prior_gain = 0.02;
  EXPECT_FALSE(learned_nothing(rows));
  rows[1].extrapolation = true;
  EXPECT_TRUE(learned_nothing(rows)) << "sizes that it was not trained for count for nothing";
  for (EvaluationRow& row : rows) row.prior_gain = NAN;
  EXPECT_FALSE(learned_nothing(rows)) << "not known";
}

// Good at one size, and worse than nothing at another.
TEST(EvaluationVerdict, NamesSizesThatAreWorseThanWithoutObservations) {
  std::vector<EvaluationRow> rows = {judged_row(1, {kGood}), judged_row(2, {kGood}), judged_row(100, {kGood})};
  for (EvaluationRow& row : rows) row.prior_gain = 2, row.prior_gain_se = 0.1;
  EXPECT_FALSE(evaluation_verdict(rows, {{"θ"}}).bad);
  rows[0].prior_gain = rows[1].prior_gain = -0.5;
  const EvaluationVerdict verdict = evaluation_verdict(rows, {{"θ"}});
  EXPECT_TRUE(verdict.bad);
  EXPECT_THAT(verdict.text, testing::HasSubstr("; worse than without observations at N = 1 and 2"));
  EXPECT_EQ(verdict.brief, "worse than without observations at N = 1 and 2");
  rows[0].prior_gain = rows[1].prior_gain = -0.3;
  EXPECT_FALSE(evaluation_verdict(rows, {{"θ"}}).bad) << "within what chance does";
}

// The gravest is what all sizes show together, though none shows it alone.
TEST(EvaluationVerdict, NamesWhatTheSizesShowTogether) {
  RankTable table;
  table.sets = 2000;
  table.sizes = {1, 2, 4, 6, 8, 12, 20, 40, 80};
  table.narrow = 0.94;
  const EvaluationVerdict verdict = evaluation_verdict(rank_rows(table, 5), {{"V", "log a"}});
  EXPECT_EQ(verdict.level, CalibrationLevel::miscalibrated);
  EXPECT_THAT(verdict.text,
              testing::StartsWith("Miscalibrated: posteriors too narrow over all sizes (pooled width z "));
  table.narrow = 1;
  const EvaluationVerdict good = evaluation_verdict(rank_rows(table, 6), {{"V", "log a"}});
  EXPECT_THAT(good.text,
              testing::MatchesRegex("No miscalibration detected \\(2,000 sets; a width .* % off at one N, or "
                                    ".* % off at every N, would have been seen with 80 %\\)"));
}

// The whole family of a calibrated estimator whose sizes share sets: ranks of two targets with their distribution
// functions, ACAUC, TARP, the two-sample test (whose places are uniform and independent) and coverage by region.
TEST(EvaluationVerdict, RaisesFalseAlarmsAtTheFamilysRate) {
  const int tables = long_tests() ? 100000 : 1000;
  RankTable table;
  table.sets = 200;
  table.sizes = {1, 4, 20, 80};
  table.of_targets = 0.3;
  const UniformEcdf uniform(table.sets, table.samples);
  const std::vector<EvaluationRow> first = rank_rows(table, 1);
  torch::Tensor ranks = torch::empty({table.sets, 2}, torch::kFloat64);
  for (std::int64_t t = 0; t < 2; ++t)
    ranks.select(1, t).copy_(torch::tensor(first[0].ranks[static_cast<std::size_t>(t)], torch::kFloat64));
  const double p95 = acauc_noise_floor(ranks, table.samples, acauc_checks(4, 2)).p95;
  // A p-value that is far above every limit need not be exact.
  const auto ecdf_p = [&](const std::vector<double>& of) {
    const std::vector<double> shares = uniform.shares(of);
    const auto& wanted = uniform.expected();
    double most = 0;
    for (std::size_t c = 0; c < shares.size(); ++c)
      most = std::max(most, std::fabs(shares[c] - wanted[c]) / std::sqrt(wanted[c] * (1 - wanted[c]) / 200));
    return most < 2.5 ? 0.5 : uniform.p_value(shares);
  };
  std::array<int, 4> seen{};
  for (int r = 0; r < tables; ++r) {
    std::vector<EvaluationRow> rows = rank_rows(table, static_cast<std::uint64_t>(10 + r));
    Stream stream(stream_key(8, Purpose::check), static_cast<std::uint64_t>(r));
    std::vector<double> shared;
    for (std::int64_t i = 0; i < table.sets; ++i) shared.push_back(stream.normal64());
    for (EvaluationRow& row : rows) {
      torch::Tensor own = torch::empty({table.sets, 2}, torch::kFloat64);
      std::vector<std::vector<Region>> of_targets;
      for (std::size_t t = 0; t < 2; ++t) {
        row.rank_tests[t].ecdf_p = ecdf_p(row.ranks[t]);
        own.select(1, static_cast<std::int64_t>(t)).copy_(torch::tensor(row.ranks[t], torch::kFloat64));
        std::vector<double> means;
        for (std::int64_t i = 0; i < table.sets; ++i) means.push_back(stream.normal64());
        of_targets.push_back(regions(means, row.ranks[t], row.samples));
      }
      row.acauc = acauc(own);
      row.acauc_p95 = p95;
      std::vector<double> distances;
      for (const double s : shared) {
        const double z = std::sqrt(0.78) * s + std::sqrt(0.22) * stream.normal64();
        distances.push_back(std::min(99.0, std::floor(50 * std::erfc(-z / std::sqrt(2.0)))) / 99);
      }
      row.scores["tarp_p"] = ecdf_p(distances);
      row.scores["c2st_p"] = stream.uniform64();
      row.scores["region_p"] = region_test(of_targets).p_value;
    }
    const EvaluationVerdict verdict = evaluation_verdict(rows, {{"a", "b"}});
    ++seen[static_cast<std::size_t>(verdict.level)];
    if (verdict.level == CalibrationLevel::miscalibrated) std::printf("table %d: %s\n", r, verdict.text.c_str());
  }
  const int miscalibrated = seen[3], doubtful = seen[2] + seen[3];
  std::printf("Of %d tables: %.3f %% borderline or worse, %.4f %% miscalibrated\n", tables, 100.0 * doubtful / tables,
              100.0 * miscalibrated / tables);
  EXPECT_LE(doubtful, 0.05 * tables + (long_tests() ? 0 : 3 * std::sqrt(0.05 * tables)));
  EXPECT_LE(miscalibrated, 0.001 * tables + (long_tests() ? 0 : 4));
  EXPECT_GE(doubtful, 0.015 * tables) << "not so careful that it sees nothing";
}

TEST(EvaluationVerdict, DoesNotJudgeExtrapolations) {
  std::vector<EvaluationRow> rows = {judged_row(10, {{9, 9, 1e-9}}), judged_row(100, {kGood})};
  rows[0].extrapolation = true;
  EXPECT_FALSE(evaluation_verdict(rows, {{"θ"}}).bad);
  EXPECT_TRUE(calibration_faults(rows, calibration_limits(rows)).empty());
}

TEST(EvaluationVerdict, SaysNothingOfWhatWasNotMeasured) {
  EXPECT_EQ(evaluation_verdict({}, {}).text, "");
  EXPECT_EQ(evaluation_verdict({judged_row(1, {})}, {{"θ"}}).text, "");
  EXPECT_EQ(evaluation_verdict({judged_row(1, {RankTest{}})}, {{"θ"}}).text, "") << "fewer than 20 sets";
  const std::vector<EvaluationRow> some = {judged_row(1, {RankTest{}}), judged_row(2, {kGood}), judged_row(3, {kGood})};
  EXPECT_EQ(evaluation_verdict(some, {{"θ"}}).text, nothing_detected(some));
}

TEST(EvaluationVerdict, IsThatOfItsWorstRow) {
  Stream stream(stream_key(4, Purpose::explore), 0);
  std::array<int, 4> seen{};
  for (int trial = 0; trial < 400; ++trial) {
    std::vector<EvaluationRow> rows;
    for (const std::int64_t n : {1, 10, 100}) {
      const auto test = [&] {
        return RankTest{1.5 * stream.normal64(), 1.5 * stream.normal64(), std::pow(10, -5 * stream.uniform64())};
      };
      rows.push_back(judged_row(n, {test(), test()}));
      if (trial % 3 == 0) {
        rows.back().pool = 1000;
        rows.back().pool_location_sd = {0.1, 0.1};
        rows.back().pool_location_z = {1.5 * stream.normal64(), NAN};
      }
    }
    const CalibrationLimits limits = calibration_limits(rows);
    CalibrationLevel worst = CalibrationLevel::unknown;
    for (const EvaluationRow& row : rows) worst = std::max(worst, calibration(row, limits).level);
    const EvaluationVerdict verdict = evaluation_verdict(rows, {{"a", "b"}});
    EXPECT_EQ(verdict.level, worst);
    EXPECT_EQ(verdict.bad, worst == CalibrationLevel::miscalibrated);
    EXPECT_EQ(
        verdict.text.find("orderline") != std::string::npos || verdict.text.find("iscalibrated") != std::string::npos,
        worst != CalibrationLevel::calibrated);
    ++seen[static_cast<std::size_t>(worst)];
  }
  for (const std::size_t level : {1, 2, 3}) EXPECT_GT(seen[level], 10) << level;
}

TEST(EvaluationVerdict, OfImagesTellsWhatIsLeftOfTheMeanImagesError) {
  const auto image = [](std::int64_t n, double mse) {
    EvaluationRow out;
    out.n = n;
    out.mse_prior = 0.1;
    out.mse_posterior = mse;
    out.mse_posterior_se = 0.001;
    return out;
  };
  std::vector<EvaluationRow> rows = {image(1, 0.06), image(5, 0.021)};
  EvaluationVerdict verdict = evaluation_verdict(rows, {});
  EXPECT_FALSE(verdict.bad);
  EXPECT_EQ(verdict.text, "At N = 5 the predicted mean has 21 % of the mean image's squared error, and 60 % at N = 1");
  EXPECT_EQ(verdict.brief, "21 % of the prior's error");
  rows[0].mse_posterior = 0.103;
  EXPECT_FALSE(evaluation_verdict(rows, {}).bad) << "within four standard errors";
  rows[0].mse_posterior = 0.12;
  EXPECT_TRUE(evaluation_verdict(rows, {}).bad);
  EXPECT_TRUE(evaluation_verdict(rows, {}).text.ends_with("; N = 1: worse than the mean image"));
}

}  // namespace
}  // namespace pairs
