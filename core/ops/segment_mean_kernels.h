#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace pairs::ops::kernels {

// Launched on a stream of the current device over `segments` segments of x[rows, width], where segment s is rows
// offsets[s] to offsets[s + 1]; rows outside x are never read.
struct Segments {
  const std::int64_t* offsets;  // [segments + 1]
  std::int64_t segments, rows, width;
};

// out[segments, width]: the sums of the segments' rows in float64, or their means; a segment without rows has mean NaN.
// (In, Out): (float, float), (float, double), (double, double).
template <class In, class Out>
void reduce(const In* x, const Segments& of, bool divide, Out* out, cudaStream_t stream);

// out[rows, width]: each row of a segment gets grad[segments, width] / rows of the segment. float and double.
template <class S>
void spread(const S* grad, const Segments& of, S* out, cudaStream_t stream);

}  // namespace pairs::ops::kernels
