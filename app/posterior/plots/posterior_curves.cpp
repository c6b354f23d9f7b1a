#include "app/posterior/plots/posterior_curves.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <utility>

#include "app/posterior/plots/pair_density.h"
#include "core/base/gpu/transfer.h"
#include "core/report/contour.h"
#include "core/report/shades.h"

namespace pairs {
namespace {

// The order of drawing: ghosts behind all, the shown run after other runs, so that it has its role's full color.
std::vector<const PosteriorNumbers*> drawing_order(const std::vector<PosteriorNumbers>& series) {
  std::vector<const PosteriorNumbers*> order;
  for (const PosteriorNumbers& one : series) order.push_back(&one);
  const auto runs = std::find_if(order.begin(), order.end(), [](const auto* one) { return !one->ours; });
  std::reverse(order.begin(), runs);
  std::stable_partition(order.begin(), order.end(),
                        [](const auto* one) { return base_role(one->role) == SeriesRole::ghost; });
  return order;
}

constexpr std::size_t kFiner = 4;  // points of a curve in a cell, of two targets

// The cubic through values at equal steps (Catmull and Rom), `share` of a step after value i. Never below zero.
double cubic_between(const std::vector<double>& values, std::size_t i, double share) {
  const std::size_t last = values.size() - 1;
  const double b = values[i], c = values[std::min(i + 1, last)];
  const double a = i > 0 ? values[i - 1] : 2 * b - c, d = i + 2 <= last ? values[i + 2] : 2 * c - b;
  const double cubic = b + 0.5 * share * (c - a + share * (2 * a - 5 * b + 4 * c - d + share * (3 * (b - c) + d - a)));
  return std::max(cubic, 0.0);
}

// The line of target t: its curve if there is one. For two targets, the marginal is the sum over a grid, joined by a
// smooth line that ends at the support like the cells.
DensityCurve curve_of(const PosteriorNumbers& numbers, std::size_t t, const Target& target) {
  if (!numbers.curve.x.empty()) return numbers.curve;
  const Cells& cells = numbers.cells[t];
  const std::vector<double>& p = numbers.marginals[t];
  if (numbers.joint.empty() || p.size() < 3) return {cells.middles(), p};
  DensityCurve out;
  const double width = cells.width(), first = cells.low + width / 2;
  const auto add = [&](double x, double density) {
    out.x.push_back(x);
    out.density.push_back(density);
  };
  const auto beyond = [](double at, double next) { return std::max(at + (at - next) / 2, 0.0); };
  if (std::fabs(cells.low - target.low) < 1e-9 * width) add(cells.low, beyond(p[0], p[1]));
  for (std::size_t i = 0; i + 1 < p.size(); ++i)
    for (std::size_t k = 0; k < kFiner; ++k) {
      const double share = static_cast<double>(k) / static_cast<double>(kFiner);
      add(first + width * (static_cast<double>(i) + share), cubic_between(p, i, share));
    }
  add(cells.high - width / 2, p.back());
  if (std::fabs(cells.high - target.high) < 1e-9 * width) add(cells.high, beyond(p.back(), p[p.size() - 2]));
  return out;
}

// A density on a grid, row by row, with one more value between neighbors.
std::vector<double> twice_as_fine(const std::vector<double>& values, std::size_t rows, std::size_t columns) {
  const std::size_t wide = 2 * columns - 1, high = 2 * rows - 1;
  std::vector<double> out(high * wide), line;
  for (std::size_t i = 0; i < rows; ++i) {
    line.assign(values.begin() + static_cast<std::ptrdiff_t>(i * columns),
                values.begin() + static_cast<std::ptrdiff_t>((i + 1) * columns));
    for (std::size_t j = 0; j < wide; ++j)
      out[2 * i * wide + j] = j % 2 ? cubic_between(line, j / 2, 0.5) : line[j / 2];
  }
  line.resize(rows);
  for (std::size_t j = 0; j < wide; ++j) {
    for (std::size_t i = 0; i < rows; ++i) line[i] = out[2 * i * wide + j];
    for (std::size_t i = 1; i < high; i += 2) out[i * wide + j] = cubic_between(line, i / 2, 0.5);
  }
  return out;
}

// The density between two quantiles, as a band below the curve.
Line shaded(const DensityCurve& curve, SeriesRole role, double from, double to) {
  const std::vector<double>&x = curve.x, &p = curve.density;
  const auto at = [&](double where) {
    const auto after = static_cast<std::size_t>(std::upper_bound(x.begin(), x.end(), where) - x.begin());
    const std::size_t i = std::clamp<std::size_t>(after, 1, x.size() - 1) - 1;
    const double share = std::clamp((where - x[i]) / (x[i + 1] - x[i]), 0.0, 1.0);
    return p[i] + share * (p[i + 1] - p[i]);
  };
  Line line;
  line.role = role;
  line.x = {from};
  line.upper = {at(from)};
  for (std::size_t i = 0; i < x.size(); ++i)
    if (x[i] > from && x[i] < to) {
      line.x.push_back(x[i]);
      line.upper.push_back(p[i]);
    }
  line.x.push_back(to);
  line.upper.push_back(at(to));
  line.lower.assign(line.x.size(), 0);
  line.y.assign(line.x.size(), NAN);
  return line;
}

// By how much a density of the target between `low` and `high` is moved to fill the axis: only periodic ones come back
// after a period.
std::vector<double> turns_of(const Target& target, const AxisRange& axis, double low, double high) {
  if (!target.periodic) return {0};
  std::vector<double> out;
  for (int turn = -2; turn <= 2; ++turn) {
    const double by = turn * target.period();
    if (low + by < axis.second && high + by > axis.first) out.push_back(by);
  }
  return out.empty() ? std::vector<double>{0} : out;
}

std::vector<double> moved_by(std::vector<double> values, double by) {
  for (double& value : values) value += by;
  return values;
}

// The joint density: from the grid for two targets, from samples for more; empty if there is neither.
PairDensity joint_of(const PosteriorNumbers& one, std::size_t first, std::size_t second) {
  if (!one.joint.empty()) return {one.cells[first], one.cells[second], one.joint};
  if (one.draws.empty()) return {};
  return pair_density(one.draws[first], one.draws[second]);
}

}  // namespace

void add_curve(const PosteriorSource& source, PosteriorNumbers& numbers) {
  constexpr int kRounds = 4;
  constexpr double kSeen = 0.003;  // maximum error of a line, as a share of the density's maximum
  constexpr std::size_t kMost = 1500, kFewest = 3;
  if (!source.log_density || numbers.cells.size() != 1 || numbers.marginals[0].size() < kFewest) return;
  const Cells& cells = numbers.cells[0];
  std::vector<std::pair<double, double>> points;
  const auto ask = [&](const std::vector<double>& at) {
    if (at.empty()) return;
    const std::vector<double> logs =
        doubles(source.log_density(torch::tensor(at, torch::kFloat64).unsqueeze(1)).to(torch::kCPU, torch::kFloat64));
    for (std::size_t i = 0; i < at.size(); ++i)
      if (std::isfinite(logs[i]) || logs[i] < 0)
        points.emplace_back(at[i], std::isnan(logs[i]) ? 0 : std::exp(logs[i]));
    std::sort(points.begin(), points.end());
  };
  const std::vector<double> middles = cells.middles();
  for (std::size_t i = 0; i < middles.size(); ++i) points.emplace_back(middles[i], numbers.marginals[0][i]);
  const double top = *std::max_element(numbers.marginals[0].begin(), numbers.marginals[0].end());
  if (!(top > 0) || !std::isfinite(top)) return;
  // Just inside the bounds, where a density may end at a support.
  const double inside = 0.05 * cells.width();
  ask({cells.low + inside, cells.high - inside});
  for (int round = 0; round < kRounds && points.size() < kMost; ++round) {
    std::set<double> more;
    for (std::size_t i = 1; i + 1 < points.size(); ++i) {
      const auto [x0, p0] = points[i - 1];
      const auto [x1, p1] = points[i];
      const auto [x2, p2] = points[i + 1];
      const double straight = p0 + (p2 - p0) * (x1 - x0) / (x2 - x0);
      if (std::fabs(p1 - straight) < kSeen * top) continue;
      more.insert((x0 + x1) / 2);
      more.insert((x1 + x2) / 2);
    }
    if (more.empty()) break;
    ask({more.begin(), more.end()});
  }
  numbers.curve = {};
  for (const auto& [x, density] : points) {
    numbers.curve.x.push_back(x);
    numbers.curve.density.push_back(density);
  }
}

Plot density_plot(const std::vector<PosteriorNumbers>& series, const std::vector<Target>& targets, std::size_t t,
                  const std::vector<double>& truth, const PosteriorAxes& axes) {
  Plot plot;
  plot.x = {targets[t].title(), AxisScale::linear, axes.ranges[t].first, axes.ranges[t].second};
  plot.y = {"density", AxisScale::linear, 0, axes.heights[t]};
  if (!series.empty() && series.front().ours) {
    const TargetNumbers& numbers = series.front().targets[t];
    const DensityCurve curve = curve_of(series.front(), t, targets[t]);
    for (const double turn : turns_of(targets[t], axes.ranges[t], curve.x.front(), curve.x.back()))
      for (const Interval& one : {numbers.most(axes.interval), numbers.half(axes.interval)}) {
        Line line = shaded(curve, series.front().role, one.low, one.high);
        for (double& x : line.x) x += turn;
        plot.lines.push_back(std::move(line));
      }
  }
  for (const PosteriorNumbers* one : drawing_order(series)) {
    Line line;
    line.name = one->name;
    line.role = one->role;
    line.style = posterior_style(one->role, one->name);
    DensityCurve curve = curve_of(*one, t, targets[t]);
    for (const double turn : turns_of(targets[t], axes.ranges[t], curve.x.front(), curve.x.back()))
      for (std::size_t i = 0; i < curve.x.size(); ++i) {
        line.x.push_back(curve.x[i] + turn);
        line.y.push_back(curve.density[i]);
      }
    plot.lines.push_back(std::move(line));
  }
  // A series with data only for another target is named as well: the first plot's legend is that of the whole figure.
  if (std::any_of(truth.begin(), truth.end(), [](double value) { return std::isfinite(value); }))
    plot.rules.push_back({"truth", SeriesRole::truth, next_to_posterior(truth[t], targets[t], series, t)});
  return plot;
}

Plot joint_plot(const std::vector<PosteriorNumbers>& series, const std::vector<Target>& targets, std::size_t first,
                std::size_t second, const std::vector<double>& truth, const PosteriorAxes& axes) {
  Plot plot;
  const AxisRange &x = axes.ranges[first], &y = axes.ranges[second];
  plot.x = {targets[first].title(), AxisScale::linear, x.first, x.second};
  plot.y = {targets[second].title(), AxisScale::linear, y.first, y.second};
  for (const PosteriorNumbers* one : drawing_order(series)) {
    const PairDensity joint = joint_of(*one, first, second);
    // The grid of a head at the start of its training may be empty.
    if (!std::any_of(joint.density.begin(), joint.density.end(), [](double p) { return p > 0; })) continue;
    const Cells &a = joint.first, &b = joint.second;
    const bool grid = !one->joint.empty();
    const auto rows = static_cast<std::int64_t>(grid ? 2 * a.count - 1 : a.count),
               columns = static_cast<std::int64_t>(grid ? 2 * b.count - 1 : b.count);
    const std::vector<double> fine = grid ? twice_as_fine(joint.density, a.count, b.count) : joint.density;
    const double x0 = a.low + a.width() / 2, x1 = a.high - a.width() / 2;
    const double y0 = b.low + b.width() / 2, y1 = b.high - b.width() / 2;
    for (const double level : density_levels(joint.density, {0.5, 0.9}))
      for (const Polyline& line : contour_lines(fine, columns, rows, y0, y1, x0, x1, level))
        for (const double across : turns_of(targets[first], x, a.low, a.high))
          for (const double up : turns_of(targets[second], y, b.low, b.high))
            plot.contours.push_back({one->name, one->role, posterior_style(one->role, one->name),
                                     moved_by(line.y, across), moved_by(line.x, up)});
  }
  if (!truth.empty() && std::isfinite(truth[first]) && std::isfinite(truth[second]))
    plot.scatters.push_back({"truth",
                             SeriesRole::truth,
                             {next_to_posterior(truth[first], targets[first], series, first)},
                             {next_to_posterior(truth[second], targets[second], series, second)}});
  return plot;
}

}  // namespace pairs
