#include "app/scores/score.h"

#include <algorithm>

#include "app/scores/metrics_file.h"

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

PairedDifference score_difference(const EvaluationRow& row, const EvaluationRow& baseline) {
  const auto shared = static_cast<std::ptrdiff_t>(std::min(scored_sets(row), scored_sets(baseline)));
  const auto first = [shared](const std::vector<double>& all) {
    return std::vector<double>(all.begin(), all.begin() + shared);
  };
  // paired_difference takes log densities, of which more is better.
  if (of_images({row})) return paired_difference(first(baseline.set_mse_posterior), first(row.set_mse_posterior));
  return paired_difference(first(row.log_prob), first(baseline.log_prob));
}

}  // namespace pairs
