#pragma once

#include <array>
#include <optional>
#include <span>

namespace pairs {

// The volume of the convex hull of points with coordinates of order 1, by Qhull; nothing for coplanar points. Throws
// Error if Qhull fails otherwise.
std::optional<double> hull_volume(std::span<const std::array<double, 3>> points);

}  // namespace pairs
