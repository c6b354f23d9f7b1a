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

// calibrated: no test is beyond its borderline limit, so that no miscalibration was detected; borderline: one is, none is
// beyond its limit of miscalibration. unknown: without ranks, and of an extrapolation.
enum class CalibrationLevel { unknown, calibrated, borderline, miscalibrated };

struct TestLimits {
  double z, p;  // |z| at most, p at least
};
// Limits of the whole family of an evaluation's tests: those of each size, the further tests of each size
// (core/eval/further_tests.h) and those pooled over sizes and targets. The family-wise false-alarm rate is 5 %
// (borderline) and 0.1 % (miscalibrated); half of it goes to the pooled tests, half to all others, each half shared
// alike (Bonferroni).
struct CalibrationLimits {
  std::int64_t tests = 0;  // of sizes, further tests among them
  TestLimits borderline{}, miscalibrated{};
  std::int64_t pooled_tests = 0;
  TestLimits pooled_borderline{}, pooled_miscalibrated{};
};
CalibrationLimits calibration_limits(std::int64_t tests, std::int64_t pooled = 0);
// Of all tests of an evaluation's rows (calibration_tests). `sizes`: how many the evaluation asked for, where the rows
// are those of its first sizes; 0: the rows are all.
CalibrationLimits calibration_limits(const std::vector<EvaluationRow>& rows, std::size_t sizes = 0);

// How many tests a size with so many targets has: location, width, ranks and their distribution function of each target;
// ACAUC, TARP, C2ST and coverage by region. Where observations come from a finite pool the location is judged beside what
// the pool alone does, and the others, which it moves as well, but for the width are not.
std::int64_t calibration_tests(std::int64_t targets, bool pool);
// How many tests are pooled over so many sizes and targets: the width over all, and where there are several sizes the
// location (but not beside a pool) and, of several targets, the width of each target.
std::int64_t pooled_test_count(std::int64_t sizes, std::int64_t targets, bool pool);
// For the ACAUC's noise floor (acauc_noise_floor): as how many tests at 5 % its own share of the family counts.
std::int64_t acauc_checks(std::int64_t sizes, std::int64_t targets);

// A test of one number of each set, its standardized location or width, summed over sizes and targets. The same sets are
// looked at at every size, and the targets of a set depend on each other: the variance is estimated from the sets
// themselves, which are independent. Sets are the same where their truths are (without truths: their place).
struct PooledTest {
  CalibrationTest test = CalibrationTest::width;
  std::int64_t target = -1;  // −1: all
  double z = NAN, p = NAN;   // Student's t over sets, as a normal score, and its two-sided p-value
  double error = NAN;        // standard error of the mean standardized number
  CalibrationLevel level = CalibrationLevel::calibrated;
};
// All of them, the width over all first; none where there is nothing to pool or where there are fewer than 50 sets.
std::vector<PooledTest> pooled_tests(const std::vector<EvaluationRow>& rows, const CalibrationLimits& limits);

// The level of a z or p under limits of borderline and miscalibrated.
CalibrationLevel level_of(double p, const TestLimits& borderline, const TestLimits& miscalibrated);

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
// "none detected", "borderline: too narrow", "off centre", ...; "–" when unknown.
std::string calibration_text(const RowCalibration& calibration);
// "none detected", "borderline", "miscalibrated"; "" when unknown.
const char* level_text(CalibrationLevel level);

// Standard error of the mean rank of a calibrated estimator.
double mean_rank_se(std::int64_t sets, std::int64_t samples);

}  // namespace pairs
