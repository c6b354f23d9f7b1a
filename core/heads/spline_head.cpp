#include "core/heads/spline_head.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/text/error.h"
#include "core/heads/mass.h"
#include "core/heads/noise.h"
#include "core/heads/truncated_logistic.h"
#include "core/ops/ops.h"

namespace pairs {

using torch::Tensor;

std::vector<std::vector<std::int64_t>> coupling_masks(std::int64_t d, std::int64_t transforms) {
  std::vector<std::vector<std::int64_t>> masks;
  if (d == 1) {
    masks.assign(static_cast<std::size_t>(transforms), {0});
    return masks;
  }
  PAIRS_CHECK(transforms >= 2, "a spline head for {} targets needs at least 2 transforms, not {}: set {}", d,
              transforms, "head.transforms"_key);
  std::vector<std::int64_t> last;
  for (std::int64_t t = 0; t < transforms; ++t) {
    std::vector<std::int64_t> order(static_cast<std::size_t>(d)), changed;
    std::iota(order.begin(), order.end(), 0);
    if (t % 2 == 1 || d == 2) {
      for (const std::int64_t i :
           order)  // the complement of the previous transform; initially the first of two targets
        if (std::find(last.begin(), last.end(), i) == last.end() && (t > 0 || i == 0)) changed.push_back(i);
    } else {
      Stream stream(stream_key(static_cast<std::uint64_t>(d), Purpose::init), static_cast<std::uint64_t>(t));
      for (std::size_t k = order.size() - 1; k > 0; --k) std::swap(order[k], order[stream.below(k + 1)]);
      changed.assign(order.begin(), order.begin() + static_cast<std::ptrdiff_t>((d + 1) / 2));
      std::sort(changed.begin(), changed.end());
    }
    masks.push_back(changed);
    last = changed;
  }
  return masks;
}

SplineHead::SplineHead(const Settings& own, std::int64_t d, std::int64_t context, at::Generator generator)
    : own_(own), d_(d), context_(context), box_(own.box()) {
  PAIRS_CHECK(own.transforms >= 1, "a head needs at least one transform, not {}: set {}", own.transforms,
              "head.transforms"_key);
  PAIRS_CHECK(own.hidden >= 1 && own.context_layers >= 0 && own.blocks >= 0,
              "a spline head needs hidden >= 1, context_layers >= 0 and blocks >= 0, not {}, {} and {}", own.hidden,
              own.context_layers, own.blocks);
  PAIRS_CHECK(box_ || own.support == "real", "the support of a spline head is box or real, not '{}'", own.support);
  PAIRS_CHECK(own.bins >= 2 && own.bins <= 64, "a spline head has 2 to 64 bins, not {}: set {}", own.bins,
              "head.bins"_key);
  PAIRS_CHECK(box_ || own.bound > 0, "the bound of a spline head must be positive, not {}: set {}", own.bound,
              "head.bound"_key);
  changed_ = coupling_masks(d, own.transforms);
  std::int64_t features = context;
  if (own.context_layers > 0) {
    const std::vector<std::int64_t> widths(static_cast<std::size_t>(own.context_layers - 1), own.hidden);
    context_net_ = register_module("context", std::make_shared<Mlp>(context, widths, own.hidden, "relu", generator));
    features = own.hidden;
  }
  if (own.affine) {
    if (!context_net_)
      affine_net_ = register_module(
          "affine_features", std::make_shared<Mlp>(context, std::vector<std::int64_t>{64}, 64, "relu", generator));
    affine_ = register_module("affine", std::make_shared<AffineLayer>(d, context, context_net_ ? features : 64));
  }
  const std::int64_t per_target = box_ ? 2 * own.bins + 1 : 2 * own.bins - 1;
  for (std::size_t t = 0; t < changed_.size(); ++t) {
    std::vector<std::int64_t> kept;
    for (std::int64_t i = 0; i < d; ++i)
      if (std::find(changed_[t].begin(), changed_[t].end(), i) == changed_[t].end()) kept.push_back(i);
    kept_.push_back(kept);
    nets_.push_back(
        register_module(fmt::format("transform{}", t),
                        make_residual(features + static_cast<std::int64_t>(kept.size()), own.hidden, own.blocks,
                                      per_target * static_cast<std::int64_t>(changed_[t].size()), generator)));
  }
}

SplineHead::Conditions SplineHead::condition(const Tensor& context) {
  Conditions c;
  c.features = context_net_ ? context_net_->forward(context) : context;
  if (affine_)
    std::tie(c.shift, c.log_scale) =
        affine_->shift_and_log_scale(context, affine_net_ ? affine_net_->forward(context) : c.features);
  if (d_ == 1)
    for (std::size_t t = 0; t < nets_.size(); ++t) c.params.push_back(transform_params(t, {}, c.features));
  return c;
}

Tensor SplineHead::transform_params(std::size_t t, const std::vector<Tensor>& y, const Tensor& features) {
  Tensor in = features;
  if (!kept_[t].empty()) {
    std::vector<Tensor> kept;
    for (const std::int64_t i : kept_[t]) kept.push_back(y[static_cast<std::size_t>(i)].unsqueeze(1));
    // The network's input is on the scale of θ, not squeezed into [0, 1].
    Tensor seen = kept.size() == 1 ? kept[0] : torch::cat(kept, 1);
    const double scale = box_ ? 2.0 : 2.0 * own_.bound;
    seen = seen * scale - 0.5 * scale;
    in = torch::cat({features, seen}, 1);
  }
  const std::int64_t targets = static_cast<std::int64_t>(changed_[t].size());
  const Tensor out = nets_[t]->forward(in) * (1.0 / std::sqrt(static_cast<double>(own_.hidden)));
  return targets == 1 ? out : out.reshape({-1, out.size(1) / targets});
}

std::tuple<Tensor, Tensor> SplineHead::base(const Tensor& theta, const Conditions& c) {
  Tensor log_det, x = theta;
  if (affine_) {
    const std::int64_t repeat = theta.size(0) / c.shift.size(0);
    const auto per_row = [&](const Tensor& t) { return repeat == 1 ? t : t.repeat_interleave(repeat, 0); };
    if (box_) {
      std::tie(x, log_det) = truncated_logistic(theta, per_row(c.shift), per_row(c.log_scale));
      log_det = log_det.sum(1);
    } else {
      x = (theta - per_row(c.shift)) * torch::exp(-per_row(c.log_scale));
      log_det = -per_row(c.log_scale).sum(1);
    }
  }
  if (!box_) x = x * (0.5 / own_.bound) + 0.5;
  std::vector<Tensor> y;
  for (std::int64_t i = 0; i < d_; ++i) y.push_back(x.select(1, i));
  for (std::size_t t = 0; t < nets_.size(); ++t) {
    const Tensor params = d_ == 1 ? c.params[t] : transform_params(t, y, c.features);
    const std::size_t targets = changed_[t].size();
    Tensor in = y[static_cast<std::size_t>(changed_[t][0])];
    if (targets > 1) {
      std::vector<Tensor> columns;
      for (const std::int64_t i : changed_[t]) columns.push_back(y[static_cast<std::size_t>(i)]);
      in = torch::stack(columns, 1).flatten();
    }
    auto [z, log_slope] = ops::quadratic_spline(in, params, own_.bins, !box_);
    if (targets > 1) {
      z = z.view({-1, static_cast<std::int64_t>(targets)});
      log_slope = log_slope.view_as(z).sum(1);
    }
    for (std::size_t k = 0; k < targets; ++k)
      y[static_cast<std::size_t>(changed_[t][k])] = targets == 1 ? z : z.select(1, static_cast<std::int64_t>(k));
    log_det = log_det.defined() ? log_det + log_slope : log_slope;
  }
  const Tensor u = d_ == 1 ? y[0].unsqueeze(1) : torch::stack(y, 1);
  return {box_ ? u : u * (2 * own_.bound) - own_.bound, log_det};
}

Tensor SplineHead::density(const Tensor& theta, const Conditions& c) {
  const auto [u, log_det] = base(theta, c);
  return box_ ? log_det : log_det + standard_normal_log(u);
}

Tensor SplineHead::log_mass(const Tensor& context, const Tensor& low, const Tensor& high) {
  if (d_ > 1 || box_) return Head::log_mass(context, low, high);
  torch::NoGradGuard no_grad;
  const Conditions c = condition(context);
  const auto at = [&](const Tensor& bound) {
    return base_of_bound(bound, context, [&](const Tensor& theta) { return std::get<0>(base(theta, c)); });
  };
  return normal_log_mass(at(low), at(high)).squeeze(1);
}

Tensor SplineHead::invert(const Tensor& noise, const Conditions& c) {
  const Tensor u = box_ ? noise : noise * (0.5 / own_.bound) + 0.5;
  std::vector<Tensor> y;
  for (std::int64_t i = 0; i < d_; ++i) y.push_back(u.select(1, i).contiguous());
  for (std::size_t t = nets_.size(); t-- > 0;) {
    const Tensor params = d_ == 1 ? c.params[t] : transform_params(t, y, c.features);
    std::vector<Tensor> columns;
    for (const std::int64_t i : changed_[t]) columns.push_back(y[static_cast<std::size_t>(i)]);
    const Tensor back =
        std::get<0>(ops::quadratic_spline_inverse(torch::stack(columns, 1).flatten(), params, own_.bins, !box_))
            .view({-1, static_cast<std::int64_t>(columns.size())});
    for (std::size_t k = 0; k < columns.size(); ++k)
      y[static_cast<std::size_t>(changed_[t][k])] = back.select(1, static_cast<std::int64_t>(k));
  }
  Tensor x = torch::stack(y, 1);
  if (!box_) x = x * (2 * own_.bound) - own_.bound;
  if (affine_) {
    const std::int64_t repeat = x.size(0) / c.shift.size(0);
    const auto per_row = [&](const Tensor& t) { return repeat == 1 ? t : t.repeat_interleave(repeat, 0); };
    x = box_ ? truncated_logistic_inverse(x, per_row(c.shift), per_row(c.log_scale))
             : x * torch::exp(per_row(c.log_scale)) + per_row(c.shift);
  }
  return x;
}

SplineHead::Conditions SplineHead::repeat(const Conditions& c, std::int64_t begin, std::int64_t end,
                                          std::int64_t repeat) const {
  const Tensor row =
      torch::arange(begin, end, torch::TensorOptions(torch::kLong).device(c.features.device())).floor_divide(repeat);
  Conditions out;
  out.features = c.features.index_select(0, row);
  if (affine_) {
    out.shift = c.shift.index_select(0, row);
    out.log_scale = c.log_scale.index_select(0, row);
  }
  return out;
}

Tensor SplineHead::log_prob(const Tensor& theta, const Tensor& context) {
  return density(theta, condition(context));
}

Tensor SplineHead::loss(const Tensor& theta, const Tensor& context) {
  return log_prob(theta, context).mean().neg();
}

Tensor SplineHead::log_prob_grid(const Tensor& theta, const Tensor& context) {
  torch::NoGradGuard no_grad;
  const std::int64_t sets = theta.size(0), points = theta.size(1), rows = sets * points;
  const Conditions c = condition(context);
  const Tensor flat = theta.reshape({rows, d_});
  if (rows == 0) return theta.new_empty({sets, points});
  if (d_ == 1) return density(flat, c).view({sets, points});
  std::vector<Tensor> parts;
  for (std::int64_t begin = 0; begin < rows; begin += kRowsAtOnce) {
    const std::int64_t end = std::min(begin + kRowsAtOnce, rows);
    parts.push_back(density(flat.slice(0, begin, end), repeat(c, begin, end, points)));
  }
  return torch::cat(parts).view({sets, points});
}

Tensor SplineHead::sample(const Tensor& context, std::int64_t count, std::uint64_t key) {
  torch::NoGradGuard no_grad;
  const std::int64_t sets = context.size(0), rows = sets * count;
  const Tensor noise =
      (box_ ? uniform_noise(key, sets, count, d_, context) : normal_noise(key, sets, count, d_, context))
          .view({rows, d_});
  if (rows == 0) return context.new_empty({sets, count, d_});
  const Conditions c = condition(context);
  if (d_ == 1) return invert(noise, c).view({sets, count, d_});
  std::vector<Tensor> parts;
  for (std::int64_t begin = 0; begin < rows; begin += kRowsAtOnce) {
    const std::int64_t end = std::min(begin + kRowsAtOnce, rows);
    parts.push_back(invert(noise.slice(0, begin, end), repeat(c, begin, end, count)));
  }
  return torch::cat(parts).view({sets, count, d_});
}

std::vector<Field> SplineHead::Settings::fields() {
  return {
      {"transforms", &transforms, "Stacked transformations", 1, 64},
      {"bins", &bins, "Spline bins K", 2, 64},
      {"hidden", &hidden, "Width of the context MLP and of the transform nets", 1, 65536},
      {"context_layers", &context_layers, "Layers of the context MLP", 0, 64},
      {"blocks", &blocks, "Residual blocks of a transform net", 0, 64},
      Field::choice("support", &support, "box: bounded target, uniform base; real: tails, normal base",
                    {"box", "real"}),
      {"bound", &bound, "Splines act on [-bound, bound]", 0.1, 1000},
      {"affine", &affine, "Conditional location and scale before the flow"},
  };
}

std::string SplineHead::Settings::unread_because(const std::string& key) const {
  return key == "bound" && box() ? "head.support is \"box\"" : "";
}

std::shared_ptr<Head> SplineHead::make(const HeadConfig& config, std::span<const HeadTarget> targets,
                                       std::int64_t context, at::Generator generator, const HeadImage*) {
  if (config.of<Settings>().box())
    for (const HeadTarget& target : targets)
      PAIRS_CHECK(std::isfinite(target.low) && std::isfinite(target.high) && target.low < target.high,
                  "box support needs finite ranges, but a target's is [{}, {}]: set {} to real", target.low,
                  target.high, "head.support"_key);
  return std::make_shared<SplineHead>(config.of<Settings>(), static_cast<std::int64_t>(targets.size()), context,
                                      std::move(generator));
}

NetworkDescription SplineHead::describe() const {
  std::vector<std::string> lines = {"spline flow", fmt::format("transforms: {}", own_.transforms),
                                    fmt::format("{} bins, hidden {}", own_.bins, own_.hidden)};
  return described(*this, std::move(lines),
                   {{"kind", "spline"},
                    {"transforms", std::to_string(own_.transforms)},
                    {"bins", std::to_string(own_.bins)},
                    {"hidden", std::to_string(own_.hidden)},
                    {"support", own_.support},
                    {"affine", affine_ ? "yes" : "no"}},
                   flops(), "a flow of piecewise-quadratic couplings",
                   "T. Müller et al. Neural Importance Sampling. ACM Transactions on Graphics 38(5), 2019.");
}

double SplineHead::flops() const {
  double total = context_net_ ? context_net_->flops() : 0;
  if (affine_net_) total += affine_net_->flops();
  if (affine_) total += affine_->flops();
  for (const auto& net : nets_) total += net->flops();
  return total;
}

void SplineHead::absorb_context_affine(const Tensor& scale, const Tensor& shift) {
  if (affine_) affine_->absorb_context_affine(scale, shift);
  if (affine_net_) absorb_into_linear(affine_net_->first_weight(), affine_net_->first_bias(), 0, scale, shift);
  if (context_net_) {
    absorb_into_linear(context_net_->first_weight(), context_net_->first_bias(), 0, scale, shift);
  } else {
    for (const auto& net : nets_) absorb_into_linear(net->first_weight(), net->first_bias(), 0, scale, shift);
  }
}

}  // namespace pairs
