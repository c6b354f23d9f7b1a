#include "core/ops/quadratic_spline_kernels.h"
#include "core/ops/quadratic_spline_row.h"

namespace pairs::ops::kernels {
inline namespace quadratic_spline_device {

constexpr std::int64_t kSharedBytes = 48 * 1024;

// One thread per row. The parameters of a block's rows pass through shared memory, so that global reads and writes are
// coalesced.
template <class S, int Max, SplinePass P>
__global__ void row_kernel(SplineRows<S> r) {
  extern __shared__ unsigned char bytes[];
  S* staged = reinterpret_cast<S*>(bytes);
  const int size = spline::parameter_count(r.bins, r.tails);
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * blockDim.x, row = first + threadIdx.x;
  const std::int64_t here = r.rows - first < blockDim.x ? r.rows - first : blockDim.x;
  for (std::int64_t i = threadIdx.x; i < here * size; i += blockDim.x)
    staged[i] = r.params[(first + i / size) / r.repeat * size + i % size];
  __syncthreads();
  if (row < r.rows) {
    spline::Knots<S, 1, Max> knots;
    S* mine = staged + threadIdx.x * size;
    spline::make_knots(mine, r.bins, r.tails, knots);
    if constexpr (P == SplinePass::forward)
      spline::forward(knots, r.bins, r.tails, r.y + row, r.out + row, r.log_slope + row);
    else if constexpr (P == SplinePass::inverse)
      spline::inverse(knots, r.bins, r.tails, r.y + row, r.out + row, r.log_slope + row);
    else
      spline::backward(knots, r.bins, r.tails, r.y + row, r.grad_z + row, r.grad_log + row, r.out + row, mine);
  }
  if constexpr (P == SplinePass::backward) {
    __syncthreads();
    for (std::int64_t i = threadIdx.x; i < here * size; i += blockDim.x) r.grad_params[first * size + i] = staged[i];
  }
}

}  // namespace quadratic_spline_device

template <class S, SplinePass P>
void spline_pass(const SplineRows<S>& r, cudaStream_t stream) {
  const std::int64_t row_bytes = spline::parameter_count(r.bins, r.tails) * sizeof(S);
  int threads = 128;
  while (threads > 32 && threads * row_bytes > kSharedBytes) threads /= 2;
  const auto blocks = static_cast<unsigned>((r.rows + threads - 1) / threads);
  if (r.bins <= 16)
    row_kernel<S, 16, P><<<blocks, threads, threads * row_bytes, stream>>>(r);
  else
    row_kernel<S, spline::kMaxBins, P><<<blocks, threads, threads * row_bytes, stream>>>(r);
}

template void spline_pass<float, SplinePass::forward>(const SplineRows<float>&, cudaStream_t);
template void spline_pass<float, SplinePass::inverse>(const SplineRows<float>&, cudaStream_t);
template void spline_pass<float, SplinePass::backward>(const SplineRows<float>&, cudaStream_t);
template void spline_pass<double, SplinePass::forward>(const SplineRows<double>&, cudaStream_t);
template void spline_pass<double, SplinePass::inverse>(const SplineRows<double>&, cudaStream_t);
template void spline_pass<double, SplinePass::backward>(const SplineRows<double>&, cudaStream_t);

}  // namespace pairs::ops::kernels
