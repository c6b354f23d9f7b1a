#include "core/ops/group_norm_act.h"

#include <ATen/Functions.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include "core/base/text/error.h"
#include "core/ops/ops.h"

namespace pairs::ops {

using torch::Tensor;

TORCH_LIBRARY_FRAGMENT(pairs, m) {
  // act is "none" or "silu"; moments [2, B, groups]: means and inverse standard deviations.
  m.def(
      "group_norm_act_forward(Tensor x, Tensor? beside, Tensor scale, Tensor shift, int groups, str act) -> (Tensor y, "
      "Tensor moments)");
  // Gradients of x, beside (empty if there is none), scale and shift.
  m.def(
      "group_norm_act_backward(Tensor grad, Tensor x, Tensor? beside, Tensor scale, Tensor shift, Tensor moments, str "
      "act) -> (Tensor, Tensor, Tensor, Tensor)");
}

namespace {

using NormForward = std::tuple<Tensor, Tensor>(const Tensor&, const std::optional<Tensor>&, const Tensor&,
                                               const Tensor&, std::int64_t, c10::string_view);
using NormBackward = std::tuple<Tensor, Tensor, Tensor, Tensor>(const Tensor&, const Tensor&,
                                                                const std::optional<Tensor>&, const Tensor&,
                                                                const Tensor&, const Tensor&, c10::string_view);

// The type of statistics and coefficients.
Tensor wide(const Tensor& x) {
  return x.scalar_type() == torch::kDouble ? x : x.to(torch::kFloat);
}

Tensor joined(const Tensor& x, const std::optional<Tensor>& extra) {
  return wide(extra ? at::cat({x, *extra}, 1) : x);
}

// [B or 1, C] -> [B or 1, C, 1, 1]
Tensor per_pixel(const Tensor& rows) {
  return rows.unsqueeze(2).unsqueeze(3);
}
// [B, groups] -> [B, C, 1, 1]
Tensor per_channel(const Tensor& groups, std::int64_t channels) {
  return per_pixel(groups.repeat_interleave(channels / groups.size(1), 1));
}

Tensor call_forward(const Tensor& x, const std::optional<Tensor>& extra, const Tensor& scale, const Tensor& shift,
                    std::int64_t groups, const std::string& act, Tensor* moments) {
  static const auto op =
      c10::Dispatcher::singleton().findSchemaOrThrow("pairs::group_norm_act_forward", "").typed<NormForward>();
  auto [y, kept] = x.scalar_type() == torch::kDouble ? group_norm_act_composed(x, extra, scale, shift, groups, act)
                                                     : op.call(x, extra, scale, shift, groups, act);
  if (moments != nullptr) *moments = kept;
  return y;
}

class GroupNormAct : public torch::autograd::Function<GroupNormAct> {
 public:
  static Tensor forward(torch::autograd::AutogradContext* ctx, const Tensor& x, const std::optional<Tensor>& extra,
                        const Tensor& scale, const Tensor& shift, std::int64_t groups, const std::string& act) {
    at::AutoDispatchBelowADInplaceOrView guard;
    Tensor moments;
    Tensor y = call_forward(x, extra, scale, shift, groups, act, &moments);
    ctx->save_for_backward({x, extra ? *extra : Tensor(), scale, shift, moments});
    ctx->saved_data["act"] = act;
    return y;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* ctx,
                                                 torch::autograd::variable_list grads) {
    static const auto op =
        c10::Dispatcher::singleton().findSchemaOrThrow("pairs::group_norm_act_backward", "").typed<NormBackward>();
    at::AutoDispatchBelowADInplaceOrView guard;
    const auto saved = ctx->get_saved_variables();
    const std::optional<Tensor> extra = saved[1].defined() ? std::optional<Tensor>(saved[1]) : std::nullopt;
    const std::string& act = ctx->saved_data["act"].toStringRef();
    auto [gx, gb, gscale, gshift] =
        saved[0].scalar_type() == torch::kDouble
            ? group_norm_act_backward_composed(grads[0], saved[0], extra, saved[2], saved[3], saved[4], act)
            : op.call(grads[0], saved[0], extra, saved[2], saved[3], saved[4], act);
    return {gx, extra ? gb : Tensor(), gscale, gshift, Tensor(), Tensor()};
  }
};

}  // namespace

std::tuple<Tensor, Tensor> group_norm_act_composed(const Tensor& x, const std::optional<Tensor>& extra,
                                                   const Tensor& scale, const Tensor& shift, std::int64_t groups,
                                                   c10::string_view act) {
  const Tensor all = joined(x, extra), grouped = all.reshape({all.size(0), groups, -1});
  const auto [variance, mean] = at::var_mean(grouped, at::IntArrayRef{2}, std::optional<at::Scalar>(0));
  const Tensor inverse = (variance + kGroupNormEpsilon).rsqrt();
  const std::int64_t channels = all.size(1);
  const Tensor normal = (all - per_channel(mean, channels)) * per_channel(inverse, channels);
  Tensor y = at::addcmul(per_pixel(shift), normal, per_pixel(scale));
  if (act == "silu") y = at::silu(y);
  return {y.to(x.scalar_type()).contiguous(at::MemoryFormat::ChannelsLast), at::stack({mean, inverse})};
}

std::tuple<Tensor, Tensor, Tensor, Tensor> group_norm_act_backward_composed(const Tensor& grad, const Tensor& x,
                                                                            const std::optional<Tensor>& extra,
                                                                            const Tensor& scale, const Tensor& shift,
                                                                            const Tensor& moments,
                                                                            c10::string_view act) {
  const Tensor all = joined(x, extra);
  const std::int64_t batch = all.size(0), channels = all.size(1), groups = moments.size(2);
  const Tensor inverse = per_channel(moments[1], channels);
  const Tensor normal = (all - per_channel(moments[0], channels)) * inverse;
  Tensor g = wide(grad);
  if (act == "silu") g = at::silu_backward(g, at::addcmul(per_pixel(shift), normal, per_pixel(scale)));
  const Tensor gscale = (g * normal).sum(at::IntArrayRef{2, 3}), gshift = g.sum(at::IntArrayRef{2, 3});
  const auto group_mean = [&](const Tensor& sums) {
    const double count = static_cast<double>(all.numel() / (batch * groups));
    return per_channel((sums * scale).reshape({batch, groups, -1}).sum(2) / count, channels);
  };
  const Tensor gx = (inverse * (g * per_pixel(scale) - group_mean(gshift) - normal * group_mean(gscale)))
                        .to(x.scalar_type())
                        .contiguous(at::MemoryFormat::ChannelsLast);
  const bool shared = scale.size(0) == 1 && batch != 1;
  const std::int64_t first = x.size(1);
  return {extra ? gx.narrow(1, 0, first) : gx,
          extra ? gx.narrow(1, first, channels - first) : at::empty({0}, gx.options()),
          shared ? gscale.sum(0, true) : gscale, shared ? gshift.sum(0, true) : gshift};
}

Tensor group_norm_act(const Tensor& x, const std::optional<Tensor>& extra, const Tensor& scale, const Tensor& shift,
                      std::int64_t groups, const std::string& act) {
  PAIRS_CHECK(act == "none" || act == "silu", "there is no activation '{}' after a normalization: use none or silu",
              act);
  PAIRS_CHECK(x.dim() == 4 && x.numel() > 0 &&
                  (!extra || (extra->dim() == 4 && extra->size(0) == x.size(0) && extra->size(2) == x.size(2) &&
                              extra->size(3) == x.size(3) && extra->scalar_type() == x.scalar_type())),
              "a group normalization takes images [B, C, H, W] of one size and type");
  const auto type = x.scalar_type();
  PAIRS_CHECK(type == torch::kFloat || type == torch::kBFloat16 || type == torch::kDouble,
              "a group normalization takes float32, bfloat16 or float64, not {}", c10::toString(type));
  const std::int64_t channels = x.size(1) + (extra ? extra->size(1) : 0);
  PAIRS_CHECK(groups >= 1 && channels % groups == 0, "{} channels cannot be normalized in {} groups", channels, groups);
  PAIRS_CHECK(scale.dim() == 2 && (scale.size(0) == 1 || scale.size(0) == x.size(0)) && scale.size(1) == channels &&
                  shift.sizes() == scale.sizes(),
              "a group normalization takes one scale and one shift for each of {} channels, of all or of each of {} "
              "images",
              channels, x.size(0));
  const bool graph = torch::GradMode::is_enabled() && (x.requires_grad() || (extra && extra->requires_grad()) ||
                                                       scale.requires_grad() || shift.requires_grad());
  if (!graph) return call_forward(x, extra, scale, shift, groups, act, nullptr);
  return GroupNormAct::apply(x, extra, scale, shift, groups, act);
}

}  // namespace pairs::ops
