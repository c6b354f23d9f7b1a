#pragma once

#include <torch/types.h>

namespace pairs::ops {

// Neighbors among the rows of each of several segments (the atoms of molecules).
struct Neighbors {
  torch::Tensor start;     // [R + 1] int64: neighbors of row i are start[i] .. start[i + 1] - 1
  torch::Tensor index;     // [E] int32: the neighbors' rows, ascending for each i
  torch::Tensor distance;  // [E] float64: their distances from i
};

// For each row, the `most` nearest other rows of its segment within `cutoff`; of equally near ones the first. places
// [R, 3] in float32 or float64, offsets [M + 1] int64 on their device (segment m is rows offsets[m] .. offsets[m + 1] -
// 1). Distances are computed in float64, in the same order on every device, so that the choice is identical; rows with
// a NaN coordinate have no neighbors. Without gradients. Checks every pair of a segment: meant for segments of up to a
// few hundred rows.
Neighbors nearest_neighbors(const torch::Tensor& places, const torch::Tensor& offsets, double cutoff,
                            std::int64_t most);

}  // namespace pairs::ops
