#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/posterior/plots/posterior_axes.h"
#include "app/posterior/question/question.h"
#include "app/posterior/set_posterior/set_posterior.h"
#include "core/report/figure.h"

namespace pairs {

// Options of the figure of a set's posterior.
struct PosteriorFigureOptions {
  Question asked = {};                    // its n: only this N; 0: growing N
  std::vector<AxisRange> ranges = {};     // of the targets' axes; empty: automatic
  std::vector<double> heights = {};       // of the densities' axes; empty: automatic
  std::vector<int> shades = {};           // shades of the runs' colors; empty: automatic
  std::function<bool()> keep_going = {};  // false throws Stopped
  std::function<void(const PosteriorWarning&)> warn = {};
};

// The default axes of a figure of this posterior.
PosteriorAxes chosen_axes(const std::vector<PosteriorNumbers>& series, const std::vector<Target>& targets,
                          const std::vector<double>& truth);
// Title and plots of the posteriors of the set named by `source` at one N, as in the window, with ghosts behind them:
// densities for one target, a corner plot for more.
Figure posterior_figure_at(const TaskInfo& info, const PosteriorAnswer& at, const std::vector<double>& truth,
                           const std::string& source, const PosteriorAxes& axes,
                           const std::vector<PosteriorNumbers>& ghosts = {});

// The posterior of one set around the truth, with the references: at one N as in the window, else a column for each of
// up to four N with the plots of posterior_plots. Throws Error for runs of different tasks and for images.
Figure posterior_figure(const std::vector<LoadedRun>& runs, const PosteriorFigureOptions& options);

}  // namespace pairs
