#include "core/likelihood/coarsening.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace pairs {
namespace {

constexpr double kMostGain = 30;  // nat of a set
constexpr double kLeastGain = 2;  // nat of all sets, below which they may differ from a good likelihood's by chance
constexpr double kLeastAlpha = 10, kMostAlpha = 1e6;
constexpr int kAlphas = 150;  // on a logarithmic scale: 8 % each

}  // namespace

double coarsened_power(double alpha, std::int64_t n) {
  return 1 / (1 + static_cast<double>(n) / alpha);
}

double fitted_coarsening(std::span<const PowerScore> sets) {
  std::vector<double> without;
  for (const PowerScore& one : sets) without.push_back(one.score(1));
  double best = INFINITY, most = kLeastGain;
  for (int k = 0; k <= kAlphas; ++k) {
    const double alpha = kLeastAlpha * std::pow(kMostAlpha / kLeastAlpha, k / static_cast<double>(kAlphas));
    double gain = 0;
    for (std::size_t i = 0; i < sets.size(); ++i)
      gain += std::min(sets[i].score(coarsened_power(alpha, sets[i].n)) - without[i], kMostGain);
    if (!(gain > most)) continue;
    most = gain;
    best = alpha;
  }
  return best;
}

}  // namespace pairs
