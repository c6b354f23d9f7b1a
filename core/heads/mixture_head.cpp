#include "core/heads/mixture_head.h"

#include <algorithm>
#include <cmath>

#include "core/base/text/error.h"
#include "core/heads/affine_layer.h"
#include "core/heads/mass.h"
#include "core/heads/noise.h"
#include "core/heads/truncated_logistic.h"
#include "core/nn/initial.h"

namespace pairs {

using torch::Tensor;

namespace {
constexpr double kSpreads = 3;      // prior standard deviations that the components cover on either side
constexpr double kScaleBound = 12;  // a component's log scale stays within ± this of its initial value
constexpr double kBeforeScale = 4;  // the nets' input for earlier targets of a box is scaled to [-2, 2]

// log density of a logistic variable.
Tensor logistic_log_density(const Tensor& x, const Tensor& place, const Tensor& log_scale) {
  const Tensor t = (x - place) * torch::exp(-log_scale);
  return torch::log_sigmoid(t) + torch::log_sigmoid(-t) - log_scale;
}
}  // namespace

MixtureHead::MixtureHead(const Settings& own, std::span<const HeadTarget> targets, std::int64_t context,
                         at::Generator generator)
    : own_(own), d_(static_cast<std::int64_t>(targets.size())) {
  PAIRS_CHECK(own.components >= 1, "a mixture head needs at least one component, not {}: set {}", own.components,
              "head.components"_key);
  PAIRS_CHECK(own.hidden >= 1 && own.context_blocks >= 0 && own.target_blocks >= 0,
              "a mixture head needs hidden >= 1, context_blocks >= 0 and target_blocks >= 0, not {}, {} and {}",
              own.hidden, own.context_blocks, own.target_blocks);
  for (const HeadTarget& target : targets) {
    const double low = std::max(target.low, target.location - kSpreads * target.scale),
                 high = std::min(target.high, target.location + kSpreads * target.scale);
    // Truncated logistics have their locations in 2 θ - 1.
    spans_.push_back(own.box() ? Span{2 * low - 1, 2 * high - 1} : Span{low, high});
  }
  const std::int64_t values = 3 * own.components;
  context_net_ =
      register_module("context", make_residual(context, own.hidden, own.context_blocks, own.hidden, generator, "silu"));
  for (std::int64_t j = 0; j < d_; ++j)
    nets_.push_back(
        register_module(fmt::format("target{}", j),
                        make_residual(own.hidden + j, own.hidden, own.target_blocks, values, generator, "silu")));
  direct_weight_ = register_parameter("direct_weight", torch::zeros({values * d_, context}, weight_options()));
  direct_bias_ = register_parameter("direct_bias", torch::zeros({values * d_}, weight_options()));
}

MixtureHead::Conditions MixtureHead::condition(const Tensor& context) const {
  return {torch::silu(context_net_->forward(context)),
          torch::addmm(direct_bias_, context, direct_weight_.t()).view({context.size(0), d_, 3 * own_.components})};
}

MixtureHead::Conditions MixtureHead::repeated(const Conditions& c, std::int64_t times) {
  if (times == 1) return c;
  return {c.features.repeat_interleave(times, 0), c.direct.repeat_interleave(times, 0)};
}

MixtureHead::Components MixtureHead::components(std::int64_t j, const Tensor& before, const Conditions& c) const {
  const Span& span = spans_[static_cast<std::size_t>(j)];
  Tensor in = c.features;
  if (j > 0) in = torch::cat({in, own_.box() ? (before - 0.5) * kBeforeScale : before}, 1);
  const Tensor raw =
      (nets_[static_cast<std::size_t>(j)]->forward(in) + c.direct.select(1, j)).view({-1, 3, own_.components});
  const double spacing = (span.high - span.low) / static_cast<double>(own_.components);
  const Tensor anchors = span.low + spacing * (torch::arange(own_.components, raw.options()) + 0.5);
  return {torch::log_softmax(raw.select(1, 0), 1), anchors + spacing * raw.select(1, 1),
          kScaleBound * torch::tanh(raw.select(1, 2) / kScaleBound) + std::log(0.5 * spacing)};
}

Tensor MixtureHead::density(const Tensor& x, const Components& of) const {
  const Tensor at = x.unsqueeze(2), place = of.place.unsqueeze(1), log_scale = of.log_scale.unsqueeze(1);
  const Tensor each =
      own_.box() ? truncated_logistic_log_density(at, place, log_scale) : logistic_log_density(at, place, log_scale);
  return torch::logsumexp(of.log_weight.unsqueeze(1) + each, 2);
}

Tensor MixtureHead::joint(const Tensor& theta, const Conditions& c) const {
  const std::int64_t sets = theta.size(0), points = theta.size(1);
  Tensor sum = density(theta.select(2, 0), components(0, {}, c));
  if (d_ == 1) return sum;
  const Conditions each = repeated(c, points);
  const Tensor flat = theta.reshape({sets * points, d_});
  for (std::int64_t j = 1; j < d_; ++j)
    sum = sum + density(flat.narrow(1, j, 1), components(j, flat.narrow(1, 0, j), each)).view({sets, points});
  return sum;
}

Tensor MixtureHead::draw(const Tensor& noise, const Conditions& c) const {
  const Conditions each = repeated(c, noise.size(1));
  const Tensor flat = noise.flatten(0, 1);
  Tensor theta = flat.new_empty({flat.size(0), 0});
  for (std::int64_t j = 0; j < d_; ++j) {
    const Components of = components(j, theta, each);
    const Tensor below = of.log_weight.exp().cumsum(1);
    const Tensor which = (flat.narrow(1, 2 * j, 1) * below.narrow(1, own_.components - 1, 1) >= below)
                             .sum(1, true)
                             .clamp_max(own_.components - 1);
    const Tensor place = of.place.gather(1, which), log_scale = of.log_scale.gather(1, which),
                 u = flat.narrow(1, 2 * j + 1, 1);
    const Tensor x =
        own_.box() ? truncated_logistic_inverse(u, place, log_scale) : place + log_scale.exp() * torch::logit(u);
    theta = torch::cat({theta, x}, 1);
  }
  return theta.view({noise.size(0), noise.size(1), d_});
}

Tensor MixtureHead::in_parts(const Tensor& all, const Conditions& c,
                             Tensor (MixtureHead::*each)(const Tensor&, const Conditions&) const) const {
  const std::int64_t points = std::min(all.size(1), kRowsAtOnce), sets = kRowsAtOnce / points;
  std::vector<Tensor> rows;
  for (std::int64_t begin = 0; begin < all.size(0); begin += sets) {
    const std::int64_t end = std::min(begin + sets, all.size(0));
    const Conditions some{c.features.slice(0, begin, end), c.direct.slice(0, begin, end)};
    std::vector<Tensor> columns;
    for (const Tensor& part : all.slice(0, begin, end).split(points, 1)) columns.push_back((this->*each)(part, some));
    rows.push_back(torch::cat(columns, 1));
  }
  return torch::cat(rows);
}

Tensor MixtureHead::log_prob(const Tensor& theta, const Tensor& context) {
  return joint(theta.unsqueeze(1), condition(context)).squeeze(1);
}

Tensor MixtureHead::loss(const Tensor& theta, const Tensor& context) {
  return log_prob(theta, context).mean().neg();
}

Tensor MixtureHead::log_prob_grid(const Tensor& theta, const Tensor& context) {
  torch::NoGradGuard no_grad;
  if (theta.numel() == 0) return theta.new_empty({theta.size(0), theta.size(1)});
  return in_parts(theta, condition(context), &MixtureHead::joint);
}

Tensor MixtureHead::sample(const Tensor& context, std::int64_t count, std::uint64_t key) {
  torch::NoGradGuard no_grad;
  if (context.size(0) * count == 0) return context.new_empty({context.size(0), count, d_});
  return in_parts(uniform_noise(key, context.size(0), count, 2 * d_, context), condition(context), &MixtureHead::draw);
}

Tensor MixtureHead::log_mass(const Tensor& context, const Tensor& low, const Tensor& high) {
  if (d_ > 1 || own_.box()) return Head::log_mass(context, low, high);
  torch::NoGradGuard no_grad;
  const Components of = components(0, {}, condition(context));
  const auto host = [](const Tensor& t) { return t.to(torch::kCPU, torch::kFloat64); };
  const Tensor place = host(of.place), rate = (-host(of.log_scale)).exp();
  return torch::logsumexp(
      host(of.log_weight) + logistic_log_mass((host(low) - place) * rate, (host(high) - place) * rate), 1);
}

std::vector<Field> MixtureHead::Settings::fields() {
  return {
      {"components", &components, "Components of each target's mixture", 1, 256},
      {"hidden", &hidden, "Width of the context net and of the targets' nets", 1, 65536},
      {"context_blocks", &context_blocks, "Residual blocks of the context net", 0, 64},
      {"target_blocks", &target_blocks, "Residual blocks of each target's net", 0, 64},
      Field::choice("support", &support, "box: bounded target, components cut off at its bounds; real: unbounded",
                    {"box", "real"}),
  };
}

std::shared_ptr<Head> MixtureHead::make(const HeadConfig& config, std::span<const HeadTarget> targets,
                                        std::int64_t context, at::Generator generator, const HeadImage*) {
  return std::make_shared<MixtureHead>(config.of<Settings>(), targets, context, std::move(generator));
}

NetworkDescription MixtureHead::describe() const {
  return described(*this,
                   {"mixture density network", fmt::format("{} components a target", own_.components),
                    fmt::format("context net {}", context_net_->describe())},
                   {{"kind", "mixture"},
                    {"components", std::to_string(own_.components)},
                    {"hidden", std::to_string(own_.hidden)},
                    {"support", own_.support}},
                   flops(), "a mixture density network",
                   "C. M. Bishop. Mixture Density Networks. Aston University, 1994.");
}

double MixtureHead::flops() const {
  double total = context_net_->flops() + 2 * static_cast<double>(direct_weight_.numel());
  for (const auto& net : nets_) total += net->flops();
  return total;
}

void MixtureHead::absorb_context_affine(const Tensor& scale, const Tensor& shift) {
  absorb_into_linear(context_net_->first_weight(), context_net_->first_bias(), 0, scale, shift);
  absorb_into_linear(direct_weight_, direct_bias_, 0, scale, shift);
}

}  // namespace pairs
