#include "app/common/score.h"

#include <algorithm>

#include "app/common/comparison.h"
#include "app/common/metrics_file.h"

namespace pairs {

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
