#include "core/likelihood/parameter_space.h"

#include <ATen/Functions.h>
#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/interpolators/pchip.hpp>
#include <cmath>
#include <limits>

#include "core/base/text/error.h"
#include "core/periodic.h"

namespace pairs {
namespace {

// The levels of the prior's distribution function at which its quantiles are kept.
constexpr double kLevels[] = {0.0002, 0.001, 0.003, 0.01, 0.02, 0.04, 0.07, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45};
// A density needs draws that differ: this share of them at least.
constexpr double kLeastDifferent = 0.5;
constexpr double kLeastLevel = 1e-12;
constexpr double kLeastDraws = 100;
constexpr double kLeastBeyond = 3;         // draws beyond a quantile that is kept
constexpr std::size_t kLevelsAround = 32;  // of a periodic parameter, evenly
constexpr std::size_t kKnotsAround = 4;    // beyond the ends of a periodic parameter's range
constexpr double kMostQuantile = 5;        // the furthest quantile of a stated prior, in standard deviations

std::vector<double> all_levels() {
  std::vector<double> out(std::begin(kLevels), std::end(kLevels));
  out.push_back(0.5);
  for (auto it = std::rbegin(kLevels); it != std::rend(kLevels); ++it) out.push_back(1 - *it);
  return out;
}

double normal_level(double z) {
  return 0.5 * std::erfc(-z * M_SQRT1_2);
}

double normal_quantile(double level) {
  return boost::math::quantile(boost::math::normal(), std::clamp(level, kLeastLevel, 1 - kLeastLevel));
}

// Sorts draws of a prior. Throws Error, a clause, if they have too few different values for a density.
void check_density(std::vector<double>& draws) {
  std::sort(draws.begin(), draws.end());
  const auto count = static_cast<double>(draws.size());
  PAIRS_CHECK(count >= kLeastDraws, "has only {} draws of its prior, fewer than the {} that a density needs",
              draws.size(), kLeastDraws);
  std::vector<double> different = draws;
  different.erase(std::unique(different.begin(), different.end()), different.end());
  if (static_cast<double>(different.size()) < kLeastDifferent * count)
    fail("takes only {} different value{} in {} draws of its prior, and so has no density", different.size(),
         different.size() == 1 ? "" : "s", draws.size());
}

double quantile_of(const std::vector<double>& sorted, double level) {
  const double at = level * (static_cast<double>(sorted.size()) - 1);
  const auto i = static_cast<std::size_t>(at);
  const double rest = at - static_cast<double>(i);
  return i + 1 < sorted.size() ? sorted[i] + rest * (sorted[i + 1] - sorted[i]) : sorted.back();
}

}  // namespace

struct Margin::Curve {
  boost::math::interpolators::pchip<std::vector<double>> at;
};

Margin::Margin(std::vector<double> values, std::vector<double> levels)
    : values_(std::move(values)), levels_(std::move(levels)) {
  PAIRS_CHECK(values_.size() == levels_.size() && values_.size() >= 4 && levels_.front() == 0 && levels_.back() == 1,
              "The distribution of a parameter needs four levels from 0 to 1 at least");
  for (std::size_t i = 1; i < values_.size(); ++i)
    PAIRS_CHECK(values_[i] > values_[i - 1] && levels_[i] > levels_[i - 1],
                "The levels of a parameter's distribution do not ascend");
  curve_ = curve_through(values_, levels_);
}

std::shared_ptr<const Margin::Curve> Margin::curve_through(const std::vector<double>& values,
                                                           const std::vector<double>& levels) {
  std::vector<double> x = values, y = levels;
  return std::make_shared<const Curve>(Curve{{std::move(x), std::move(y)}});
}

Margin Margin::made_periodic() const {
  Margin out = *this;
  out.periodic_ = true;
  // The curve goes on for a few knots beyond both ends, where its slope is then that of both sides.
  const double period = high() - low();
  std::vector<double> x, y;
  const std::size_t knots = values_.size(), more = std::min(kKnotsAround, knots - 1);
  const auto add = [&](std::size_t from, std::size_t to, double turn) {
    for (std::size_t k = from; k < to; ++k) {
      x.push_back(values_[k] + turn * period);
      y.push_back(levels_[k] + turn);
    }
  };
  add(knots - 1 - more, knots - 1, -1);
  add(0, knots - 1, 0);
  add(0, more + 1, 1);
  out.curve_ = curve_through(x, y);
  return out;
}

Margin Margin::around(std::vector<double> draws, double low, double high) {
  check_density(draws);
  std::vector<double> values = {low}, levels = {0};
  for (std::size_t k = 1; k < kLevelsAround; ++k) {
    const double level = static_cast<double>(k) / static_cast<double>(kLevelsAround), value = quantile_of(draws, level);
    if (value <= values.back() || value >= high) continue;
    values.push_back(value);
    levels.push_back(level);
  }
  values.push_back(high);
  levels.push_back(1);
  return Margin(std::move(values), std::move(levels)).made_periodic();
}

Margin Margin::of(std::vector<double> draws, double low, double high) {
  check_density(draws);
  const auto count = static_cast<double>(draws.size());
  std::vector<double> values = {std::isfinite(low) ? low : draws.front()}, levels = {0};
  for (const double level : all_levels()) {
    if (std::min(level, 1 - level) * count < kLeastBeyond) continue;
    const double value = quantile_of(draws, level);
    if (value <= values.back()) continue;
    values.push_back(value);
    levels.push_back(level);
  }
  const double end = std::isfinite(high) ? high : draws.back();
  while (values.back() >= end) {
    values.pop_back();
    levels.pop_back();
  }
  values.push_back(end);
  levels.push_back(1);
  return {std::move(values), std::move(levels)};
}

Margin Margin::of(const PriorFamily& prior) {
  constexpr double kStep = 0.025;  // between quantiles, in standard deviations
  constexpr double kEnd = 6;
  const auto [low, high] = prior.range();
  std::vector<double> values = {std::isfinite(low) ? low : prior.quantile(normal_level(-kEnd))}, levels = {0};
  const double end = std::isfinite(high) ? high : prior.quantile(normal_level(kEnd));
  for (double z = -kMostQuantile; z <= kMostQuantile; z += kStep) {
    const double level = normal_level(z), value = prior.quantile(level);
    if (value <= values.back() || value >= end || level <= levels.back()) continue;
    values.push_back(value);
    levels.push_back(level);
  }
  values.push_back(end);
  levels.push_back(1);
  return {std::move(values), std::move(levels)};
}

double Margin::level(double value) const {
  if (!(value > low())) return 0;
  if (value >= high()) return 1;
  return std::clamp(curve_->at(value), 0.0, 1.0);
}

double Margin::density(double value) const {
  if (!(value >= low() && value <= high())) return 0;
  return std::max(curve_->at.prime(value), 0.0);
}

double Margin::value(double level) const {
  if (!(level > 0)) return low();
  if (level >= 1) return high();
  const auto above = std::upper_bound(levels_.begin(), levels_.end(), level);
  auto at = static_cast<std::size_t>(above - levels_.begin());
  double from = values_[at - 1], to = values_[at];
  for (int step = 0; step < 60 && to - from > 1e-14 * (high() - low()); ++step) {
    const double middle = 0.5 * (from + to);
    (curve_->at(middle) < level ? from : to) = middle;
  }
  return 0.5 * (from + to);
}

ParameterSpace::ParameterSpace(const TaskInfo& info, const torch::Tensor& theta, const torch::Tensor& psi) {
  const auto add = [&](const torch::Tensor& column, const std::string& name, double low, double high,
                       const std::shared_ptr<const PriorFamily>& stated, bool periodic) {
    if (stated) {
      margins_.push_back(periodic ? Margin::of(*stated).made_periodic() : Margin::of(*stated));
      return;
    }
    torch::Tensor own = column.to(torch::kCPU, torch::kFloat64).contiguous();
    if (periodic) own = wrapped(own, low, high - low);
    try {
      std::vector<double> draws(own.const_data_ptr<double>(), own.const_data_ptr<double>() + own.numel());
      margins_.push_back(periodic ? Margin::around(std::move(draws), low, high)
                                  : Margin::of(std::move(draws), low, high));
    } catch (const Error& error) {
      fail("parameter {} {}", name, error.what());
    }
  };
  for (std::size_t t = 0; t < info.targets.size(); ++t) {
    const Target& target = info.targets[t];
    add(theta.select(1, static_cast<std::int64_t>(t)), target.name, target.low, target.high, target.prior,
        target.periodic);
  }
  const double none = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < info.nuisances.size(); ++k) {
    const Nuisance& nuisance = info.nuisances[k];
    const bool periodic = nuisance.period > 0;
    add(psi.select(1, static_cast<std::int64_t>(k)), nuisance.name, periodic ? nuisance.view_low : -none,
        periodic ? nuisance.view_low + nuisance.period : none, nuisance.prior, periodic);
  }
}

namespace {

// The level of a value, counted from a cut that turns a periodic one's.
double level_of(const Margin& margin, double value, double turn) {
  if (!margin.periodic()) return margin.level(value);
  return wrapped(margin.level(wrapped(value, margin.low(), margin.high() - margin.low())) + turn, 0, 1);
}

// Applies f(component, value) to every number of x [S, k].
template <class F>
torch::Tensor each(const torch::Tensor& x, F&& f) {
  const torch::Tensor in = x.to(torch::kCPU, torch::kFloat64).contiguous();
  torch::Tensor out = at::empty_like(in);
  const double* from = in.const_data_ptr<double>();
  double* to = out.mutable_data_ptr<double>();
  const std::int64_t width = in.size(1);
  for (std::int64_t i = 0; i < in.numel(); ++i) to[i] = f(i % width, from[i]);
  return out;
}

}  // namespace

torch::Tensor ParameterSpace::coordinates(const torch::Tensor& values) const {
  return each(values, [&](std::int64_t k, double value) {
    return std::clamp(normal_quantile(level_of(margin(k), value, turn(k))), -kMost, kMost);
  });
}

torch::Tensor ParameterSpace::values(const torch::Tensor& z) const {
  return each(z, [&](std::int64_t k, double one) {
    const Margin& own = margin(k);
    const double level = normal_level(one) - turn(k), periods = own.periodic() ? std::floor(level) : 0;
    return own.value(level - periods) + periods * (own.high() - own.low());
  });
}

torch::Tensor ParameterSpace::log_slope(const torch::Tensor& values) const {
  const double log_root = 0.5 * std::log(2 * M_PI);
  return each(values,
              [&](std::int64_t k, double value) {
                const Margin& own = margin(k);
                const double at = own.periodic() ? wrapped(value, own.low(), own.high() - own.low()) : value;
                const double density = own.density(at), z = normal_quantile(level_of(own, value, turn(k)));
                return density > 0 ? std::log(density) + 0.5 * z * z + log_root
                                   : -std::numeric_limits<double>::infinity();
              })
      .sum(1);
}

torch::Tensor ParameterSpace::features(const torch::Tensor& z) const {
  torch::Tensor near = z.clamp(-4, 4), level = std::sqrt(3.0) * at::erf(z * M_SQRT1_2);
  for (std::int64_t k = 0; k < size(); ++k) {
    if (!margin(k).periodic()) continue;
    const torch::Tensor angle = (1 + at::erf(z.select(1, k) * M_SQRT1_2)) * M_PI;
    near.select(1, k).copy_(angle.cos() * M_SQRT2);
    level.select(1, k).copy_(angle.sin() * M_SQRT2);
  }
  return at::cat({near, level}, 1).to(torch::kFloat32);
}

bool ParameterSpace::any_periodic() const {
  return std::any_of(margins_.begin(), margins_.end(), [](const Margin& one) { return one.periodic(); });
}

ParameterSpace ParameterSpace::turned(const torch::Tensor& z, const torch::Tensor& weight) const {
  ParameterSpace out = *this;
  out.turns_.assign(margins_.size(), 0);
  for (std::int64_t k = 0; k < size(); ++k) {
    if (!margin(k).periodic()) continue;
    const torch::Tensor level = 0.5 * (1 + at::erf(z.select(1, k) * M_SQRT1_2));
    out.turns_[static_cast<std::size_t>(k)] = wrapped(-cut_open_at(level, 0, 1, weight), 0, 1);
  }
  return out;
}

torch::Tensor ParameterSpace::turn_by(const torch::Tensor& z, double sign) const {
  return each(z, [&](std::int64_t k, double one) {
    if (!margin(k).periodic()) return one;
    return std::clamp(normal_quantile(wrapped(normal_level(one) + sign * turn(k), 0, 1)), -kMost, kMost);
  });
}

torch::Tensor ParameterSpace::turn_in(const torch::Tensor& z) const {
  return turn_by(z, 1);
}

torch::Tensor ParameterSpace::turn_out(const torch::Tensor& z) const {
  return turn_by(z, -1);
}

torch::Tensor ParameterSpace::in_range(const torch::Tensor& values, const torch::Tensor& weight) const {
  torch::Tensor out = values.clone();
  for (std::int64_t k = 0; k < size(); ++k) {
    if (!margin(k).periodic()) continue;
    const double mean = (at::dot(weight, values.select(1, k)) / weight.sum()).item<double>();
    out.select(1, k).add_(wrapped(mean, margin(k).low(), margin(k).high() - margin(k).low()) - mean);
  }
  return out;
}

void ParameterSpace::store(const std::string& prefix, std::map<std::string, torch::Tensor>& out) const {
  for (std::int64_t k = 0; k < size(); ++k)
    out[fmt::format("{}.{}", prefix, k)] = at::stack(
        {torch::tensor(margin(k).values(), torch::kFloat64), torch::tensor(margin(k).levels(), torch::kFloat64)});
  if (!any_periodic()) return;
  std::vector<double> periodic;
  for (const Margin& one : margins_) periodic.push_back(one.periodic());
  out[prefix + ".periodic"] = torch::tensor(periodic, torch::kFloat64);
}

ParameterSpace ParameterSpace::from(const std::string& prefix, const std::map<std::string, torch::Tensor>& tensors) {
  std::vector<Margin> margins;
  for (std::int64_t k = 0;; ++k) {
    const auto found = tensors.find(fmt::format("{}.{}", prefix, k));
    if (found == tensors.end()) break;
    const torch::Tensor knots = found->second.to(torch::kFloat64).contiguous();
    PAIRS_CHECK(knots.dim() == 2 && knots.size(0) == 2, "the tensor {} is not a distribution", found->first);
    const double* at = knots.const_data_ptr<double>();
    const std::int64_t count = knots.size(1);
    margins.emplace_back(std::vector<double>(at, at + count), std::vector<double>(at + count, at + 2 * count));
  }
  if (const auto found = tensors.find(prefix + ".periodic"); found != tensors.end()) {
    const torch::Tensor periodic = found->second.to(torch::kFloat64).flatten();
    PAIRS_CHECK(periodic.numel() == static_cast<std::int64_t>(margins.size()), "the tensor {} is of other parameters",
                found->first);
    for (std::size_t k = 0; k < margins.size(); ++k)
      if (periodic[static_cast<std::int64_t>(k)].item<double>() != 0) margins[k] = margins[k].made_periodic();
  }
  return ParameterSpace(std::move(margins));
}

}  // namespace pairs
