#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/report/layout.h"

// Where the data of a plot lie on the page, for checks that nothing covers them.
namespace pairs::chart {

// Points at most three points apart along everything drawn for a plot's data: lines, edges of bands, contours, dots,
// rules, faces of bars and pictures.
std::vector<Point> marked_points(const Plot& plot, const PlotLayout& layout);

// Whether a plot's legend covers some of its data, or extends beyond its cell.
bool legend_over_data(const Plot& plot, const PlotLayout& layout);

}  // namespace pairs::chart
