#include "core/likelihood/pareto_smoothing.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace pairs {
namespace {

constexpr double kPriorCount = 10, kPriorShape = 0.5;  // of the weak prior on the shape
constexpr std::size_t kLeastTail = 5;

}  // namespace

ParetoFit fit_pareto(std::vector<double> x) {
  std::sort(x.begin(), x.end());
  const auto n = static_cast<double>(x.size());
  const double quarter = x[static_cast<std::size_t>(n / 4 + 0.5) - 1];
  const int points = 30 + static_cast<int>(std::sqrt(n));
  // The profile likelihood of b = -shape / scale on a grid.
  std::vector<double> b, length;
  for (int j = 1; j <= points; ++j) {
    b.push_back((1 - std::sqrt(points / (j - 0.5))) / (3 * quarter) + 1 / x.back());
    double shape = 0;
    for (const double value : x) shape += std::log1p(-b.back() * value);
    shape /= n;
    length.push_back(n * (std::log(-b.back() / shape) - shape - 1));
  }
  double place = 0, total = 0;
  const double top = *std::max_element(length.begin(), length.end());
  for (std::size_t j = 0; j < b.size(); ++j) {
    const double weight = std::exp(length[j] - top);
    place += weight * b[j];
    total += weight;
  }
  place /= total;
  double shape = 0;
  for (const double value : x) shape += std::log1p(-place * value);
  shape /= n;
  const double scale = -shape / place;
  return {(shape * n + kPriorShape * kPriorCount) / (n + kPriorCount), scale};
}

SmoothedWeights pareto_smoothed(const std::vector<double>& log_weight) {
  SmoothedWeights out;
  const std::size_t count = log_weight.size();
  double top = -std::numeric_limits<double>::infinity();
  for (const double one : log_weight)
    if (one > top) top = one;
  out.weight.assign(count, 0);
  out.shape = std::numeric_limits<double>::infinity();
  if (!std::isfinite(top)) return out;
  for (std::size_t i = 0; i < count; ++i) out.weight[i] = log_weight[i] > top - 700 ? std::exp(log_weight[i] - top) : 0;

  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return out.weight[a] < out.weight[b]; });
  const auto tail = static_cast<std::size_t>(
      std::ceil(std::min(static_cast<double>(count) / 5, 3 * std::sqrt(static_cast<double>(count)))));
  if (tail >= kLeastTail && tail < count) {
    const double cut = out.weight[order[count - tail - 1]];
    std::vector<double> excess;
    for (std::size_t i = count - tail; i < count; ++i) excess.push_back(out.weight[order[i]] - cut);
    if (excess.front() > 0 && excess.back() > excess.front() * (1 + 1e-10)) {
      const ParetoFit fit = fit_pareto(excess);
      out.shape = fit.shape;
      for (std::size_t i = 0; i < tail && std::isfinite(fit.shape); ++i) {
        const double level = (static_cast<double>(i) + 0.5) / static_cast<double>(tail);
        const double quantile = std::abs(fit.shape) < 1e-12
                                    ? -fit.scale * std::log1p(-level)
                                    : fit.scale * std::expm1(-fit.shape * std::log1p(-level)) / fit.shape;
        out.weight[order[count - tail + i]] = std::min(cut + quantile, 1.0);
      }
    } else if (excess.back() <= excess.front() * (1 + 1e-10) && excess.front() >= 0 && cut > 0) {
      out.shape = -1;  // all the largest are equal, as with an exact proposal
    }
  }
  const double sum = std::accumulate(out.weight.begin(), out.weight.end(), 0.0);
  for (double& one : out.weight) one /= sum;
  return out;
}

double effective_samples(const std::vector<double>& weight) {
  double sum = 0;
  for (const double one : weight) sum += one * one;
  return sum > 0 ? 1 / sum : 0;
}

}  // namespace pairs
