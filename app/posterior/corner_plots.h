#pragma once

#include <cstddef>
#include <vector>

#include "app/posterior/posterior_axes.h"
#include "app/posterior/posterior_numbers.h"
#include "core/report/figure.h"
#include "core/task.h"

namespace pairs {

// A corner plot shows so many targets at most, the first ones.
inline constexpr std::size_t kMostCorner = 8;

// Fills a figure with the posteriors of one set, of two targets or more, on axes that its plots share. Two: their
// joint's contours of 50 and 90 %, the marginal of the first above it and that of the second, turned, to the right.
// More: a triangle with the marginals on its diagonal and the joint of each pair below. Numbers and labels stand at the
// outer edge alone. `truth` is θ of a simulated set, else empty; ghosts stand behind all others.
void set_corner(Figure& figure, const std::vector<PosteriorNumbers>& series, const std::vector<Target>& targets,
                const std::vector<double>& truth, const PosteriorAxes& axes);

}  // namespace pairs
