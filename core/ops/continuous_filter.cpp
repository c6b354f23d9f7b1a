#include "core/ops/continuous_filter.h"

#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include "core/base/text/error.h"

namespace pairs::ops {

using torch::Tensor;

TORCH_LIBRARY_FRAGMENT(pairs, m) {
  // Each device has its own format of the parts.
  m.def(
      "continuous_filter_plan(Tensor start, Tensor index, Tensor distance, Tensor offsets, float spacing, int points,"
      " bool gradients) -> Tensor[]");
  m.def("continuous_filter_forward(Tensor x, Tensor table, Tensor[] plan) -> Tensor");
  // Gradients of x and of the table, empty if they are not needed.
  m.def(
      "continuous_filter_backward(Tensor grad, Tensor x, Tensor table, Tensor[] plan, bool need_x, bool need_table)"
      " -> (Tensor, Tensor)");
}

namespace {

using MakePlan = std::vector<Tensor>(const Tensor&, const Tensor&, const Tensor&, const Tensor&, double, std::int64_t,
                                     bool);
using Filter = Tensor(const Tensor&, const Tensor&, at::TensorList);
using FilterBackward = std::tuple<Tensor, Tensor>(const Tensor&, const Tensor&, const Tensor&, at::TensorList, bool,
                                                  bool);

Tensor call_filter(const Tensor& x, const Tensor& table, at::TensorList plan) {
  static const auto op =
      c10::Dispatcher::singleton().findSchemaOrThrow("pairs::continuous_filter_forward", "").typed<Filter>();
  return op.call(x, table, plan);
}

class ContinuousFilter : public torch::autograd::Function<ContinuousFilter> {
 public:
  static Tensor forward(torch::autograd::AutogradContext* ctx, const Tensor& x, const Tensor& table,
                        const std::vector<Tensor>& plan) {
    at::AutoDispatchBelowADInplaceOrView guard;
    torch::autograd::variable_list saved = {x, table};
    saved.insert(saved.end(), plan.begin(), plan.end());
    ctx->save_for_backward(std::move(saved));
    return call_filter(x, table, plan);
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* ctx,
                                                 torch::autograd::variable_list grads) {
    static const auto op =
        c10::Dispatcher::singleton().findSchemaOrThrow("pairs::continuous_filter_backward", "").typed<FilterBackward>();
    at::AutoDispatchBelowADInplaceOrView guard;
    const auto saved = ctx->get_saved_variables();
    auto [x, table] = op.call(grads[0].contiguous(), saved[0], saved[1], at::TensorList(saved).slice(2),
                              ctx->needs_input_grad(0), ctx->needs_input_grad(1));
    return {ctx->needs_input_grad(0) ? x : Tensor(), ctx->needs_input_grad(1) ? table : Tensor(), Tensor()};
  }
};

}  // namespace

FilterPlan plan_filter(const Neighbors& near, const Tensor& offsets, double spacing, std::int64_t points,
                       bool gradients) {
  static const auto op =
      c10::Dispatcher::singleton().findSchemaOrThrow("pairs::continuous_filter_plan", "").typed<MakePlan>();
  PAIRS_CHECK(spacing > 0 && points >= 4, "a filter's table has 4 points or more some way apart, not {} at {}", points,
              spacing);
  PAIRS_CHECK(offsets.dim() == 1 && offsets.scalar_type() == torch::kLong && offsets.device() == near.start.device(),
              "a filter takes segments with offsets in int64 on the device of the neighbors");
  torch::NoGradGuard no_grad;
  return {op.call(near.start, near.index, near.distance, offsets.contiguous(), spacing, points, gradients), points,
          gradients};
}

Tensor continuous_filter(const Tensor& x, const Tensor& table, const FilterPlan& plan) {
  PAIRS_CHECK(x.dim() == 2 && table.dim() == 2 && x.size(1) == table.size(1) && x.scalar_type() == torch::kFloat &&
                  table.scalar_type() == torch::kFloat && x.device() == table.device(),
              "a filter takes rows [R, F] and a table [points, F] in float32 on one device, not [{}] in {} and [{}] in "
              "{}",
              fmt::join(x.sizes(), ", "), c10::toString(x.scalar_type()), fmt::join(table.sizes(), ", "),
              c10::toString(table.scalar_type()));
  PAIRS_CHECK(!plan.parts.empty() && table.size(0) == plan.points && plan.parts[0].device() == x.device() &&
                  plan.parts[0].numel() == x.size(0) + 1,
              "a filter's rows and table [{}, ...] and [{}, ...] are not those that its plan was made for", x.size(0),
              table.size(0));
  const Tensor rows = x.contiguous(), points = table.contiguous();
  if (!torch::GradMode::is_enabled() || !(x.requires_grad() || table.requires_grad()))
    return call_filter(rows, points, plan.parts);
  PAIRS_CHECK(plan.gradients, "a filter's plan was made without gradients, which are asked for: make it with them");
  return ContinuousFilter::apply(rows, points, plan.parts);
}

}  // namespace pairs::ops
