#pragma once

#include <cstdint>

namespace pairs {

// The networks of one column's density (ColumnDensity).
struct ColumnSettings {
  std::int64_t components = 8;  // of each column's mixture
  std::int64_t hidden = 128;    // width of each column's network
  std::int64_t layers = 2;      // hidden layers
};

// The networks of a learned likelihood.
struct LikelihoodSettings {
  ColumnSettings density;
  std::int64_t members = 2;  // networks; each learns from observations of its own, or from all of a fixed number
};

}  // namespace pairs
