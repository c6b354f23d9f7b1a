#pragma once

#include <cstdint>
#include <vector>

namespace pairs {

// A polyline in data coordinates; a closed one repeats its first point at the end.
struct Polyline {
  std::vector<double> x, y;
};

// The level lines of a function on a grid, by marching squares with linear interpolation. values[j * nx + i] is at x0 +
// i (x1 - x0) / (nx - 1), y0 + j (y1 - y0) / (ny - 1). Saddles are resolved by the cell's mean; cells with a NaN corner
// are skipped. Throws Error if the sizes do not fit or a grid side has fewer than two points.
std::vector<Polyline> contour_lines(const std::vector<double>& values, std::int64_t nx, std::int64_t ny, double x0,
                                    double x1, double y0, double y1, double level);

// For each mass in (0, 1), the density above which the densest grid points hold that share of the grid's total: the
// level of a highest-density region. Densities on a uniform grid, finite and not negative, with a positive total;
// throws Error otherwise.
std::vector<double> density_levels(const std::vector<double>& densities, const std::vector<double>& masses);

}  // namespace pairs
