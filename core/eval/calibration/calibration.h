#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/eval/metrics/evaluation_row.h"

// Whether posteriors are calibrated, from the ranks of truths among their samples (simulation-based calibration, Talts
// et al. 2018): if they are, the number of samples below the truth is uniform on 0, 1, ..., S. ACAUC is symmetric about
// the median and can miss a bias that is hidden by too wide a posterior; these tests do not.
namespace pairs {

// Tests of the ranks k / S, each from `samples` = S posterior samples. NaN for fewer than 20 ranks.
RankTest rank_test(std::span<const double> ranks, std::int64_t samples);

// Histogram of ranks, with the expected counts of uniform ranks and the p-value of a chi-square test.
struct RankHistogram {
  std::vector<double> edges;  // in [0, 1], one more than counts
  std::vector<double> counts, expected;
  double p_value;
};
// Bins hold equally many of the S + 1 values if their number has a divisor from most / 2 to most; otherwise their sizes
// differ by one, which the expected counts take into account. `most` is 20, or less if a bin would otherwise get fewer
// than ten ranks.
RankHistogram rank_histogram(std::span<const double> ranks, std::int64_t samples);

// P(|2 k / S - 1| <= level) for uniform ranks: the level, up to the steps of the S + 1 values.
double central_coverage_of_uniform(std::int64_t samples, double level);

// The tests of an evaluation: location, width and ranks of each target, and the ACAUC of all targets.
enum class CalibrationTest { location, width, ranks, acauc };

// calibrated: no test exceeds its borderline limit, so no miscalibration was detected; borderline: a test exceeds it,
// but none exceeds its limit of miscalibration. unknown: there are no ranks, or the size is an extrapolation.
enum class CalibrationLevel { unknown, calibrated, borderline, miscalibrated };

struct TestLimits {
  double z, p;  // upper limit of |z|, lower limit of p
};
// Limits for the whole family of an evaluation's tests: those of each size, the further tests of each size
// (core/eval/calibration/further_tests.h) and those pooled over sizes and targets. The family-wise false-alarm rate is
// 5 % (borderline) and 0.1 % (miscalibrated); half of it is for the pooled tests, half for all others, and each half is
// shared equally (Bonferroni).
struct CalibrationLimits {
  std::int64_t tests = 0;  // tests per size, including further tests
  TestLimits borderline{}, miscalibrated{};
  std::int64_t pooled_tests = 0;
  TestLimits pooled_borderline{}, pooled_miscalibrated{};
};
CalibrationLimits calibration_limits(std::int64_t tests, std::int64_t pooled = 0);
// Limits for all tests of an evaluation's rows (calibration_tests). `sizes`: how many sizes were requested if the rows
// are only the first ones; 0: the rows are all.
CalibrationLimits calibration_limits(const std::vector<EvaluationRow>& rows, std::size_t sizes = 0);

// The number of tests at one size: location, width, ranks and their ECDF for each target; ACAUC, TARP, C2ST and
// coverage by region. If observations come from a finite pool, the location is compared with the effect of the pool
// itself; the width is tested as usual, and the other tests, which the pool affects too, are left out.
std::int64_t calibration_tests(std::int64_t targets, bool pool);
// The number of tests pooled over sizes and targets: the width over all and, for several sizes, the location (not for a
// finite pool) and, for several targets, the width of each target.
std::int64_t pooled_test_count(std::int64_t sizes, std::int64_t targets, bool pool);
// For the noise floor of ACAUC (acauc_noise_floor): its share of the family, expressed as a number of tests at 5 %.
std::int64_t acauc_checks(std::int64_t sizes, std::int64_t targets);

// A test of one number per set, its standardized location or width, summed over sizes and targets. Every size uses the
// same sets, and the targets of a set depend on each other, so the variance is estimated from the sets, which are
// independent. Sets are matched by their truths (or by position if there are no truths).
struct PooledTest {
  CalibrationTest test = CalibrationTest::width;
  std::int64_t target = -1;  // −1: all targets
  double z = NAN, p = NAN;   // Student's t over sets, as a normal score, and its two-sided p-value
  double error = NAN;        // standard error of the mean standardized number
  CalibrationLevel level = CalibrationLevel::calibrated;
};
// All pooled tests, the width over all first; none if there is nothing to pool or there are fewer than 50 sets.
std::vector<PooledTest> pooled_tests(const std::vector<EvaluationRow>& rows, const CalibrationLimits& limits);

// The level of a z or p under the two limits.
CalibrationLevel level_of(double p, const TestLimits& borderline, const TestLimits& miscalibrated);

// A test beyond its borderline limit. ACAUC is compared with the row's acauc_p95 and makes a size borderline at most.
struct CalibrationFault {
  std::size_t row = 0, target = 0;  // target: 0 for the ACAUC
  CalibrationTest test = CalibrationTest::location;
  CalibrationLevel level = CalibrationLevel::borderline;
  double value = 0;  // z of location or width, p of ranks, ACAUC
};
// All faults, in the order of the rows; within a row miscalibration first, then by test.
std::vector<CalibrationFault> calibration_faults(const std::vector<EvaluationRow>& rows,
                                                 const CalibrationLimits& limits);

// The verdict on a row: its first fault.
struct RowCalibration {
  CalibrationLevel level = CalibrationLevel::unknown;
  CalibrationTest test = CalibrationTest::location;
  double value = 0;
};
RowCalibration calibration(const EvaluationRow& row, const CalibrationLimits& limits);
// "none detected", "borderline: too narrow", "off center", ...; "–" when unknown.
std::string calibration_text(const RowCalibration& calibration);
// "none detected", "borderline", "miscalibrated"; "" when unknown.
const char* level_text(CalibrationLevel level);

// Standard error of the mean rank of a calibrated estimator.
double mean_rank_se(std::int64_t sets, std::int64_t samples);

}  // namespace pairs
