#pragma once

#include <cstddef>
#include <vector>

namespace pairs {

// Equal cells of an axis; densities stand for their middles.
struct Cells {
  double low = 0, high = 1;
  std::size_t count = 0;
  double width() const { return (high - low) / static_cast<double>(count); }
  std::vector<double> middles() const;
  bool operator==(const Cells&) const = default;
};

}  // namespace pairs
