#include "core/eval/calibration/neyman.h"

#include <algorithm>
#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "core/base/text/error.h"

namespace pairs {
namespace {

constexpr double kImpossible = -std::numeric_limits<double>::infinity();

// The parabola through three points.
struct Parabola {
  double x0, x1, x2, y0, y1, y2;
  double slope01() const { return (y1 - y0) / (x1 - x0); }
  double bend() const { return ((y2 - y1) / (x2 - x1) - slope01()) / (x2 - x0); }
  bool finite() const { return std::isfinite(y0) && std::isfinite(y1) && std::isfinite(y2); }
  double at(double x) const { return y0 + (x - x0) * slope01() + (x - x0) * (x - x1) * bend(); }
  double top() const { return 0.5 * (x0 + x1) - 0.5 * slope01() / bend(); }
};

Parabola about(std::span<const double> x, const std::vector<double>& y, std::size_t middle) {
  const std::size_t m = std::clamp<std::size_t>(middle, 1, x.size() - 2);
  return {x[m - 1], x[m], x[m + 1], y[m - 1], y[m], y[m + 1]};
}

// The first toy of the window of `window` toys around the place `at` in the order of nuisances.
std::size_t window_start(std::size_t at, std::size_t window, std::size_t count) {
  return std::min(at > window / 2 ? at - window / 2 : 0, count - window);
}

struct LeastAndMost {
  double least, most;
};

// The smallest and the largest tail probability over windows of `window` toys, each overlapping half of the last.
LeastAndMost tails_of_stretches(const NodeToys& toys, TestOrder order, double t, std::size_t window) {
  const std::size_t count = toys.ratio.size(), step = std::max<std::size_t>(window / 2, 1);
  window = std::min(window, count);
  std::vector<std::size_t> extreme(count + 1, 0);  // count among the first toys
  for (std::size_t i = 0; i < count; ++i) extreme[i + 1] = extreme[i] + (statistic(order, toys.ratio[i]) >= t ? 1 : 0);
  std::size_t least = window, most = 0;
  for (std::size_t first = 0;; first += step) {
    first = std::min(first, count - window);
    const std::size_t here = extreme[first + window] - extreme[first];
    least = std::min(least, here);
    most = std::max(most, here);
    if (first == count - window) break;
  }
  const auto whole = static_cast<double>(window);
  return {static_cast<double>(least) / whole, static_cast<double>(most) / whole};
}

}  // namespace

LikelihoodCurve::LikelihoodCurve(std::span<const double> grid, std::vector<double> log)
    : grid_(grid), log_(std::move(log)) {
  PAIRS_CHECK(grid.size() >= 3 && grid.size() == log_.size(),
              "A likelihood needs a value for each of three or more values of θ, not {} for {}", log_.size(),
              grid.size());
  const bool numbers = std::none_of(log_.begin(), log_.end(), [](double v) { return std::isnan(v) || v == INFINITY; });
  const auto top = std::max_element(log_.begin(), log_.end());
  PAIRS_CHECK(numbers && std::isfinite(*top),
              "The likelihood of a set is NaN or infinite at some value of θ, or zero at all of them: the weights are "
              "damaged or their training diverged; train the run again");
  const auto at = static_cast<std::size_t>(top - log_.begin());
  estimate_ = grid_[at];
  highest_ = *top;
  const Parabola near = about(grid_, log_, at);
  if (!near.finite() || !(near.bend() < 0)) return;
  const double peak = std::clamp(near.top(), grid_.front(), grid_.back());
  if (near.at(peak) <= highest_) return;
  estimate_ = peak;
  highest_ = near.at(peak);
}

double LikelihoodCurve::log_at(double theta) const {
  const auto above = std::lower_bound(grid_.begin(), grid_.end(), theta);
  PAIRS_CHECK(above != grid_.end() && theta >= grid_.front(), "θ = {:g} lies outside of {:g} to {:g}", theta,
              grid_.front(), grid_.back());
  auto at = static_cast<std::size_t>(above - grid_.begin());
  if (*above == theta) return log_[at];
  if (at > 0 && theta - grid_[at - 1] < grid_[at] - theta) --at;
  const Parabola near = about(grid_, log_, at);
  return near.finite() ? near.at(theta) : kImpossible;
}

double LikelihoodCurve::signed_ratio(double theta) const {
  const double ratio = std::max(2 * (highest_ - log_at(theta)), 0.0);
  return estimate_ < theta ? -ratio : ratio;
}

bool LikelihoodCurve::resolved(double drop) const {
  const auto at = static_cast<std::size_t>(std::max_element(log_.begin(), log_.end()) - log_.begin());
  const Parabola near = about(grid_, log_, at);
  return std::min({near.y0, near.y1, near.y2}) > log_[at] - drop;
}

double statistic(TestOrder order, double signed_ratio) {
  switch (order) {
    case TestOrder::likelihood_ratio:
      return std::abs(signed_ratio);
    case TestOrder::upper_limit:
      return std::max(-signed_ratio, 0.0);
    case TestOrder::excess:
      return std::max(signed_ratio, 0.0);
  }
  fail("There is no such order of tests");
}

double tail(const NodeToys& toys, TestOrder order, double t, std::span<const double> weights) {
  double sum = 0;
  for (std::size_t i = 0; i < toys.ratio.size(); ++i)
    if (statistic(order, toys.ratio[i]) >= t) sum += weights.empty() ? 1 : weights[i];
  return weights.empty() ? sum / static_cast<double>(toys.ratio.size()) : std::min(sum, 1.0);
}

std::vector<double> near_weights(const NodeToys& toys, const CellDensity& psi, std::size_t window) {
  const std::size_t count = toys.psi.size();
  window = std::min(window, count);
  const double width = (psi.high - psi.low) / static_cast<double>(psi.density.size());
  std::vector<double> change(count + 1, 0);
  double mass = 0;
  for (std::size_t k = 0; k < psi.density.size(); ++k) {
    if (!(psi.density[k] > 0)) continue;
    const double middle = psi.low + (static_cast<double>(k) + 0.5) * width;
    const auto place = std::lower_bound(toys.psi.begin(), toys.psi.end(), middle) - toys.psi.begin();
    const std::size_t first = window_start(static_cast<std::size_t>(place), window, count);
    change[first] += psi.density[k];
    change[first + window] -= psi.density[k];
    mass += psi.density[k];
  }
  PAIRS_CHECK(mass > 0 && std::isfinite(mass), "The posterior of the nuisance has no mass");
  std::vector<double> weights(count);
  double running = 0;
  for (std::size_t i = 0; i < count; ++i)
    weights[i] = std::max(running += change[i], 0.0) / (mass * static_cast<double>(window));
  return weights;
}

double worst_tail(const NodeToys& toys, TestOrder order, double t, std::size_t window) {
  return tails_of_stretches(toys, order, t, window).most;
}

double least_tail(const NodeToys& toys, TestOrder order, double t, std::size_t window) {
  return tails_of_stretches(toys, order, t, window).least;
}

OrderedToys::OrderedToys(const NodeToys& toys, TestOrder order, std::span<const std::uint32_t> ascending,
                         std::span<const double> weights)
    : t_(ascending.size()), above_(ascending.size()) {
  double sum = 0;
  for (std::size_t i = ascending.size(); i-- > 0;) {
    t_[i] = statistic(order, toys.ratio[ascending[i]]);
    above_[i] = sum += weights.empty() ? 1 / static_cast<double>(ascending.size()) : weights[ascending[i]];
  }
}

double OrderedToys::tail(double t) const {
  const auto at = static_cast<std::size_t>(std::lower_bound(t_.begin(), t_.end(), t) - t_.begin());
  return at == t_.size() ? 0 : std::min(above_[at], 1.0);
}

double OrderedToys::quantile(double p) const {
  const auto below = std::partition_point(above_.begin(), above_.end(), [&](double share) { return share >= p; });
  return below == above_.begin() ? t_.front() : t_[static_cast<std::size_t>(below - above_.begin()) - 1];
}

std::vector<std::uint32_t> statistic_order(const NodeToys& toys, TestOrder order) {
  std::vector<std::uint32_t> ascending(toys.ratio.size());
  std::iota(ascending.begin(), ascending.end(), 0u);
  std::sort(ascending.begin(), ascending.end(), [&](std::uint32_t a, std::uint32_t b) {
    return statistic(order, toys.ratio[a]) < statistic(order, toys.ratio[b]);
  });
  return ascending;
}

double p_value(std::span<const double> nodes, const OrderedOf& toys, TestOrder order, double theta,
               double signed_ratio) {
  PAIRS_CHECK(!nodes.empty() && theta >= nodes.front() && theta <= nodes.back(),
              "θ = {:g} lies outside of the values that toys were simulated at", theta);
  const double t = statistic(order, signed_ratio);
  if (t <= 0) return 1;
  const auto above = static_cast<std::size_t>(std::lower_bound(nodes.begin(), nodes.end(), theta) - nodes.begin());
  if (nodes[above] == theta) return toys(above, order).tail(t);
  const double share = (theta - nodes[above - 1]) / (nodes[above] - nodes[above - 1]);
  const OrderedToys &before = toys(above - 1, order), &after = toys(above, order);
  double low = 0, high = 1;
  for (int halving = 0; halving < 40; ++halving) {
    const double p = 0.5 * (low + high);
    ((1 - share) * before.quantile(p) + share * after.quantile(p) >= t ? low : high) = p;
  }
  return low;
}

double cls(double p, double share_of_nothing) {
  return share_of_nothing > 0 ? std::min(p / share_of_nothing, 1.0) : 1;
}

std::vector<Interval> accepted(std::span<const double> grid, std::span<const double> p, double alpha) {
  std::vector<Interval> parts;
  const auto crossing = [&](std::size_t k) {  // between k − 1 and k
    return grid[k - 1] + (grid[k] - grid[k - 1]) * (alpha - p[k - 1]) / (p[k] - p[k - 1]);
  };
  for (std::size_t k = 0; k < grid.size(); ++k) {
    const bool in = p[k] >= alpha, before = k > 0 && p[k - 1] >= alpha;
    if (in && !before) parts.push_back({k == 0 ? grid[0] : crossing(k), grid[k]});
    if (in) parts.back().high = grid[k];
    if (!in && before) parts.back().high = crossing(k);
  }
  return parts;
}

double binomial_error(double p, double count) {
  return std::sqrt(p * (1 - p) / count);
}

double sigmas(double p) {
  if (p <= 0 || p >= 1) return p <= 0 ? INFINITY : -INFINITY;
  return std::numbers::sqrt2 * boost::math::erfc_inv(2 * p);
}

double p_of_sigmas(double z) {
  return 0.5 * std::erfc(z / std::numbers::sqrt2);
}

double chi_square_1(double p) {
  const double z = sigmas(p / 2);
  return z * z;
}

}  // namespace pairs
