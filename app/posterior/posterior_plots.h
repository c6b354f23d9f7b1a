#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/posterior/posterior_axes.h"
#include "app/posterior/posterior_numbers.h"
#include "core/report/figure.h"
#include "core/task.h"

namespace pairs {

// Posteriors of one set, each plot with axes of its own. One target: its densities, with the intervals of 50 and 90 %
// (of the axes' kind) of the first series shaded where that is a run's. Two: contours of 50 and 90 %, then both
// marginals. More: the marginals. Ghosts stand behind all others. `truth` is θ of a simulated set, else empty.
std::vector<Plot> posterior_plots(const std::vector<PosteriorNumbers>& series, const std::vector<Target>& targets,
                                  const std::vector<double>& truth, const PosteriorAxes& axes);

// Names a series in the plot's legend, where it has nothing to draw of it yet.
void name_awaited(Plot& plot, const PosteriorNumbers& one);

// Posterior sd of each target at one N.
struct WidthPoint {
  std::string name;
  SeriesRole role = SeriesRole::pairs;
  bool ours = false;
  std::int64_t n = 0;
  std::vector<double> sd;
};
// Of up to two targets against N up to `most`, with a rule at `shown`.
Figure width_against_n(const std::vector<WidthPoint>& points, const std::vector<Target>& targets, std::int64_t most,
                       std::int64_t shown);

// What the first run answers, beside the exact posterior where there is one, by an interval of 90 %; empty where no run
// is shown.
std::string posterior_sentence(const std::vector<PosteriorNumbers>& series, const std::vector<Target>& targets,
                               IntervalKind kind = IntervalKind::central);

}  // namespace pairs
