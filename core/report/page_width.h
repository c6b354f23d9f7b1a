#pragma once

#include "core/report/figure.h"

namespace pairs {

inline constexpr double kPointsPerMillimetre = 72 / 25.4;

// The figure laid out on a page of this width in points: its texts keep their sizes, its plots their shape, and plots
// that would become too narrow stand below one another. Throws a usage Error that names the least width where even one
// column does not fit.
Figure fitted_to_width(Figure figure, double width);

}  // namespace pairs
