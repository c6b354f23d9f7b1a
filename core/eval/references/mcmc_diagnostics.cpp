#include "core/eval/references/mcmc_diagnostics.h"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cstdint>
#include <numeric>
#include <vector>

#include "core/base/gpu/transfer.h"
#include "core/base/text/error.h"

namespace pairs {
namespace {

constexpr std::size_t kFewestDraws = 8;  // per chain: two halves of four

using Draws = std::vector<double>;
using Chains = std::vector<Draws>;  // all of one length

double mean_of(const Draws& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double variance_of(const Draws& values) {
  const double mean = mean_of(values);
  double sum = 0;
  for (const double v : values) sum += (v - mean) * (v - mean);
  return sum / static_cast<double>(values.size() - 1);
}

// The first and the last half of each chain; for an odd number of samples the middle one is dropped.
Chains halves(const Chains& chains) {
  Chains out;
  for (const Draws& chain : chains) {
    const auto half = static_cast<std::ptrdiff_t>(chain.size() / 2);
    out.emplace_back(chain.begin(), chain.begin() + half);
    out.emplace_back(chain.end() - half, chain.end());
  }
  return out;
}

template <class F>
Chains mapped(const Chains& chains, F&& f) {
  Chains out = chains;
  for (Draws& chain : out)
    for (double& value : chain) value = f(value);
  return out;
}

Draws joined(const Chains& chains) {
  Draws all;
  for (const Draws& chain : chains) all.insert(all.end(), chain.begin(), chain.end());
  return all;
}

// Interpolated linearly between the order statistics of sorted values.
double quantile(const Draws& sorted, double level) {
  const double at = level * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

// Normal quantiles of the ranks among all chains (Blom); equal values share their mean rank.
Chains rank_normalized(const Chains& chains) {
  const Draws all = joined(chains);
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return all[a] < all[b]; });
  const boost::math::normal normal;
  Draws scores(all.size());
  for (std::size_t first = 0, end; first < order.size(); first = end) {
    for (end = first + 1; end < order.size() && all[order[end]] == all[order[first]];) ++end;
    const double rank = 0.5 * static_cast<double>(first + 1 + end);
    const double score = boost::math::quantile(normal, (rank - 0.375) / (static_cast<double>(all.size()) + 0.25));
    for (std::size_t i = first; i < end; ++i) scores[order[i]] = score;
  }
  Chains out = chains;
  auto next = scores.begin();
  for (Draws& chain : out)
    for (double& value : chain) value = *next++;
  return out;
}

// Variances of chains of one length: the mean within them, and the estimate of the target's variance from within and
// between.
struct ChainVariances {
  double within = 0, pooled = 0;
};
ChainVariances variances_of(const Chains& chains) {
  Draws means, within;
  for (const Draws& chain : chains) {
    means.push_back(mean_of(chain));
    within.push_back(variance_of(chain));
  }
  const auto length = static_cast<double>(chains.front().size());
  ChainVariances out{mean_of(within)};
  out.pooled = out.within * (length - 1) / length + (chains.size() > 1 ? variance_of(means) : 0);
  return out;
}

double plain_r_hat(const Chains& chains) {
  const ChainVariances v = variances_of(chains);
  return v.within > 0 ? std::sqrt(v.pooled / v.within) : NAN;
}

// Autocovariance of a chain at a lag, divided by its length.
double autocovariance(const Draws& centered, std::size_t lag) {
  double sum = 0;
  for (std::size_t i = 0; i + lag < centered.size(); ++i) sum += centered[i] * centered[i + lag];
  return sum / static_cast<double>(centered.size());
}

// Autocorrelations of chains of one length together, each lag computed on demand.
class Autocorrelation {
 public:
  explicit Autocorrelation(const Chains& chains) : variances_(variances_of(chains)) {
    for (const Draws& chain : chains) {
      Draws& mine = centered_.emplace_back(chain);
      const double mean = mean_of(chain);
      for (double& value : mine) value -= mean;
    }
  }
  bool moves() const { return variances_.within > 0; }
  double at(std::size_t lag) const {
    if (lag == 0) return 1;
    double sum = 0;
    for (const Draws& chain : centered_) sum += autocovariance(chain, lag);
    return 1 - (variances_.within - sum / static_cast<double>(centered_.size())) / variances_.pooled;
  }

 private:
  ChainVariances variances_;
  Chains centered_;
};

// Effective sample size of chains of one length, without ranks or splitting: Geyer's initial monotone sequence of the
// sums of neighboring autocorrelations.
double effective_size(const Chains& chains) {
  const Autocorrelation rho(chains);
  if (!rho.moves()) return NAN;
  const std::size_t length = chains.front().size();
  const double count = static_cast<double>(chains.size()) * static_cast<double>(length);
  double even = 1, odd = rho.at(1), least = even + odd, sum = 0;
  std::size_t lag = 0;
  while (lag + 4 < length && even + odd > 0) {
    least = std::min(least, even + odd);
    sum += least;
    lag += 2;
    even = rho.at(lag);
    odd = rho.at(lag + 1);
  }
  const double time = -1 + 2 * sum + std::max(even, 0.0);
  return count / std::max(time, 1 / std::log10(count));
}

double indicator_size(const Chains& split, double threshold) {
  return effective_size(mapped(split, [&](double v) { return v <= threshold ? 1.0 : 0.0; }));
}

Chains rows_of(const torch::Tensor& chains) {
  PAIRS_CHECK(chains.dim() == 2 && chains.size(0) >= 1 && chains.size(1) >= static_cast<std::int64_t>(kFewestDraws),
              "Diagnostics of MCMC need chains of at least {} draws", kFewestDraws);
  Chains out;
  for (std::int64_t c = 0; c < chains.size(0); ++c) out.push_back(doubles(chains[c]));
  for (const Draws& chain : out)
    for (const double value : chain) PAIRS_CHECK(std::isfinite(value), "A chain holds {}, which is no number", value);
  return out;
}

// The error of the sd follows from that of the variance.
void add_moments(const Chains& split, const Draws& all, McmcDiagnostics& out) {
  out.mean = mean_of(all);
  out.sd = std::sqrt(variance_of(all));
  out.mean_error = out.sd / std::sqrt(effective_size(split));
  const Chains squares = mapped(split, [&](double v) { return (v - out.mean) * (v - out.mean); });
  const Draws joined_squares = joined(squares);
  const double second = mean_of(joined_squares);
  double fourth = 0;
  for (const double square : joined_squares) fourth += square * square / static_cast<double>(joined_squares.size());
  out.sd_error = std::sqrt((fourth - second * second) / effective_size(squares) / second / 4);
}

}  // namespace

McmcDiagnostics mcmc_diagnostics(const torch::Tensor& chains) {
  const Chains split = halves(rows_of(chains)), scores = rank_normalized(split);
  Draws sorted = joined(split);
  const Draws all = sorted;
  std::sort(sorted.begin(), sorted.end());
  const double median = quantile(sorted, 0.5);
  const Chains folded = rank_normalized(mapped(split, [&](double v) { return std::abs(v - median); }));
  McmcDiagnostics out;
  out.r_hat = std::max(plain_r_hat(scores), plain_r_hat(folded));
  out.bulk_size = effective_size(scores);
  out.tail_size =
      std::min(indicator_size(split, quantile(sorted, 0.05)), indicator_size(split, quantile(sorted, 0.95)));
  add_moments(split, all, out);
  return out;
}

}  // namespace pairs
