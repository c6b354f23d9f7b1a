#pragma once

#include <cstdint>
#include <vector>

namespace pairs::batch {

// A regular grid of values: value(i, j) at x[i], y[j], stored as values[i * y.size() + j].
struct Grid {
  std::vector<double> x, y, values;
  double at(std::size_t i, std::size_t j) const { return values[i * y.size() + j]; }
};

// The curves where the grid's bilinear surface crosses `level` (marching squares), joined into polylines; a closed
// curve repeats its first point.
struct Polyline {
  std::vector<double> x, y;
};
std::vector<Polyline> contour_lines(const Grid& grid, double level);

// The density level whose region of higher density holds `mass` of the grid's total.
double highest_density_level(const Grid& grid, double mass);

}  // namespace pairs::batch
