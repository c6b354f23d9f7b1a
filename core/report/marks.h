#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/report/layout.h"

// Where the data of a plot are on the page, for checks that nothing stands on them.
namespace pairs::chart {

// Points no farther than three points apart along all that is drawn of a plot's data: lines, edges of bands, contours,
// dots, rules, faces of bars and pictures.
std::vector<Point> marked_points(const Plot& plot, const PlotLayout& layout);

// Whether a plot's legend covers something of its data, or leaves its cell.
bool legend_over_data(const Plot& plot, const PlotLayout& layout);

}  // namespace pairs::chart
