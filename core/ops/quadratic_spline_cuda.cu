#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/library.h>
#include <torch/types.h>

#include "core/ops/quadratic_spline_row.h"

namespace pairs::ops {
namespace {

using torch::Tensor;
using Pair = std::tuple<Tensor, Tensor>;

constexpr std::int64_t kSharedBytes = 48 * 1024;

template <class S>
struct Rows {
  const S *params, *y, *grad_z, *grad_log;
  S *out, *log_slope, *grad_params;
  std::int64_t rows, repeat;
  int bins;
  bool tails;
};

enum class Mode { forward, inverse, backward };

// One thread a row. The parameters of a block's rows pass through shared memory, so global reads and writes are
// coalesced.
template <class S, int Max, Mode M>
__global__ void row_kernel(Rows<S> r) {
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
    if constexpr (M == Mode::forward)
      spline::forward(knots, r.bins, r.tails, r.y + row, r.out + row, r.log_slope + row);
    else if constexpr (M == Mode::inverse)
      spline::inverse(knots, r.bins, r.tails, r.y + row, r.out + row, r.log_slope + row);
    else
      spline::backward(knots, r.bins, r.tails, r.y + row, r.grad_z + row, r.grad_log + row, r.out + row, mine);
  }
  if constexpr (M == Mode::backward) {
    __syncthreads();
    for (std::int64_t i = threadIdx.x; i < here * size; i += blockDim.x) r.grad_params[first * size + i] = staged[i];
  }
}

template <class S, Mode M>
void launch(const Rows<S>& r) {
  if (r.rows == 0) return;
  const std::int64_t row_bytes = spline::parameter_count(r.bins, r.tails) * sizeof(S);
  int threads = 128;
  while (threads > 32 && threads * row_bytes > kSharedBytes) threads /= 2;
  const auto blocks = static_cast<unsigned>((r.rows + threads - 1) / threads);
  const auto stream = at::cuda::getCurrentCUDAStream();
  if (r.bins <= 16)
    row_kernel<S, 16, M><<<blocks, threads, threads * row_bytes, stream>>>(r);
  else
    row_kernel<S, spline::kMaxBins, M><<<blocks, threads, threads * row_bytes, stream>>>(r);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
}

template <class S, Mode M>
Pair run_map(const Tensor& y, const Tensor& params, std::int64_t bins, bool tails) {
  const Tensor in = y.contiguous(), p = params.contiguous();
  Tensor out = torch::empty_like(in), log_slope = torch::empty_like(in);
  const std::int64_t rows = in.size(0);
  launch<S, M>({p.const_data_ptr<S>(), in.const_data_ptr<S>(), nullptr, nullptr, out.mutable_data_ptr<S>(),
                log_slope.mutable_data_ptr<S>(), nullptr, rows, rows == 0 ? 1 : rows / p.size(0),
                static_cast<int>(bins), tails});
  return {out, log_slope};
}

template <Mode M>
Pair map(const Tensor& y, const Tensor& params, std::int64_t bins, bool tails) {
  const c10::cuda::CUDAGuard guard(y.device());
  return y.scalar_type() == torch::kDouble ? run_map<double, M>(y, params, bins, tails)
                                           : run_map<float, M>(y, params, bins, tails);
}

template <class S>
Pair run_grad(const Tensor& y, const Tensor& params, const Tensor& grad_z, const Tensor& grad_log, std::int64_t bins,
              bool tails) {
  const Tensor in = y.contiguous(), p = params.contiguous(), gz = grad_z.contiguous(), gl = grad_log.contiguous();
  Tensor grad_y = torch::empty_like(in), grad_params = torch::empty_like(p);
  launch<S, Mode::backward>({p.const_data_ptr<S>(), in.const_data_ptr<S>(), gz.const_data_ptr<S>(),
                             gl.const_data_ptr<S>(), grad_y.mutable_data_ptr<S>(), nullptr,
                             grad_params.mutable_data_ptr<S>(), in.size(0), 1, static_cast<int>(bins), tails});
  return {grad_y, grad_params};
}

Pair backward(const Tensor& y, const Tensor& params, const Tensor& grad_z, const Tensor& grad_log, std::int64_t bins,
              bool tails) {
  const c10::cuda::CUDAGuard guard(y.device());
  return y.scalar_type() == torch::kDouble ? run_grad<double>(y, params, grad_z, grad_log, bins, tails)
                                           : run_grad<float>(y, params, grad_z, grad_log, bins, tails);
}

}  // namespace

TORCH_LIBRARY_IMPL(pairs, CUDA, m) {
  m.impl("quadratic_spline_forward", map<Mode::forward>);
  m.impl("quadratic_spline_inverse", map<Mode::inverse>);
  m.impl("quadratic_spline_backward", backward);
}

}  // namespace pairs::ops
