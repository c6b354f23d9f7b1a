#pragma once

#include <cstddef>
#include <vector>

namespace pairs {

// Divides an axis into equal cells; densities refer to their midpoints.
struct Cells {
  double low = 0, high = 1;
  std::size_t count = 0;
  double width() const { return (high - low) / static_cast<double>(count); }
  std::vector<double> middles() const;
  bool operator==(const Cells&) const = default;
};

}  // namespace pairs
