#pragma once

#include <string>
#include <vector>

#include "core/report/figure.h"
#include "core/report/geometry.h"
#include "core/report/legend.h"
#include "core/report/ticks.h"

// The layout of a Figure on the page, in points from the top left. Independent of any drawing library: the caller
// measures texts.
namespace pairs::chart {

inline constexpr double kTickText = 8, kLabelText = 9, kPlotTitle = 9.5, kFigureTitle = 12, kSourceText = 6.5;
inline constexpr double kTickLength = 3.5, kMinorLength = 2;
inline constexpr double kLeastPlot = 60, kLeastJoined = 20;  // a plot's least width and height

// One line of text, centered at `at` by its cap height; anchor 0, 0.5 or 1: `at` is its left, center or right.
struct PlacedText {
  std::string text;
  Point at;
  double size = 8, anchor = 0;
  bool bold = false, upright = false;  // upright: rotated to read from below
};

// Room for tick labels next to the area: left of it, and beyond its right end.
struct LabelRoom {
  double left = 0, right = 0;
};

struct PlotLayout {
  Rect cell, area;  // the plot's share of the page; the area where data are drawn
  bool axes = true;
  bool empty = false;  // nothing can be shown
  AxisMap x, y;
  Ticks x_ticks, y_ticks;
  std::vector<PlacedText> texts;  // title, axis labels, tick labels
  LabelRoom labels;
  Legend legend;
};

struct FigureLayout {
  double width = 0, height = 0;
  std::vector<PlacedText> texts;  // title and source
  std::vector<PlotLayout> plots;
};

// The height that title and source take on a page of this width.
double frame_height(const Figure& figure, double width, const TextMeasure& measure);

// Throws a usage Error, naming plot and series, as check_figure does. `least`: the minimum room for labels of each
// plot, which keeps areas in place while data change.
FigureLayout layout_figure(const Figure& figure, const TextMeasure& measure, const std::vector<LabelRoom>& least = {});

// Throws a usage Error that names plot and series for arrays of unequal length, bars without exactly one edge more than
// heights, decreasing edges, pictures whose bytes do not fit their size, axis limits that are not finite, in the wrong
// order or, on a logarithmic axis, not above zero, figures without plots, and sizes that leave no room.
void check_figure(const Figure& figure);

}  // namespace pairs::chart
