#include "core/likelihood/coarsening.h"

#include <algorithm>
#include <cmath>

namespace pairs {
namespace {

constexpr double kMostLoss = 30;  // nat of a set
constexpr double kLeastGain = 2;  // nat of all sets, below which they may differ from a good likelihood's by chance
constexpr double kLeastAlpha = 10, kMostAlpha = 1e6;
constexpr int kAlphas = 150;  // on a logarithmic scale: 8 % each

}  // namespace

double coarsened_power(double alpha, std::int64_t n) {
  return 1 / (1 + static_cast<double>(n) / alpha);
}

double fitted_coarsening(std::span<const PowerScore> sets) {
  const auto log_probability = [&](double alpha) {
    double sum = 0;
    for (const PowerScore& one : sets) {
      const auto [truth, own] = one.score(coarsened_power(alpha, one.n));
      sum += std::max(truth, own - kMostLoss);
    }
    return sum;
  };
  const double without = log_probability(INFINITY);
  double best = INFINITY, most = kLeastGain;
  for (int k = 0; k <= kAlphas; ++k) {
    const double alpha = kLeastAlpha * std::pow(kMostAlpha / kLeastAlpha, k / static_cast<double>(kAlphas));
    const double gain = log_probability(alpha) - without;
    if (!(gain > most)) continue;
    most = gain;
    best = alpha;
  }
  return best;
}

}  // namespace pairs
