#include "core/eval/calibration/rank_chi_square.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <tuple>
#include <vector>

#include "core/base/text/error.h"

namespace pairs {
namespace {

constexpr double kStep = 0.1, kMostExpected = 1000, kLeastExactTail = 1e-10;
constexpr std::int64_t kSteps = 2560;  // the statistic is resolved up to 256

std::int64_t steps_of(double count, double expected) {
  return std::llround((count - expected) * (count - expected) / expected / kStep);
}

double chi_square_tail(std::int64_t bins, double statistic) {
  return boost::math::gamma_q(0.5 * static_cast<double>(bins - 1), 0.5 * statistic);
}

// Bins with one expected count.
struct AlikeBins {
  std::int64_t bins = 0;
  double expected = 0;
};

// P(statistic >= k steps) for every k. Counts are independent Poisson variables conditional on their sum: the
// characteristic function of (sum, statistic) is a product over bins, and is inverted.
std::vector<double> exact_tails(std::int64_t sets, const std::vector<AlikeBins>& groups) {
  const auto total = static_cast<double>(sets);
  const auto period = static_cast<std::int64_t>(12 * std::sqrt(total)) + 64;
  const torch::Tensor frequency = at::arange(kSteps / 2 + 1, at::kDouble) * (2 * M_PI / static_cast<double>(kSteps));
  torch::Tensor product;
  for (const AlikeBins& group : groups) {
    const double e = group.expected, reach = 16 * std::sqrt(e) + 64;
    const auto low = std::max<std::int64_t>(0, static_cast<std::int64_t>(e - reach)),
               high = std::min(sets, static_cast<std::int64_t>(e + reach));
    const std::int64_t width = high - low + 1;
    torch::Tensor mass = at::empty({width}, at::kDouble), steps = at::empty({width}, at::kDouble);
    for (std::int64_t k = 0; k < width; ++k) {
      const auto count = static_cast<double>(low + k);
      mass.mutable_data_ptr<double>()[k] = std::exp(count * std::log(e) - e - std::lgamma(count + 1));
      steps.mutable_data_ptr<double>()[k] = static_cast<double>(steps_of(count, e));
    }
    const torch::Tensor angle = frequency.unsqueeze(1) * steps.unsqueeze(0);
    const torch::Tensor turned = at::complex(mass * angle.cos(), mass * angle.sin());  // [frequency, count]
    torch::Tensor folded = at::zeros({frequency.size(0), period}, at::kComplexDouble);
    for (std::int64_t k = 0; k < width; k += period) {
      const std::int64_t part = std::min(period, width - k);
      folded.slice(1, 0, part).add_(turned.slice(1, k, k + part));
    }
    // Counts are stored minus `low`, so that the required sum is smaller by that for every bin.
    const torch::Tensor one = at::fft_fft(folded).pow(static_cast<double>(group.bins));
    product = product.defined() ? product * one : one;
  }
  std::int64_t sought = sets;
  for (const AlikeBins& group : groups)
    sought -= group.bins * std::max<std::int64_t>(
                               0, static_cast<std::int64_t>(group.expected - 16 * std::sqrt(group.expected) - 64));
  const std::int64_t place = ((sought % period) + period) % period;
  const torch::Tensor at_sum = at::fft_ifft(product).select(1, place);
  const torch::Tensor mass = at::fft_irfft(at::conj(at_sum).resolve_conj(), kSteps).clamp_min(0);
  const torch::Tensor tails = mass.flip({0}).cumsum(0).flip({0}) / mass.sum();
  const double* from = tails.const_data_ptr<double>();
  return {from, from + kSteps};
}

std::shared_ptr<const std::vector<double>> kept_tails(std::int64_t sets, const std::vector<AlikeBins>& groups) {
  static std::mutex mutex;
  static std::map<std::vector<double>, std::shared_ptr<const std::vector<double>>> known;
  std::vector<double> key = {static_cast<double>(sets)};
  for (const AlikeBins& group : groups) key.insert(key.end(), {static_cast<double>(group.bins), group.expected});
  const std::lock_guard lock(mutex);
  auto& kept = known[key];
  if (!kept) kept = std::make_shared<const std::vector<double>>(exact_tails(sets, groups));
  return kept;
}

}  // namespace

ChiSquareTest chi_square_test(std::span<const double> counts, std::span<const std::int64_t> values) {
  PAIRS_CHECK(counts.size() == values.size() && counts.size() >= 2, "{} counts do not fit {} bins.", counts.size(),
              values.size());
  const double sets = std::accumulate(counts.begin(), counts.end(), 0.0);
  const auto all = static_cast<double>(std::accumulate(values.begin(), values.end(), std::int64_t{0}));
  std::map<std::int64_t, std::int64_t> alike;  // number of bins by values
  std::int64_t steps = 0;
  double most = 0;
  for (std::size_t b = 0; b < counts.size(); ++b) {
    const double expected = sets * static_cast<double>(values[b]) / all;
    steps += steps_of(counts[b], expected);
    most = std::max(most, expected);
    ++alike[values[b]];
  }
  const auto bins = static_cast<std::int64_t>(counts.size());
  ChiSquareTest test{kStep * static_cast<double>(steps), 1};
  test.p_value = chi_square_tail(bins, test.statistic);
  if (most > kMostExpected) return test;
  std::vector<AlikeBins> groups;
  for (const auto& [held, number] : alike) groups.push_back({number, sets * static_cast<double>(held) / all});
  const std::vector<double>& tails = *kept_tails(static_cast<std::int64_t>(sets), groups);
  if (steps < kSteps && tails[static_cast<std::size_t>(steps)] >= kLeastExactTail) {
    test.p_value = std::min(1.0, tails[static_cast<std::size_t>(steps)]);
    return test;
  }
  // Where rounding dominates, the tail is extended like the chi-square's.
  const auto last = std::upper_bound(tails.begin(), tails.end(), kLeastExactTail, std::greater<>()) - tails.begin() - 1;
  const double from = chi_square_tail(bins, kStep * static_cast<double>(last));
  if (last >= 0 && from > 0) test.p_value *= std::max(1.0, tails[static_cast<std::size_t>(last)] / from);
  test.p_value = std::min(test.p_value, kLeastExactTail);
  return test;
}

}  // namespace pairs
