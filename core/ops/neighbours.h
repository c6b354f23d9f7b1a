#pragma once

#include <torch/types.h>

namespace pairs::ops {

// Who is near whom among the rows of each of several segments (the atoms of molecules).
struct Neighbours {
  torch::Tensor start;     // [R + 1] int64: row i has the neighbours start[i] .. start[i + 1] - 1
  torch::Tensor index;     // [E] int32: their rows, ascending for each i
  torch::Tensor distance;  // [E] float64: how far they are from i
};

// The `most` nearest other rows of its own segment of each row, nearer than `cutoff`; of equally near ones those that
// stand first. places [R, 3] in float32 or float64, offsets [M + 1] int64 on their device (segment m is rows offsets[m]
// .. offsets[m + 1] - 1). Distances are computed in float64, in one order on every device, so that the choice is the
// same; rows with a place that is NaN are nobody's neighbours. Without gradients. Every pair of a segment is looked at:
// meant for segments of up to some hundred rows.
Neighbours nearest_neighbours(const torch::Tensor& places, const torch::Tensor& offsets, double cutoff,
                              std::int64_t most);

}  // namespace pairs::ops
