#include <cmath>

#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/report/layout.h"
#include "core/report/marks/mark_kind.h"

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

void check_plot(const Plot& plot, const std::string& where) {
  check_axis(plot.x, "x", where);
  check_axis(plot.y, "y", where);
  for (const MarkKind* kind : mark_kinds()) kind->check(plot, where);
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
