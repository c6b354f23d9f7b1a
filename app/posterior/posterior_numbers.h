#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "app/posterior/posterior_source.h"
#include "core/eval/cells.h"
#include "core/task.h"

namespace pairs {

// A density as it is drawn: at places of its own, close together where it bends.
struct DensityCurve {
  std::vector<double> x, density;
};

// The numbers of a posterior.
struct PosteriorNumbers {
  std::string name;  // "PAIRS", a run's name, "exact", ...
  SeriesRole role = SeriesRole::pairs;
  bool ours = false;  // of a run rather than a reference
  std::vector<TargetNumbers> targets;
  std::vector<Cells> cells;                    // of each target
  std::vector<std::vector<double>> marginals;  // densities on them
  std::vector<double> joint;                   // two targets: densities, row i belongs to cell i of the first
  std::vector<std::vector<double>> draws;      // more than two: of each, what all of this is estimated from
  DensityCurve curve;                          // one target: what is drawn of it, where add_curve was asked for it
  double kl = NAN;                             // from the source called "exact", nat
  double milliseconds = 0;                     // that it took
};

// Puts posteriors of one or two targets on grids that fit them and reads their numbers off; posteriors of more targets
// are sampled. A function of the sources alone, and its numbers of each alone. Runs and the exact posterior are drawn
// on one grid, so that they can be compared, others on their own. `confined`: the densities vanish outside the targets'
// ranges. `cells`: of an axis at least, 0 = 400 for one target, 96 for two. Sources that fail, and runs' posteriors
// that no such grid holds, are left out; `problem` hears their sentence.
std::vector<PosteriorNumbers> posterior_numbers(const std::vector<Target>& targets, bool confined,
                                                const std::vector<PosteriorSource>& sources,
                                                const std::function<void(const std::string&)>& problem = {},
                                                std::size_t cells = 0);

// The numbers of a source on these cells of its one or two targets, wherever it lies. Throws what the source throws.
PosteriorNumbers numbers_on(const PosteriorSource& source, const std::vector<Cells>& cells);

// The first of a role; null where there is none.
const PosteriorNumbers* find_role(const std::vector<PosteriorNumbers>& series, SeriesRole role);

}  // namespace pairs
