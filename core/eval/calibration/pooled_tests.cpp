#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <map>
#include <optional>

#include "core/eval/calibration/calibration.h"

namespace pairs {
namespace {

constexpr std::size_t kFewestPooledSets = 50;
// Below this p-value, t itself is used as the normal score.
constexpr double kLeastScored = 1e-290;

bool is_pooled(const EvaluationRow& row) {
  return !row.extrapolation && !row.ranks.empty() && row.ranks.size() == row.rank_tests.size() && row.samples >= 2;
}

// For each row, the set that each of its columns belongs to.
std::vector<std::vector<std::size_t>> sets_of(const std::vector<const EvaluationRow*>& rows) {
  const bool known = std::all_of(rows.begin(), rows.end(), [](const EvaluationRow* row) {
    return row->truths.size() == row->ranks.size() && row->truths.front().size() == row->ranks.front().size();
  });
  const EvaluationRow* const largest = *std::max_element(rows.begin(), rows.end(), [](const auto* a, const auto* b) {
    return a->ranks.front().size() < b->ranks.front().size();
  });
  const auto same_places = [&](const EvaluationRow* row) {
    for (std::size_t t = 0; t < row->truths.size(); ++t)
      if (!std::equal(row->truths[t].begin(), row->truths[t].end(), largest->truths[t].begin())) return false;
    return true;
  };
  std::vector<std::vector<std::size_t>> out;
  std::map<std::vector<double>, std::size_t> seen;
  const bool by_place = !known || std::all_of(rows.begin(), rows.end(), same_places);
  for (const EvaluationRow* row : rows) {
    std::vector<std::size_t> own(row->ranks.front().size());
    for (std::size_t i = 0; i < own.size(); ++i) {
      own[i] = i;
      if (by_place) continue;
      std::vector<double> truth;
      for (const std::vector<double>& of : row->truths) truth.push_back(of[i]);
      own[i] = seen.emplace(std::move(truth), seen.size()).first->second;
    }
    out.push_back(std::move(own));
  }
  return out;
}

// Standardized location or width of a rank, with mean zero and variance one if ranks k are uniform on 0, ..., S.
class Standardized {
 public:
  Standardized(CalibrationTest test, std::int64_t samples)
      : width_(test == CalibrationTest::width), samples_(static_cast<double>(samples)) {
    const double values = samples_ + 1, square = (1 - 1 / (values * values)) / 12;
    mean_ = !width_ ? 0 : samples % 2 == 1 ? 0.25 : 3 * square;
    sd_ = std::sqrt(width_ ? square - mean_ * mean_ : square);
  }
  double operator()(double rank) const {
    const double k = std::min(samples_, std::floor(rank * samples_ + 0.25));
    const double place = (k + 0.5) / (samples_ + 1) - 0.5;
    return ((width_ ? std::fabs(place) : place) - mean_) / sd_;
  }

 private:
  bool width_;
  double samples_, mean_ = 0, sd_ = 1;
};

// How much the tail of t exceeds Student's if the sums are skewed or flat (negative kurtosis), by the Edgeworth
// expansion of a studentized mean with terms in 1 / √n and 1 / n; at least 0. A set is more often far from its medians
// at several sizes at once than near them at all, and with Student's t posteriors would be rejected as too wide twice
// too often.
double beyond_students(const std::vector<double>& sums, double t) {
  const auto count = static_cast<double>(sums.size());
  double mean = 0, square = 0, cube = 0, fourth = 0;
  for (const double one : sums) mean += one / count;
  for (const double one : sums) {
    const double off = one - mean;
    square += off * off / count;
    cube += off * off * off / count;
    fourth += off * off * off * off / count;
  }
  if (!(square > 0)) return 0;
  const double skewness = cube / std::pow(square, 1.5), kurtosis = fourth / (square * square) - 3;
  const double x = std::fabs(t), x3 = x * x * x;
  const double first = (t > 0 ? -1 : 1) * skewness / 6 * (2 * x * x + 1) / std::sqrt(count);
  const double second =
      (skewness * skewness / 18 * (x3 * x * x + 2 * x3 - 3 * x) - kurtosis / 12 * (x3 - 3 * x)) / count;
  return std::max(0.0, first + second) * std::exp(-0.5 * x * x) / std::sqrt(2 * M_PI);
}

PooledTest pooled_test(const std::vector<const EvaluationRow*>& rows, const std::vector<std::vector<std::size_t>>& sets,
                       CalibrationTest test, std::int64_t target) {
  PooledTest out;
  out.test = test;
  out.target = target;
  std::vector<double> sums;
  double ranks = 0;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const Standardized standardized(test, rows[r]->samples);
    for (std::size_t t = 0; t < rows[r]->ranks.size(); ++t) {
      if (target >= 0 && t != static_cast<std::size_t>(target)) continue;
      for (std::size_t i = 0; i < sets[r].size(); ++i) {
        if (sets[r][i] >= sums.size()) sums.resize(sets[r][i] + 1, 0);
        sums[sets[r][i]] += standardized(rows[r]->ranks[t][i]);
        ++ranks;
      }
    }
  }
  double sum = 0, squares = 0;
  for (const double one : sums) {
    sum += one;
    squares += one * one;
  }
  if (sums.size() < kFewestPooledSets || !(squares > 0)) return out;
  out.error = std::sqrt(squares) / ranks;
  // Student's t of the sums, from u = sum / sqrt(squares), which is at most the square root of their number.
  const auto count = static_cast<double>(sums.size());
  const double u = sum / std::sqrt(squares), left = std::max(count - u * u, 1e-9 * count);
  const double t = u * std::sqrt((count - 1) / left);
  const double tail = boost::math::cdf(boost::math::complement(boost::math::students_t(count - 1), std::fabs(t)));
  out.p = std::min(1.0, 2 * (tail + beyond_students(sums, t)));
  out.z = out.p < kLeastScored
              ? t
              : std::copysign(boost::math::quantile(boost::math::complement(boost::math::normal(), out.p / 2)), t);
  return out;
}

}  // namespace

CalibrationLevel level_of(double p, const TestLimits& borderline, const TestLimits& miscalibrated) {
  return p < miscalibrated.p ? CalibrationLevel::miscalibrated
         : p < borderline.p  ? CalibrationLevel::borderline
                             : CalibrationLevel::calibrated;
}

std::vector<PooledTest> pooled_tests(const std::vector<EvaluationRow>& rows, const CalibrationLimits& limits) {
  std::vector<const EvaluationRow*> used;
  bool pool = false;
  for (const EvaluationRow& row : rows) {
    if (!is_pooled(row) || (!used.empty() && used.front()->ranks.size() != row.ranks.size())) continue;
    used.push_back(&row);
    pool |= row.pool > 0;
  }
  if (used.empty() || limits.pooled_tests == 0) return {};
  const auto targets = static_cast<std::int64_t>(used.front()->ranks.size());
  const bool several = used.size() > 1;
  if (!several && targets < 2) return {};
  const std::vector<std::vector<std::size_t>> sets = sets_of(used);
  std::vector<PooledTest> out = {pooled_test(used, sets, CalibrationTest::width, -1)};
  for (std::int64_t t = 0; several && t < targets; ++t) {
    if (!pool) out.push_back(pooled_test(used, sets, CalibrationTest::location, t));
    if (targets > 1) out.push_back(pooled_test(used, sets, CalibrationTest::width, t));
  }
  std::erase_if(out, [](const PooledTest& one) { return std::isnan(one.p); });
  for (PooledTest& one : out) one.level = level_of(one.p, limits.pooled_borderline, limits.pooled_miscalibrated);
  return out;
}

}  // namespace pairs
