#include "app/posterior/plots/posterior_axes.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "core/periodic.h"
#include "core/report/shades.h"

namespace pairs {
namespace {

// Margins around the central 90 % of a posterior, as shares of its width: what must be visible, what should be visible,
// and what is visible of mass beyond the prior's support.
constexpr double kMust = 0.35, kWell = 0.7, kBeyond = 0.15;
// An axis stays until less than this share of it is filled; the number of steps when it moves.
constexpr double kLeastShare = 0.4;
constexpr int kSteps = 20;

double power_below(double value) {
  return std::pow(10, std::floor(std::log10(value)));
}

// The next round number that is at least `value`.
double round_up(double value) {
  const double power = power_below(value);
  for (const double step : {1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0})
    if (step * power >= value * (1 - 1e-9)) return step * power;
  return 10 * power;
}

// Rounded so that it prints as short as intended.
double tidy(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.12g", value);
  return std::strtod(text, nullptr);
}

AxisRange around(const TargetNumbers& numbers, double share, const Cells& cells, AxisRange support) {
  const double low = numbers.quantiles.front(), high = numbers.quantiles.back(), width = high - low;
  const double least = low < support.first ? low - kBeyond * width : support.first;
  const double most = high > support.second ? high + kBeyond * width : support.second;
  return {std::max({low - share * width, least, std::min(cells.low, low)}),
          std::min({high + share * width, most, std::max(cells.high, high)})};
}

void widen(AxisRange& range, AxisRange by) {
  range = {std::min(range.first, by.first), std::max(range.second, by.second)};
}

// The values of a periodic target continue beyond its range.
AxisRange support(const Target& target) {
  return target.periodic ? AxisRange{-INFINITY, INFINITY} : AxisRange{target.low, target.high};
}

bool known(double value) {
  return std::isfinite(value) && value > 0;
}

}  // namespace

double next_to_posterior(double truth, const Target& target, const std::vector<PosteriorNumbers>& series,
                         std::size_t t) {
  if (!target.periodic || series.empty() || !std::isfinite(series.front().targets[t].mean)) return truth;
  return wrapped(truth, series.front().targets[t].mean - 0.5 * target.period(), target.period());
}

void AxisNeed::include(const TargetNumbers& numbers, const Cells& cells, AxisRange support) {
  widen(must, around(numbers, kMust, cells, support));
  widen(well, around(numbers, kWell, cells, support));
}

void AxisNeed::include(double value) {
  const double margin = 0.03 * (well.second - well.first);
  if (!known(margin)) return;
  widen(must, {value, value});
  if (value < well.first || value > well.second) widen(well, {value - margin, value + margin});
}

AxisRange StableRange::update(const AxisNeed& need) {
  const double width = shown_.second - shown_.first, needed = need.well.second - need.well.first;
  if (!known(needed)) return shown_;
  const double hair = 1e-9 * width;
  if (need.must.first >= shown_.first - hair && need.must.second <= shown_.second + hair &&
      needed >= kLeastShare * width)
    return shown_;
  if (need.must.first >= first_.first && need.must.second <= first_.second &&
      needed >= kLeastShare * (first_.second - first_.first))
    return shown_ = first_;
  const double power = power_below(needed / kSteps);
  double step = 10 * power;
  for (const double round : {5.0, 2.0, 1.0})
    if (round * power >= needed / kSteps * (1 - 1e-9)) step = round * power;
  shown_ = {tidy(step * std::floor(need.well.first / step + 1e-9)),
            tidy(step * std::ceil(need.well.second / step - 1e-9))};
  // An axis ends at the prior's bound instead of a round number beyond it.
  if (need.well.first >= support_.first) shown_.first = std::max(shown_.first, support_.first);
  if (need.well.second <= support_.second) shown_.second = std::min(shown_.second, support_.second);
  return shown_;
}

double StableHeight::update(double peak) {
  if (!known(peak)) return shown_ > 0 ? shown_ : 1;
  if (1.1 * peak > shown_ || peak < 0.4 * shown_) shown_ = tidy(round_up(1.4 * peak));
  return shown_;
}

StableAxes::StableAxes(std::vector<Target> targets) : targets_(std::move(targets)), heights_(targets_.size()) {
  for (const Target& target : targets_)
    ranges_.emplace_back(AxisRange{target.view_low, target.view_high}, support(target));
}

PosteriorAxes StableAxes::update(const std::vector<PosteriorNumbers>& series, const std::vector<double>& truth) {
  PosteriorAxes axes;
  for (std::size_t t = 0; t < targets_.size(); ++t) {
    AxisNeed need;
    double peak = 0;
    std::vector<const TargetNumbers*> ghosts;
    for (const PosteriorNumbers& one : series) {
      const bool ghost = base_role(one.role) == SeriesRole::ghost;
      if (!one.ours && !ghost && one.role != SeriesRole::exact) continue;
      const std::vector<double>& density = one.marginals[t];
      peak = std::max(peak, *std::max_element(density.begin(), density.end()));
      if (ghost) {
        ghosts.push_back(&one.targets[t]);
        continue;
      }
      need.include(one.targets[t], one.cells[t], support(targets_[t]));
    }
    // Includes the middle half of ghosts from other sets or N, but no more.
    for (const TargetNumbers* ghost : ghosts)
      for (const double end : {ghost->quantiles[1], ghost->quantiles[3]}) need.include(end);
    if (!truth.empty() && std::isfinite(truth[t])) need.include(next_to_posterior(truth[t], targets_[t], series, t));
    axes.ranges.push_back(ranges_[t].update(need));
    axes.heights.push_back(heights_[t].update(peak));
  }
  return axes;
}

}  // namespace pairs
