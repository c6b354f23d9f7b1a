#include "core/eval/references/conditional_nuisances.h"

#include <ATen/Functions.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <numeric>
#include <set>

#include "core/base/fields/face.h"
#include "core/base/gpu/transfer.h"
#include "core/base/numbers/random.h"
#include "core/base/text/error.h"
#include "core/sets/index_map.h"

namespace pairs {
namespace {

// Joint samples come far after the toys of all places, in their range of index_map.
constexpr std::int64_t kJointDraws = index_map::kToySets + (std::int64_t{1} << 43);
static_assert(kJointDraws < static_cast<std::int64_t>(index_map::kEnd));
constexpr std::int64_t kTestedDraws = 16384, kThetaBins = 16, kKeptDraws = 1048576, kJointAtOnce = 4096;
constexpr double kDependent = 1e-6;
// How many neighbors represent p(ψ | θ), and how much they may differ.
constexpr std::int64_t kMostNear = 131072, kFewestNear = 512, kNarrower = 4;  // powers of two
constexpr double kWidest = 0.1, kWorseFit = 1.1, kMuchWorseFit = 1.5, kHardlySpread = 1e-3;
// The largest distance between the location of a quarter and of all neighbors, in standard errors (Lepski's rule).
constexpr double kFarLocation = 3;
// Variation that is the same within all neighbors and a quarter of them shows in comparison with the nearest few, whose
// spread is known to a tenth or, for heavy tails, to a fifth.
constexpr double kFarWorseFit = 2.5;
constexpr std::size_t kFewValues = 1000;

struct JointDraws {
  std::vector<double> theta;
  std::vector<std::vector<double>> psi, given;  // [component][sample]
};

JointDraws joint_draws(const Task& task, std::uint64_t seed, std::int64_t count) {
  JointDraws out;
  for (std::int64_t first = 0; first < count; first += kJointAtOnce) {
    std::vector<std::int64_t> indices(static_cast<std::size_t>(std::min(kJointAtOnce, count - first)));
    std::iota(indices.begin(), indices.end(), kJointDraws + first);
    const Latents drawn = task.latents(seed, Purpose::check, indices);
    append_doubles(out.theta, drawn.theta.reshape({-1}));
    const auto add = [](std::vector<std::vector<double>>& to, const torch::Tensor& from) {
      if (!from.defined()) return;
      to.resize(static_cast<std::size_t>(from.size(1)));
      for (std::size_t k = 0; k < to.size(); ++k) append_doubles(to[k], from.select(1, static_cast<std::int64_t>(k)));
    };
    add(out.psi, drawn.psi);
    add(out.given, drawn.given);
  }
  return out;
}

// The rank of each value among all, scaled to (−1, 1); equal values share a rank.
std::vector<double> places_of(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> out(values.size());
  const auto count = static_cast<double>(values.size());
  for (std::size_t first = 0, last; first < order.size(); first = last) {
    for (last = first; last < order.size() && values[order[last]] == values[order[first]];) ++last;
    for (std::size_t i = first; i < last; ++i) out[order[i]] = static_cast<double>(first + last) / count - 1;
  }
  return out;
}

// The p-value for a constant mean of a number over bins of `by` (Kruskal and Wallis, for any score).
double p_of_bins(const std::vector<double>& by, const std::vector<double>& score) {
  std::vector<std::size_t> order(by.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return by[a] < by[b]; });
  const auto count = static_cast<double>(score.size());
  double mean = 0, square = 0;
  for (const double s : score) mean += s / count;
  for (const double s : score) square += (s - mean) * (s - mean) / count;
  if (!(square > 0)) return 1;
  double statistic = 0;
  std::int64_t bins = 0;
  for (std::size_t first = 0, last; first < order.size(); first = last) {
    // Equal values of `by` stay in one bin.
    last = std::min(order.size(), first + order.size() / kThetaBins);
    while (last < order.size() && by[order[last]] == by[order[last - 1]]) ++last;
    double sum = 0;
    for (std::size_t i = first; i < last; ++i) sum += score[order[i]] - mean;
    statistic += sum * sum / (static_cast<double>(last - first) * square);
    ++bins;
  }
  return bins < 2 ? 1 : boost::math::gamma_q(0.5 * static_cast<double>(bins - 1), 0.5 * statistic);
}

// How the nuisances depend on `by`, in words; "" if no test detects a dependence.
std::string dependence(const TaskInfo& info, const std::vector<std::vector<double>>& psi,
                       const std::vector<double>& by) {
  struct Score {
    const char* words;
    double (*of)(double);
  };
  // Legendre polynomials of the scaled rank.
  static constexpr std::array<Score, 4> kScores = {
      {{"location", [](double u) { return u; }},
       {"spread", [](double u) { return 3 * u * u - 1; }},
       {"shape", [](double u) { return 5 * u * u * u - 3 * u; }},
       {"shape", [](double u) { return 35 * u * u * u * u - 30 * u * u + 3; }}}};
  std::vector<std::vector<double>> places;
  for (const std::vector<double>& one : psi) places.push_back(places_of(one));
  const std::size_t count = psi.size();
  const double level = kDependent / static_cast<double>(kScores.size() * count + count * (count - 1) / 2);
  std::vector<double> score(by.size());
  for (std::size_t k = 0; k < count; ++k)
    for (const Score& one : kScores) {
      std::transform(places[k].begin(), places[k].end(), score.begin(), one.of);
      if (p_of_bins(by, score) < level) return fmt::format("the {} of {}", one.words, info.nuisances[k].label);
    }
  for (std::size_t k = 0; k < count; ++k)
    for (std::size_t l = k + 1; l < count; ++l) {
      std::transform(places[k].begin(), places[k].end(), places[l].begin(), score.begin(), std::multiplies<>());
      if (p_of_bins(by, score) < level)
        return fmt::format("the correlation of {} and {}", info.nuisances[k].label, info.nuisances[l].label);
    }
  return "";
}

// Least-squares fit of y by powers of u below `terms`, at most three.
struct Polynomial {
  std::array<double, 3> coefficients{};
  double leverage = 0;  // the variance of the value at u = 0, in units of that of y
};

Polynomial polynomial(const std::vector<double>& u, const std::vector<double>& y, int terms) {
  std::array<double, 5> moment{};
  std::array<double, 3> right{};
  for (std::size_t i = 0; i < u.size(); ++i) {
    double power = 1;
    for (int k = 0; k < 2 * terms - 1; ++k, power *= u[i]) {
      moment[static_cast<std::size_t>(k)] += power;
      if (k < terms) right[static_cast<std::size_t>(k)] += power * y[i];
    }
  }
  std::array<std::array<double, 5>, 3> rows{};  // the moments, the right-hand side, and (1, 0, 0)
  const auto n = static_cast<std::size_t>(terms);
  for (std::size_t r = 0; r < n; ++r) {
    for (std::size_t c = 0; c < n; ++c) rows[r][c] = moment[r + c];
    rows[r][n] = right[r];
    rows[r][n + 1] = r == 0 ? 1 : 0;
  }
  for (std::size_t p = 0; p < n; ++p) {
    if (!(rows[p][p] > 1e-12 * moment[0])) continue;  // all u are equal: this power is omitted
    for (std::size_t r = 0; r < n; ++r) {
      if (r == p) continue;
      const double factor = rows[r][p] / rows[p][p];
      for (std::size_t c = 0; c < n + 2; ++c) rows[r][c] -= factor * rows[p][c];
    }
  }
  Polynomial out;
  for (std::size_t p = 0; p < n; ++p)
    if (rows[p][p] > 1e-12 * moment[0]) out.coefficients[p] = rows[p][n] / rows[p][p];
  out.leverage = rows[0][0] > 1e-12 * moment[0] ? rows[0][n + 1] / rows[0][0] : 0;
  return out;
}

// A permutation of the numbers below a power of two: any run of that many indices visits each neighbor once, which
// varies less than independent draws.
std::uint64_t permuted(std::uint64_t index, std::uint64_t count, const PhiloxBlock& mixed) {
  const std::uint64_t mask = count - 1;
  int half = 0;
  while ((std::uint64_t{1} << (2 * half)) < count) ++half;
  std::uint64_t value = index & mask;
  for (const std::uint32_t word : mixed.v) {
    value = (value * (2 * std::uint64_t{word} + 1) + (word >> 7)) & mask;
    value ^= value >> half;
  }
  return value;
}

}  // namespace

// Joint samples first .. last - 1, and the largest distance of their θ from the requested one.
struct ConditionalNuisances::Neighbors {
  std::size_t first = 0, last = 0;
  double reach = 0;
};

// Location and spread near θ by u = (θⱼ − θ) / reach.
struct ConditionalNuisances::Fit {
  std::array<double, 3> location{}, spread{};
  double mean_off = 0;  // mean distance from the location, over all neighbors
  double error = 0;     // standard error of the location at u = 0, assuming normality
  double at(double u) const { return location[0] + u * (location[1] + u * location[2]); }
  // The mean distance from the location near u; bounded away from zero.
  double spread_at(double u) const { return std::max(spread[0] + u * spread[1], 0.1 * spread[0]); }
};

ConditionalNuisances::ConditionalNuisances(const Task& task, std::uint64_t seed, std::span<const double> given)
    : task_(task), own_(face<DrawsNuisances>(task)), seed_(seed) {
  const TaskInfo& info = task.info();
  PAIRS_CHECK(info.target_size() == 1, "Nuisances are drawn at values of one target, and task {} has {}", info.name,
              info.target_size());
  if (info.nuisances.empty()) return;
  const JointDraws drawn = joint_draws(task, seed, kTestedDraws);
  how_ = dependence(info, drawn.psi, drawn.theta);
  if (own_) return;
  for (std::size_t g = 0; g < given.size() && g < drawn.given.size(); ++g)
    if (const std::string by = dependence(info, drawn.psi, drawn.given[g]); !by.empty())
      fail(
          "Task {} draws its nuisances together with what is given of a set: {} depends on {}, and toys at one value "
          "of it cannot be drawn; name the nuisances with --known-psi",
          info.name, by, info.given[g].name);
  if (depends()) keep_joint_draws();
}

void ConditionalNuisances::keep_joint_draws() {
  const JointDraws drawn = joint_draws(task_, seed_, kKeptDraws);
  std::vector<std::size_t> order(drawn.theta.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return drawn.theta[a] < drawn.theta[b]; });
  for (const std::size_t i : order) theta_.push_back(drawn.theta[i]);
  for (const std::vector<double>& one : drawn.psi) {
    std::vector<double>& sorted = psi_.emplace_back();
    for (const std::size_t i : order) sorted.push_back(one[i]);
    const auto [low, high] = std::minmax_element(one.begin(), one.end());
    low_.push_back(*low);
    high_.push_back(*high);
    const double mean = std::accumulate(one.begin(), one.end(), 0.0) / static_cast<double>(one.size());
    double spread = 0;
    for (const double value : one) spread += std::fabs(value - mean) / static_cast<double>(one.size());
    spread_.push_back(spread);
    std::set<double> values;
    for (const double value : one)
      if (values.insert(value).second && values.size() > kFewValues) break;
    discrete_.push_back(values.size() <= kFewValues);
  }
}

ConditionalNuisances::Neighbors ConditionalNuisances::neighbors(double theta, std::int64_t count) const {
  auto first = static_cast<std::size_t>(std::lower_bound(theta_.begin(), theta_.end(), theta) - theta_.begin());
  std::size_t last = first;
  while (static_cast<std::int64_t>(last - first) < count && (first > 0 || last < theta_.size())) {
    const bool below = first > 0 && (last == theta_.size() || theta - theta_[first - 1] <= theta_[last] - theta);
    below ? --first : ++last;
  }
  return {first, last, std::max(std::fabs(theta - theta_[first]), std::fabs(theta_[last - 1] - theta))};
}

ConditionalNuisances::Fit ConditionalNuisances::fit(const Neighbors& near, double theta, std::int64_t component) const {
  const std::vector<double>& psi = psi_[static_cast<std::size_t>(component)];
  std::vector<double> u, y;
  const double scale = near.reach > 0 ? near.reach : 1;
  for (std::size_t i = near.first; i < near.last; ++i) {
    u.push_back((theta_[i] - theta) / scale);
    y.push_back(psi[i]);
  }
  Fit out;
  const Polynomial location = polynomial(u, y, 3);
  out.location = location.coefficients;
  for (std::size_t i = 0; i < y.size(); ++i) {
    y[i] = std::fabs(y[i] - out.at(u[i]));
    out.mean_off += y[i] / static_cast<double>(y.size());
  }
  out.spread = polynomial(u, y, 2).coefficients;
  out.error = std::sqrt(M_PI / 2 * std::max(location.leverage, 0.0)) * out.mean_off;
  return out;
}

// The largest number of neighbors whose fit agrees with that of a quarter of them, and is close to that of the nearest
// few.
ConditionalNuisances::Neighbors ConditionalNuisances::suitable(double theta, std::vector<Fit>& fits) const {
  const Target& target = task_.info().targets.front();
  const Neighbors nearest = neighbors(theta, kFewestNear / kNarrower);
  std::vector<double> least_spread;
  for (std::size_t k = 0; k < psi_.size(); ++k)
    least_spread.push_back(fit(nearest, theta, static_cast<std::int64_t>(k)).mean_off);
  for (std::int64_t count = kMostNear;; count /= 2) {
    const Neighbors near = neighbors(theta, count), nearer = neighbors(theta, count / kNarrower);
    const bool least = count / 2 < kFewestNear;
    fits.clear();
    bool close = true;
    std::string fast;
    for (std::size_t k = 0; k < psi_.size(); ++k) {
      fits.push_back(fit(near, theta, static_cast<std::int64_t>(k)));
      if (discrete_[k]) {  // used unchanged: their mean is that at θ, within its error
        const auto at = [&](std::size_t i) { return psi_[k].begin() + static_cast<std::ptrdiff_t>(i); };
        const auto size = static_cast<double>(near.last - near.first);
        const double mean = std::accumulate(at(near.first), at(near.last), 0.0) / size;
        close &=
            std::fabs(mean - fits.back().at(0)) <= kFarLocation * std::sqrt(M_PI / 2 / size) * fits.back().mean_off;
        continue;
      }
      const Fit quarter = fit(nearer, theta, static_cast<std::int64_t>(k));
      const double ours = fits.back().spread[0], theirs = quarter.spread[0];
      if (ours <= kHardlySpread * spread_[k]) continue;
      const bool resolved = ours <= kFarWorseFit * least_spread[k];
      close &= ours <= kWorseFit * theirs && resolved &&
               std::fabs(fits.back().at(0) - quarter.at(0)) <= kFarLocation * quarter.error;
      if (!(ours <= kMuchWorseFit * theirs) || !resolved) fast = task_.info().nuisances[k].label;
    }
    if (!least && (!close || near.reach > kWidest * (target.high - target.low))) continue;
    if (near.reach > kWidest * (target.high - target.low))
      fail(
          "Toys at {} = {:g} need nuisances of p(ψ | θ), and of {} joint draws of the prior too few lie near; name the "
          "nuisances with --known-psi, or draw {} more evenly",
          target.label, theta, theta_.size(), target.label);
    if (!fast.empty())
      fail(
          "Toys at {} = {:g} need nuisances of p(ψ | θ), and {} changes too fast with {} there for {} joint draws of "
          "the prior to show it; name the nuisances with --known-psi",
          target.label, theta, fast, target.label, theta_.size());
    return near;
  }
}

torch::Tensor ConditionalNuisances::at(double theta, std::span<const std::int64_t> indices) const {
  if (own_) return own_->nuisances_at(theta, seed_, Purpose::check, indices);
  PAIRS_CHECK(depends(), "Nuisances of task {} do not depend on its target: those of any joint draw serve",
              task_.info().name);
  std::vector<Fit> fits;
  const Neighbors near = suitable(theta, fits);
  const auto components = static_cast<std::int64_t>(psi_.size());
  torch::Tensor out = at::empty({static_cast<std::int64_t>(indices.size()), components}, at::kDouble);
  double* to = out.mutable_data_ptr<double>();
  const PhiloxBlock mixed = philox(stream_key(seed_, Purpose::order), 0, 0, 0, 0);
  const auto count = static_cast<std::uint64_t>(near.last - near.first);
  const double scale = near.reach > 0 ? near.reach : 1;
  for (const std::int64_t index : indices) {
    const std::size_t j = near.first + permuted(static_cast<std::uint64_t>(index), count, mixed);
    const double u = (theta_[j] - theta) / scale;
    for (std::size_t k = 0; k < psi_.size(); ++k) {
      const Fit& fitted = fits[k];
      const double stretch = fitted.spread_at(u) > 0 ? fitted.spread_at(0) / fitted.spread_at(u) : 1;
      const double moved = fitted.at(0) + (psi_[k][j] - fitted.at(u)) * stretch;
      *to++ = discrete_[k] ? psi_[k][j] : std::clamp(moved, low_[k], high_[k]);
    }
  }
  return out;
}

}  // namespace pairs
