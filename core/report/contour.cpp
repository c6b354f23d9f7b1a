#include "core/report/contour.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <unordered_map>

#include "core/base/text/error.h"

namespace pairs {
namespace {

// Edges of the grid are numbered: 2 * (j * nx + i) from (i, j) to the right, one more from (i, j) upwards.
using Edge = std::int64_t;

class Marcher {
 public:
  Marcher(const std::vector<double>& values, std::int64_t nx, std::int64_t ny, double level)
      : values_(values), nx_(nx), ny_(ny), level_(level) {}

  // Segments lead from edge to edge with the higher side on their left, so that each edge starts at most one.
  std::unordered_map<Edge, Edge> segments() {
    for (std::int64_t j = 0; j + 1 < ny_; ++j)
      for (std::int64_t i = 0; i + 1 < nx_; ++i) cell(i, j);
    return std::move(next_);
  }

  // Where the level crosses an edge, in grid units.
  std::array<double, 2> crossing(Edge edge) const {
    const std::int64_t at = edge / 2, i = at % nx_, j = at / nx_;
    const bool up = edge % 2;
    const double a = values_[at], b = values_[up ? at + nx_ : at + 1];
    double t = (level_ - a) / (b - a);
    if (!std::isfinite(t)) t = 0.5;  // one end is infinite
    t = std::clamp(t, 0.0, 1.0);
    return {i + (up ? 0 : t), j + (up ? t : 0)};
  }

 private:
  void cell(std::int64_t i, std::int64_t j) {
    const std::int64_t at = j * nx_ + i;
    const double corners[4] = {values_[at], values_[at + 1], values_[at + nx_ + 1], values_[at + nx_]};
    int mask = 0;
    double mean = 0;
    for (int c = 0; c < 4; ++c) {
      if (std::isnan(corners[c])) return;
      mask |= (corners[c] > level_) << c;
      mean += corners[c] / 4;
    }
    const Edge bottom = 2 * at, left = 2 * at + 1, top = 2 * (at + nx_), right = 2 * (at + 1) + 1;
    const bool joined = mean > level_;  // the high corners of a saddle are connected through the middle
    switch (mask) {
      case 1:
        next_[bottom] = left;
        break;
      case 2:
        next_[right] = bottom;
        break;
      case 3:
        next_[right] = left;
        break;
      case 4:
        next_[top] = right;
        break;
      case 5:
        next_[bottom] = joined ? right : left;
        next_[top] = joined ? left : right;
        break;
      case 6:
        next_[top] = bottom;
        break;
      case 7:
        next_[top] = left;
        break;
      case 8:
        next_[left] = top;
        break;
      case 9:
        next_[bottom] = top;
        break;
      case 10:
        next_[right] = joined ? top : bottom;
        next_[left] = joined ? bottom : top;
        break;
      case 11:
        next_[right] = top;
        break;
      case 12:
        next_[left] = right;
        break;
      case 13:
        next_[bottom] = right;
        break;
      case 14:
        next_[left] = bottom;
        break;
      default:
        break;
    }
  }

  const std::vector<double>& values_;
  std::int64_t nx_, ny_;
  double level_;
  std::unordered_map<Edge, Edge> next_;
};

}  // namespace

std::vector<Polyline> contour_lines(const std::vector<double>& values, std::int64_t nx, std::int64_t ny, double x0,
                                    double x1, double y0, double y1, double level) {
  PAIRS_CHECK(nx >= 2 && ny >= 2 && values.size() == static_cast<std::size_t>(nx * ny),
              "Contours need a grid of at least 2 by 2 values; {} values were given for {} by {}.", values.size(), nx,
              ny);
  Marcher marcher(values, nx, ny, level);
  const std::unordered_map<Edge, Edge> next = marcher.segments();
  std::unordered_map<Edge, bool> used;
  std::vector<Edge> inner, starts;  // open lines start at edges where no segment ends
  for (const auto& [from, to] : next) used[to] = false;
  for (const auto& [from, to] : next) (used.count(from) ? inner : starts).push_back(from);
  std::sort(starts.begin(), starts.end());
  std::sort(inner.begin(), inner.end());
  starts.insert(starts.end(), inner.begin(), inner.end());
  used.clear();
  std::vector<Polyline> lines;
  for (const Edge start : starts) {
    if (used[start]) continue;
    Polyline line;
    const auto add = [&](Edge edge) {
      const auto [i, j] = marcher.crossing(edge);
      line.x.push_back(x0 + (x1 - x0) * (i / static_cast<double>(nx - 1)));
      line.y.push_back(y0 + (y1 - y0) * (j / static_cast<double>(ny - 1)));
    };
    Edge edge = start;
    add(edge);
    while (true) {
      const auto step = next.find(edge);
      if (step == next.end() || used[edge]) break;
      used[edge] = true;
      edge = step->second;
      add(edge);
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<double> density_levels(const std::vector<double>& densities, const std::vector<double>& masses) {
  std::vector<double> sorted = densities;
  double total = 0;
  for (const double d : sorted) {
    PAIRS_CHECK(std::isfinite(d) && d >= 0, "A density on a grid is {}; densities are finite and not negative.", d);
    total += d;
  }
  PAIRS_CHECK(total > 0 && std::isfinite(total), "Densities on a grid add up to {}; there is nothing to enclose.",
              total);
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  std::vector<double> levels;
  for (const double mass : masses) {
    PAIRS_CHECK(mass > 0 && mass < 1, "A probability mass to enclose is {}; give one between 0 and 1.", mass);
    double held = 0;
    std::size_t i = 0;
    while (i + 1 < sorted.size() && held + sorted[i] < mass * total) held += sorted[i++];
    levels.push_back(sorted[i]);
  }
  return levels;
}

}  // namespace pairs
