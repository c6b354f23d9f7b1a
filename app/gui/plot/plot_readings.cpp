#include "app/gui/plot/plot_readings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "core/report/style.h"

namespace pairs::gui {
namespace {

using chart::AxisMap;
using chart::Point;

constexpr double kSnap = 0.08;       // share of the width from which the crosshair jumps to a point
constexpr double kSameColumn = 0.7;  // points of the page

std::string short_number(double value, int digits) {
  if (!std::isfinite(value)) return "–";
  const double size = std::fabs(value);
  if (size != 0 && (size < 1e-4 || size >= 1e7)) {
    int exponent = static_cast<int>(std::floor(std::log10(size)));
    double mantissa = value / std::pow(10.0, exponent);
    if (std::fabs(mantissa) >= 9.9995) {
      mantissa /= 10;
      ++exponent;
    }
    return chart::grouped_number(mantissa, std::min(digits - 1, 3)) + "×10" + chart::superscript(exponent);
  }
  const int before = size == 0 ? 1 : static_cast<int>(std::floor(std::log10(size))) + 1;
  return chart::grouped_number(value, std::clamp(digits - before, 0, 9));
}

// The index whose x is nearest on the page among points that can be shown; none for lines without any.
std::optional<std::size_t> nearest_in_x(const std::vector<double>& x, const std::vector<double>& y, bool rising,
                                        const AxisMap& map_x, const AxisMap& map_y, double page) {
  std::optional<std::size_t> best;
  double distance = 0;
  const auto look = [&](std::size_t i) {
    const double at = map_x.page(x[i]);
    if (!std::isfinite(at) || !std::isfinite(map_y.page(y[i]))) return false;
    if (!best || std::fabs(at - page) < distance) {
      best = i;
      distance = std::fabs(at - page);
    }
    return true;
  };
  if (rising) {
    // Gaps are looked over, a few points far.
    const auto after = static_cast<std::size_t>(std::lower_bound(x.begin(), x.end(), map_x.value(page)) - x.begin());
    for (std::size_t i = after; i < std::min(x.size(), after + 64); ++i)
      if (look(i)) break;
    for (std::size_t i = after; i-- > 0 && after - i <= 64;)
      if (look(i)) break;
    return best;
  }
  const double value = map_x.value(page);
  std::size_t near = x.size();
  for (std::size_t i = 0; i < x.size(); ++i)
    if (std::isfinite(y[i]) && (near == x.size() || std::fabs(x[i] - value) < std::fabs(x[near] - value))) near = i;
  if (near < x.size()) look(near);
  return best;
}

struct Found {
  double x, y, lower, upper;
};

}  // namespace

std::string axis_value(double value, const AxisMap& map) {
  if (map.scale == AxisScale::log) return short_number(value, 4);
  const double span = std::fabs(map.high - map.low);
  const double size = std::max({std::fabs(map.low), std::fabs(map.high), std::fabs(value)});
  // A thousandth of the axis.
  const int digits = static_cast<int>(std::floor(std::log10(size)) - std::floor(std::log10(span)) + 4);
  if (size < 1e-4 || size >= 1e7) return short_number(value, std::clamp(digits, 3, 9));
  const int decimals = std::clamp(3 - static_cast<int>(std::floor(std::log10(span))), 0, 9);
  return std::isfinite(value) ? chart::grouped_number(value, decimals) : "–";
}

bool LineOrder::rising(std::size_t plot, std::size_t line, const std::vector<double>& x) {
  if (known_.size() <= plot) known_.resize(plot + 1);
  std::vector<signed char>& lines = known_[plot];
  if (lines.size() <= line) lines.resize(line + 1, -1);
  if (lines[line] < 0) {
    bool rises = x.empty() || x[0] == x[0];
    for (std::size_t i = 0; rises && i + 1 < x.size(); ++i) rises = x[i] <= x[i + 1];
    lines[line] = rises;
  }
  return lines[line] == 1;
}

Readings readings(const Plot& plot, const chart::PlotLayout& layout, std::size_t index, Point mouse, double reach,
                  LineOrder& order) {
  if (plot.turned) {
    Plot upright = plot;
    upright.turned = false;
    std::swap(upright.x, upright.y);
    chart::PlotLayout turned = layout;
    std::swap(turned.x, turned.y);
    turned.area = {layout.area.y, layout.area.x, layout.area.height, layout.area.width};
    Readings found = readings(upright, turned, index, {mouse.y, mouse.x}, reach, order);
    for (Reading& row : found.rows) std::swap(row.at.x, row.at.y);
    return found;
  }
  Readings result;
  result.page_x = mouse.x;
  const AxisMap &map_x = layout.x, &map_y = layout.y;
  const auto line_styles = chart::line_styles(plot);
  std::vector<std::optional<std::size_t>> nearest(plot.lines.size());
  double best = kSnap * layout.area.width;
  bool snapped = false;
  for (std::size_t i = 0; i < plot.lines.size(); ++i) {
    const Line& line = plot.lines[i];
    nearest[i] = nearest_in_x(line.x, line.y, order.rising(index, i, line.x), map_x, map_y, mouse.x);
    if (!nearest[i]) continue;
    const double at = map_x.page(line.x[*nearest[i]]);
    if (std::fabs(at - mouse.x) >= best || at < layout.area.x - 0.5 || at > layout.area.right() + 0.5) continue;
    best = std::fabs(at - mouse.x);
    result.page_x = at;
    snapped = true;
  }
  std::optional<std::pair<std::size_t, std::size_t>> spot;  // scatter and point
  double spot_distance = reach;
  for (std::size_t i = 0; i < plot.scatters.size(); ++i) {
    const Scatter& scatter = plot.scatters[i];
    const double x0 = map_x.value(mouse.x - reach), x1 = map_x.value(mouse.x + reach);
    for (std::size_t k = 0; k < scatter.x.size(); ++k) {
      if (!(scatter.x[k] >= x0 && scatter.x[k] <= x1)) continue;
      const double distance = std::hypot(map_x.page(scatter.x[k]) - mouse.x, map_y.page(scatter.y[k]) - mouse.y);
      if (!(distance < spot_distance)) continue;
      spot_distance = distance;
      spot = {i, k};
    }
  }
  if (spot && !snapped) result.page_x = map_x.page(plot.scatters[spot->first].x[spot->second]);

  const double x = map_x.value(result.page_x);
  double shown_x = x;
  for (std::size_t i = 0; i < plot.lines.size(); ++i) {
    if (!nearest[i]) continue;
    const Line& line = plot.lines[i];
    std::size_t k = *nearest[i];
    if (snapped) k = *nearest_in_x(line.x, line.y, order.rising(index, i, line.x), map_x, map_y, result.page_x);
    const double page = map_x.page(line.x[k]);
    Found found{line.x[k], line.y[k], NAN, NAN};
    const bool band = !line.lower.empty();
    if (std::fabs(page - result.page_x) <= kSameColumn) {
      if (snapped) shown_x = line.x[k];
      if (band) found.lower = line.lower[k], found.upper = line.upper[k];
    } else {
      // Between two points: where the drawn segment is.
      const bool before = page < result.page_x;
      if (!order.rising(index, i, line.x) || (before ? k + 1 >= line.x.size() : k == 0)) continue;
      const std::size_t a = before ? k : k - 1, b = a + 1;
      const double from = map_x.page(line.x[a]), to = map_x.page(line.x[b]);
      if (!(to > from) || result.page_x < from || result.page_x > to) continue;
      const double t = (result.page_x - from) / (to - from);
      const auto between = [&](const std::vector<double>& values) {
        return map_y.value(map_y.page(values[a]) * (1 - t) + map_y.page(values[b]) * t);
      };
      found = {x, between(line.y), NAN, NAN};
      if (band) found.lower = between(line.lower), found.upper = between(line.upper);
    }
    if (!std::isfinite(found.y)) continue;
    Reading row{line.name.empty() ? plot.y.label : line.name,
                axis_value(found.y, map_y),
                line_styles[i].color,
                true,
                {map_x.page(found.x), map_y.page(found.y)}};
    if (std::isfinite(found.lower) && std::isfinite(found.upper) && found.lower < found.upper)
      row.value += fmt::format(" ({} to {})", axis_value(found.lower, map_y), axis_value(found.upper, map_y));
    result.rows.push_back(std::move(row));
  }
  std::string bin;
  const auto bar_styles = chart::bar_styles(plot);
  for (std::size_t i = 0; i < plot.bars.size(); ++i) {
    const Bars& bars = plot.bars[i];
    const auto edge = std::upper_bound(bars.edges.begin(), bars.edges.end(), x);
    if (edge == bars.edges.begin() || edge == bars.edges.end()) continue;
    const auto k = static_cast<std::size_t>(edge - bars.edges.begin()) - 1;
    if (bin.empty())
      bin = fmt::format("{} to {}", axis_value(bars.edges[k], map_x), axis_value(bars.edges[k + 1], map_x));
    result.rows.push_back({bars.name.empty() ? plot.y.label : bars.name,
                           axis_value(bars.heights[k], map_y),
                           bar_styles[i].color,
                           false,
                           {}});
  }
  if (spot) {
    const Scatter& scatter = plot.scatters[spot->first];
    const Point at{map_x.page(scatter.x[spot->second]), map_y.page(scatter.y[spot->second])};
    if (!snapped) shown_x = scatter.x[spot->second];
    const std::string y = axis_value(scatter.y[spot->second], map_y);
    result.rows.push_back({scatter.name.empty() ? plot.y.label : scatter.name,
                           snapped ? fmt::format("{} at {}", y, axis_value(scatter.x[spot->second], map_x)) : y,
                           chart::scatter_styles(plot)[spot->first].color, true, at});
  }
  for (const Rule& rule : plot.rules)
    if (!rule.name.empty() && std::fabs(map_x.page(rule.x) - mouse.x) < reach)
      result.rows.push_back({rule.name, axis_value(rule.x, map_x), role_color(rule.role), false, {}});
  // Steps and set sizes are whole numbers.
  const bool whole = shown_x == std::round(shown_x) && std::fabs(shown_x) < 1e7 && map_x.high - map_x.low >= 5;
  const std::string number = !bin.empty() && !snapped && !spot ? bin
                             : whole                           ? chart::grouped_number(shown_x, 0)
                                                               : axis_value(shown_x, map_x);
  result.heading = plot.x.label.empty() ? number : plot.x.label + "  " + number;
  return result;
}

}  // namespace pairs::gui
