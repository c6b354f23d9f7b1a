#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "core/eval/evaluation_row.h"

// Whether posteriors are calibrated, from the ranks of truths among their samples (methods B6 and B11): then the number
// of samples below the truth is uniform on 0, 1, ..., S. ACAUC, which is symmetric about the median, misses a bias that
// too wide a posterior hides; these tests do not.
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

// Beyond these a calibrated estimator fails one of so many tests in one evaluation of a thousand.
struct CalibrationLimits {
  double z, p;  // |z| at most, p at least
};
CalibrationLimits calibration_limits(std::int64_t checks);
// For all rows of an evaluation: three tests a size and target.
CalibrationLimits calibration_limits(const std::vector<EvaluationRow>& rows);

// What the tests of a row say; unknown without ranks. Where observations come from a finite pool the location is judged
// beside what the pool alone does, and rank_p, which it moves as well, is not.
enum class Calibration { unknown, within_noise, off_centre, too_narrow, too_wide, uneven };
Calibration calibration(const EvaluationRow& row, const CalibrationLimits& limits);
// "within noise", "off centre", ...; "–" when unknown.
const char* calibration_text(Calibration calibration);

// Standard error of the mean rank of a calibrated estimator.
double mean_rank_se(std::int64_t sets, std::int64_t samples);

}  // namespace pairs
