#pragma once

#include <vector>

#include "core/report/figure.h"
#include "core/report/geometry.h"

namespace pairs::chart {

inline constexpr double kJoinedGap = 7;  // between the areas of plots that stand edge to edge

// What stands around the areas of a joined figure: labels of its outer axes, title and legend.
struct JoinedMargins {
  double left = 0, right = 0, top = 0, bottom = 0;
};

struct JoinedPlace {
  Rect cell, area;  // a plot has the empty places that follow it in its row
};

// Where the plots of a joined figure stand on `page`: areas of a column or row have its share of what the margins
// leave.
std::vector<JoinedPlace> joined_places(const Figure& figure, const Rect& page, const JoinedMargins& margins);

}  // namespace pairs::chart
