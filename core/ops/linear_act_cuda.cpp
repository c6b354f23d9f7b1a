#include <ATen/Dispatch.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/library.h>
#include <torch/types.h>

#include <cmath>

#include "core/ops/linear_act_kernels.h"

// x W^T + b uses cuBLAS through ATen; SiLU and its slope are one pass over the result.
namespace pairs::ops {
namespace {

using torch::Tensor;

std::tuple<Tensor, Tensor> linear_forward(const Tensor& x, const Tensor& weight, const std::optional<Tensor>& bias,
                                          c10::string_view act, bool keep) {
  const c10::cuda::CUDAGuard guard(x.device());
  Tensor y = bias.has_value() && bias->defined() ? at::addmm(*bias, x, weight.t()) : at::mm(x, weight.t());
  Tensor slope = at::empty({0}, x.options());
  if (act == "relu") {
    y.relu_();
  } else if (act == "silu" && y.numel() > 0) {
    if (keep) slope = at::empty_like(y);
    AT_DISPATCH_FLOATING_TYPES(y.scalar_type(), "silu", [&] {
      kernels::silu<scalar_t>(y.mutable_data_ptr<scalar_t>(), keep ? slope.mutable_data_ptr<scalar_t>() : nullptr,
                              y.numel(), c10::cuda::getCurrentCUDAStream());
    });
    C10_CUDA_KERNEL_LAUNCH_CHECK();
  } else if (act == "softplus") {
    if (keep) slope = at::sigmoid(y);
    // Above the threshold ATen uses the identity, which differs by less than float64 resolves.
    y = at::softplus(y, 1, 40).sub_(std::log(2.0));
  }
  return {y, slope};
}

std::tuple<Tensor, Tensor, Tensor> linear_backward(const Tensor& grad, const Tensor& x, const Tensor& weight,
                                                   const Tensor& y, const Tensor& slope, c10::string_view act,
                                                   bool need_x) {
  const Tensor g = act == "relu"                                              ? at::threshold_backward(grad, y, 0)
                   : (act == "silu" || act == "softplus") && grad.numel() > 0 ? grad * slope
                                                                              : grad;
  return {need_x ? at::mm(g, weight) : at::empty({0}, x.options()), at::mm(g.t(), x), g.sum(0)};
}

}  // namespace

TORCH_LIBRARY_IMPL(pairs, CUDA, m) {
  m.impl("linear_act_forward", linear_forward);
  m.impl("linear_act_backward", linear_backward);
}

}  // namespace pairs::ops
