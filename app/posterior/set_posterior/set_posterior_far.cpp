#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/posterior/caveats/verdict.h"
#include "app/posterior/set_posterior/set_posterior.h"
#include "core/base/text/error.h"

namespace pairs {
namespace {

// The maximum number of further rounds, and the shares of observations left out on trial if there are no outliers.
constexpr std::int64_t kMostRounds = 8;
constexpr double kTrialShares[] = {0.02, 0.1, 0.2};
// The p-value at or below which the test itself is suspicious, so that outliers are sought that may have attracted the
// posterior.
constexpr double kOdd = 0.05;

std::vector<std::int64_t> rows_of(const std::vector<FarObservation>& far) {
  std::vector<std::int64_t> rows;
  for (const FarObservation& one : far) rows.push_back(one.row);
  std::sort(rows.begin(), rows.end());
  return rows;
}

// The farthest `count` observations, in their order.
std::vector<std::int64_t> farthest(const std::vector<double>& scores, std::int64_t count) {
  std::vector<std::int64_t> rows(scores.size());
  for (std::size_t k = 0; k < rows.size(); ++k) rows[k] = static_cast<std::int64_t>(k);
  std::stable_sort(rows.begin(), rows.end(), [&](std::int64_t a, std::int64_t b) {
    return scores[static_cast<std::size_t>(a)] > scores[static_cast<std::size_t>(b)];
  });
  rows.resize(static_cast<std::size_t>(count));
  std::sort(rows.begin(), rows.end());
  return rows;
}

Observations without(const Observations& x, std::int64_t n, const std::vector<std::int64_t>& rows) {
  torch::Tensor kept = torch::ones({n}, torch::kBool);
  for (const std::int64_t row : rows) kept[row] = false;
  return x.pick(kept.nonzero().flatten());
}

}  // namespace

AskedSet SetPosterior::asked_without(const AskedSet& asked, const Observations& x,
                                     const std::vector<std::int64_t>& rows) const {
  const Observations rest = without(x, asked.n, rows);
  PAIRS_CHECK(rest.count() > 0, "Without these no observation is left");
  EmbeddedSet embedded(runs_.front().loaded.estimator, rest.count());
  embedded.add(rest);
  AskedSet fewer = asked;
  fewer.n = fewer.seen = rest.count();
  fewer.aggregate = [aggregate = embedded.aggregate(rest.count(), rest)] { return aggregate; };
  return fewer;
}

// Outliers attract the posterior and so mask each other. They are left out, and all observations are judged again under
// the posterior of the others, until the set of outliers is stable.
void SetPosterior::seek_far(const AskedSet& asked, const Observations& x, const PredictiveOptions& options,
                            SetPredictiveTest& test) const {
  const AskedRun& run = runs_.front();
  std::vector<double> scores = test.test.scores;
  test.rounds = 1;
  const auto judged = [&](const std::vector<std::int64_t>& left_out) {
    const AskedSet fewer = asked_without(asked, x, left_out);
    const auto psi = pairs::nuisance_posterior(task(), without(x, asked.n, left_out));
    ++test.rounds;
    return far_observations(predictive_sets(run, fewer, x, psi.get(), options).sets);
  };
  // The stable set of outliers when these are left out first.
  const auto settled = [&](std::vector<std::int64_t> left_out) {
    std::vector<FarObservation> far;
    for (std::int64_t round = 0; round < kMostRounds && !left_out.empty(); ++round) {
      far = judged(left_out);
      const std::vector<std::int64_t> rows = rows_of(far);
      if (rows == left_out) break;
      left_out = rows;
    }
    return far;
  };
  try {
    if (!test.test.far.empty()) {
      const std::vector<FarObservation> far = settled(rows_of(test.test.far));
      if (!far.empty()) test.test.far = far;
      return;
    }
    if (test.test.p > kOdd) return;
    std::int64_t before = 0;
    for (const double share : kTrialShares) {
      const auto count = static_cast<std::int64_t>(std::ceil(share * static_cast<double>(scores.size())));
      if (count == before || 2 * count >= static_cast<std::int64_t>(scores.size())) continue;
      before = count;
      test.test.far = settled(farthest(scores, count));
      if (!test.test.far.empty()) return;
    }
  } catch (const Stopped&) {
    throw;
  } catch (const std::exception& error) {
    test.not_sought = "Observations that hide each other were not sought: " + sentence(error);
  }
}

// A few outliers among many say nothing about the rest, which is tested as a set of its own; if that does not fit
// either, no outlier is named.
void SetPosterior::judge_left(const AskedSet& asked, const Observations& x, const PredictiveOptions& options,
                              SetPredictiveTest& test) const {
  if (test.test.far.empty()) return;
  const std::vector<std::int64_t> rows = rows_of(test.test.far);
  try {
    const Observations rest = without(x, asked.n, rows);
    const auto psi = pairs::nuisance_posterior(task(), rest);
    const AskedSet fewer = asked_without(asked, x, rows);
    test.left_p = pairs::predictive_test(predictive_sets(runs_.front(), fewer, rest, psi.get(), options).sets).p;
    test.left_out = static_cast<std::int64_t>(rows.size());
  } catch (const Stopped&) {
    throw;
  } catch (const std::exception& error) {
    test.not_judged = "The rest was not tested: " + sentence(error);
  }
  if (test.left_p <= kUnlikeModel) test.test.far.clear();
}

void SetPosterior::leave_out_far(const AskedSet& asked, const Observations& x, SetPredictiveTest& test) const {
  if (test.test.far.empty()) return;
  const std::vector<std::int64_t> rows = rows_of(test.test.far);
  test.left = asked.n - static_cast<std::int64_t>(rows.size());
  try {
    test.without = numbers_of(asked_without(asked, x, rows));
    test.all = numbers_of(asked);
  } catch (const Stopped&) {
    throw;
  } catch (const std::exception& error) {
    test.without.clear();
    test.unanswered = "Without these the run has no posterior: " + sentence(error);
  }
}

}  // namespace pairs
