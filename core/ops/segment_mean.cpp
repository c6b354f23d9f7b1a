#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>
#include <torch/types.h>

#include "core/base/text/error.h"
#include "core/ops/ops.h"

namespace pairs::ops {

using torch::Tensor;

TORCH_LIBRARY_FRAGMENT(pairs, m) {
  // Rows offsets[b] .. offsets[b + 1] - 1 of x, summed in float64; out in x's type for the mean. An empty segment has
  // sum zero and mean NaN. Offsets are checked by the kernel: ascending from 0 to M.
  m.def("segment_mean_forward(Tensor x, Tensor offsets) -> Tensor");
  m.def("segment_mean_backward(Tensor grad, Tensor offsets, int rows) -> Tensor");
  m.def("segment_sum64(Tensor x, Tensor offsets) -> Tensor");
}

namespace {

using Reduce = Tensor(const Tensor&, const Tensor&);
using Spread = Tensor(const Tensor&, const Tensor&, std::int64_t);

void check_segments(const Tensor& x, const Tensor& offsets) {
  PAIRS_CHECK(x.dim() == 2 && (x.scalar_type() == torch::kFloat || x.scalar_type() == torch::kDouble),
              "segments take rows [M, l] in float32 or float64, not [{}] in {}", fmt::join(x.sizes(), ", "),
              c10::toString(x.scalar_type()));
  PAIRS_CHECK(offsets.dim() == 1 && offsets.size(0) >= 1 && offsets.scalar_type() == torch::kLong &&
                  offsets.device() == x.device(),
              "segments take offsets [B + 1] in int64 on the device of their rows");
}

Tensor call_mean(const Tensor& x, const Tensor& offsets) {
  static const auto op =
      c10::Dispatcher::singleton().findSchemaOrThrow("pairs::segment_mean_forward", "").typed<Reduce>();
  return op.call(x, offsets);
}

class SegmentMean : public torch::autograd::Function<SegmentMean> {
 public:
  static Tensor forward(torch::autograd::AutogradContext* ctx, const Tensor& x, const Tensor& offsets) {
    at::AutoDispatchBelowADInplaceOrView guard;
    ctx->save_for_backward({offsets});
    ctx->saved_data["rows"] = x.size(0);
    return call_mean(x, offsets);
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* ctx,
                                                 torch::autograd::variable_list grads) {
    static const auto op =
        c10::Dispatcher::singleton().findSchemaOrThrow("pairs::segment_mean_backward", "").typed<Spread>();
    at::AutoDispatchBelowADInplaceOrView guard;
    return {op.call(grads[0], ctx->get_saved_variables()[0], ctx->saved_data["rows"].toInt()), Tensor()};
  }
};

}  // namespace

Tensor segment_mean(const Tensor& x, const Tensor& offsets) {
  check_segments(x, offsets);
  if (!torch::GradMode::is_enabled() || !x.requires_grad()) return call_mean(x, offsets);
  return SegmentMean::apply(x, offsets);
}

Tensor segment_sum64(const Tensor& x, const Tensor& offsets) {
  static const auto op = c10::Dispatcher::singleton().findSchemaOrThrow("pairs::segment_sum64", "").typed<Reduce>();
  check_segments(x, offsets);
  torch::NoGradGuard no_grad;
  return op.call(x.detach(), offsets);
}

}  // namespace pairs::ops
