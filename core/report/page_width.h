#pragma once

#include "core/report/figure.h"

namespace pairs {

inline constexpr double kPointsPerMillimeter = 72 / 25.4;

// The figure laid out on a page of this width in points: texts keep their sizes and plots their proportions; plots that
// would become too narrow are stacked. Throws a usage Error that names the smallest width if even one column does not
// fit.
Figure fitted_to_width(Figure figure, double width);

}  // namespace pairs
