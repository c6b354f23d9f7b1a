#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/library.h>
#include <torch/types.h>

// Offsets are not checked here, because that would wait for the device: rows outside of x are never read, and a segment
// without rows has mean NaN.
namespace pairs::ops {
namespace {

using torch::Tensor;

constexpr int kColumns = 32, kLanes = 16;  // threads of a block: columns x rows in flight

struct Range {
  std::int64_t begin, end;
};

__device__ inline Range segment_rows(const std::int64_t* offsets, std::int64_t segment, std::int64_t rows) {
  const std::int64_t begin = offsets[segment] < 0 ? 0 : offsets[segment];
  const std::int64_t end = offsets[segment + 1] > rows ? rows : offsets[segment + 1];
  return {begin, end < begin ? begin : end};
}

// One block a segment and 32 columns; the order of the sums is fixed.
template <class In, class Out>
__global__ void reduce_kernel(const In* x, const std::int64_t* offsets, std::int64_t rows, std::int64_t width,
                              bool divide, Out* out) {
  __shared__ double partial[kLanes][kColumns];
  const Range range = segment_rows(offsets, blockIdx.x, rows);
  const std::int64_t column = static_cast<std::int64_t>(blockIdx.y) * kColumns + threadIdx.x;
  double sum = 0;
  if (column < width)
    for (std::int64_t row = range.begin + threadIdx.y; row < range.end; row += kLanes)
      sum += static_cast<double>(x[row * width + column]);
  partial[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y != 0 || column >= width) return;
  sum = 0;
  for (int lane = 0; lane < kLanes; ++lane) sum += partial[lane][threadIdx.x];
  const double count = static_cast<double>(range.end - range.begin);
  out[static_cast<std::int64_t>(blockIdx.x) * width + column] = static_cast<Out>(divide ? sum / count : sum);
}

template <class S>
__global__ void spread_kernel(const S* grad, const std::int64_t* offsets, std::int64_t rows, std::int64_t width,
                              S* out) {
  const Range range = segment_rows(offsets, blockIdx.x, rows);
  const std::int64_t column = static_cast<std::int64_t>(blockIdx.y) * kColumns + threadIdx.x;
  if (column >= width) return;
  const S value =
      grad[static_cast<std::int64_t>(blockIdx.x) * width + column] / static_cast<S>(range.end - range.begin);
  for (std::int64_t row = range.begin + threadIdx.y; row < range.end; row += kLanes) out[row * width + column] = value;
}

dim3 grid(std::int64_t segments, std::int64_t width) {
  return {static_cast<unsigned>(segments), static_cast<unsigned>((width + kColumns - 1) / kColumns)};
}

template <class In, class Out>
void reduce(const Tensor& x, const Tensor& offsets, bool divide, Tensor& out) {
  if (out.numel() == 0) return;
  reduce_kernel<In, Out>
      <<<grid(out.size(0), out.size(1)), dim3(kColumns, kLanes), 0, at::cuda::getCurrentCUDAStream()>>>(
          x.const_data_ptr<In>(), offsets.const_data_ptr<std::int64_t>(), x.size(0), x.size(1), divide,
          out.mutable_data_ptr<Out>());
  C10_CUDA_KERNEL_LAUNCH_CHECK();
}

Tensor mean_forward(const Tensor& rows, const Tensor& segments) {
  const c10::cuda::CUDAGuard guard(rows.device());
  const Tensor x = rows.contiguous(), offsets = segments.contiguous();
  Tensor out = at::empty({offsets.size(0) - 1, x.size(1)}, x.options());
  if (x.scalar_type() == torch::kDouble)
    reduce<double, double>(x, offsets, true, out);
  else
    reduce<float, float>(x, offsets, true, out);
  return out;
}

Tensor sum64(const Tensor& rows, const Tensor& segments) {
  const c10::cuda::CUDAGuard guard(rows.device());
  const Tensor x = rows.contiguous(), offsets = segments.contiguous();
  Tensor out = at::empty({offsets.size(0) - 1, x.size(1)}, x.options().dtype(torch::kDouble));
  if (x.scalar_type() == torch::kDouble)
    reduce<double, double>(x, offsets, false, out);
  else
    reduce<float, double>(x, offsets, false, out);
  return out;
}

template <class S>
void spread(const Tensor& grad, const Tensor& offsets, Tensor& out) {
  if (grad.numel() == 0) return;
  spread_kernel<S><<<grid(grad.size(0), grad.size(1)), dim3(kColumns, kLanes), 0, at::cuda::getCurrentCUDAStream()>>>(
      grad.const_data_ptr<S>(), offsets.const_data_ptr<std::int64_t>(), out.size(0), grad.size(1),
      out.mutable_data_ptr<S>());
  C10_CUDA_KERNEL_LAUNCH_CHECK();
}

Tensor mean_backward(const Tensor& grad, const Tensor& segments, std::int64_t rows) {
  const c10::cuda::CUDAGuard guard(grad.device());
  const Tensor g = grad.contiguous(), offsets = segments.contiguous();
  Tensor out = at::zeros({rows, g.size(1)}, g.options());
  if (g.scalar_type() == torch::kDouble)
    spread<double>(g, offsets, out);
  else
    spread<float>(g, offsets, out);
  return out;
}

}  // namespace

TORCH_LIBRARY_IMPL(pairs, CUDA, m) {
  m.impl("segment_mean_forward", mean_forward);
  m.impl("segment_mean_backward", mean_backward);
  m.impl("segment_sum64", sum64);
}

}  // namespace pairs::ops
