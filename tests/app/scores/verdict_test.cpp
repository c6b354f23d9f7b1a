#include "app/scores/verdict.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/base/random.h"
#include "core/eval/calibration.h"

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

TEST(EvaluationVerdict, CountsTheSizesAndNamesThoseThatAreOff) {
  std::vector<EvaluationRow> rows;
  for (const std::int64_t n : {1, 2, 5, 10, 100, 1000, 10000}) rows.push_back(judged_row(n, {kGood}));
  EvaluationVerdict verdict = evaluation_verdict(rows, {"θ"});
  EXPECT_FALSE(verdict.bad);
  EXPECT_EQ(verdict.text, "Calibrated at all 7 sizes");
  rows[0].rank_tests[0].location_z = 6;
  verdict = evaluation_verdict(rows, {"θ"});
  EXPECT_TRUE(verdict.bad);
  EXPECT_EQ(verdict.text, "Calibrated at 6 of 7 sizes; N = 1: truths lie too high");
  EXPECT_EQ(verdict.brief, "6 of 7 sizes calibrated");
  rows[0].rank_tests[0].location_z = -6;
  rows[5].rank_tests[0].width_z = 5;
  rows[6].rank_tests[0].width_z = 9;
  EXPECT_EQ(evaluation_verdict(rows, {"θ"}).text,
            "Calibrated at 4 of 7 sizes; N = 1: truths lie too low; N = 1,000 and 10,000: posteriors too narrow");
  rows[1].rank_tests[0].rank_p = 1e-9;
  EXPECT_EQ(evaluation_verdict(rows, {"θ"}).text,
            "Calibrated at 3 of 7 sizes; N = 1: truths lie too low; N = 2: ranks are uneven; 2 more");
}

TEST(EvaluationVerdict, NamesTheTargetWhereThereAreSeveral) {
  std::vector<EvaluationRow> rows = {judged_row(1, {kGood, kGood}), judged_row(10, {kGood, {0, 8, 0.1}})};
  EXPECT_EQ(evaluation_verdict(rows, {"θ₁", "θ₂"}).text, "Calibrated at 1 of 2 sizes; N = 10: θ₂ too narrow");
  rows[1].rank_tests[0].width_z = 7;
  EXPECT_EQ(evaluation_verdict(rows, {"θ₁", "θ₂"}).text, "Calibrated at 1 of 2 sizes; N = 10: θ₁ and θ₂ too narrow");
  rows[1].rank_tests[1].location_z = 12;
  EXPECT_EQ(evaluation_verdict(rows, {"θ₁", "θ₂"}).text,
            "Calibrated at 1 of 2 sizes; N = 10: truths of θ₂ lie too high");
  const std::vector<CalibrationFault> faults = calibration_faults(rows);
  ASSERT_EQ(faults.size(), 3u);
  EXPECT_EQ(faults[0].kind, FaultKind::location);
  EXPECT_EQ(faults[0].target, 1u);
  EXPECT_EQ(faults[1].kind, FaultKind::width);
  EXPECT_EQ(faults[2].target, 1u);
}

TEST(EvaluationVerdict, JudgesTheLocationBesideThePoolAndNotTheRanksItMoves) {
  EvaluationRow one = judged_row(1000, {{9, 0, 1e-9}});
  one.pool = 10000;
  one.pool_location_sd = {0.02};
  one.pool_location_z = {1.1};
  EXPECT_EQ(evaluation_verdict({one}, {"θ"}).text, "Calibrated at N = 1,000");
  one.pool_location_z = {-5};
  EXPECT_EQ(evaluation_verdict({one}, {"θ"}).text, "Not calibrated at N = 1,000: truths lie too low");
}

TEST(EvaluationVerdict, SaysNothingOfWhatWasNotMeasured) {
  EXPECT_EQ(evaluation_verdict({}, {}).text, "");
  EXPECT_EQ(evaluation_verdict({judged_row(1, {})}, {"θ"}).text, "");
  EXPECT_EQ(evaluation_verdict({judged_row(1, {RankTest{}})}, {"θ"}).text, "") << "fewer than 20 sets";
  EXPECT_EQ(
      evaluation_verdict({judged_row(1, {RankTest{}}), judged_row(2, {kGood}), judged_row(3, {kGood})}, {"θ"}).text,
      "Calibrated at all 2 sizes");
}

TEST(EvaluationVerdict, AgreesWithTheVerdictOfEachRow) {
  Stream stream(stream_key(4, Purpose::explore), 0);
  for (int trial = 0; trial < 400; ++trial) {
    std::vector<EvaluationRow> rows;
    for (const std::int64_t n : {1, 10, 100}) {
      const auto test = [&] {
        return RankTest{3 * stream.normal64(), 3 * stream.normal64(), std::pow(10, -8 * stream.uniform64())};
      };
      rows.push_back(judged_row(n, {test(), test()}));
      if (trial % 3 == 0) {
        rows.back().pool = 1000;
        rows.back().pool_location_sd = {0.1, 0.1};
        rows.back().pool_location_z = {3 * stream.normal64(), NAN};
      }
    }
    const CalibrationLimits limits = calibration_limits(rows);
    const std::vector<CalibrationFault> faults = calibration_faults(rows);
    bool any = false;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const Calibration found = calibration(rows[r], limits);
      const auto first =
          std::find_if(faults.begin(), faults.end(), [&](const CalibrationFault& fault) { return fault.row == r; });
      EXPECT_EQ(first != faults.end(), found != Calibration::within_noise);
      if (first == faults.end()) continue;
      any = true;
      EXPECT_EQ(first->kind == FaultKind::location, found == Calibration::off_centre);
      EXPECT_EQ(first->kind == FaultKind::ranks, found == Calibration::uneven);
    }
    EXPECT_EQ(evaluation_verdict(rows, {"a", "b"}).bad, any);
  }
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
