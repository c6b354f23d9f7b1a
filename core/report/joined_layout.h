#pragma once

#include <vector>

#include "core/report/figure.h"
#include "core/report/geometry.h"

namespace pairs::chart {

inline constexpr double kJoinedGap = 7;  // between the areas of plots that stand edge to edge

// Margins around the areas of a joined figure, for labels of its outer axes, title and legend.
struct JoinedMargins {
  double left = 0, right = 0, top = 0, bottom = 0;
};

struct JoinedPlace {
  Rect cell, area;  // a plot also takes the blank plots that follow it in its row
};

// Places the plots of a joined figure on `page`: columns and rows share the space inside the margins.
std::vector<JoinedPlace> joined_places(const Figure& figure, const Rect& page, const JoinedMargins& margins);

}  // namespace pairs::chart
