#include "core/ops/umnn_integral.h"

#include <torch/csrc/autograd/custom_function.h>

#include <cmath>
#include <map>
#include <mutex>
#include <numbers>
#include <tuple>

#include "core/base/text/error.h"
#include "core/ops/ops.h"

namespace pairs::ops {

using torch::Tensor;

const Quadrature& clenshaw_curtis(std::int64_t steps) {
  PAIRS_CHECK(steps >= 2 && steps % 2 == 0 && steps <= 1000,
              "a Clenshaw-Curtis quadrature needs an even number of steps from 2 to 1000, not {}", steps);
  static std::mutex mutex;
  static std::map<std::int64_t, Quadrature> known;
  const std::lock_guard lock(mutex);
  const auto [it, fresh] = known.try_emplace(steps);
  if (fresh) {
    const double n = static_cast<double>(steps);
    for (std::int64_t k = 0; k <= steps; ++k) {
      const double angle = static_cast<double>(k) * std::numbers::pi / n;
      double sum = 1;
      for (std::int64_t j = 1; j <= steps / 2; ++j) {
        const double jj = static_cast<double>(j);
        sum -= (j == steps / 2 ? 1.0 : 2.0) / (4 * jj * jj - 1) * std::cos(2 * jj * angle);
      }
      const double c = k == 0 || k == steps ? 1 : 2;
      it->second.nodes.push_back(0.5 + 0.5 * std::cos(angle));
      it->second.weights.push_back(0.5 * c / n * sum);
    }
    it->second.nodes.back() = 0;
  }
  return it->second;
}

const QuadratureTensors& quadrature_on(std::int64_t steps, const torch::TensorOptions& options) {
  const Quadrature& rule = clenshaw_curtis(steps);
  const torch::Device device = options.device();
  const auto type = c10::typeMetaToScalarType(options.dtype());
  static std::mutex mutex;
  // Never freed: a GPU's memory must not be released after its driver has shut down.
  static auto& known = *new std::map<std::tuple<std::int64_t, torch::DeviceType, torch::DeviceIndex, torch::ScalarType>,
                                     QuadratureTensors>;
  const std::lock_guard lock(mutex);
  const auto [it, fresh] = known.try_emplace({steps, device.type(), device.index(), type});
  if (fresh) {
    const auto with_end = [&](std::vector<double> values, double end) {
      values.push_back(end);
      return torch::tensor(values, torch::kDouble).to(device, type);
    };
    it->second = {with_end(rule.nodes, 1.0), with_end(rule.weights, 0.0)};
  }
  return it->second;
}

namespace {

// Smallest value of the integrand: the map stays invertible and its density positive.
constexpr double kFloor = 0.05;
// Activations of a block without gradients stay within the second-level cache.
constexpr std::int64_t kBlockFloats = 1 << 17;
// Steps of an integral over a grid, in addition to those between its values: over all of it, and over the part with
// inputs of standardized size, where a network bends.
constexpr std::int64_t kWideSteps = 128, kBodySteps = 384;
constexpr double kBody = 8;

// Activations of R rows at m nodes each: layers[l] [R m, width] after ReLU, t [R, m], g [R, m].
struct Evaluation {
  std::vector<Tensor> layers;
  Tensor t, g;
};

// The integrand at t [R, m]; the first layer's part from h is `offset` [R, width] or [1, width].
Evaluation evaluate_at(const Tensor& t, const Tensor& offset, at::TensorList weights, at::TensorList biases,
                       bool keep) {
  Evaluation e;
  e.t = t;
  const std::int64_t rows = e.t.numel();
  Tensor a = torch::addcmul(offset.unsqueeze(1), e.t.unsqueeze(2), weights[0].select(1, 0)).view({rows, -1}).relu_();
  for (std::size_t l = 1; l + 1 < weights.size(); ++l) {
    if (keep) e.layers.push_back(a);
    a = linear_act(a, weights[l], biases[l], "relu");
  }
  if (keep) e.layers.push_back(a);
  const Tensor u = torch::addmv(biases.back(), a, weights.back().select(0, 0));
  e.g = torch::elu(u).add_(1 + kFloor).view_as(e.t);
  return e;
}

// Evaluates at all nodes between 0 and each x [R].
Evaluation evaluate(const Tensor& x, const Tensor& offset, const Tensor& nodes, at::TensorList weights,
                    at::TensorList biases, bool keep) {
  return evaluate_at(torch::outer(x, nodes), offset, weights, biases, keep);
}

// The number of values in a block of evaluations; for a GPU only memory limits it.
std::int64_t block_values(const Tensor& x, std::int64_t width) {
  return std::max<std::int64_t>(1, (x.is_cpu() ? 1 : 256) * kBlockFloats / width);
}

Tensor first_offset(const Tensor& h, const Tensor& weight, const Tensor& bias) {
  return torch::addmm(bias, h, weight.narrow(1, 1, h.size(1)).t());
}

// z = h_0 + x Σ_k w_k g_k for g [R, m].
Tensor integral(const Tensor& x, const Tensor& h0, const Tensor& g, const Tensor& weights) {
  return torch::addcmul(h0, x, g.mv(weights));
}

class Integral : public torch::autograd::Function<Integral> {
 public:
  static torch::autograd::variable_list forward(torch::autograd::AutogradContext* ctx, const Tensor& x, const Tensor& h,
                                                at::TensorList weights, at::TensorList biases, std::int64_t steps) {
    const Tensor offset = first_offset(h, weights[0], biases[0]);
    const QuadratureTensors& rule = quadrature_on(steps, x.options());
    const Evaluation e = evaluate(x, offset, rule.nodes, weights, biases, true);
    torch::autograd::variable_list saved = {x, h, e.t, e.g};
    saved.insert(saved.end(), e.layers.begin(), e.layers.end());
    saved.insert(saved.end(), weights.begin(), weights.end());
    ctx->save_for_backward(saved);
    ctx->saved_data["steps"] = steps;
    ctx->saved_data["layers"] = static_cast<std::int64_t>(weights.size());
    return {integral(x, h.select(1, 0), e.g, rule.weights), e.g.select(1, e.g.size(1) - 1).clone()};
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* ctx,
                                                 torch::autograd::variable_list grads) {
    const auto saved = ctx->get_saved_variables();
    const auto layers = static_cast<std::size_t>(ctx->saved_data["layers"].toInt());
    const std::int64_t steps = ctx->saved_data["steps"].toInt();
    const Tensor &x = saved[0], &h = saved[1], &t = saved[2], &g = saved[3];
    const auto activation = [&](std::size_t l) -> const Tensor& { return saved[4 + l]; };
    const auto weight = [&](std::size_t l) -> const Tensor& { return saved[4 + layers - 1 + l]; };
    const Tensor &grad_z = grads[0], &grad_g = grads[1];
    const std::int64_t rows = t.size(0), m = t.size(1);

    // Gradient of the output's pre-activations: ELU' is 1 above zero and e^u = g - 0.05 below.
    Tensor du = torch::outer(grad_z * x, quadrature_on(steps, x.options()).weights);
    du.select(1, m - 1).copy_(grad_g);
    du.mul_((g - kFloor).clamp_max_(1.0));
    du = du.view({rows * m, 1});

    torch::autograd::variable_list grad_weights(layers), grad_biases(layers);
    Tensor d = du;
    for (std::size_t l = layers - 1; l > 0; --l) {
      grad_weights[l] = d.t().mm(activation(l - 1));
      grad_biases[l] = d.sum(0);
      d = torch::threshold_backward(d.mm(weight(l)), activation(l - 1), 0);
    }
    const Tensor nodes = d.view({rows, m, -1}), along = weight(0).select(1, 0);
    const Tensor grad_offset = nodes.sum(1);
    grad_weights[0] = torch::cat({d.t().mv(t.view({rows * m})).unsqueeze(1), grad_offset.t().mm(h)}, 1);
    grad_biases[0] = grad_offset.sum(0);

    Tensor grad_x, grad_h;
    if (ctx->needs_input_grad(0)) grad_x = torch::addcmul(nodes.select(1, m - 1).mv(along), grad_z, g.select(1, m - 1));
    if (ctx->needs_input_grad(1)) {
      grad_h = grad_offset.mm(weight(0).narrow(1, 1, h.size(1)));
      grad_h.select(1, 0).add_(grad_z);
    }
    torch::autograd::variable_list out = {grad_x, grad_h};
    out.insert(out.end(), grad_weights.begin(), grad_weights.end());
    out.insert(out.end(), grad_biases.begin(), grad_biases.end());
    out.emplace_back();
    return out;
  }
};

void check(const Tensor& x, const Tensor& h, const std::vector<Tensor>& weights, const std::vector<Tensor>& biases) {
  PAIRS_CHECK(x.dim() == 1 && h.dim() == 2 && h.size(1) >= 1 && weights.size() >= 2 && weights.size() == biases.size(),
              "a UMNN integral takes x [M], h [C, q] and at least two layers with a bias each");
  PAIRS_CHECK(weights.front().size(1) == 1 + h.size(1) && weights.back().size(0) == 1,
              "the integrand of a UMNN takes 1 + {} inputs and gives 1 output, not {} and {}", h.size(1),
              weights.front().size(1), weights.back().size(0));
  PAIRS_CHECK(x.size(0) == h.size(0) || (h.size(0) > 0 && x.size(0) % h.size(0) == 0),
              "a UMNN integral got {} values for {} rows of h: the one must be a multiple of the other", x.size(0),
              h.size(0));
}

}  // namespace

std::tuple<Tensor, Tensor> umnn_integral(const Tensor& x, const Tensor& h, const std::vector<Tensor>& weights,
                                         const std::vector<Tensor>& biases, std::int64_t steps) {
  check(x, h, weights, biases);
  const std::int64_t rows = x.size(0), repeat = rows == 0 ? 1 : rows / h.size(0);
  if (torch::GradMode::is_enabled()) {
    const Tensor each = repeat == 1 ? h : h.repeat_interleave(repeat, 0);
    const auto out = Integral::apply(x, each, at::TensorList(weights), at::TensorList(biases), steps);
    return {out[0], out[1]};
  }
  const auto& [nodes, quadrature] = quadrature_on(steps, x.options());
  const Tensor offset = first_offset(h, weights[0], biases[0]);
  const std::int64_t width = offset.size(1), end = nodes.size(0) - 1;
  const std::int64_t block = std::max<std::int64_t>(1, block_values(x, width) / (end + 1));
  Tensor z = torch::empty_like(x), g = torch::empty_like(x);
  const auto run = [&](std::int64_t begin, std::int64_t stop, const Tensor& part_offset, const Tensor& h0) {
    const Tensor part = x.slice(0, begin, stop);
    const Evaluation e = evaluate(part, part_offset, nodes, weights, biases, false);
    z.slice(0, begin, stop).copy_(integral(part, h0, e.g, quadrature));
    g.slice(0, begin, stop).copy_(e.g.select(1, end));
  };
  if (repeat >= block) {  // blocks within one row of h
    for (std::int64_t row = 0; row < h.size(0); ++row)
      for (std::int64_t begin = row * repeat; begin < (row + 1) * repeat; begin += block)
        run(begin, std::min(begin + block, (row + 1) * repeat), offset.narrow(0, row, 1),
            h.narrow(0, row, 1).select(1, 0));
  } else {
    const std::int64_t owners = std::max<std::int64_t>(1, block / repeat);
    for (std::int64_t row = 0; row < h.size(0); row += owners) {
      const std::int64_t stop = std::min(row + owners, h.size(0));
      const auto each = [&](const Tensor& v) {
        const Tensor part = v.slice(0, row, stop);
        return repeat == 1 ? part : part.repeat_interleave(repeat, 0);
      };
      run(row * repeat, stop * repeat, each(offset), each(h.select(1, 0)));
    }
  }
  return {z, g};
}

std::tuple<Tensor, Tensor> umnn_integral_grid(const Tensor& x, const Tensor& h, const std::vector<Tensor>& weights,
                                              const std::vector<Tensor>& biases) {
  PAIRS_CHECK(x.dim() == 2 && x.size(0) == h.size(0) && x.size(1) >= 1,
              "a UMNN integral over a grid takes x [B, S] with a row of h for each of B");
  check(x.flatten(), h, weights, biases);
  torch::NoGradGuard no_grad;
  const std::int64_t rows = x.size(0), points = x.size(1);
  // Knots: 0, where the integral begins, the values, and even steps.
  const Tensor wide = x.to(torch::kDouble), zero = torch::zeros({rows, 1}, wide.options());
  const Tensor low = wide.amin(1, true).clamp_max(0), high = wide.amax(1, true).clamp_min(0);
  const auto even = [&](const Tensor& from, const Tensor& to, std::int64_t steps) {
    return from + (to - from) * torch::linspace(0, 1, steps + 1, wide.options());
  };
  const auto [knots, order] =
      torch::cat(
          {zero, wide, even(low, high, kWideSteps), even(low.clamp_min(-kBody), high.clamp_max(kBody), kBodySteps)}, 1)
          .sort(1);
  const std::int64_t last = knots.size(1) - 1;
  const Tensor middles = 0.5 * (knots.narrow(1, 0, last) + knots.narrow(1, 1, last));
  const Tensor t = torch::cat({knots, middles}, 1).to(x.scalar_type());

  const Tensor offset = first_offset(h, weights[0], biases[0]);
  const std::int64_t block = block_values(x, offset.size(1)), nodes = t.size(1);
  Tensor g = torch::empty_like(t);
  const std::int64_t group = std::max<std::int64_t>(1, block / nodes);
  for (std::int64_t row = 0; row < rows; row += group) {
    const std::int64_t stop = std::min(row + group, rows);
    for (std::int64_t begin = 0; begin < nodes; begin += block) {
      const std::int64_t end = std::min(begin + block, nodes);
      const auto part = [&](const Tensor& v) { return v.slice(0, row, stop).slice(1, begin, end); };
      part(g).copy_(evaluate_at(part(t).contiguous(), offset.slice(0, row, stop), weights, biases, false).g);
    }
  }
  const Tensor fine = g.to(torch::kDouble);
  const Tensor steps = knots.narrow(1, 1, last) - knots.narrow(1, 0, last);
  const Tensor areas =
      steps * (fine.narrow(1, 0, last) + 4 * fine.narrow(1, last + 1, last) + fine.narrow(1, 1, last)) / 6;
  const Tensor sums = torch::cat({zero, areas.cumsum(1)}, 1);
  // Restores the order: the origin came first, the values after it.
  const Tensor place = order.argsort(1, false).narrow(1, 0, 1 + points);
  const Tensor at_knots = sums.gather(1, place);
  const Tensor z = h.select(1, 0).unsqueeze(1) + (at_knots.narrow(1, 1, points) - at_knots.narrow(1, 0, 1));
  return {z.to(x.scalar_type()), g.gather(1, place.narrow(1, 1, points))};
}

}  // namespace pairs::ops
