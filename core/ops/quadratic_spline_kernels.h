#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace pairs::ops::kernels {

// Device pointers of one pass over rows of splines (see quadratic_spline.h): a row of params applies to `repeat` rows
// of y. Unused pointers are null.
template <class S>
struct SplineRows {
  const S *params, *y, *grad_z, *grad_log;
  S *out, *log_slope, *grad_params;
  std::int64_t rows, repeat;
  int bins;
  bool tails;
};

enum class SplinePass { forward, inverse, backward };

// Launched on a stream of the current device; float and double, up to spline::kMaxBins bins.
template <class S, SplinePass P>
void spline_pass(const SplineRows<S>& rows, cudaStream_t stream);

}  // namespace pairs::ops::kernels
