#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "app/posterior/source/posterior_source.h"
#include "core/eval/metrics/cells.h"
#include "core/task.h"

namespace pairs {

// A density as drawn, at adaptive points that are dense where it bends.
struct DensityCurve {
  std::vector<double> x, density;
};

// The numbers of a posterior.
struct PosteriorNumbers {
  std::string name;  // "PAIRS", a run's name, "exact", ...
  SeriesRole role = SeriesRole::pairs;
  bool ours = false;  // from a run, not a reference
  std::vector<TargetNumbers> targets;
  std::vector<Cells> cells;                    // for each target
  std::vector<std::vector<double>> marginals;  // densities on them
  std::vector<double> joint;                   // two targets: densities, row i belongs to cell i of the first
  std::vector<std::vector<double>> draws;      // more than two targets: the samples of each, source of all else
  DensityCurve curve;                          // one target: the drawn curve, if add_curve was called
  double kl = NAN;                             // divergence from the source "exact", nat
  double milliseconds = 0;                     // computing time
};

// Puts posteriors of one or two targets on suitable grids and derives their numbers; posteriors of more targets are
// sampled. Depends only on the sources, and the numbers of each only on that source. Runs and the exact posterior share
// one grid, so that they can be compared; others have their own. `confined`: the densities vanish outside the targets'
// ranges. Periodic targets are cut open where there is least of a posterior, and numbers are those of values between
// the cuts. `cells`: minimum per axis, 0 = 400 for one target, 96 for two. Sources that fail, and runs' posteriors that
// no such grid can hold, are omitted and reported to `problem`.
std::vector<PosteriorNumbers> posterior_numbers(std::vector<Target> targets, bool confined,
                                                std::vector<PosteriorSource> sources,
                                                const std::function<void(const std::string&)>& problem = {},
                                                std::size_t cells = 0);

// The numbers of a source on these cells of its one or two targets, wherever it lies. Errors of the source propagate.
PosteriorNumbers numbers_on(const PosteriorSource& source, const std::vector<Cells>& cells);

// The first series of a role; null if there is none.
const PosteriorNumbers* find_role(const std::vector<PosteriorNumbers>& series, SeriesRole role);

}  // namespace pairs
