#include "app/batch/contour.h"

#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <map>
#include <numeric>

#include "core/base/error.h"

namespace pairs::batch {
namespace {

// A grid edge by its lower node and direction: 2 * node for the edge along x, 2 * node + 1 along y.
using Edge = std::int64_t;

}  // namespace

std::vector<Polyline> contour_lines(const Grid& grid, double level) {
  const std::size_t columns = grid.x.size(), rows = grid.y.size();
  PAIRS_CHECK(columns >= 2 && rows >= 2 && grid.values.size() == columns * rows,
              "A contour needs a grid of at least 2 x 2 values, got {} for {} x {}", grid.values.size(), columns, rows);
  const auto node = [&](std::size_t i, std::size_t j) { return static_cast<Edge>(i * rows + j); };
  const auto inside = [&](std::size_t i, std::size_t j) { return grid.at(i, j) >= level; };

  // Each crossed edge is met by at most two segments, one from either cell.
  std::map<Edge, std::array<Edge, 2>> neighbours;
  const auto link = [&](Edge a, Edge b) {
    for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)}) {
      auto [place, fresh] = neighbours.try_emplace(from, std::array<Edge, 2>{-1, -1});
      place->second[place->second[0] < 0 ? 0 : 1] = to;
    }
  };
  for (std::size_t i = 0; i + 1 < columns; ++i)
    for (std::size_t j = 0; j + 1 < rows; ++j) {
      const Edge bottom = 2 * node(i, j), left = bottom + 1, top = 2 * node(i, j + 1), right = 2 * node(i + 1, j) + 1;
      const bool a = inside(i, j), b = inside(i + 1, j), c = inside(i + 1, j + 1), d = inside(i, j + 1);
      std::vector<Edge> crossed;
      if (a != b) crossed.push_back(bottom);
      if (b != c) crossed.push_back(right);
      if (c != d) crossed.push_back(top);
      if (d != a) crossed.push_back(left);
      if (crossed.size() == 2) {
        link(crossed[0], crossed[1]);
      } else if (crossed.size() == 4) {
        const double centre = (grid.at(i, j) + grid.at(i + 1, j) + grid.at(i + 1, j + 1) + grid.at(i, j + 1)) / 4;
        if ((centre >= level) == a) {
          link(bottom, right);
          link(left, top);
        } else {
          link(bottom, left);
          link(right, top);
        }
      }
    }

  const auto append = [&](Polyline& line, Edge edge) {
    const auto at = static_cast<std::size_t>(edge / 2);
    const std::size_t i = at / rows, j = at % rows;
    const bool along_y = edge % 2 == 1;
    const double low = grid.at(i, j), high = along_y ? grid.at(i, j + 1) : grid.at(i + 1, j);
    const double share = (level - low) / (high - low);
    line.x.push_back(along_y ? grid.x[i] : grid.x[i] + share * (grid.x[i + 1] - grid.x[i]));
    line.y.push_back(along_y ? grid.y[j] + share * (grid.y[j + 1] - grid.y[j]) : grid.y[j]);
  };
  std::vector<Polyline> lines;
  while (!neighbours.empty()) {
    // Open curves start at an end; only closed ones are left when there is none.
    auto start = std::find_if(neighbours.begin(), neighbours.end(), [](const auto& n) { return n.second[1] < 0; });
    if (start == neighbours.end()) start = neighbours.begin();
    const Edge first = start->first;
    const bool closed = start->second[1] >= 0;
    Polyline line;
    Edge edge = first;
    while (edge >= 0) {
      append(line, edge);
      const std::array<Edge, 2> next = neighbours.at(edge);
      neighbours.erase(edge);
      edge = neighbours.contains(next[0]) ? next[0] : next[1] >= 0 && neighbours.contains(next[1]) ? next[1] : -1;
    }
    if (closed) append(line, first);
    lines.push_back(std::move(line));
  }
  return lines;
}

double highest_density_level(const Grid& grid, double mass) {
  std::vector<double> sorted = grid.values;
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  const double total = std::accumulate(sorted.begin(), sorted.end(), 0.0);
  double sum = 0;
  for (const double value : sorted) {
    sum += value;
    if (sum >= mass * total) return value;
  }
  return sorted.empty() ? 0 : sorted.back();
}

}  // namespace pairs::batch
