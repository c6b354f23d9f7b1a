#pragma once

#include <cstddef>
#include <vector>

#include "app/posterior/plots/posterior_axes.h"
#include "app/posterior/source/posterior_numbers.h"
#include "core/report/figure.h"
#include "core/task.h"

namespace pairs {

// Evaluates the source's density of its one target where a line through the cells' centers would have visible kinks,
// and up to the ends of the cells, for density_plot. Leaves numbers of several targets unchanged.
void add_curve(const PosteriorSource& source, PosteriorNumbers& numbers);

// The densities of target t, with the 50 and 90 % intervals of the first series shaded if it is a run.
Plot density_plot(const std::vector<PosteriorNumbers>& series, const std::vector<Target>& targets, std::size_t t,
                  const std::vector<double>& truth, const PosteriorAxes& axes);

// Contours that contain 50 and 90 % of the joint density of target `first`, along x, and `second`, along y.
Plot joint_plot(const std::vector<PosteriorNumbers>& series, const std::vector<Target>& targets, std::size_t first,
                std::size_t second, const std::vector<double>& truth, const PosteriorAxes& axes);

}  // namespace pairs
