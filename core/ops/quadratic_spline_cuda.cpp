#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/library.h>
#include <torch/types.h>

#include "core/ops/quadratic_spline_kernels.h"

namespace pairs::ops {
namespace {

using torch::Tensor;
using Pair = std::tuple<Tensor, Tensor>;

using kernels::SplinePass;

template <class S, SplinePass P>
void launch_rows(const kernels::SplineRows<S>& rows) {
  if (rows.rows == 0) return;
  kernels::spline_pass<S, P>(rows, c10::cuda::getCurrentCUDAStream());
  C10_CUDA_KERNEL_LAUNCH_CHECK();
}

template <class S, SplinePass P>
Pair run_map(const Tensor& y, const Tensor& params, std::int64_t bins, bool tails) {
  const Tensor in = y.contiguous(), p = params.contiguous();
  Tensor out = torch::empty_like(in), log_slope = torch::empty_like(in);
  const std::int64_t rows = in.size(0);
  launch_rows<S, P>({p.const_data_ptr<S>(), in.const_data_ptr<S>(), nullptr, nullptr, out.mutable_data_ptr<S>(),
                     log_slope.mutable_data_ptr<S>(), nullptr, rows, rows == 0 ? 1 : rows / p.size(0),
                     static_cast<int>(bins), tails});
  return {out, log_slope};
}

template <SplinePass P>
Pair map(const Tensor& y, const Tensor& params, std::int64_t bins, bool tails) {
  const c10::cuda::CUDAGuard guard(y.device());
  return y.scalar_type() == torch::kDouble ? run_map<double, P>(y, params, bins, tails)
                                           : run_map<float, P>(y, params, bins, tails);
}

template <class S>
Pair run_grad(const Tensor& y, const Tensor& params, const Tensor& grad_z, const Tensor& grad_log, std::int64_t bins,
              bool tails) {
  const Tensor in = y.contiguous(), p = params.contiguous(), gz = grad_z.contiguous(), gl = grad_log.contiguous();
  Tensor grad_y = torch::empty_like(in), grad_params = torch::empty_like(p);
  launch_rows<S, SplinePass::backward>({p.const_data_ptr<S>(), in.const_data_ptr<S>(), gz.const_data_ptr<S>(),
                                        gl.const_data_ptr<S>(), grad_y.mutable_data_ptr<S>(), nullptr,
                                        grad_params.mutable_data_ptr<S>(), in.size(0), 1, static_cast<int>(bins),
                                        tails});
  return {grad_y, grad_params};
}

Pair spline_backward(const Tensor& y, const Tensor& params, const Tensor& grad_z, const Tensor& grad_log,
                     std::int64_t bins, bool tails) {
  const c10::cuda::CUDAGuard guard(y.device());
  return y.scalar_type() == torch::kDouble ? run_grad<double>(y, params, grad_z, grad_log, bins, tails)
                                           : run_grad<float>(y, params, grad_z, grad_log, bins, tails);
}

}  // namespace

TORCH_LIBRARY_IMPL(pairs, CUDA, m) {
  m.impl("quadratic_spline_forward", map<SplinePass::forward>);
  m.impl("quadratic_spline_inverse", map<SplinePass::inverse>);
  m.impl("quadratic_spline_backward", spline_backward);
}

}  // namespace pairs::ops
