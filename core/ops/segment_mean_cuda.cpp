#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/library.h>
#include <torch/types.h>

#include "core/ops/segment_mean_kernels.h"

// Offsets are not checked here, because that would wait for the device: rows outside of x are never read, and a segment
// without rows has mean NaN.
namespace pairs::ops {
namespace {

using torch::Tensor;

template <class In, class Out>
void reduce(const Tensor& x, const Tensor& offsets, bool divide, Tensor& out) {
  if (out.numel() == 0) return;
  const kernels::Segments of{offsets.const_data_ptr<std::int64_t>(), out.size(0), x.size(0), out.size(1)};
  kernels::reduce(x.const_data_ptr<In>(), of, divide, out.mutable_data_ptr<Out>(), c10::cuda::getCurrentCUDAStream());
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
  const kernels::Segments of{offsets.const_data_ptr<std::int64_t>(), grad.size(0), out.size(0), grad.size(1)};
  kernels::spread(grad.const_data_ptr<S>(), of, out.mutable_data_ptr<S>(), c10::cuda::getCurrentCUDAStream());
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
