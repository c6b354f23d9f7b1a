#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/posterior/plots/posterior_axes.h"
#include "app/posterior/source/posterior_numbers.h"
#include "core/report/figure.h"
#include "core/task.h"

namespace pairs {

// Posteriors of one set, each plot with its own axes. One target: its densities, with the 50 and 90 % intervals (of the
// axes' kind) of the first series shaded if it is a run. Two: contours of 50 and 90 %, then both marginals. More: the
// marginals. Ghosts are drawn behind all others. `truth` is θ of a simulated set, else empty.
std::vector<Plot> posterior_plots(const std::vector<PosteriorNumbers>& series, const std::vector<Target>& targets,
                                  const std::vector<double>& truth, const PosteriorAxes& axes);

// Adds a series without data yet to the plot's legend.
void name_awaited(Plot& plot, const PosteriorNumbers& one);

// Posterior standard deviation of each target at one N.
struct WidthPoint {
  std::string name;
  SeriesRole role = SeriesRole::pairs;
  bool ours = false;
  std::int64_t n = 0;
  std::vector<double> sd;
};
// The width of up to two targets against N up to `most`, with a line at `shown`.
Figure width_against_n(const std::vector<WidthPoint>& points, const std::vector<Target>& targets, std::int64_t most,
                       std::int64_t shown);

// The first run's 90 % interval, compared with the exact posterior if there is one; empty without a run.
std::string posterior_sentence(const std::vector<PosteriorNumbers>& series, const std::vector<Target>& targets,
                               IntervalKind kind = IntervalKind::central);

}  // namespace pairs
