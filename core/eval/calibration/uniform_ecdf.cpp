#include "core/eval/calibration/uniform_ecdf.h"

#include <algorithm>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>
#include <map>
#include <mutex>
#include <tuple>
#include <utility>

#include "core/base/text/error.h"

namespace pairs {
namespace {

constexpr double kLeastExact = 1e-9, kUncounted = 1e-18, kRounding = 1 + 1e-9;
constexpr int kHalvings = 22;

// P(B <= count) and P(B >= count) for a binomial B.
double at_most(std::int64_t count, std::int64_t sets, double p) {
  if (count < 0) return 0;
  if (count >= sets) return 1;
  return boost::math::ibetac(static_cast<double>(count + 1), static_cast<double>(sets - count), p);
}
double at_least(std::int64_t count, std::int64_t sets, double p) {
  if (count <= 0) return 1;
  if (count > sets) return 0;
  return boost::math::ibeta(static_cast<double>(count), static_cast<double>(sets - count + 1), p);
}

}  // namespace

UniformEcdf::UniformEcdf(std::int64_t sets, std::int64_t samples) : sets_(sets), samples_(samples) {
  PAIRS_CHECK(sets >= 1 && samples >= 1,
              "A test of ranks needs sets and samples of their posteriors; there are {} sets and {} samples.", sets,
              samples);
  const std::int64_t values = samples + 1, pieces = std::min(values, kMostCuts + 1);
  for (std::int64_t k = 1; k < pieces; ++k) {
    cuts_.push_back(k * values / pieces);
    expected_.push_back(static_cast<double>(cuts_.back()) / static_cast<double>(values));
  }
  log_factorial_.resize(static_cast<std::size_t>(sets) + 1);
  inverse_.resize(static_cast<std::size_t>(sets) + 2);
  for (std::size_t n = 1; n < inverse_.size(); ++n) inverse_[n] = 1 / static_cast<double>(n);
  for (std::int64_t n = 2; n <= sets; ++n)
    log_factorial_[static_cast<std::size_t>(n)] =
        log_factorial_[static_cast<std::size_t>(n - 1)] + std::log(static_cast<double>(n));
}

std::vector<double> UniformEcdf::shares(std::span<const double> ranks) const {
  PAIRS_CHECK(static_cast<std::int64_t>(ranks.size()) == sets_, "{} ranks are not those of {} sets.", ranks.size(),
              sets_);
  std::vector<double> shares(cuts_.size());
  for (const double rank : ranks) {
    PAIRS_CHECK(rank >= 0 && rank <= 1, "A rank is {}; ranks lie in [0, 1].", rank);
    const auto k = static_cast<std::int64_t>(std::floor(rank * static_cast<double>(samples_) + 0.25));
    const auto first = std::upper_bound(cuts_.begin(), cuts_.end(), k) - cuts_.begin();
    for (std::size_t c = static_cast<std::size_t>(first); c < cuts_.size(); ++c) ++shares[c];
  }
  for (double& share : shares) share /= static_cast<double>(sets_);
  return shares;
}

std::int64_t UniformEcdf::count_of(double share) const {
  return std::llround(share * static_cast<double>(sets_));
}

// Twice the smaller of the two tails that include the count.
double UniformEcdf::pointwise(std::size_t cut, std::int64_t count) const {
  return 2 * std::min(at_most(count, sets_, expected_[cut]), at_least(count, sets_, expected_[cut]));
}

// The range of counts whose pointwise value is larger.
UniformEcdf::Bounds UniformEcdf::bounds_beyond(double value) const {
  Bounds bounds;
  for (std::size_t c = 0; c < cuts_.size(); ++c) {
    std::int64_t low = 0, high = sets_;
    for (std::int64_t first = 0, last = sets_; first <= last;) {
      const std::int64_t middle = (first + last) / 2;
      if (2 * at_most(middle, sets_, expected_[c]) > value) {
        low = middle;
        last = middle - 1;
      } else {
        first = middle + 1;
      }
    }
    for (std::int64_t first = 0, last = sets_; first <= last;) {
      const std::int64_t middle = (first + last) / 2;
      if (2 * at_least(middle, sets_, expected_[c]) > value) {
        high = middle;
        first = middle + 1;
      } else {
        last = middle - 1;
      }
    }
    bounds.low.push_back(low);
    bounds.high.push_back(high);
  }
  return bounds;
}

// The probability that `more` of the `left` ranks above one cut lie below the next.
double UniformEcdf::transition(std::int64_t left, std::int64_t more, double log_p, double log_q) const {
  const auto factorial = [&](std::int64_t n) { return log_factorial_[static_cast<std::size_t>(n)]; };
  return std::exp(factorial(left) - factorial(more) - factorial(left - more) + static_cast<double>(more) * log_p +
                  static_cast<double>(left - more) * log_q);
}

// The counts below the cuts are a Markov chain: given the count at one cut, that at the next is binomial.
double UniformEcdf::inside(const Bounds& bounds) const {
  const auto inverse = [&](std::int64_t n) { return inverse_[static_cast<std::size_t>(n)]; };
  std::vector<double> now = {1};
  std::int64_t first = 0;
  double before = 0;
  for (std::size_t c = 0; c < cuts_.size(); ++c) {
    const std::int64_t low = bounds.low[c], high = bounds.high[c];
    if (low > high) return 0;
    const double p = (expected_[c] - before) / (1 - before), odds = p / (1 - p), against = 1 / odds;
    const double log_p = std::log(p), log_q = std::log1p(-p);
    std::vector<double> next(static_cast<std::size_t>(high - low + 1));
    for (std::size_t k = 0; k < now.size(); ++k) {
      const std::int64_t count = first + static_cast<std::int64_t>(k), left = sets_ - count;
      const std::int64_t least = std::max(low, count), most = high;
      if (now[k] < kUncounted || least > most) continue;
      // Sums from the most likely count outwards, until nothing is added.
      const auto mode = std::clamp(count + static_cast<std::int64_t>(static_cast<double>(left + 1) * p), least, most);
      const double top = now[k] * transition(left, mode - count, log_p, log_q);
      double value = top;
      for (std::int64_t r = mode; r <= most && value > kUncounted; ++r) {
        next[static_cast<std::size_t>(r - low)] += value;
        value *= static_cast<double>(left - (r - count)) * odds * inverse(r - count + 1);
      }
      value = top;
      for (std::int64_t r = mode; r > least; --r) {
        value *= static_cast<double>(r - count) * against * inverse(left - (r - count) + 1);
        if (value < kUncounted) break;
        next[static_cast<std::size_t>(r - 1 - low)] += value;
      }
    }
    now = std::move(next);
    first = low;
    before = expected_[c];
  }
  double total = 0;
  for (const double value : now) total += value;
  return std::min(1.0, total);
}

UniformEcdf::Band UniformEcdf::band(double level) const {
  PAIRS_CHECK(level > 0 && level < 1, "A band's level is {}; it lies between 0 and 1.", level);
  static std::mutex mutex;
  static std::map<std::tuple<std::int64_t, std::int64_t, double>, Band> known;
  const std::tuple key(sets_, samples_, level);
  {
    const std::lock_guard lock(mutex);
    if (const auto found = known.find(key); found != known.end()) return found->second;
  }
  Band band = found_band(level);
  const std::lock_guard lock(mutex);
  return known.emplace(key, std::move(band)).first->second;
}

UniformEcdf::Band UniformEcdf::found_band(double level) const {
  // The largest pointwise value whose counts have this simultaneous level.
  double low = std::log((1 - level) / static_cast<double>(2 * cuts_.size())), high = std::log(1.0);
  for (int k = 0; k < kHalvings; ++k) {
    const double middle = (low + high) / 2;
    (inside(bounds_beyond(std::exp(middle))) >= level ? low : high) = middle;
  }
  const Bounds bounds = bounds_beyond(std::exp(low));
  Band band;
  for (std::size_t c = 0; c < cuts_.size(); ++c) {
    band.low.push_back(static_cast<double>(bounds.low[c]) / static_cast<double>(sets_));
    band.high.push_back(static_cast<double>(bounds.high[c]) / static_cast<double>(sets_));
  }
  return band;
}

double UniformEcdf::p_value(std::span<const double> shares) const {
  PAIRS_CHECK(shares.size() == cuts_.size(), "{} shares do not belong to {} cuts.", shares.size(), cuts_.size());
  double least = 1;
  for (std::size_t c = 0; c < cuts_.size(); ++c) least = std::min(least, pointwise(c, count_of(shares[c])));
  if (least >= 1) return 1;
  // The mirror image of the worst cut must count equally, although it may be rounded differently.
  const double exact = 1 - inside(bounds_beyond(least * kRounding));
  if (exact >= kLeastExact) return exact;
  return std::min(kLeastExact, least * static_cast<double>(cuts_.size()));
}

double UniformEcdf::deviation(std::span<const double> shares) const {
  PAIRS_CHECK(shares.size() == cuts_.size(), "{} shares do not belong to {} cuts.", shares.size(), cuts_.size());
  double most = 0;
  for (std::size_t c = 0; c < cuts_.size(); ++c) most = std::max(most, std::fabs(shares[c] - expected_[c]));
  return most;
}

double UniformEcdf::deviation_limit(double level) const {
  PAIRS_CHECK(level > 0 && level < 1, "A limit's level is {}; it lies between 0 and 1.", level);
  const auto n = static_cast<double>(sets_);
  double low = 0, high = 1;
  for (int k = 0; k < kHalvings; ++k) {
    const double middle = (low + high) / 2;
    Bounds bounds;
    for (const double share : expected_) {
      bounds.low.push_back(
          std::max<std::int64_t>(0, static_cast<std::int64_t>(std::ceil(n * (share - middle) - 1e-9))));
      bounds.high.push_back(std::min(sets_, static_cast<std::int64_t>(std::floor(n * (share + middle) + 1e-9))));
    }
    (inside(bounds) >= level ? high : low) = middle;
  }
  return high;
}

}  // namespace pairs
