#include "core/likelihood/column_density.h"

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/text/error.h"

namespace pairs {

using torch::Tensor;

namespace {

constexpr double kStep = 0.5;                       // of the differences that measure curvature
constexpr double kSpread = 1.5;                     // standard deviations over which components start
constexpr double kLeastScale = -7, kMostScale = 4;  // log scales of components, in units of the column's spread
constexpr double kMostScore = 5;
constexpr int kScoreTurns = 3;
constexpr double kMostAround = 2.5;  // scale of a component on a circle, where one turn either way then holds it all
const double kLogRootTwoPi = 0.5 * std::log(2 * M_PI);

// The largest number of rows for which a network runs at once.
constexpr std::int64_t kRowsAtOnce = 65536;

}  // namespace

ColumnDensity::ColumnDensity(const Settings& settings, std::vector<ColumnForm> forms, std::int64_t context,
                             at::Generator generator)
    : forms_(std::move(forms)), components_(settings.components) {
  PAIRS_CHECK(!forms_.empty() && settings.components >= 1 && settings.hidden >= 1 && settings.layers >= 1,
              "A density of observations needs a column, a component, and a layer at least");
  const std::vector<std::int64_t> hidden(static_cast<std::size_t>(settings.layers), settings.hidden);
  for (std::size_t j = 0; j < forms_.size(); ++j)
    nets_.push_back(register_module(fmt::format("column{}", j),
                                    std::make_shared<Mlp>(seen_size(static_cast<std::int64_t>(j)) + context, hidden,
                                                          3 * components_, "silu", generator, true)));
  places_ = components_ == 1 ? at::zeros({1}) : at::linspace(-kSpread, kSpread, components_);
  around_ = (at::arange(components_, at::kFloat) + 0.5) * (2 * M_PI / static_cast<double>(components_)) - M_PI;
}

std::int64_t ColumnDensity::seen_size(std::int64_t j) const {
  return j + std::count_if(forms_.begin(), forms_.begin() + j, [](const ColumnForm& one) { return one.circle; });
}

Tensor ColumnDensity::seen(std::int64_t j, const Tensor& x) const {
  if (seen_size(j) == j) return x.slice(1, 0, j);
  std::vector<Tensor> out;
  for (std::int64_t k = 0; k < j; ++k) {
    const Tensor one = x.narrow(1, k, 1);
    out.push_back(forms_[static_cast<std::size_t>(k)].circle ? one.cos() : one);
    if (forms_[static_cast<std::size_t>(k)].circle) out.push_back(one.sin());
  }
  return at::cat(out, 1);
}

Tensor ColumnDensity::input(std::int64_t j, const Tensor& x, const Tensor& context) const {
  return j == 0 ? context : at::cat({seen(j, x), context}, 1);
}

ColumnDensity::Mixture ColumnDensity::mixture(std::int64_t j, const Tensor& input) const {
  const Tensor all = nets_[static_cast<std::size_t>(j)]->forward(input);
  // Log scales follow the network freely within their bounds, with a gradient everywhere.
  const bool circle = forms_[static_cast<std::size_t>(j)].circle;
  const double most = circle ? std::log(kMostAround) : kMostScale;
  const double middle = 0.5 * (kLeastScale + most), half = 0.5 * (most - kLeastScale);
  const Tensor raw = all.narrow(-1, 2 * components_, components_);
  Tensor mean = all.narrow(-1, components_, components_) + (circle ? around_ : places_).to(all.device());
  if (circle) mean = mean - (mean.detach() / (2 * M_PI)).round() * (2 * M_PI);
  return {at::log_softmax(all.narrow(-1, 0, components_), -1), mean, middle + half * at::tanh((raw - middle) / half)};
}

Tensor ColumnDensity::log_density(std::int64_t j, const Tensor& x, const Mixture& m) const {
  if (!forms_[static_cast<std::size_t>(j)].circle) return log_density_on_line(j, x, m);
  // The turn next to each component, and one more either way.
  Tensor sum;
  for (const double turn : {-2 * M_PI, 0.0, 2 * M_PI}) {
    const Tensor from = x - m.mean.detach(), near = from - (from / (2 * M_PI)).round() * (2 * M_PI);
    const Tensor one = log_density_on_line(j, m.mean.detach() + near + turn, m);
    sum = sum.defined() ? at::logaddexp(sum, one) : one;
  }
  return sum;
}

Tensor ColumnDensity::log_density_on_line(std::int64_t j, const Tensor& x, const Mixture& m) const {
  const double cell = forms_[static_cast<std::size_t>(j)].cell;
  const Tensor inverse = at::exp(-m.log_scale);
  if (cell == 0) {
    const Tensor t = (x - m.mean) * inverse;
    return at::logsumexp(m.log_weight - 0.5 * t * t - m.log_scale, -1) - kLogRootTwoPi;
  }
  // σ(b) - σ(a) = σ(b) σ(-a) (1 - exp(a - b)).
  const Tensor a = (x - 0.5 * cell - m.mean) * inverse, width = cell * inverse, b = a + width;
  const Tensor rest = at::log(-at::expm1(-width.clamp_min(1e-12)));
  return at::logsumexp(m.log_weight + at::log_sigmoid(b) + at::log_sigmoid(-a) + rest, -1);
}

Tensor ColumnDensity::log_prob(const Tensor& x, const Tensor& context, std::int64_t first) const {
  return log_prob_between(x, context, first, columns());
}

Tensor ColumnDensity::log_prob_of_first(const Tensor& x, const Tensor& context, std::int64_t count) const {
  return log_prob_between(x, context, 0, count);
}

Tensor ColumnDensity::log_prob_between(const Tensor& x, const Tensor& context, std::int64_t first,
                                       std::int64_t end) const {
  Tensor sum;
  for (std::int64_t j = first; j < end; ++j) {
    const Tensor one = log_density(j, x.narrow(1, j, 1), mixture(j, input(j, x, context)));
    sum = sum.defined() ? sum + one : one;
  }
  return sum;
}

Tensor ColumnDensity::curvature(const Tensor& x, const Tensor& context, std::uint64_t key) const {
  at::Generator generator = at::detail::createCPUGenerator(key);
  Tensor sum;
  for (std::int64_t j = 0; j < columns(); ++j) {
    const Tensor inputs = input(j, x, context);
    const Tensor step = kStep * at::randn(inputs.sizes(), generator, at::TensorOptions(at::kFloat)).to(inputs.device());
    const std::vector<Tensor> out =
        nets_[static_cast<std::size_t>(j)]->forward(at::cat({inputs, inputs + step, inputs - step})).chunk(3);
    const Tensor one = ((out[1] + out[2] - 2 * out[0]) / (kStep * kStep)).square().mean();
    sum = sum.defined() ? sum + one : one;
  }
  return sum;
}

Tensor ColumnDensity::log_prob_all(const Tensor& x, const Tensor& context, std::int64_t first) const {
  const std::int64_t count = x.size(0), contexts = context.size(0);
  // The mixtures of column 0 depend on the context alone.
  Mixture rows;
  if (first == 0) {
    const Mixture one = mixture(0, context);
    rows = {one.log_weight.unsqueeze(1), one.mean.unsqueeze(1), one.log_scale.unsqueeze(1)};
  }
  std::vector<Tensor> parts;
  const std::int64_t at_once = std::max<std::int64_t>(1, kRowsAtOnce / contexts);
  for (std::int64_t from = 0; from < count; from += at_once) {
    const Tensor part = x.slice(0, from, std::min(from + at_once, count));
    const std::int64_t n = part.size(0);
    Tensor sum;  // [S, n]
    if (first == 0) sum = log_density(0, part.narrow(1, 0, 1).unsqueeze(0), rows);
    for (std::int64_t j = std::max<std::int64_t>(first, 1); j < columns(); ++j) {
      const std::int64_t width = seen_size(j);
      const Tensor all = at::cat({seen(j, part).unsqueeze(0).expand({contexts, n, width}),
                                  context.unsqueeze(1).expand({contexts, n, context.size(1)})},
                                 2)
                             .view({contexts * n, width + context.size(1)});
      const Tensor values = part.narrow(1, j, 1).unsqueeze(0).expand({contexts, n, 1}).reshape({contexts * n, 1});
      const Tensor one = log_density(j, values, mixture(j, all)).view({contexts, n});
      sum = sum.defined() ? sum + one : one;
    }
    parts.push_back(sum);
  }
  return parts.size() == 1 ? parts.front() : at::cat(parts, 1);
}

Tensor ColumnDensity::sample(const Tensor& context, std::uint64_t key) const {
  const at::NoGradGuard no_grad;
  at::Generator generator = at::detail::createCPUGenerator(key);
  const std::int64_t rows = context.size(0);
  Tensor out = at::empty({rows, 0}, context.options());
  for (std::int64_t j = 0; j < columns(); ++j) {
    const Mixture m = mixture(j, input(j, out, context));
    const Tensor uniform = at::rand({rows, 2}, generator, at::TensorOptions(at::kFloat)).to(context.device());
    const Tensor which = at::searchsorted(at::cumsum(m.log_weight.exp(), -1), uniform.narrow(1, 0, 1).contiguous())
                             .clamp_max(components_ - 1);
    const Tensor mean = m.mean.gather(1, which), scale = m.log_scale.gather(1, which).exp();
    const Tensor u = uniform.narrow(1, 1, 1).clamp(1e-7, 1 - 1e-7);
    const auto [cell, circle] = forms_[static_cast<std::size_t>(j)];
    Tensor x = mean + scale * (cell == 0 ? at::special_ndtri(u) : at::logit(u));
    if (circle) x = x - ((x + M_PI) / (2 * M_PI)).floor() * (2 * M_PI);
    out = at::cat({out, x}, 1);
  }
  return out;
}

Tensor ColumnDensity::normal_scores(const Tensor& x, const Tensor& context) const {
  const at::NoGradGuard no_grad;
  std::vector<Tensor> out;
  for (std::int64_t j = 0; j < columns(); ++j) {
    const Mixture m = mixture(j, input(j, x, context));
    const Tensor value = x.narrow(1, j, 1), inverse = at::exp(-m.log_scale);
    const auto [cell, circle] = forms_[static_cast<std::size_t>(j)];
    const auto below_on_line = [&, cell = cell](const Tensor& at) {
      const Tensor t = (at - m.mean) * inverse;
      return (m.log_weight.exp() * (cell == 0 ? at::special_ndtr(t) : at::sigmoid(t))).sum(-1);
    };
    // On a circle from -π on, over the turns that hold nearly everything.
    const auto below = [&, circle = circle](double shift) {
      if (!circle) return below_on_line(value + shift);
      Tensor sum;
      for (int turn = -kScoreTurns; turn <= kScoreTurns; ++turn) {
        const Tensor one = below_on_line(value + (shift + 2 * M_PI * turn)) -
                           below_on_line(at::full_like(value, 2 * M_PI * turn - M_PI));
        sum = sum.defined() ? sum + one : one;
      }
      return sum;
    };
    const Tensor u = cell == 0 ? below(0) : 0.5 * (below(-0.5 * cell) + below(0.5 * cell));
    out.push_back(at::special_ndtri(u.clamp(1e-7, 1 - 1e-7)).clamp(-kMostScore, kMostScore));
  }
  return at::stack(out, 1);
}

}  // namespace pairs
