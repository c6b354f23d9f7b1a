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
    nets_.push_back(
        register_module(fmt::format("column{}", j),
                        std::make_shared<Mlp>(seen_size(static_cast<std::int64_t>(j)) + context, hidden,
                                              outputs(static_cast<std::int64_t>(j)), "silu", generator, true)));
  places_ = components_ == 1 ? at::zeros({1}) : at::linspace(-kSpread, kSpread, components_);
  around_ = (at::arange(components_, at::kFloat) + 0.5) * (2 * M_PI / static_cast<double>(components_)) - M_PI;
}

std::int64_t ColumnDensity::outputs(std::int64_t j) const {
  const ColumnForm& form = forms_[static_cast<std::size_t>(j)];
  return (form.only_atoms ? 0 : 3 * components_) + static_cast<std::int64_t>(form.atoms.size());
}

std::int64_t ColumnDensity::seen_size(std::int64_t j) const {
  std::int64_t sum = 0;
  for (std::int64_t k = 0; k < j; ++k) {
    const ColumnForm& form = forms_[static_cast<std::size_t>(k)];
    sum += (form.circle ? 2 : form.only_atoms ? 0 : 1) + static_cast<std::int64_t>(form.atoms.size());
  }
  return sum;
}

Tensor ColumnDensity::seen(std::int64_t j, const Tensor& x) const {
  const auto plain = [](const ColumnForm& form) { return !form.circle && form.atoms.empty(); };
  if (std::all_of(forms_.begin(), forms_.begin() + j, plain)) return x.slice(1, 0, j);
  std::vector<Tensor> out;
  for (std::int64_t k = 0; k < j; ++k) {
    const ColumnForm& form = forms_[static_cast<std::size_t>(k)];
    const Tensor one = x.narrow(1, k, 1);
    if (form.circle) {
      out.push_back(one.cos());
      out.push_back(one.sin());
    } else if (form.atoms.empty()) {
      out.push_back(one);
    } else {
      const Tensor atom = atom_of(one);
      if (!form.only_atoms) out.push_back(one.masked_fill(atom >= 0, 0));
      const auto atoms = static_cast<std::int64_t>(form.atoms.size());
      out.push_back((atom == at::arange(atoms, atom.options())).to(one.dtype()));
    }
  }
  return at::cat(out, 1);
}

Tensor ColumnDensity::input(std::int64_t j, const Tensor& x, const Tensor& context) const {
  return j == 0 ? context : at::cat({seen(j, x), context}, 1);
}

ColumnDensity::Mixture ColumnDensity::mixture(std::int64_t j, const Tensor& input) const {
  const Tensor all = nets_[static_cast<std::size_t>(j)]->forward(input);
  // Log scales follow the network freely within their bounds, with a gradient everywhere.
  const auto atoms = static_cast<std::int64_t>(forms_[static_cast<std::size_t>(j)].atoms.size());
  Tensor log_atoms, log_rest;
  if (atoms > 0) {
    const Tensor logits = all.narrow(-1, all.size(-1) - atoms, atoms);
    if (forms_[static_cast<std::size_t>(j)].only_atoms) return {{}, {}, {}, at::log_softmax(logits, -1), {}};
    const Tensor shares = at::log_softmax(at::cat({logits, at::zeros_like(logits.narrow(-1, 0, 1))}, -1), -1);
    log_atoms = shares.narrow(-1, 0, atoms);
    log_rest = shares.narrow(-1, atoms, 1);
  }
  const bool circle = forms_[static_cast<std::size_t>(j)].circle;
  const double most = circle ? std::log(kMostAround) : kMostScale;
  const double middle = 0.5 * (kLeastScale + most), half = 0.5 * (most - kLeastScale);
  const Tensor raw = all.narrow(-1, 2 * components_, components_);
  Tensor mean = all.narrow(-1, components_, components_) + (circle ? around_ : places_).to(all.device());
  if (circle) mean = mean - (mean.detach() / (2 * M_PI)).round() * (2 * M_PI);
  return {at::log_softmax(all.narrow(-1, 0, components_), -1), mean, middle + half * at::tanh((raw - middle) / half),
          log_atoms, log_rest};
}

Tensor ColumnDensity::log_density(std::int64_t j, const Tensor& x, const Mixture& m) const {
  if (!m.log_atoms.defined()) return log_density_beside(j, x, m);
  const Tensor atom = atom_of(x);
  std::vector<std::int64_t> shape =
      at::infer_size(atom.sizes().slice(0, atom.dim() - 1), m.log_atoms.sizes().slice(0, m.log_atoms.dim() - 1));
  shape.push_back(-1);
  const Tensor single =
      m.log_atoms.expand(shape).gather(-1, atom.clamp_min(0).expand(shape)).squeeze(-1);  // of an atom, if it is one
  if (!m.mean.defined()) return single;
  const Tensor rest = m.log_rest.squeeze(-1) + log_density_beside(j, x.masked_fill(atom >= 0, 0), m);
  return at::where(atom.squeeze(-1) >= 0, single, rest);
}

Tensor ColumnDensity::log_density_beside(std::int64_t j, const Tensor& x, const Mixture& m) const {
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
    const auto row = [](const Tensor& all) { return all.defined() ? all.unsqueeze(1) : all; };
    rows = {row(one.log_weight), row(one.mean), row(one.log_scale), row(one.log_atoms), row(one.log_rest)};
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
    const auto uniforms = [&](std::int64_t count) {
      return at::rand({rows, count}, generator, at::TensorOptions(at::kFloat)).to(context.device());
    };
    Tensor code, others;  // of the atom that was drawn, and whether it was none
    if (m.log_atoms.defined()) {
      const Tensor all = m.log_rest.defined() ? at::cat({m.log_atoms, m.log_rest}, -1) : m.log_atoms;
      const Tensor drawn = at::searchsorted(at::cumsum(all.exp(), -1), uniforms(1)).clamp_max(all.size(1) - 1);
      others = drawn == m.log_atoms.size(1);
      code = (drawn + 1).to(at::kFloat) * atom_code(0);
      if (!m.mean.defined()) {
        out = at::cat({out, code}, 1);
        continue;
      }
    }
    const Tensor uniform = uniforms(2);
    const Tensor which = at::searchsorted(at::cumsum(m.log_weight.exp(), -1), uniform.narrow(1, 0, 1).contiguous())
                             .clamp_max(components_ - 1);
    const Tensor mean = m.mean.gather(1, which), scale = m.log_scale.gather(1, which).exp();
    const Tensor u = uniform.narrow(1, 1, 1).clamp(1e-7, 1 - 1e-7);
    const ColumnForm& form = forms_[static_cast<std::size_t>(j)];
    const auto [cell, circle] = std::pair(form.cell, form.circle);
    Tensor x = mean + scale * (cell == 0 ? at::special_ndtri(u) : at::logit(u));
    if (circle) x = x - ((x + M_PI) / (2 * M_PI)).floor() * (2 * M_PI);
    if (code.defined()) x = at::where(others, x, code);
    out = at::cat({out, x}, 1);
  }
  return out;
}

Tensor ColumnDensity::normal_scores(const Tensor& x, const Tensor& context) const {
  const at::NoGradGuard no_grad;
  std::vector<Tensor> out;
  for (std::int64_t j = 0; j < columns(); ++j) {
    const Mixture m = mixture(j, input(j, x, context));
    const ColumnForm& form = forms_[static_cast<std::size_t>(j)];
    const auto [cell, circle] = std::pair(form.cell, form.circle);
    Tensor value = x.narrow(1, j, 1), atoms_below;
    if (m.log_atoms.defined()) {
      // Half of the own atom's mass counts, and all of the atoms below.
      const Tensor atom = atom_of(value), place = torch::tensor(form.atoms, torch::kFloat32).to(value.device());
      const Tensor number = at::arange(place.size(0), atom.options());
      const Tensor counted =
          at::where(atom >= 0, (number < atom).to(at::kFloat) + 0.5 * (number == atom).to(at::kFloat),
                    (place < value).to(at::kFloat));
      atoms_below = (m.log_atoms.exp() * counted).sum(-1);
      value = at::where(atom >= 0, place.index_select(0, atom.clamp_min(0).flatten()).view_as(value), value);
    }
    const Tensor inverse = m.mean.defined() ? at::exp(-m.log_scale) : Tensor();
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
    Tensor u = !m.mean.defined() ? at::zeros_like(atoms_below)
               : cell == 0       ? below(0)
                                 : 0.5 * (below(-0.5 * cell) + below(0.5 * cell));
    if (atoms_below.defined()) u = atoms_below + (m.log_rest.defined() ? m.log_rest.squeeze(-1).exp() * u : u);
    out.push_back(at::special_ndtri(u.clamp(1e-7, 1 - 1e-7)).clamp(-kMostScore, kMostScore));
  }
  return at::stack(out, 1);
}

}  // namespace pairs
