#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "core/base/numbers/random.h"
#include "core/eval/calibration/calibration.h"

namespace pairs {

// An evaluation of normal posteriors whose sizes look at the same sets.
struct RankTable {
  std::int64_t sets = 500, samples = 99, targets = 2;
  std::vector<std::int64_t> sizes = {1, 10, 100};
  double correlation = 0.78;  // of the normal scores of a set at two sizes
  double of_targets = 0;      // and of two targets
  double narrow = 1;          // posteriors' sd over the right one
};

// Its rows with ranks, truths and the tests of ranks; the same for the same seed.
inline std::vector<EvaluationRow> rank_rows(const RankTable& table, std::uint64_t seed) {
  Stream stream(stream_key(seed, Purpose::check), 11);
  std::vector<EvaluationRow> rows(table.sizes.size());
  for (std::size_t r = 0; r < rows.size(); ++r) {
    rows[r].n = table.sizes[r];
    rows[r].sets = table.sets;
    rows[r].samples = table.samples;
    rows[r].ranks.resize(static_cast<std::size_t>(table.targets));
    rows[r].truths.resize(static_cast<std::size_t>(table.targets));
  }
  for (std::int64_t i = 0; i < table.sets; ++i) {
    const double both = stream.normal64();
    std::vector<double> shared, own;  // shared over sizes; over targets at one size
    for (std::int64_t t = 0; t < table.targets; ++t)
      shared.push_back(std::sqrt(table.of_targets) * both + std::sqrt(1 - table.of_targets) * stream.normal64());
    for (EvaluationRow& row : rows) {
      const double all = stream.normal64();
      for (std::size_t t = 0; t < shared.size(); ++t) {
        const double here = std::sqrt(table.of_targets) * all + std::sqrt(1 - table.of_targets) * stream.normal64();
        const double z = std::sqrt(table.correlation) * shared[t] + std::sqrt(1 - table.correlation) * here;
        const double below =
            0.5 * std::erfc(-z / table.narrow / std::sqrt(2.0)) * static_cast<double>(table.samples + 1);
        row.ranks[t].push_back(std::min(std::floor(below), static_cast<double>(table.samples)) /
                               static_cast<double>(table.samples));
        row.truths[t].push_back(shared[t]);
      }
    }
  }
  for (EvaluationRow& row : rows)
    for (const std::vector<double>& ranks : row.ranks) row.rank_tests.push_back(rank_test(ranks, table.samples));
  return rows;
}

}  // namespace pairs
