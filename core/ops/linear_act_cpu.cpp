#include <ATen/Parallel.h>
#include <torch/library.h>
#include <torch/types.h>

#include "core/ops/linear_act.h"

namespace pairs::ops {
namespace {

using torch::Tensor;

// oneDNN's fused x W^T + b, which LibTorch offers only through the dispatcher. Null if this LibTorch lacks it.
using Fused = Tensor(const Tensor&, const Tensor&, const std::optional<Tensor>&, c10::string_view,
                     c10::List<std::optional<at::Scalar>>, std::optional<c10::string_view>);
const std::optional<c10::TypedOperatorHandle<Fused>>& onednn() {
  static const auto handle = []() -> std::optional<c10::TypedOperatorHandle<Fused>> {
    const auto schema = c10::Dispatcher::singleton().findSchema({"mkldnn::_linear_pointwise", ""});
    if (!schema) return std::nullopt;
    return schema->typed<Fused>();
  }();
  return handle;
}

bool fits_onednn(const Tensor& x, const Tensor& weight) {
  return onednn() && x.scalar_type() == torch::kFloat && x.numel() > 0 && weight.numel() > 0;
}

// act(x W^T + b) in float32; "swish" is oneDNN's name for SiLU.
Tensor onednn_linear(const Tensor& x, const Tensor& weight, const std::optional<Tensor>& bias, c10::string_view attr) {
  return onednn()->call(x, weight, bias, attr, c10::List<std::optional<at::Scalar>>(), std::nullopt);
}

std::tuple<Tensor, Tensor> forward(const Tensor& x, const Tensor& weight, const std::optional<Tensor>& bias,
                                   c10::string_view name, bool keep) {
  const Activation act = parse_activation(std::string(name));
  const Tensor none = at::empty({0}, x.options());
  // oneDNN has no softplus.
  const bool apart = act == Activation::softplus || (act == Activation::silu && keep);
  if (fits_onednn(x, weight)) {
    if (!apart) return {onednn_linear(x, weight, bias, act == Activation::silu ? "swish" : name), none};
    Tensor pre = onednn_linear(x, weight, bias, "none"), slope = keep ? at::empty_like(pre) : none;
    float *values = pre.mutable_data_ptr<float>(), *slopes = keep ? slope.mutable_data_ptr<float>() : nullptr;
    const auto rows = act == Activation::silu ? silu_rows : softplus_rows;
    at::parallel_for(0, pre.numel(), 16384, [&](std::int64_t begin, std::int64_t end) {
      rows(values + begin, values + begin, keep ? slopes + begin : nullptr, end - begin);
    });
    return {pre, slope};
  }
  const Tensor pre = at::linear(x, weight, bias);
  if (act == Activation::none) return {pre, none};
  if (act == Activation::relu) return {at::relu(pre), none};
  return {act == Activation::silu ? at::silu(pre) : shifted_softplus(pre), keep ? activation_slope(pre, act) : none};
}

std::tuple<Tensor, Tensor, Tensor> backward(const Tensor& grad, const Tensor& x, const Tensor& weight, const Tensor& y,
                                            const Tensor& slope, c10::string_view name, bool need_x) {
  const Activation act = parse_activation(std::string(name));
  const Tensor g = act == Activation::none   ? grad
                   : act == Activation::relu ? at::threshold_backward(grad, y, 0)
                                             : grad * slope;
  const Tensor gb = g.sum(0);
  Tensor gx = at::empty({0}, x.options());
  if (fits_onednn(x, weight)) {
    if (need_x) gx = onednn_linear(g, weight.t(), std::nullopt, "none");
    return {gx, onednn_linear(g.t(), x.t(), std::nullopt, "none"), gb};
  }
  if (need_x) gx = at::mm(g, weight);
  return {gx, at::mm(g.t(), x), gb};
}

}  // namespace

TORCH_LIBRARY_IMPL(pairs, CPU, m) {
  m.impl("linear_act_forward", forward);
  m.impl("linear_act_backward", backward);
}

}  // namespace pairs::ops
