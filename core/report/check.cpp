#include <cmath>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/report/layout.h"

namespace pairs::chart {
namespace {

void check_axis(const Axis& axis, const char* which, const std::string& plot) {
  if (axis.low == axis.high && std::isfinite(axis.low)) return;
  if (!std::isfinite(axis.low) || !std::isfinite(axis.high) || axis.low > axis.high)
    fail_usage("{}: the {} axis goes from {} to {}; give finite limits in rising order, or equal ones to fit the data",
               plot, which, axis.low, axis.high);
  if (axis.scale == AxisScale::log && axis.low <= 0)
    fail_usage("{}: the logarithmic {} axis starts at {}; give limits above zero", plot, which, axis.low);
}

void check_lengths(const std::string& plot, const std::string& name, const char* kind, std::size_t x, std::size_t y) {
  if (x != y)
    fail_usage("{}: {} '{}' has {} x and {} y values; give as many of each", plot, kind, printable(name), x, y);
}

void check_plot(const Plot& plot, const std::string& where) {
  check_axis(plot.x, "x", where);
  check_axis(plot.y, "y", where);
  for (const Line& line : plot.lines) {
    check_lengths(where, line.name, "line", line.x.size(), line.y.size());
    const bool band = !line.lower.empty() || !line.upper.empty();
    if (!line.hollow.empty() && line.hollow.size() != line.x.size())
      fail_usage("{}, line {}: {} marks of hollow points for {} points", where, printable(line.name),
                 line.hollow.size(), line.x.size());
    if (band && (line.lower.size() != line.x.size() || line.upper.size() != line.x.size()))
      fail_usage("{}: the band of line '{}' has {} lower and {} upper values for {} points; give one of each a point",
                 where, printable(line.name), line.lower.size(), line.upper.size(), line.x.size());
  }
  for (const Contour& contour : plot.contours)
    check_lengths(where, contour.name, "contour", contour.x.size(), contour.y.size());
  for (const Scatter& scatter : plot.scatters)
    check_lengths(where, scatter.name, "scatter", scatter.x.size(), scatter.y.size());
  for (const Bars& bars : plot.bars) {
    const std::size_t edges = bars.edges.size(), heights = bars.heights.size();
    if (edges != heights + 1 && !(edges == 0 && heights == 0))
      fail_usage("{}: bars '{}' have {} heights and {} edges; give one edge more than heights", where,
                 printable(bars.name), heights, edges);
    for (std::size_t i = 0; i + 1 < edges; ++i)
      if (!(bars.edges[i] <= bars.edges[i + 1]))
        fail_usage("{}: edge {} of bars '{}' is {} and the next is {}; give edges in rising order", where, i,
                   printable(bars.name), bars.edges[i], bars.edges[i + 1]);
  }
  for (const Picture& picture : plot.pictures) {
    const bool sized = picture.width > 0 && picture.height > 0 && picture.width <= 1 << 15 && picture.height <= 1 << 15;
    if (!sized || picture.rgb.size() != static_cast<std::size_t>(picture.width * picture.height) * 3)
      fail_usage("{}: a picture of {} by {} pixels has {} bytes; give three a pixel", where, picture.width,
                 picture.height, picture.rgb.size());
    if (!std::isfinite(picture.x0 + picture.x1 + picture.y0 + picture.y1))
      fail_usage("{}: a picture's corners are not finite numbers", where);
  }
}

}  // namespace

void check_figure(const Figure& figure) {
  const std::string name = figure.title.empty() ? "the figure" : "figure '" + printable(figure.title) + "'";
  if (figure.plots.empty()) fail_usage("{} has no plots to draw", name);
  if (figure.columns < 1) fail_usage("{} has {} columns; give 1 or more", name, figure.columns);
  const double least = figure.joined() ? kLeastJoined : kLeastPlot;
  const bool sized = figure.plot_width >= least && figure.plot_width <= 5000 && figure.plot_height >= least &&
                     figure.plot_height <= 5000;
  if (!sized)
    fail_usage("{} has plots of {} by {} points; give {} to 5,000 each way", name, figure.plot_width,
               figure.plot_height, least);
  if (figure.joined()) {
    const auto columns = static_cast<std::size_t>(figure.columns), rows = (figure.plots.size() + columns - 1) / columns;
    if (figure.column_shares.size() != columns || figure.row_shares.size() != rows)
      fail_usage("{} has {} columns and {} rows but {} and {} shares of them; give one each", name, columns, rows,
                 figure.column_shares.size(), figure.row_shares.size());
    for (const auto* shares : {&figure.column_shares, &figure.row_shares})
      for (const double share : *shares)
        if (!(share > 0) || !std::isfinite(share))
          fail_usage("{} has a column or row with the share {}; give shares above zero", name, share);
  }
  for (std::size_t i = 0; i < figure.plots.size(); ++i)
    check_plot(figure.plots[i], figure.plots[i].title.empty()
                                    ? fmt::format("plot {} of {}", i + 1, name)
                                    : fmt::format("plot '{}' of {}", printable(figure.plots[i].title), name));
}

}  // namespace pairs::chart
