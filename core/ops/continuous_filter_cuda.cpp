#include <ATen/Functions.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/library.h>
#include <torch/types.h>

#include <vector>

#include "core/ops/continuous_filter_kernels.h"

// Every edge is processed separately; for the gradients they are sorted by their sender and by their cell, so that each
// sum belongs to one block and has a fixed order. Nothing waits for the device.
namespace pairs::ops {
namespace {

using torch::Tensor;

// Parts of a plan on a GPU; the last four are only for gradients.
enum Part { kStart, kReceiver, kSender, kCell, kWeights, kSenderBegin, kSenderOrder, kCellBegin, kCellOrder };

// Where each of `groups` groups begins among the sorted group numbers.
Tensor group_begins(const Tensor& sorted, std::int64_t groups) {
  return at::searchsorted(sorted, at::arange(groups + 1, sorted.options()));
}

std::vector<Tensor> make_plan(const Tensor& start, const Tensor& index, const Tensor& distance, const Tensor&,
                              double spacing, std::int64_t points, bool gradients) {
  const c10::cuda::CUDAGuard guard(start.device());
  const std::int64_t rows = start.size(0) - 1, cells = points - 3;
  const Tensor receiver =
      at::repeat_interleave(at::arange(rows, start.options()), start.diff(), 0, index.size(0)).to(torch::kInt);
  const Tensor place = distance / spacing, cell = place.to(torch::kLong).clamp_max(cells - 1);
  const Tensor t = (place - cell).clamp_max(1);
  const Tensor weights = at::stack({-t * (t - 1) * (t - 2) / 6, (t + 1) * (t - 1) * (t - 2) / 2,
                                    -(t + 1) * t * (t - 2) / 2, (t + 1) * t * (t - 1) / 6},
                                   1)
                             .to(torch::kFloat)
                             .contiguous();
  std::vector<Tensor> plan = {start, receiver, index.contiguous(), cell, weights};
  if (!gradients) return plan;
  for (const auto& [key, groups] : {std::pair{index.to(torch::kLong), rows}, std::pair{cell, cells}}) {
    auto [sorted, order] = at::sort(key, /*stable=*/true, 0, false);
    plan.push_back(group_begins(sorted, groups));
    plan.push_back(order);
  }
  return plan;
}

kernels::FilterEdges edges(at::TensorList plan, const Tensor& begin, const Tensor& order) {
  return {
      begin.const_data_ptr<std::int64_t>(),           order.defined() ? order.const_data_ptr<std::int64_t>() : nullptr,
      plan[kReceiver].const_data_ptr<std::int32_t>(), plan[kSender].const_data_ptr<std::int32_t>(),
      plan[kCell].const_data_ptr<std::int64_t>(),     plan[kWeights].const_data_ptr<float>()};
}

Tensor filtered(const Tensor& x, const Tensor& table, const kernels::FilterEdges& of, bool transposed) {
  Tensor y = at::empty(x.sizes(), x.options());
  if (y.numel() == 0) return y;
  kernels::filter(x.const_data_ptr<float>(), table.const_data_ptr<float>(), of, x.size(0), x.size(1), transposed,
                  y.mutable_data_ptr<float>(), c10::cuda::getCurrentCUDAStream());
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}

Tensor filter_forward(const Tensor& x, const Tensor& table, at::TensorList plan) {
  const c10::cuda::CUDAGuard guard(x.device());
  return filtered(x, table, edges(plan, plan[kStart], Tensor()), false);
}

std::tuple<Tensor, Tensor> filter_backward(const Tensor& grad, const Tensor& x, const Tensor& table,
                                           at::TensorList plan, bool need_x, bool need_table) {
  const c10::cuda::CUDAGuard guard(x.device());
  Tensor grad_x = at::empty({0}, x.options()), grad_table = grad_x;
  if (need_x) grad_x = filtered(grad, table, edges(plan, plan[kSenderBegin], plan[kSenderOrder]), true);
  if (need_table) {
    grad_table = at::empty(table.sizes(), table.options());
    kernels::table_gradient(grad.const_data_ptr<float>(), x.const_data_ptr<float>(),
                            edges(plan, plan[kCellBegin], plan[kCellOrder]), table.size(0), x.size(1),
                            grad_table.mutable_data_ptr<float>(), c10::cuda::getCurrentCUDAStream());
    C10_CUDA_KERNEL_LAUNCH_CHECK();
  }
  return {grad_x, grad_table};
}

}  // namespace

TORCH_LIBRARY_IMPL(pairs, CUDA, m) {
  m.impl("continuous_filter_plan", make_plan);
  m.impl("continuous_filter_forward", filter_forward);
  m.impl("continuous_filter_backward", filter_backward);
}

}  // namespace pairs::ops
