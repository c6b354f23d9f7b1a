#include "app/scores/over_seeds.h"

#include <algorithm>
#include <cmath>

#include "app/scores/score.h"
#include "app/scores/scoring.h"

namespace pairs {
namespace {

// The differences on the sets that a pair shares, set by set.
std::vector<double> differences_of(const SeedPair& pair) {
  const std::size_t sets = paired_sets(*pair.row, *pair.baseline);
  if (sets < 2) return {};
  const Scoring& scoring = scoring_of({*pair.row});
  std::vector<double> differences = scoring.of_sets(*pair.row, sets);
  const std::vector<double> minus = scoring.of_sets(*pair.baseline, sets);
  for (std::size_t k = 0; k < sets; ++k) differences[k] -= minus[k];
  return differences;
}

double error_over_seeds(const std::vector<double>& values) {
  return values.size() > 1 ? mean_and_error(values).se : 0;
}

}  // namespace

MeanAndError mean_over_seeds(const std::vector<double>& values, const std::vector<double>& errors) {
  std::vector<double> known;
  std::copy_if(errors.begin(), errors.end(), std::back_inserter(known), [](double one) { return std::isfinite(one); });
  const double mean = mean_and_error(values).mean;
  if (known.empty()) return {mean, values.size() > 1 ? error_over_seeds(values) : NAN};
  return {mean, std::hypot(error_over_seeds(values), mean_and_error(known).mean)};
}

std::optional<SeedsDifference> difference_over_seeds(const std::vector<SeedPair>& pairs) {
  std::vector<std::vector<double>> seeds;
  std::size_t sets = SIZE_MAX;
  for (const SeedPair& pair : pairs) {
    std::vector<double> differences = differences_of(pair);
    if (differences.empty()) continue;
    sets = std::min(sets, differences.size());
    seeds.push_back(std::move(differences));
  }
  if (seeds.empty()) return {};
  std::vector<double> of_set(sets, 0.0), of_seed;
  for (std::vector<double>& one : seeds) {
    one.resize(sets);
    for (std::size_t k = 0; k < sets; ++k) of_set[k] += one[k] / static_cast<double>(seeds.size());
    of_seed.push_back(mean_and_error(one).mean);
  }
  const MeanAndError over_sets = mean_and_error(of_set);
  return SeedsDifference{static_cast<std::int64_t>(seeds.size()), static_cast<std::int64_t>(sets), over_sets.mean,
                         std::hypot(over_sets.se, error_over_seeds(of_seed))};
}

}  // namespace pairs
