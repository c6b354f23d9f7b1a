#include "core/eval/calibration/calibration.h"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>

#include "core/base/text/error.h"
#include "core/eval/calibration/rank_chi_square.h"

namespace pairs {
namespace {

constexpr std::int64_t kFewestRanks = 20, kMostBins = 20, kRanksPerBin = 10;
// The share of calibrated estimators' evaluations with at least one such test.
constexpr double kBorderline = 0.05, kMiscalibrated = 0.001;
// The part of these shares for the tests pooled over sizes and targets, if there are any.
constexpr double kPooledPart = 0.5;

// The number of samples below the truth for a rank.
std::int64_t below(double rank, std::int64_t samples) {
  PAIRS_CHECK(rank >= 0 && rank <= 1, "A rank is {}; ranks lie in [0, 1].", rank);
  return std::min(samples, static_cast<std::int64_t>(std::floor(rank * static_cast<double>(samples) + 0.25)));
}

std::int64_t bin_count(std::int64_t values, std::int64_t ranks) {
  const std::int64_t most = std::min({kMostBins, values, ranks / kRanksPerBin});
  for (std::int64_t bins = most; 2 * bins >= most && bins >= 2; --bins)
    if (values % bins == 0) return bins;
  return most;
}

TestLimits test_limits(double share) {
  return {boost::math::quantile(boost::math::complement(boost::math::normal(), share / 2)), share};
}

CalibrationLevel level_of_z(double z, const CalibrationLimits& limits) {
  return std::fabs(z) > limits.miscalibrated.z ? CalibrationLevel::miscalibrated
         : std::fabs(z) > limits.borderline.z  ? CalibrationLevel::borderline
                                               : CalibrationLevel::calibrated;
}

CalibrationLevel level_of_p(double p, const CalibrationLimits& limits) {
  return p < limits.miscalibrated.p ? CalibrationLevel::miscalibrated
         : p < limits.borderline.p  ? CalibrationLevel::borderline
                                    : CalibrationLevel::calibrated;
}

bool judged(const EvaluationRow& row) {
  if (row.rank_tests.empty() || row.extrapolation) return false;
  return std::none_of(row.rank_tests.begin(), row.rank_tests.end(),
                      [](const RankTest& t) { return std::isnan(t.location_z) || std::isnan(t.width_z); });
}

std::vector<CalibrationFault> faults_of(const EvaluationRow& row, std::size_t index, const CalibrationLimits& limits) {
  std::vector<CalibrationFault> faults;
  if (!judged(row)) return faults;
  const auto add = [&](CalibrationTest test, std::size_t target, double value, CalibrationLevel level) {
    if (level == CalibrationLevel::borderline || level == CalibrationLevel::miscalibrated)
      faults.push_back({index, target, test, level, value});
  };
  const bool pool = row.pool > 0;
  const std::size_t targets = row.rank_tests.size();
  for (std::size_t t = 0; t < targets; ++t) {
    const double z = !pool ? row.rank_tests[t].location_z : t < row.pool_location_z.size() ? row.pool_location_z[t] : 0;
    add(CalibrationTest::location, t, z, level_of_z(z, limits));
  }
  for (std::size_t t = 0; t < targets; ++t) {
    const double z = row.rank_tests[t].width_z;
    add(CalibrationTest::width, t, z, level_of_z(z, limits));
  }
  for (std::size_t t = 0; t < targets && !pool; ++t) {
    const double p = row.rank_tests[t].rank_p;
    add(CalibrationTest::ranks, t, p, level_of_p(p, limits));
  }
  if (!pool && row.acauc > row.acauc_p95) add(CalibrationTest::acauc, 0, row.acauc, CalibrationLevel::borderline);
  std::stable_sort(faults.begin(), faults.end(),
                   [](const CalibrationFault& a, const CalibrationFault& b) { return a.level > b.level; });
  return faults;
}

}  // namespace

RankHistogram rank_histogram(std::span<const double> ranks, std::int64_t samples) {
  const auto count = static_cast<std::int64_t>(ranks.size());
  PAIRS_CHECK(samples >= 1 && count >= kFewestRanks,
              "A histogram of ranks needs {} sets or more and samples of their posteriors; there are {} sets and {} "
              "samples.",
              kFewestRanks, count, samples);
  const std::int64_t values = samples + 1, bins = bin_count(values, count);
  RankHistogram out;
  std::vector<std::int64_t> first;  // value of each bin
  for (std::int64_t b = 0; b <= bins; ++b) {
    first.push_back(b * values / bins);
    out.edges.push_back(static_cast<double>(first.back()) / static_cast<double>(values));
  }
  out.counts.assign(static_cast<std::size_t>(bins), 0);
  for (const double rank : ranks) {
    const std::int64_t bin = std::upper_bound(first.begin(), first.end() - 1, below(rank, samples)) - first.begin() - 1;
    ++out.counts[static_cast<std::size_t>(bin)];
  }
  std::vector<std::int64_t> held;  // values of each bin
  for (std::size_t b = 0; b < out.counts.size(); ++b) {
    out.expected.push_back(static_cast<double>(count) * (out.edges[b + 1] - out.edges[b]));
    held.push_back(first[b + 1] - first[b]);
  }
  out.p_value = chi_square_test(out.counts, held).p_value;
  return out;
}

RankTest rank_test(std::span<const double> ranks, std::int64_t samples) {
  RankTest test;
  if (static_cast<std::int64_t>(ranks.size()) < kFewestRanks || samples < 1) return test;
  const auto values = static_cast<double>(samples + 1), count = static_cast<double>(ranks.size());
  // The value k represents the center of its share of [0, 1], (k + 1/2) / (S + 1).
  const auto distance = [&](std::int64_t k) { return std::fabs((static_cast<double>(k) + 0.5) / values - 0.5); };
  const double square = (1 - 1 / (values * values)) / 12, mean = samples % 2 == 1 ? 0.25 : 3 * square;
  double location = 0, width = 0;
  for (const double rank : ranks) {
    const std::int64_t k = below(rank, samples);
    location += ((static_cast<double>(k) + 0.5) / values - 0.5) / count;
    width += (distance(k) - mean) / count;
  }
  test.location_z = location / mean_rank_se(static_cast<std::int64_t>(ranks.size()), samples);
  if (const double variance = square - mean * mean; variance > 1e-12)
    test.width_z = width / std::sqrt(variance / count);
  test.rank_p = rank_histogram(ranks, samples).p_value;
  return test;
}

double mean_rank_se(std::int64_t sets, std::int64_t samples) {
  const auto values = static_cast<double>(samples + 1);
  return std::sqrt((1 - 1 / (values * values)) / 12 / static_cast<double>(sets));
}

double central_coverage_of_uniform(std::int64_t samples, double level) {
  const auto s = static_cast<double>(samples);
  // |2 k - S| <= S level, k from the center outwards, with the tolerance of central_coverage.
  const double reach = s * (level + 1e-12) / 2;
  const double lowest = std::max(0.0, std::ceil(s / 2 - reach)), highest = std::min(s, std::floor(s / 2 + reach));
  return std::max(0.0, highest - lowest + 1) / (s + 1);
}

CalibrationLimits calibration_limits(std::int64_t tests, std::int64_t pooled) {
  PAIRS_CHECK(tests >= 1 && pooled >= 0, "Limits of calibration need at least one test; there are {}.", tests);
  CalibrationLimits limits;
  limits.tests = tests;
  limits.pooled_tests = pooled;
  const double own = (pooled > 0 ? 1 - kPooledPart : 1) / static_cast<double>(tests);
  limits.borderline = test_limits(kBorderline * own);
  limits.miscalibrated = test_limits(kMiscalibrated * own);
  const double each = kPooledPart / static_cast<double>(std::max<std::int64_t>(1, pooled));
  limits.pooled_borderline = test_limits(kBorderline * each);
  limits.pooled_miscalibrated = test_limits(kMiscalibrated * each);
  return limits;
}

std::int64_t calibration_tests(std::int64_t targets, bool pool) {
  return pool ? 2 * targets : 4 * targets + 4;
}

std::int64_t pooled_test_count(std::int64_t sizes, std::int64_t targets, bool pool) {
  if (sizes * targets < 2) return 0;
  return 1 + (sizes > 1 && !pool ? targets : 0) + (sizes > 1 && targets > 1 ? targets : 0);
}

std::int64_t acauc_checks(std::int64_t sizes, std::int64_t targets) {
  const double p =
      calibration_limits(sizes * calibration_tests(targets, false), pooled_test_count(sizes, targets, false))
          .borderline.p;
  return std::llround(kBorderline / p);
}

CalibrationLimits calibration_limits(const std::vector<EvaluationRow>& rows, std::size_t sizes) {
  std::int64_t tests = 0, most = 0, judged_sizes = 0, targets = 1;
  bool pool = false;
  for (const EvaluationRow& row : rows) {
    if (row.rank_tests.empty() || row.extrapolation) continue;
    targets = static_cast<std::int64_t>(row.rank_tests.size());
    const std::int64_t own = calibration_tests(targets, row.pool > 0);
    tests += own;
    most = std::max(most, own);
    pool |= row.pool > 0;
    ++judged_sizes;
  }
  if (sizes > rows.size()) {
    tests += static_cast<std::int64_t>(sizes - rows.size()) * most;
    judged_sizes += static_cast<std::int64_t>(sizes - rows.size());
  }
  return calibration_limits(std::max<std::int64_t>(1, tests), pooled_test_count(judged_sizes, targets, pool));
}

std::vector<CalibrationFault> calibration_faults(const std::vector<EvaluationRow>& rows,
                                                 const CalibrationLimits& limits) {
  std::vector<CalibrationFault> all;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const std::vector<CalibrationFault> own = faults_of(rows[r], r, limits);
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

RowCalibration calibration(const EvaluationRow& row, const CalibrationLimits& limits) {
  if (!judged(row)) return {};
  const std::vector<CalibrationFault> faults = faults_of(row, 0, limits);
  if (faults.empty()) return {CalibrationLevel::calibrated, CalibrationTest::location, 0};
  return {faults.front().level, faults.front().test, faults.front().value};
}

const char* level_text(CalibrationLevel level) {
  switch (level) {
    case CalibrationLevel::calibrated:
      return "none detected";
    case CalibrationLevel::borderline:
      return "borderline";
    case CalibrationLevel::miscalibrated:
      return "miscalibrated";
    case CalibrationLevel::unknown:
      break;
  }
  return "";
}

std::string calibration_text(const RowCalibration& calibration) {
  if (calibration.level == CalibrationLevel::unknown) return "–";
  if (calibration.level == CalibrationLevel::calibrated) return "none detected";
  std::string text = calibration.level == CalibrationLevel::borderline ? "borderline: " : "";
  switch (calibration.test) {
    case CalibrationTest::location:
      return text + "off center";
    case CalibrationTest::width:
      return text + (calibration.value > 0 ? "too narrow" : "too wide");
    case CalibrationTest::ranks:
      return text + "uneven";
    case CalibrationTest::acauc:
      break;
  }
  return text + "ACAUC";
}

}  // namespace pairs
