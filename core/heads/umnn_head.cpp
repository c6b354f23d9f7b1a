#include "core/heads/umnn_head.h"

#include <algorithm>
#include <cmath>

#include "core/base/text/error.h"
#include "core/heads/mass.h"
#include "core/heads/noise.h"
#include "core/nn/initial.h"
#include "core/ops/umnn_integral.h"

namespace pairs {

using torch::Tensor;

namespace {
// Hidden and output width of the affine layer's network.
constexpr std::int64_t kAffineWidth = 64;
// Samples per context from which on one table of the map is used instead of a bisection for each.
constexpr std::int64_t kTableDraws = 48;
// Values per context from which on integrals over a grid are worth their fixed cost.
constexpr std::int64_t kGridValues = 64;
// Samples per context from which on integrals over grids are used to solve for them: they approximate the map better
// than the quadrature and cost a few evaluations of the integrand per sample. Fewer use the quadrature, which gives the
// same samples as in earlier versions.
constexpr std::int64_t kGridDraws = 1000;

Tensor per_row(const Tensor& t, std::int64_t rows) {
  return t.size(0) == rows ? t : t.repeat_interleave(rows / t.size(0), 0);
}

// Points below and above the solutions of map(x) = least and map(x) = most; the slope is at least 0.05, so the search
// ends.
template <class Map>
std::tuple<Tensor, Tensor> bracket(const Map& value, const Tensor& least, const Tensor& most) {
  Tensor low = torch::full_like(least, -8), high = torch::full_like(most, 8);
  for (int i = 0; i < 40; ++i) {
    const Tensor low_bad = std::get<0>(value(low)) > least, high_bad = std::get<0>(value(high)) < most;
    if (!(low_bad | high_bad).any().item<bool>()) break;
    low = torch::where(low_bad, low * 2, low);
    high = torch::where(high_bad, high * 2, high);
  }
  return {low, high};
}
}  // namespace

UmnnHead::UmnnHead(const Settings& own, std::int64_t d, std::int64_t context, at::Generator generator)
    : own_(own), d_(d), context_(context) {
  PAIRS_CHECK(own.transforms >= 1, "a head needs at least one transform, not {}: set {}", own.transforms,
              "head.transforms"_key);
  PAIRS_CHECK(!own.integrand.empty() && own.conditioner_size >= 1,
              "a UMNN head needs at least one hidden layer of its integrand and conditioner_size >= 1");
  ops::clenshaw_curtis(own.quadrature);
  ops::clenshaw_curtis(own.quadrature_test);
  if (own.affine) {
    affine_net_ = register_module(
        "affine_features",
        std::make_shared<Mlp>(context, std::vector<std::int64_t>{kAffineWidth}, kAffineWidth, "relu", generator));
    affine_ = register_module("affine", std::make_shared<AffineLayer>(d, context, kAffineWidth));
  }
  for (std::int64_t t = 0; t < own.transforms; ++t) {
    Transform transform;
    transform.conditioner =
        register_module(fmt::format("conditioner{}", t),
                        std::make_shared<Conditioner>(context, d, own.conditioner, own.conditioner_size, generator));
    std::int64_t in = 1 + own.conditioner_size;
    for (std::size_t l = 0; l <= own.integrand.size(); ++l) {
      const std::int64_t out = l < own.integrand.size() ? own.integrand[l] : 1;
      const double limit = uniform_bound(in);
      transform.weights.push_back(
          register_parameter(fmt::format("integrand{}_weight{}", t, l), uniform_tensor({out, in}, limit, generator)));
      transform.biases.push_back(
          register_parameter(fmt::format("integrand{}_bias{}", t, l), uniform_tensor({out}, limit, generator)));
      in = out;
    }
    transforms_.push_back(transform);
  }
}

std::int64_t UmnnHead::steps() const {
  return is_training() ? own_.quadrature : own_.quadrature_test;
}

std::tuple<Tensor, Tensor> UmnnHead::affine_terms(const Tensor& context) {
  return affine_->shift_and_log_scale(context, torch::relu(affine_net_->forward(context)));
}

std::tuple<Tensor, Tensor> UmnnHead::apply(const Transform& transform, const Tensor& x, const Tensor& h) const {
  const auto [z, g] = ops::umnn_integral(x.flatten(), h.flatten(0, 1), transform.weights, transform.biases, steps());
  return {z.view_as(x), g.view_as(x)};
}

std::tuple<Tensor, Tensor> UmnnHead::map(const Tensor& theta, const Tensor& context) {
  const std::int64_t rows = theta.size(0);
  Tensor x = theta, log_det;
  if (affine_) {
    const auto [shift, log_scale] = affine_terms(context);
    x = (theta - per_row(shift, rows)) * torch::exp(-per_row(log_scale, rows));
    log_det = -per_row(log_scale, rows).sum(1);
  }
  const Tensor context_rows = d_ > 1 ? per_row(context, rows) : context;
  for (std::size_t t = 0; t < transforms_.size(); ++t) {
    const Tensor h = transforms_[t].conditioner->forward(context_rows, x);
    const auto [z, g] = apply(transforms_[t], x, h);
    const Tensor log_g = g.log().sum(1);
    log_det = log_det.defined() ? log_det + log_g : log_g;
    x = d_ > 1 && t + 1 < transforms_.size() ? z.flip(1) : z;
  }
  return {x, log_det};
}

std::tuple<Tensor, Tensor> UmnnHead::apply_grid(const Transform& transform, const Tensor& x, const Tensor& h) const {
  const std::int64_t rows = x.size(0);
  Tensor z = torch::empty_like(x), g = torch::empty_like(x);
  const auto set = [&](std::int64_t i, const std::tuple<Tensor, Tensor>& values) {
    z.select(1, i).copy_(std::get<0>(values));
    g.select(1, i).copy_(std::get<1>(values));
  };
  const auto each = [&](std::int64_t i) {
    return ops::umnn_integral(x.select(1, i).contiguous(), h.select(1, i).contiguous(), transform.weights,
                              transform.biases, steps());
  };
  const auto [first_z, first_g] = ops::umnn_integral_grid(x.select(1, 0).unsqueeze(0), h.narrow(0, 0, 1).select(1, 0),
                                                          transform.weights, transform.biases);
  set(0, {first_z[0], first_g[0]});
  for (std::int64_t i = 1; i < d_; ++i) {
    if (i > 1) {
      set(i, each(i));
      continue;
    }
    // A grid has the same number of values of the second target for each value of the first.
    const auto [order, group, counts] = torch::unique_dim(x.narrow(1, 0, 1), 0, true, true, true);
    const std::int64_t groups = order.size(0), members = rows / groups;
    if (members < kGridValues || (counts != members).any().item<bool>()) {
      set(i, each(i));
      continue;
    }
    const Tensor by_group = group.argsort();
    const Tensor at = by_group.view({groups, members});
    const auto [zz, gg] =
        ops::umnn_integral_grid(x.select(1, i).index_select(0, by_group).view({groups, members}),
                                h.select(1, i).index_select(0, at.select(1, 0)), transform.weights, transform.biases);
    z.select(1, i).index_copy_(0, by_group, zz.flatten());
    g.select(1, i).index_copy_(0, by_group, gg.flatten());
  }
  return {z, g};
}

std::tuple<Tensor, Tensor> UmnnHead::map_grid(const Tensor& theta, const Tensor& context) {
  Tensor x = theta, log_det = torch::zeros({theta.size(0)}, theta.options());
  if (affine_) {
    const auto [shift, log_scale] = affine_terms(context);
    x = (theta - shift) * torch::exp(-log_scale);
    log_det -= log_scale.sum();
  }
  const Tensor rows = d_ > 1 ? context.expand({theta.size(0), -1}) : context;
  for (std::size_t t = 0; t < transforms_.size(); ++t) {
    const auto [z, g] = apply_grid(transforms_[t], x, transforms_[t].conditioner->forward(rows, x));
    log_det += g.log().sum(1);
    x = d_ > 1 && t + 1 < transforms_.size() ? z.flip(1) : z;
  }
  return {x, log_det};
}

Tensor UmnnHead::solve(const Transform& transform, const Tensor& z, const Tensor& h) const {
  const std::int64_t rows = z.size(0), repeat = rows / h.size(0);
  const auto quadrature = [&](const Tensor& x) {
    return ops::umnn_integral(x, h, transform.weights, transform.biases, steps());
  };
  const auto grid = [&](const Tensor& x) {  // equally many values for each row of h, [C, values] flattened
    const auto [value, slope] =
        ops::umnn_integral_grid(x.view({h.size(0), -1}), h, transform.weights, transform.biases);
    return std::tuple(value.flatten(), slope.flatten());
  };
  const bool many = repeat >= kGridDraws;
  const auto value = [&](const Tensor& x) { return many ? grid(x) : quadrature(x); };
  Tensor low, high, x;
  if (repeat >= kTableDraws) {
    // One table of the map per row of h; its cells replace the bisections.
    constexpr std::int64_t cells = 128;
    const Tensor draws = z.view({-1, repeat});
    const auto [from, to] = bracket(quadrature, draws.amin(1), draws.amax(1));
    const Tensor knots = from.unsqueeze(1) + (to - from).unsqueeze(1) * torch::linspace(0, 1, cells + 1, z.options());
    const Tensor table = std::get<0>(value(knots.flatten())).view({-1, cells + 1});
    const Tensor right = torch::searchsorted(table, draws.contiguous()).clamp(1, cells);
    low = knots.gather(1, right - 1).flatten();
    high = knots.gather(1, right).flatten();
    if (many) {
      // The table's integrals are less accurate than those below: the solution may lie slightly outside the cell.
      const Tensor below = table.gather(1, right - 1).flatten(), above = table.gather(1, right).flatten();
      const Tensor width = high - low;
      x = torch::addcmul(low, width, ((z - below) / (above - below)).clamp(0, 1));
      low -= 0.1 * width;
      high += 0.1 * width;
    }
  } else {
    std::tie(low, high) = bracket(quadrature, z, z);
    for (int i = 0; i < 12; ++i) {
      const Tensor middle = 0.5 * (low + high);
      const Tensor above = std::get<0>(value(middle)) > z;
      high = torch::where(above, middle, high);
      low = torch::where(above, low, middle);
    }
  }
  // Newton's method, with the bisection's bracket as a safeguard. Four steps suffice after bisections; wide table cells
  // may need more.
  if (!x.defined()) x = 0.5 * (low + high);
  for (int i = 0; i < 12; ++i) {
    const auto [f, g] = value(x);
    const Tensor error = f - z;
    low = torch::where(error < 0, x, low);
    high = torch::where(error > 0, x, high);
    const Tensor newton = x - error / g;
    const Tensor inside = (newton >= low) & (newton <= high);
    const Tensor next = torch::where(inside, newton, 0.5 * (low + high));
    const double moved = (next - x).abs().max().item<double>();
    x = next;
    if (moved < 1e-6) break;
  }
  return x;
}

Tensor UmnnHead::unmap(const Tensor& noise, const Tensor& context) {
  const std::int64_t rows = noise.size(0);
  const Tensor context_rows = d_ > 1 ? per_row(context, rows) : context;
  Tensor z = noise;
  for (std::size_t t = transforms_.size(); t-- > 0;) {
    const Transform& transform = transforms_[t];
    if (d_ == 1) {
      z = solve(transform, z.flatten(), transform.conditioner->forward(context_rows, Tensor()).flatten(0, 1))
              .unsqueeze(1);
    } else {
      Tensor x = torch::zeros_like(z);
      for (std::int64_t i = 0; i < d_; ++i) {
        const Tensor h = transform.conditioner->forward(context_rows, x).select(1, i);
        x.select(1, i).copy_(solve(transform, z.select(1, i).contiguous(), h.contiguous()));
      }
      z = x;
    }
    if (d_ > 1 && t > 0) z = z.flip(1);
  }
  if (affine_) {
    const auto [shift, log_scale] = affine_terms(context);
    z = z * torch::exp(per_row(log_scale, rows)) + per_row(shift, rows);
  }
  return z;
}

std::tuple<Tensor, Tensor> UmnnHead::forward_map(const Tensor& theta, const Tensor& context) {
  return map(theta, context);
}

Tensor UmnnHead::inverse_map(const Tensor& z, const Tensor& context) {
  torch::NoGradGuard no_grad;
  return unmap(z, context);
}

Tensor UmnnHead::log_prob(const Tensor& theta, const Tensor& context) {
  const auto [z, log_det] = map(theta, context);
  return log_det + standard_normal_log(z);
}

Tensor UmnnHead::loss(const Tensor& theta, const Tensor& context) {
  return log_prob(theta, context).mean().neg();
}

Tensor UmnnHead::log_prob_grid(const Tensor& theta, const Tensor& context) {
  torch::NoGradGuard no_grad;
  const std::int64_t sets = theta.size(0), points = theta.size(1);
  if (sets * points == 0) return theta.new_empty({sets, points});
  if (d_ == 1 && points < kGridValues) return log_prob(theta.reshape({sets * points, 1}), context).view({sets, points});
  std::vector<Tensor> parts;
  for (std::int64_t set = 0; set < sets; ++set)
    for (std::int64_t begin = 0; begin < points; begin += kRowsAtOnce) {
      const Tensor part = theta[set].slice(0, begin, std::min(begin + kRowsAtOnce, points));
      const Tensor one = context.narrow(0, set, 1);
      if (part.size(0) < kGridValues) {
        parts.push_back(log_prob(part, one));
      } else {
        const auto [z, log_det] = map_grid(part, one);
        parts.push_back(log_det + standard_normal_log(z));
      }
    }
  return torch::cat(parts).view({sets, points});
}

Tensor UmnnHead::sample(const Tensor& context, std::int64_t count, std::uint64_t key) {
  torch::NoGradGuard no_grad;
  const std::int64_t sets = context.size(0);
  const Tensor noise = normal_noise(key, sets, count, d_, context);
  if (sets * count == 0) return noise;
  const std::int64_t group = std::max<std::int64_t>(1, kRowsAtOnce / count);
  std::vector<Tensor> parts;
  for (std::int64_t set = 0; set < sets; set += group) {
    const std::int64_t stop = std::min(set + group, sets);
    parts.push_back(unmap(noise.slice(0, set, stop).reshape({-1, d_}), context.slice(0, set, stop)));
  }
  return torch::cat(parts).view({sets, count, d_});
}

Tensor UmnnHead::log_mass(const Tensor& context, const Tensor& low, const Tensor& high) {
  if (d_ > 1) return Head::log_mass(context, low, high);
  torch::NoGradGuard no_grad;
  const auto at = [&](const Tensor& bound) {
    return base_of_bound(bound, context, [&](const Tensor& theta) { return std::get<0>(map(theta, context)); });
  };
  return normal_log_mass(at(low), at(high)).squeeze(1);
}

std::vector<Field> UmnnHead::Settings::fields() {
  return {
      {"transforms", &transforms, "Stacked transformations", 1, 64},
      Field::choice("support", &support, "real: tails, normal base", {"box", "real"}),
      {"affine", &affine, "Conditional location and scale before the flow"},
      {"conditioner", &conditioner, "Hidden widths of the conditioner", 1, 65536},
      {"conditioner_size", &conditioner_size, "q, conditioner output size", 1, 4096},
      {"integrand", &integrand, "Hidden widths of the integrand", 1, 65536},
      {"quadrature", &quadrature, "Clenshaw-Curtis steps in training (even)", 2, 1000},
      {"quadrature_test", &quadrature_test, "Clenshaw-Curtis steps in evaluation (even)", 2, 1000},
  };
}

void UmnnHead::check(const HeadConfig& config) {
  const auto& own = config.of<Settings>();
  if (own.quadrature % 2 != 0 || own.quadrature_test % 2 != 0)
    fail_usage("{} and {} must be even numbers of Clenshaw-Curtis steps", "head.quadrature"_key,
               "head.quadrature_test"_key);
  if (own.support == "box")
    fail_usage(
        "{} = \"box\" keeps a density within the targets' ranges, which a UMNN does not; use \"real\", or {} = "
        "\"spline\"",
        "head.support"_key, "head.kind"_key);
}

std::shared_ptr<Head> UmnnHead::make(const HeadConfig& config, std::span<const HeadTarget> targets,
                                     std::int64_t context, at::Generator generator, const HeadImage*) {
  return std::make_shared<UmnnHead>(config.of<Settings>(), static_cast<std::int64_t>(targets.size()), context,
                                    std::move(generator));
}

NetworkDescription UmnnHead::describe() const {
  return described(*this,
                   {"monotonic flow (UMNN)", fmt::format("transforms: {}", own_.transforms),
                    "conditioner " + widths_text(own_.conditioner), "integrand " + widths_text(own_.integrand)},
                   {{"kind", "umnn"},
                    {"transforms", std::to_string(own_.transforms)},
                    {"quadrature", fmt::format("{} training, {} evaluating", own_.quadrature, own_.quadrature_test)},
                    {"affine", affine_ ? "yes" : "no"}},
                   flops(), "an unconstrained monotonic flow",
                   "A. Wehenkel, G. Louppe. Unconstrained Monotonic Neural Networks. NeurIPS 2019.");
}

double UmnnHead::flops() const {
  double total = affine_ ? affine_net_->flops() + affine_->flops() : 0;
  for (const Transform& transform : transforms_) {
    double integrand = 0;
    for (const Tensor& w : transform.weights) integrand += 2 * static_cast<double>(w.numel());
    total += transform.conditioner->flops() + static_cast<double>(d_ * (own_.quadrature + 2)) * integrand;
  }
  return total;
}

void UmnnHead::absorb_context_affine(const Tensor& scale, const Tensor& shift) {
  if (affine_) {
    affine_->absorb_context_affine(scale, shift);
    absorb_into_linear(affine_net_->first_weight(), affine_net_->first_bias(), 0, scale, shift);
  }
  for (Transform& transform : transforms_) transform.conditioner->absorb_context_affine(scale, shift);
}

}  // namespace pairs
