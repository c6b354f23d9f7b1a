#include "core/heads/turned_head.h"

#include <cmath>
#include <limits>

#include "core/base/text/error.h"
#include "core/heads/affine_layer.h"
#include "core/nn/initial.h"

namespace pairs {

using torch::Tensor;

namespace {
constexpr std::int64_t kFeatures = 64;
constexpr double kShortest = 0.1;     // added to a vector's length where its direction's gradient is divided by it
constexpr double kLeastShare = 1e-6;  // of the circle, from which on logits are cut off
const double kLogitUnit = std::sqrt(3.0) / M_PI;  // 1 / sd of a logistic variable
}  // namespace

TurnedHead::TurnedHead(std::shared_ptr<Head> inner, std::span<const HeadTarget> targets, std::int64_t context,
                       at::Generator generator)
    : inner_(register_module("inner", std::move(inner))) {
  for (std::size_t t = 0; t < targets.size(); ++t) {
    if (!targets[t].periodic) continue;
    which_.push_back(static_cast<std::int64_t>(t));
    box_ = std::isfinite(targets[t].low);
  }
  PAIRS_CHECK(!which_.empty(), "a turned head needs a periodic target");
  const auto vectors = 2 * static_cast<std::int64_t>(which_.size());
  features_ = register_module("direction_features", std::make_shared<Mlp>(context, std::vector<std::int64_t>{kFeatures},
                                                                          kFeatures, "relu", generator));
  context_weight_ = register_parameter("direction_context_weight", torch::zeros({vectors, context}, weight_options()));
  feature_weight_ =
      register_parameter("direction_feature_weight", torch::zeros({vectors, kFeatures}, weight_options()));
  bias_ = register_parameter("direction_bias", torch::zeros({vectors}, weight_options()));
}

Tensor TurnedHead::vectors(const Tensor& context) const {
  const Tensor raw = torch::addmm(bias_, context, context_weight_.t());
  return torch::addmm(raw, torch::relu(features_->forward(context)), feature_weight_.t());
}

Tensor TurnedHead::directions(const Tensor& vectors) const {
  const auto count = static_cast<std::int64_t>(which_.size());
  const Tensor cosine = vectors.narrow(1, 0, count), sine = vectors.narrow(1, count, count);
  const Tensor x = cosine.detach(), y = sine.detach();
  const Tensor length = (x.square() + y.square()).sqrt(), most = length.clamp_min(1e-12);
  // Its value is the angle; its gradient that of the angle, bounded.
  const Tensor across = (x / most * sine - y / most * cosine) / (length + kShortest);
  return (torch::atan2(y, x) + across - across.detach()) / (2 * M_PI);
}

Tensor TurnedHead::turns(const Tensor& theta) const {
  std::vector<Tensor> out;
  for (const std::int64_t j : which_) out.push_back(theta.select(-1, j));
  return torch::stack(out, -1);
}

std::pair<Tensor, Tensor> TurnedHead::inner_coordinates(const Tensor& theta, const Tensor& directions) const {
  const Tensor from_cut = turns(theta) - directions + 0.5, share = from_cut - from_cut.detach().floor();
  std::vector<Tensor> columns;
  for (std::int64_t j = 0; j < theta.size(1); ++j) columns.push_back(theta.select(1, j));
  Tensor log_slope;
  for (std::size_t k = 0; k < which_.size(); ++k) {
    Tensor f = share.select(1, static_cast<std::int64_t>(k));
    if (!box_) {
      f = f.clamp(kLeastShare, 1 - kLeastShare);
      const Tensor own = -f.log() - (-f).log1p() + std::log(kLogitUnit);
      log_slope = log_slope.defined() ? log_slope + own : own;
      f = (f.log() - (-f).log1p()) * kLogitUnit;
    }
    columns[static_cast<std::size_t>(which_[k])] = f;
  }
  return {torch::stack(columns, 1), log_slope};
}

Tensor TurnedHead::log_prob(const Tensor& theta, const Tensor& context) {
  const auto [inner, log_slope] = inner_coordinates(theta, directions(vectors(context)));
  const Tensor out = inner_->log_prob(inner, context);
  return log_slope.defined() ? out + log_slope : out;
}

Tensor TurnedHead::loss(const Tensor& theta, const Tensor& context) {
  return log_prob(theta, context).mean().neg();
}

Tensor TurnedHead::auxiliary_loss(const Tensor& theta, const Tensor& context) {
  const Tensor made = vectors(context), angle = turns(theta) * (2 * M_PI);
  const Tensor own = (made - torch::cat({angle.cos(), angle.sin()}, 1)).square().sum(1).mean();
  const Tensor inner = inner_->auxiliary_loss(inner_coordinates(theta, directions(made)).first, context);
  return inner.defined() ? inner + own : own;
}

Tensor TurnedHead::sample(const Tensor& context, std::int64_t count, std::uint64_t key) {
  torch::NoGradGuard no_grad;
  Tensor out = inner_->sample(context, count, key).clone();
  const Tensor turned = directions(vectors(context));
  for (std::size_t k = 0; k < which_.size(); ++k) {
    Tensor column = out.select(2, which_[k]);
    const Tensor f = box_ ? column : torch::sigmoid(column / kLogitUnit);
    const Tensor at = f + turned.select(1, static_cast<std::int64_t>(k)).unsqueeze(1) - 0.5;
    column.copy_(at - at.floor());
  }
  return out;
}

Tensor TurnedHead::log_prob_grid(const Tensor& theta, const Tensor& context) {
  torch::NoGradGuard no_grad;
  const std::int64_t sets = theta.size(0), points = theta.size(1);
  const Tensor turned = directions(vectors(context)).repeat_interleave(points, 0);
  const auto [inner, log_slope] = inner_coordinates(theta.reshape({sets * points, theta.size(2)}), turned);
  const Tensor out = inner_->log_prob_grid(inner.view_as(theta), context);
  return log_slope.defined() ? out + log_slope.view_as(out) : out;
}

Tensor TurnedHead::log_mass(const Tensor& context, const Tensor& low, const Tensor& high) {
  // All of a periodic target's values are possible.
  Tensor from = low.clone(), to = high.clone();
  for (const std::int64_t j : which_) {
    from.select(1, j).fill_(-std::numeric_limits<double>::infinity());
    to.select(1, j).fill_(std::numeric_limits<double>::infinity());
  }
  return inner_->log_mass(context, from, to);
}

NetworkDescription TurnedHead::describe() const {
  NetworkDescription out = inner_->describe();
  out.parameters = described(*this, {}, {}, 0, "").parameters;
  out.flops = flops();
  out.lines.push_back(which_.size() == 1
                          ? "1 periodic target, cut open opposite of its mean"
                          : fmt::format("{} periodic targets, cut open opposite of their means", which_.size()));
  return out;
}

double TurnedHead::flops() const {
  return inner_->flops() + features_->flops() +
         2 * static_cast<double>(context_weight_.numel() + feature_weight_.numel());
}

void TurnedHead::absorb_context_affine(const Tensor& scale, const Tensor& shift) {
  absorb_into_linear(context_weight_, bias_, 0, scale, shift);
  absorb_into_linear(features_->first_weight(), features_->first_bias(), 0, scale, shift);
  inner_->absorb_context_affine(scale, shift);
}

}  // namespace pairs
