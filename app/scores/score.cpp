#include "app/scores/score.h"

#include <algorithm>
#include <cmath>

#include "app/scores/metrics_file.h"
#include "core/base/error.h"
#include "core/eval/set_digest.h"

namespace pairs {

PairedDifference paired_difference(const std::vector<double>& log_prob, const std::vector<double>& baseline) {
  PAIRS_CHECK(log_prob.size() == baseline.size() && !log_prob.empty(),
              "A paired comparison needs the same sets: {} against {}", log_prob.size(), baseline.size());
  const auto count = static_cast<double>(log_prob.size());
  double mean = 0;
  for (std::size_t i = 0; i < log_prob.size(); ++i) mean += (baseline[i] - log_prob[i]) / count;
  double square = 0;
  for (std::size_t i = 0; i < log_prob.size(); ++i) square += std::pow(baseline[i] - log_prob[i] - mean, 2);
  return {mean, count > 1 ? std::sqrt(square / (count - 1) / count) : NAN};
}

const Score& score_of(const std::vector<EvaluationRow>& rows) {
  static const Score nll = {"NLL", "NLL / nat", "nll", 3, &EvaluationRow::nll, &EvaluationRow::nll_se};
  static const Score mse = {
      "MSE of the posterior mean",     "MSE of the mean", "mse_posterior", 5, &EvaluationRow::mse_posterior,
      &EvaluationRow::mse_posterior_se};
  return of_images(rows) ? mse : nll;
}

std::size_t scored_sets(const EvaluationRow& row) {
  return of_images({row}) ? row.set_mse_posterior.size() : row.log_prob.size();
}

namespace {

// Of the first `count` sets of both, whatever they are.
PairedDifference difference_of_first(const EvaluationRow& row, const EvaluationRow& baseline, std::size_t count) {
  const auto first = [count = static_cast<std::ptrdiff_t>(count)](const std::vector<double>& all) {
    return std::vector<double>(all.begin(), all.begin() + count);
  };
  // paired_difference takes log densities, of which more is better.
  if (of_images({row})) return paired_difference(first(baseline.set_mse_posterior), first(row.set_mse_posterior));
  return paired_difference(first(row.log_prob), first(baseline.log_prob));
}

}  // namespace

std::size_t paired_sets(const EvaluationRow& row, const EvaluationRow& baseline) {
  const std::size_t scored = std::min(scored_sets(row), scored_sets(baseline));
  return std::min(scored, shared_sets(row.tested, baseline.tested));
}

bool same_test_sets(const std::vector<EvaluationRow>& a, const std::vector<EvaluationRow>& b) {
  bool any = false;
  for (const EvaluationRow& one : a)
    for (const EvaluationRow& other : b) {
      if (one.n != other.n) continue;
      if (shared_sets(one.tested, other.tested) == 0) return false;
      any = true;
    }
  return any;
}

bool other_test_sets(const std::vector<EvaluationRow>& a, const std::vector<EvaluationRow>& b) {
  for (const EvaluationRow& one : a)
    for (const EvaluationRow& other : b)
      if (one.n == other.n && !one.tested.empty() && !other.tested.empty() &&
          shared_sets(one.tested, other.tested) == 0)
        return true;
  return false;
}

PairedDifference score_of_first(const EvaluationRow& row, std::size_t sets) {
  EvaluationRow zero;
  zero.mse_prior = row.mse_prior;
  const std::size_t count = std::min(sets, scored_sets(row));
  (of_images({row}) ? zero.set_mse_posterior : zero.log_prob).assign(count, 0.0);
  return difference_of_first(row, zero, count);
}

PairedDifference score_difference(const EvaluationRow& row, const EvaluationRow& baseline, std::size_t sets) {
  std::size_t shared = paired_sets(row, baseline);
  PAIRS_CHECK(shared > 0, "At N = {} the runs were not scored on the same test sets; evaluate both anew on the same data",
              row.n);
  if (sets > 0) shared = std::min(shared, sets);
  return difference_of_first(row, baseline, shared);
}

}  // namespace pairs
