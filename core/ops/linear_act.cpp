#include "core/ops/linear_act.h"

#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include <cmath>

#include "core/base/text/error.h"
#include "core/ops/ops.h"

namespace pairs::ops {

using torch::Tensor;

TORCH_LIBRARY_FRAGMENT(pairs, m) {
  // slope: act'(pre-activation), computed for "silu" and "softplus" with `keep`; otherwise empty.
  m.def("linear_act_forward(Tensor x, Tensor weight, Tensor? bias, str act, bool keep) -> (Tensor y, Tensor slope)");
  // Gradients of x (empty unless need_x), weight and bias.
  m.def(
      "linear_act_backward(Tensor grad, Tensor x, Tensor weight, Tensor y, Tensor slope, str act, bool need_x)"
      " -> (Tensor, Tensor, Tensor)");
}

Activation parse_activation(const std::string& name) {
  if (name == "none") return Activation::none;
  if (name == "relu") return Activation::relu;
  if (name == "silu") return Activation::silu;
  if (name == "softplus") return Activation::softplus;
  fail_usage("there is no activation '{}': use none, relu, silu or softplus", name);
}

Tensor shifted_softplus(const Tensor& x) {
  return torch::logaddexp(x, torch::zeros({}, x.options())) - std::log(2.0);
}

Tensor activation_slope(const Tensor& pre, Activation act) {
  if (act == Activation::none) return torch::ones_like(pre);
  if (act == Activation::relu) return pre.gt(0).to(pre.scalar_type());
  const Tensor s = torch::sigmoid(pre);
  if (act == Activation::softplus) return s;
  return s * (1 + pre * (1 - s));
}

namespace {

using LinearForward = std::tuple<Tensor, Tensor>(const Tensor&, const Tensor&, const std::optional<Tensor>&,
                                                 c10::string_view, bool);
using LinearBackward = std::tuple<Tensor, Tensor, Tensor>(const Tensor&, const Tensor&, const Tensor&, const Tensor&,
                                                          const Tensor&, c10::string_view, bool);

std::tuple<Tensor, Tensor> call_forward(const Tensor& x, const Tensor& weight, const std::optional<Tensor>& bias,
                                        const std::string& act, bool keep) {
  static const auto op =
      c10::Dispatcher::singleton().findSchemaOrThrow("pairs::linear_act_forward", "").typed<LinearForward>();
  return op.call(x, weight, bias, act, keep);
}

class LinearAct : public torch::autograd::Function<LinearAct> {
 public:
  static Tensor forward(torch::autograd::AutogradContext* ctx, const Tensor& x, const Tensor& weight,
                        const std::optional<Tensor>& bias, const std::string& act) {
    at::AutoDispatchBelowADInplaceOrView guard;
    auto [y, slope] = call_forward(x, weight, bias, act, true);
    ctx->saved_data["bias"] = bias.has_value();
    ctx->save_for_backward({x, weight, act == "relu" ? y : Tensor(), slope});
    ctx->saved_data["act"] = act;
    return y;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* ctx,
                                                 torch::autograd::variable_list grads) {
    static const auto op =
        c10::Dispatcher::singleton().findSchemaOrThrow("pairs::linear_act_backward", "").typed<LinearBackward>();
    const auto saved = ctx->get_saved_variables();
    const std::string act = ctx->saved_data["act"].toStringRef();
    at::AutoDispatchBelowADInplaceOrView guard;
    const Tensor empty = at::empty({0}, saved[0].options());
    auto [gx, gw, gb] = op.call(grads[0], saved[0], saved[1], saved[2].defined() ? saved[2] : empty,
                                saved[3].defined() ? saved[3] : empty, act, ctx->needs_input_grad(0));
    return {ctx->needs_input_grad(0) ? gx : Tensor(), gw, ctx->saved_data["bias"].toBool() ? gb : Tensor(), Tensor()};
  }
};

}  // namespace

Tensor linear_act(const Tensor& x, const Tensor& weight, const Tensor& bias, const std::string& act) {
  parse_activation(act);
  PAIRS_CHECK(x.dim() == 2 && weight.dim() == 2 && x.size(1) == weight.size(1),
              "a linear layer with weights [{}] cannot take an input [{}]", fmt::join(weight.sizes(), ", "),
              fmt::join(x.sizes(), ", "));
  PAIRS_CHECK(!bias.defined() || (bias.dim() == 1 && bias.size(0) == weight.size(0)),
              "a linear layer with {} outputs cannot take a bias [{}]", weight.size(0), fmt::join(bias.sizes(), ", "));
  PAIRS_CHECK(x.is_floating_point() && x.scalar_type() == weight.scalar_type() && x.device() == weight.device() &&
                  (!bias.defined() || (bias.scalar_type() == x.scalar_type() && bias.device() == x.device())),
              "a linear layer takes an input of the type and device of its weights, {} on {}, not {} on {}",
              c10::toString(weight.scalar_type()), weight.device().str(), c10::toString(x.scalar_type()),
              x.device().str());
  const std::optional<Tensor> given = bias.defined() ? std::optional<Tensor>(bias) : std::nullopt;
  if (!torch::GradMode::is_enabled() ||
      !(x.requires_grad() || weight.requires_grad() || (bias.defined() && bias.requires_grad())))
    return std::get<0>(call_forward(x, weight, given, act, false));
  return LinearAct::apply(x, weight, given, act);
}

}  // namespace pairs::ops
