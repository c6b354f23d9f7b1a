#include "app/scores/companion.h"

#include <algorithm>
#include <cmath>

#include "core/base/text/error.h"

namespace pairs {
namespace {

// The rms difference over the first `sets` sets, for one target.
double rms_apart(const EvaluationRow& a, const EvaluationRow& b, std::size_t target, std::size_t sets) {
  double sum = 0;
  for (std::size_t i = 0; i < sets; ++i) {
    const double difference = a.means[target][i] - b.means[target][i];
    const double variance = (std::pow(a.sds[target][i], 2) + std::pow(b.sds[target][i], 2)) / 2;
    if (difference != 0) sum += difference * difference / variance;
  }
  return std::sqrt(sum / static_cast<double>(sets));
}

const EvaluationRow* with_means(const Metrics& metrics, std::int64_t n) {
  for (const EvaluationRow& row : metrics.rows)
    if (row.n == n && !row.means.empty()) return &row;
  return nullptr;
}

}  // namespace

std::vector<MeansApart> means_apart(const Metrics& one, const Metrics& other) {
  std::vector<MeansApart> out;
  if (one.seed != other.seed || one.data != other.data) return out;
  for (const EvaluationRow& row : one.rows) {
    const EvaluationRow *mine = with_means(one, row.n), *theirs = with_means(other, row.n);
    if (!mine || !theirs || mine->means.size() != theirs->means.size()) continue;
    const std::size_t sets = std::min(mine->means.front().size(), theirs->means.front().size());
    if (sets == 0) continue;
    MeansApart apart{row.n, static_cast<std::int64_t>(sets), {}};
    for (std::size_t t = 0; t < mine->means.size(); ++t) apart.rms.push_back(rms_apart(*mine, *theirs, t, sets));
    out.push_back(std::move(apart));
  }
  return out;
}

std::vector<double> means_apart_at(const Metrics& one, const Metrics& other, std::int64_t n) {
  for (MeansApart& found : means_apart(one, other))
    if (found.n == n) return std::move(found.rms);
  return {};
}

void set_companion(Metrics& metrics, const Metrics& other) {
  const std::vector<MeansApart> apart = means_apart(metrics, other);
  PAIRS_CHECK(!apart.empty(),
              "{} and {} were scored at no set size in common with posterior samples on the same test sets; evaluate "
              "both with the same --sizes, --seed and --samples",
              metrics.run, other.run);
  for (EvaluationRow& row : metrics.rows) row.companion.clear();
  for (const MeansApart& one : apart)
    for (EvaluationRow& row : metrics.rows)
      if (row.n == one.n) row.companion = one.rms;
  metrics.companion = other.run;
  metrics.companion_weights = other.weights;
}

}  // namespace pairs
