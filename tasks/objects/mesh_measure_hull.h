#pragma once

#include <array>
#include <optional>
#include <span>

namespace pairs {

// The volume of the convex hull of points whose coordinates are of the order of 1, by Qhull; nothing for points that
// lie in a plane. Throws Error where Qhull fails otherwise.
std::optional<double> hull_volume(std::span<const std::array<double, 3>> points);

}  // namespace pairs
