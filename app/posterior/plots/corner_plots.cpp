#include "app/posterior/plots/corner_plots.h"

#include <algorithm>
#include <utility>

#include "app/posterior/plots/posterior_curves.h"

namespace pairs {
namespace {

constexpr double kJointShare = 3;                    // for two targets: size of the joint plot over that of a marginal
constexpr double kTwoWidth = 260, kTwoHeight = 220;  // points, of each of its four parts
constexpr double kCornerWidth = 130, kCornerHeight = 120;  // and of each cell of a triangle

Plot blank() {
  Plot plot;
  plot.blank = true;
  return plot;
}

// The axis of a target: has numbers and a label only at the figure's edge.
Axis target_axis(Axis axis, const Target& target, bool outer) {
  axis.label = outer ? target.short_title() : "";
  axis.numbers = outer;
  axis.shared = target.name;
  return axis;
}

Axis density_axis(Axis axis) {
  axis.label.clear();
  axis.numbers = false;
  return axis;
}

}  // namespace

void set_corner(Figure& figure, const std::vector<PosteriorNumbers>& series, const std::vector<Target>& targets,
                const std::vector<double>& truth, const PosteriorAxes& axes) {
  const std::size_t count = std::min(targets.size(), kMostCorner);
  const bool two = count == 2;
  figure.plots.clear();
  for (std::size_t row = 0; row < count; ++row)
    for (std::size_t column = 0; column < count; ++column) {
      if (column > row) {
        figure.plots.push_back(blank());
        continue;
      }
      const bool marginal = row == column;
      Plot plot = marginal ? density_plot(series, targets, row, truth, axes)
                           : joint_plot(series, targets, column, row, truth, axes);
      plot.legend = row == 0;
      if (two && row == 1 && marginal) {
        plot.turned = true;
        std::swap(plot.x, plot.y);
        plot.x = density_axis(std::move(plot.x));
        plot.y = target_axis(std::move(plot.y), targets[row], false);
      } else {
        plot.x = target_axis(std::move(plot.x), targets[column], row + 1 == count);
        plot.y = marginal ? density_axis(std::move(plot.y)) : target_axis(std::move(plot.y), targets[row], column == 0);
      }
      figure.plots.push_back(std::move(plot));
    }
  figure.columns = static_cast<std::int64_t>(count);
  figure.column_shares.assign(count, 1);
  figure.row_shares.assign(count, 1);
  if (two) figure.column_shares.front() = figure.row_shares.back() = kJointShare;
  figure.plot_width = two ? kTwoWidth : kCornerWidth;
  figure.plot_height = two ? kTwoHeight : kCornerHeight;
}

}  // namespace pairs
