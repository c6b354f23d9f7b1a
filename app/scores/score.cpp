#include "app/scores/score.h"

#include <algorithm>
#include <cmath>

#include "app/scores/scoring.h"
#include "core/base/text/error.h"
#include "core/eval/evaluate/set_digest.h"

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
  return scoring_of(rows).score();
}

std::size_t scored_sets(const EvaluationRow& row) {
  return scoring_of({row}).scored_sets(row);
}

namespace {

// The score difference over the first `count` sets of both rows, without a check that they are the same sets.
PairedDifference difference_of_first(const EvaluationRow& row, const EvaluationRow& baseline, std::size_t count) {
  const Scoring& scoring = scoring_of({row});
  // paired_difference takes log densities, of which higher is better.
  return paired_difference(scoring.of_sets(baseline, count), scoring.of_sets(row, count));
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
  const std::size_t count = std::min(sets, scored_sets(row));
  return paired_difference(std::vector<double>(count, 0.0), scoring_of({row}).of_sets(row, count));
}

PairedDifference score_difference(const EvaluationRow& row, const EvaluationRow& baseline, std::size_t sets) {
  std::size_t shared = paired_sets(row, baseline);
  PAIRS_CHECK(shared > 0,
              "At N = {} the runs were not scored on the same test sets; evaluate both anew on the same data", row.n);
  if (sets > 0) shared = std::min(shared, sets);
  return difference_of_first(row, baseline, shared);
}

}  // namespace pairs
