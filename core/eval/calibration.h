#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/eval/evaluation_row.h"

// Whether posteriors are calibrated, from the ranks of truths among their samples (simulation-based calibration, Talts
// et al. 2018): then the number of samples below the truth is uniform on 0, 1, ..., S. ACAUC, which is symmetric about
// the median, misses a bias that too wide a posterior hides; these tests do not.
namespace pairs {

// The tests of ranks k / S, each from `samples` = S posterior draws. NaN for fewer than 20 ranks.
RankTest rank_test(std::span<const double> ranks, std::int64_t samples);

// Counts of ranks in bins of neighbouring values, with the counts that uniform ranks have and the chi-square's p-value.
struct RankHistogram {
  std::vector<double> edges;  // in [0, 1], one more than counts
  std::vector<double> counts, expected;
  double p_value;
};
// Bins of equally many of the S + 1 values where their number has a divisor from most / 2 to most; else of numbers that
// differ by one, which the expected counts tell. `most` is 20, less where that would leave a bin fewer than ten ranks.
RankHistogram rank_histogram(std::span<const double> ranks, std::int64_t samples);

// P(|2 k / S - 1| <= level) of uniform ranks: the level but for the steps of S + 1 values.
double central_coverage_of_uniform(std::int64_t samples, double level);

// The tests of an evaluation: location, width and ranks of each target, and the ACAUC of all targets.
enum class CalibrationTest { location, width, ranks, acauc };

// calibrated: no test is beyond its borderline limit; borderline: one is, none is beyond its limit of miscalibration.
// unknown: without ranks, and of an extrapolation.
enum class CalibrationLevel { unknown, calibrated, borderline, miscalibrated };

struct TestLimits {
  double z, p;  // |z| at most, p at least
};
// Limits of a family of tests, corrected for their number (Bonferroni): of a calibrated estimator at least one test is
// borderline or worse in at most 5 % of evaluations, and miscalibrated in at most 0.1 %.
struct CalibrationLimits {
  std::int64_t tests = 0;
  TestLimits borderline{}, miscalibrated{};
};
CalibrationLimits calibration_limits(std::int64_t tests);
// Of all tests of an evaluation's rows (calibration_tests). `sizes`: how many the evaluation asked for, where the rows
// are those of its first sizes; 0: the rows are all.
CalibrationLimits calibration_limits(const std::vector<EvaluationRow>& rows, std::size_t sizes = 0);

// How many tests a size with so many targets has. Where observations come from a finite pool the location is judged
// beside what the pool alone does, and the ranks and the ACAUC, which it moves as well, are not.
std::int64_t calibration_tests(std::int64_t targets, bool pool);

// A test beyond its borderline limit. The ACAUC is judged by the row's acauc_p95 and makes a size borderline, not more.
struct CalibrationFault {
  std::size_t row = 0, target = 0;  // target: 0 for the ACAUC
  CalibrationTest test = CalibrationTest::location;
  CalibrationLevel level = CalibrationLevel::borderline;
  double value = 0;  // z of location or width, p of ranks, ACAUC
};
// All of them, rows in their order; of a row those of miscalibration first, then by test.
std::vector<CalibrationFault> calibration_faults(const std::vector<EvaluationRow>& rows,
                                                 const CalibrationLimits& limits);

// What the tests of a row say together: its first fault.
struct RowCalibration {
  CalibrationLevel level = CalibrationLevel::unknown;
  CalibrationTest test = CalibrationTest::location;
  double value = 0;
};
RowCalibration calibration(const EvaluationRow& row, const CalibrationLimits& limits);
// "calibrated", "borderline: too narrow", "off centre", ...; "–" when unknown.
std::string calibration_text(const RowCalibration& calibration);
// "calibrated", "borderline", "miscalibrated"; "" when unknown.
const char* level_text(CalibrationLevel level);

// Standard error of the mean rank of a calibrated estimator.
double mean_rank_se(std::int64_t sets, std::int64_t samples);

}  // namespace pairs
