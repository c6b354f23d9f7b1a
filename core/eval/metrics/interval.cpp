#include "core/eval/metrics/interval.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/base/text/error.h"
#include "core/nuisance_posterior.h"

namespace pairs {
namespace {

// Quantiles and cumulative mass of a density on cells. Within a cell the density is linear, with the smaller of its
// differences from the neighboring cells, and constant where it is highest, lowest or outermost; every cell keeps its
// mass.
class CellMass {
 public:
  CellMass(const Cells& cells, const std::vector<double>& density)
      : cells_(cells), below_(density.size() + 1, 0), slope_(density.size(), 0) {
    for (std::size_t i = 0; i < density.size(); ++i) below_[i + 1] = below_[i] + std::max(density[i], 0.0);
    for (std::size_t i = 1; i + 1 < density.size(); ++i) {
      const double left = own(i) - own(i - 1), right = own(i + 1) - own(i);
      if (left * right > 0)
        slope_[i] = std::copysign(std::min({std::abs(left), std::abs(right), 2 * own(i)}), left) / own(i);
    }
  }
  double total() const { return below_.back(); }
  double edge(std::size_t i) const { return cells_.low + cells_.width() * static_cast<double>(i); }
  double below(std::size_t edge) const { return below_[edge]; }
  // The lowest place with `mass` below it.
  double place(double mass) const {
    const auto above = std::lower_bound(below_.begin() + 1, below_.end() - 1, mass);
    const auto i = static_cast<std::size_t>(above - below_.begin()) - 1;
    if (!(own(i) > 0)) return edge(i);
    // Solves u + slope / 2 (u² - u) = share for u in the cell from 0 to 1.
    const double share = std::clamp((mass - below_[i]) / own(i), 0.0, 1.0), first = 1 - slope_[i] / 2;
    const double root = first + std::sqrt(std::max(0.0, first * first + 2 * slope_[i] * share));
    return edge(i) + cells_.width() * (share > 0 ? std::min(1.0, 2 * share / root) : 0);
  }
  // The mass below a place.
  double below_place(double place) const {
    const double at = std::clamp((place - cells_.low) / cells_.width(), 0.0, static_cast<double>(slope_.size()));
    const std::size_t i = std::min(static_cast<std::size_t>(at), slope_.size() - 1);
    const double u = at - static_cast<double>(i);
    return below_[i] + own(i) * (u + slope_[i] / 2 * (u * u - u));
  }

 private:
  double own(std::size_t i) const { return below_[i + 1] - below_[i]; }

  Cells cells_;
  std::vector<double> below_, slope_;  // slope: over a cell, in units of its central density
};

// The minimum of a unimodal function between these bounds (golden-section search).
template <class Function>
double lowest(double low, double high, const Function& value) {
  constexpr double kPart = 0.6180339887498949;
  constexpr int kSteps = 40;
  double left = high - kPart * (high - low), right = low + kPart * (high - low);
  double at_left = value(left), at_right = value(right);
  for (int step = 0; step < kSteps; ++step)
    if (at_left <= at_right) {
      high = std::exchange(right, std::exchange(left, 0));
      at_right = at_left;
      left = high - kPart * (high - low);
      at_left = value(left);
    } else {
      low = std::exchange(left, std::exchange(right, 0));
      at_left = at_right;
      right = low + kPart * (high - low);
      at_right = value(right);
    }
  return (low + high) / 2;
}

// Interpolates between sorted samples, like torch::quantile.
double quantile_of(const std::vector<double>& sorted, double level) {
  const double place = level * static_cast<double>(sorted.size() - 1);
  const auto low = static_cast<std::size_t>(place), high = std::min(low + 1, sorted.size() - 1);
  return sorted[low] + (place - static_cast<double>(low)) * (sorted[high] - sorted[low]);
}

Intervals no_intervals() {
  Intervals out;
  for (auto& levels : out) levels.fill({NAN, NAN});
  return out;
}

}  // namespace

Interval shortest_interval(const Cells& cells, const std::vector<double>& density, double level) {
  const CellMass mass(cells, density);
  if (!(mass.total() > 0) || !std::isfinite(mass.total())) return {NAN, NAN};
  const double wanted = level * mass.total();
  Interval best{NAN, NAN};
  const auto offer = [&](double low, double high) {
    if (std::isnan(best.low) || high - low < best.high - best.low) best = {low, high};
  };
  for (std::size_t i = 0; i <= density.size(); ++i) {
    if (mass.below(i) + wanted <= mass.total()) offer(mass.edge(i), mass.place(mass.below(i) + wanted));
    if (mass.below(i) >= wanted) offer(mass.place(mass.below(i) - wanted), mass.edge(i));
  }
  // The shortest interval that begins or ends at an edge lies within a cell of the shortest of all.
  const double first = std::max(cells.low, best.low - cells.width()),
               last = std::min(mass.place(mass.total() - wanted), best.low + cells.width());
  const auto end = [&](double low) { return mass.place(std::min(mass.below_place(low) + wanted, mass.total())); };
  if (first < last) {
    const double low = lowest(first, last, [&](double at) { return end(at) - at; });
    offer(low, end(low));
  }
  return best;
}

Interval shortest_interval(const std::vector<double>& sorted, double level) {
  if (sorted.empty()) return {NAN, NAN};
  // On average, k / (S + 1) of a distribution lies between samples that are k apart.
  const std::size_t most = sorted.size() - 1;
  const auto apart =
      std::min(most, static_cast<std::size_t>(std::ceil(level * static_cast<double>(sorted.size() + 1) - 1e-9)));
  Interval best{sorted.front(), sorted[apart]};
  for (std::size_t i = 0; i + apart < sorted.size(); ++i)
    if (sorted[i + apart] - sorted[i] < best.high - best.low) best = {sorted[i], sorted[i + apart]};
  return best;
}

Intervals cell_intervals(const Cells& cells, const std::vector<double>& density) {
  Intervals out = no_intervals();
  for (std::size_t l = 0; l < kIntervalLevels.size(); ++l) {
    const double level = kIntervalLevels[l];
    const auto put = [&](IntervalKind kind, Interval one) { out[static_cast<std::size_t>(kind)][l] = one; };
    put(IntervalKind::central,
        {cell_quantile(cells, density, (1 - level) / 2), cell_quantile(cells, density, (1 + level) / 2)});
    put(IntervalKind::highest_density, shortest_interval(cells, density, level));
    put(IntervalKind::upper_limit, {cells.low, cell_quantile(cells, density, level)});
  }
  return out;
}

Intervals draw_intervals(std::vector<double> draws) {
  if (draws.empty()) return no_intervals();
  std::sort(draws.begin(), draws.end());
  const auto quantile = [&](double level) { return quantile_of(draws, level); };
  Intervals out;
  for (std::size_t l = 0; l < kIntervalLevels.size(); ++l) {
    const double level = kIntervalLevels[l];
    const auto put = [&](IntervalKind kind, Interval one) { out[static_cast<std::size_t>(kind)][l] = one; };
    put(IntervalKind::central, {quantile((1 - level) / 2), quantile((1 + level) / 2)});
    put(IntervalKind::highest_density, shortest_interval(draws, level));
    put(IntervalKind::upper_limit, {draws.front(), quantile(level)});
  }
  return out;
}

TargetNumbers draw_numbers(const std::vector<double>& draws) {
  PAIRS_CHECK(draws.size() >= 2, "Numbers of a posterior need two draws or more; there are {}", draws.size());
  TargetNumbers out;
  const auto count = static_cast<double>(draws.size());
  double squares = 0;
  out.mean = std::accumulate(draws.begin(), draws.end(), 0.0) / count;
  for (const double draw : draws) squares += (draw - out.mean) * (draw - out.mean);
  out.sd = std::sqrt(squares / (count - 1));
  out.intervals = draw_intervals(draws);
  const Interval half = out.half(IntervalKind::central), most = out.most(IntervalKind::central);
  std::vector<double> sorted = draws;
  std::sort(sorted.begin(), sorted.end());
  out.quantiles = {most.low, half.low, quantile_of(sorted, 0.5), half.high, most.high};
  const CellDensity smooth = kernel_density(std::move(sorted));
  out.mode = cell_numbers({smooth.low, smooth.high, smooth.density.size()}, smooth.density).mode;
  return out;
}

IntervalKind interval_kind(const std::string& word, const std::string& option) {
  for (const IntervalName& name : kIntervalNames)
    if (word == name.word) return name.kind;
  fail_usage("{} {} is no kind of interval; it is central, hpd (highest density) or upper (upper limit)", option, word);
}

}  // namespace pairs
