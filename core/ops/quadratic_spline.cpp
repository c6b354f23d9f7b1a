#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>
#include <torch/types.h>

#include "core/base/text/error.h"
#include "core/ops/ops.h"
#include "core/ops/quadratic_spline_row.h"

namespace pairs::ops {

using torch::Tensor;
using Pair = std::tuple<Tensor, Tensor>;

TORCH_LIBRARY_FRAGMENT(pairs, m) {
  m.def("quadratic_spline_forward(Tensor y, Tensor params, int bins, bool tails) -> (Tensor, Tensor)");
  m.def("quadratic_spline_inverse(Tensor z, Tensor params, int bins, bool tails) -> (Tensor, Tensor)");
  m.def(
      "quadratic_spline_backward(Tensor y, Tensor params, Tensor grad_z, Tensor grad_log, int bins, bool tails)"
      " -> (Tensor, Tensor)");
}

namespace {

void check_spline(const Tensor& y, const Tensor& params, std::int64_t bins, bool tails) {
  PAIRS_CHECK(bins >= (tails ? 2 : 1) && bins <= spline::kMaxBins,
              "a quadratic spline needs {} to {} bins, not {}: change the setting bins", tails ? 2 : 1,
              spline::kMaxBins, bins);
  const std::int64_t size = spline::parameter_count(static_cast<int>(bins), tails);
  PAIRS_CHECK(params.dim() == 2 && params.size(1) == size && y.dim() == 1,
              "a quadratic spline of {} bins takes y [M] and {} parameters a row, not {} dimensions and {}", bins, size,
              y.dim(), params.dim() == 2 ? params.size(1) : -1);
  const std::int64_t rows = params.size(0);
  PAIRS_CHECK(rows == y.size(0) || (rows > 0 && y.size(0) % rows == 0),
              "a quadratic spline got {} values for {} rows of parameters: the one must be a multiple of the other",
              y.size(0), rows);
  PAIRS_CHECK((y.scalar_type() == torch::kFloat || y.scalar_type() == torch::kDouble) &&
                  y.scalar_type() == params.scalar_type() && y.device() == params.device(),
              "a quadratic spline takes values and parameters of one type, float32 or float64, on one device");
}

Pair call_forward(const Tensor& y, const Tensor& params, std::int64_t bins, bool tails) {
  static const auto op = c10::Dispatcher::singleton()
                             .findSchemaOrThrow("pairs::quadratic_spline_forward", "")
                             .typed<Pair(const Tensor&, const Tensor&, std::int64_t, bool)>();
  return op.call(y, params, bins, tails);
}

class Spline : public torch::autograd::Function<Spline> {
 public:
  static torch::autograd::variable_list forward(torch::autograd::AutogradContext* ctx, const Tensor& y,
                                                const Tensor& params, std::int64_t bins, bool tails) {
    at::AutoDispatchBelowADInplaceOrView guard;
    auto [z, log_slope] = call_forward(y, params, bins, tails);
    ctx->save_for_backward({y, params});
    ctx->saved_data["bins"] = bins;
    ctx->saved_data["tails"] = tails;
    return {z, log_slope};
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* ctx,
                                                 torch::autograd::variable_list grads) {
    static const auto op =
        c10::Dispatcher::singleton()
            .findSchemaOrThrow("pairs::quadratic_spline_backward", "")
            .typed<Pair(const Tensor&, const Tensor&, const Tensor&, const Tensor&, std::int64_t, bool)>();
    const auto saved = ctx->get_saved_variables();
    at::AutoDispatchBelowADInplaceOrView guard;
    auto [grad_y, grad_params] = op.call(saved[0], saved[1], grads[0], grads[1], ctx->saved_data["bins"].toInt(),
                                         ctx->saved_data["tails"].toBool());
    return {grad_y, grad_params, Tensor(), Tensor()};
  }
};

}  // namespace

Pair quadratic_spline(const Tensor& y, const Tensor& params, std::int64_t bins, bool tails) {
  check_spline(y, params, bins, tails);
  if (!torch::GradMode::is_enabled() || !(y.requires_grad() || params.requires_grad()))
    return call_forward(y, params, bins, tails);
  const Tensor rows = params.size(0) == y.size(0) ? params : params.repeat_interleave(y.size(0) / params.size(0), 0);
  const auto out = Spline::apply(y, rows, bins, tails);
  return {out[0], out[1]};
}

Pair quadratic_spline_inverse(const Tensor& z, const Tensor& params, std::int64_t bins, bool tails) {
  static const auto op = c10::Dispatcher::singleton()
                             .findSchemaOrThrow("pairs::quadratic_spline_inverse", "")
                             .typed<Pair(const Tensor&, const Tensor&, std::int64_t, bool)>();
  check_spline(z, params, bins, tails);
  torch::NoGradGuard no_grad;
  return op.call(z.detach(), params.detach(), bins, tails);
}

}  // namespace pairs::ops
