#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/posterior/posterior_axes.h"
#include "app/posterior/set_posterior.h"
#include "core/report/figure.h"

namespace pairs {

// What the figure of a set's posterior is asked for.
struct PosteriorFigureOptions {
  SetChoice set = {};
  std::int64_t n = 0;                             // this N alone; 0: growing N
  std::vector<AxisRange> ranges = {};             // of the targets' axes; empty: chosen
  std::vector<double> heights = {};               // of the densities' axes; empty: chosen
  IntervalKind interval = IntervalKind::central;  // that is shaded
  std::vector<int> shades = {};                   // of the runs' colours; empty: as `runs` are beside one another
  bool learned_product = false;                   // of the first run's answers at N = 1, among the references
  std::function<bool()> keep_going = {};          // false throws Stopped
  std::function<void(const PosteriorWarning&)> warn = {};
};

// The axes that a figure of this posterior chooses by itself.
PosteriorAxes chosen_axes(const std::vector<PosteriorNumbers>& series, const std::vector<Target>& targets,
                          const std::vector<double>& truth);
// Title and plots of the posteriors of the set that `source` names, at one N, as the window shows them, with ghosts
// behind them: the densities of one target, a corner plot of more.
Figure posterior_figure_at(const TaskInfo& info, const PosteriorAnswer& at, const std::vector<double>& truth,
                           const std::string& source, const PosteriorAxes& axes,
                           const std::vector<PosteriorNumbers>& ghosts = {});

// The posterior of one set around the truth, beside the references: at one N what the window shows, else a column for
// each of up to four N, with the plots of posterior_plots. Throws Error for runs of different tasks and images.
Figure posterior_figure(const std::vector<LoadedRun>& runs, const PosteriorFigureOptions& options);

}  // namespace pairs
