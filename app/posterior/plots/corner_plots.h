#pragma once

#include <cstddef>
#include <vector>

#include "app/posterior/plots/posterior_axes.h"
#include "app/posterior/source/posterior_numbers.h"
#include "core/report/figure.h"
#include "core/task.h"

namespace pairs {

// The maximum number of targets in a corner plot, which shows the first ones.
inline constexpr std::size_t kMostCorner = 8;

// Fills a figure with the posteriors of one set for two or more targets, on shared axes. Two targets: the contours of
// 50 and 90 % of the joint density, with the first marginal above and the second, rotated, to the right. More: a
// triangle with the marginals on its diagonal and the joint density of each pair below. Numbers and labels are only at
// the outer edge. `truth` is θ of a simulated set, else empty; ghosts are drawn behind all others.
void set_corner(Figure& figure, const std::vector<PosteriorNumbers>& series, const std::vector<Target>& targets,
                const std::vector<double>& truth, const PosteriorAxes& axes);

}  // namespace pairs
