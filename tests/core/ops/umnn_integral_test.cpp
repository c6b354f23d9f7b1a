#include "core/ops/umnn_integral.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "core/base/text/error.h"
#include "tests/on_device.h"

namespace pairs {
namespace {

using torch::Tensor;

struct Net {
  std::vector<Tensor> weights, biases;
};

Net integrand(std::int64_t q, const std::vector<std::int64_t>& widths, torch::Dtype type = torch::kDouble,
              double sharpness = 1) {
  torch::manual_seed(5);
  Net net;
  std::int64_t in = 1 + q;
  for (std::size_t l = 0; l <= widths.size(); ++l) {
    const std::int64_t out = l < widths.size() ? widths[l] : 1;
    net.weights.push_back((sharpness * torch::randn({out, in}, torch::kDouble) / std::sqrt(double(in))).to(type));
    net.biases.push_back((sharpness * 0.3 * torch::randn({out}, torch::kDouble)).to(type));
    in = out;
  }
  return net;
}

Tensor g_of(const Tensor& t, const Tensor& h, const Net& net) {  // t [R, m], h [R, q]
  Tensor a = torch::cat({t.unsqueeze(2), h.unsqueeze(1).expand({h.size(0), t.size(1), h.size(1)})}, 2);
  for (std::size_t l = 0; l < net.weights.size(); ++l) {
    a = torch::linear(a, net.weights[l], net.biases[l]);
    if (l + 1 < net.weights.size()) a = torch::relu(a);
  }
  return torch::elu(a).squeeze(2) + 1.05;
}

// Plain reference: evaluates all nodes with one network and takes gradients by autograd, with Leibniz' rule for x.
std::tuple<Tensor, Tensor> reference(const Tensor& x, const Tensor& h, const Net& net, std::int64_t steps) {
  const auto& rule = ops::clenshaw_curtis(steps);
  const Tensor nodes = torch::tensor(rule.nodes, x.options().requires_grad(false)),
               weights = torch::tensor(rule.weights, x.options().requires_grad(false));
  const Tensor fixed = x.detach(), g = g_of(x.unsqueeze(1), h, net).squeeze(1);
  const Tensor integral = fixed * g_of(torch::outer(fixed, nodes), h, net).matmul(weights);
  return {h.select(1, 0) + integral + g.detach() * (x - fixed), g};
}

TEST(ClenshawCurtis, IntegratesPolynomialsExactly) {
  for (const std::int64_t n : {2, 4, 10, 20, 50}) {
    const auto& rule = ops::clenshaw_curtis(n);
    ASSERT_EQ(rule.nodes.size(), static_cast<std::size_t>(n + 1));
    for (std::int64_t power = 0; power <= n; ++power) {
      double sum = 0;
      for (std::size_t k = 0; k < rule.nodes.size(); ++k)
        sum += rule.weights[k] * std::pow(rule.nodes[k], static_cast<double>(power));
      EXPECT_NEAR(sum, 1.0 / static_cast<double>(power + 1), 1e-14) << n << " steps, power " << power;
    }
  }
}

TEST(ClenshawCurtis, KnownWeights) {
  // Two steps are Simpson's rule; four: 1/30, 4/15, 2/5, 4/15, 1/30 on [0, 1].
  const std::vector<double> two = {1.0 / 6, 4.0 / 6, 1.0 / 6},
                            four = {1.0 / 30, 8.0 / 30, 12.0 / 30, 8.0 / 30, 1.0 / 30};
  for (std::size_t k = 0; k < two.size(); ++k) EXPECT_NEAR(ops::clenshaw_curtis(2).weights[k], two[k], 1e-16);
  for (std::size_t k = 0; k < four.size(); ++k) EXPECT_NEAR(ops::clenshaw_curtis(4).weights[k], four[k], 1e-16);
  EXPECT_THROW(ops::clenshaw_curtis(3), Error);
  EXPECT_THROW(ops::clenshaw_curtis(0), Error);
}

TEST(ClenshawCurtis, ConvergesFasterThanAnyPower) {
  const auto error = [](std::int64_t n) {
    const auto& rule = ops::clenshaw_curtis(n);
    double sum = 0;
    for (std::size_t k = 0; k < rule.nodes.size(); ++k) sum += rule.weights[k] * std::exp(-3 * rule.nodes[k]);
    return std::abs(sum - (1 - std::exp(-3.0)) / 3);
  };
  EXPECT_LT(error(4), 1e-3);
  EXPECT_LT(error(8), 1e-7);
  EXPECT_LT(error(16), 1e-14);
}

TEST(UmnnIntegral, MatchesPlainOperatorsWithGradients) {
  for (const auto& widths : {std::vector<std::int64_t>{8}, std::vector<std::int64_t>{16, 12, 8}}) {
    const Net net = integrand(4, widths);
    const Tensor x0 = 2 * torch::randn({23}, torch::kDouble), h0 = torch::randn({23, 4}, torch::kDouble);
    const Tensor a = torch::randn({23}, torch::kDouble), b = torch::randn({23}, torch::kDouble);
    const auto run = [&](bool ours) {
      std::vector<Tensor> leaves = {x0.clone().requires_grad_(), h0.clone().requires_grad_()};
      Net copy;
      for (const Tensor& w : net.weights) copy.weights.push_back(w.clone().requires_grad_());
      for (const Tensor& v : net.biases) copy.biases.push_back(v.clone().requires_grad_());
      const auto [z, g] = ours ? ops::umnn_integral(leaves[0], leaves[1], copy.weights, copy.biases, 20)
                               : reference(leaves[0], leaves[1], copy, 20);
      (a * z + b * g.log()).sum().backward();
      leaves.insert(leaves.end(), copy.weights.begin(), copy.weights.end());
      leaves.insert(leaves.end(), copy.biases.begin(), copy.biases.end());
      std::vector<Tensor> out = {z.detach(), g.detach()};
      for (const Tensor& leaf : leaves) out.push_back(leaf.grad());
      return out;
    };
    const auto got = run(true), want = run(false);
    for (std::size_t k = 0; k < got.size(); ++k) {
      ASSERT_TRUE(got[k].defined()) << k;
      EXPECT_LT(((got[k] - want[k]).abs() / want[k].abs().clamp_min(1)).max().item<double>(), 1e-11) << k;
    }
  }
}

TEST(UmnnIntegral, SlopeIsTheDerivativeOfTheIntegral) {
  // A smooth integrand (no kink between the nodes) so that the quadrature is exact to rounding.
  Net net = integrand(3, {6, 5});
  for (Tensor& bias : net.biases) bias.fill_(30.0);
  for (std::size_t l = 0; l < net.weights.size(); ++l) net.weights[l] = net.weights[l].abs() * 0.1;
  const Tensor x = torch::rand({9}, torch::kDouble), h = torch::rand({9, 3}, torch::kDouble);
  torch::NoGradGuard no_grad;
  const double step = 1e-5;
  const auto value = [&](const Tensor& at) {
    return std::get<0>(ops::umnn_integral(at, h, net.weights, net.biases, 20));
  };
  const Tensor slope = std::get<1>(ops::umnn_integral(x, h, net.weights, net.biases, 20));
  const Tensor numeric = (value(x + step) - value(x - step)) / (2 * step);
  EXPECT_LT(((numeric - slope) / slope).abs().max().item<double>(), 1e-8);
  EXPECT_LT((value(torch::zeros_like(x)) - h.select(1, 0)).abs().max().item<double>(), 1e-15);
}

TEST(UmnnIntegral, ConvergesInTheSteps) {
  const Net net = integrand(3, {32, 32});
  const Tensor x = torch::linspace(-3, 3, 41, torch::kDouble), h = torch::randn({1, 3}, torch::kDouble).expand({41, 3});
  torch::NoGradGuard no_grad;
  const auto z = [&](std::int64_t steps) {
    return std::get<0>(ops::umnn_integral(x, h, net.weights, net.biases, steps));
  };
  const Tensor best = z(1000);
  EXPECT_LT((z(20) - best).abs().max().item<double>(), 2e-2);
  EXPECT_LT((z(50) - best).abs().max().item<double>(), 3e-3);
  EXPECT_LT((z(50) - best).abs().max().item<double>(), (z(10) - best).abs().max().item<double>());
}

TEST(UmnnIntegral, BlocksAndSharedRowsChangeNothing) {
  const Net net = integrand(4, {48, 32}, torch::kFloat);
  for (const auto& [owners, repeat] :
       std::vector<std::pair<std::int64_t, std::int64_t>>{{700, 1}, {40, 13}, {3, 500}}) {
    const Tensor x = torch::randn({owners * repeat}), h = torch::randn({owners, 4});
    const auto [z, g] = ops::umnn_integral(x, h, net.weights, net.biases, 50);  // one batch, ready for gradients
    torch::NoGradGuard no_grad;
    const auto [z2, g2] = ops::umnn_integral(x, h, net.weights, net.biases, 50);
    EXPECT_LT((z - z2).abs().max().item<double>(), 2e-5);
    EXPECT_LT((g - g2).abs().max().item<double>(), 2e-5);
  }
}

TEST(UmnnIntegral, RefusesWhatDoesNotFit) {
  const Net net = integrand(4, {8});
  const Tensor x = torch::zeros({6}, torch::kDouble);
  EXPECT_THROW(ops::umnn_integral(x, torch::zeros({6, 3}, torch::kDouble), net.weights, net.biases, 20), Error);
  EXPECT_THROW(ops::umnn_integral(x, torch::zeros({4, 4}, torch::kDouble), net.weights, net.biases, 20), Error);
  EXPECT_THROW(ops::umnn_integral(x, torch::zeros({6, 4}, torch::kDouble), net.weights, net.biases, 21), Error);
}

PAIRS_DEVICE_TEST(UmnnIntegral, AgreesWithFloat64OnTheCpu) {
  for (const auto& [type, tolerance] : {std::pair{torch::kFloat, 1e-4}, std::pair{torch::kDouble, 1e-9}})
    for (const std::int64_t steps : {20, 50})
      for (const auto& widths : {std::vector<std::int64_t>{64, 64, 64}, {32, 32}}) {
        const Net net = integrand(16, widths, torch::kFloat);
        const Tensor x = 3 * torch::randn({60}), h = torch::randn({60, 16}), grid = 3 * torch::randn({5, 70});
        const auto run = [&](const torch::Device& where, torch::ScalarType as) {
          std::vector<Tensor> leaves, weights, biases;
          const auto leaf = [&](const Tensor& t) {
            leaves.push_back(t.to(where, as).detach().clone().requires_grad_());
            return leaves.back();
          };
          const Tensor at = leaf(x), conditions = leaf(h);
          for (std::size_t l = 0; l < net.weights.size(); ++l) {
            weights.push_back(leaf(net.weights[l]));
            biases.push_back(leaf(net.biases[l]));
          }
          const auto [z, g] = ops::umnn_integral(at, conditions, weights, biases, steps);
          (z.square() + g.log()).mean().backward();
          std::vector<Tensor> out = {z, g};
          for (const Tensor& l : leaves) out.push_back(l.grad());
          torch::NoGradGuard no_grad;
          for (const Tensor& rows : {conditions, conditions.slice(0, 0, 6)}) {
            const auto [value, slope] = ops::umnn_integral(at, rows, weights, biases, steps);
            out.insert(out.end(), {value, slope});
          }
          const auto [value, slope] =
              ops::umnn_integral_grid(grid.to(where, as), conditions.slice(0, 0, 5), weights, biases);
          out.insert(out.end(), {value, slope});
          return out;
        };
        const auto reference = run(torch::kCPU, torch::kDouble), here = run(device, type);
        for (std::size_t k = 0; k < here.size(); ++k)
          EXPECT_LT(apart(here[k], reference[k]), tolerance) << steps << " steps, tensor " << k;
      }
}

PAIRS_DEVICE_TEST(ClenshawCurtis, NodesAreMadeOnceADevice) {
  for (const auto type : {torch::kFloat, torch::kDouble}) {
    const auto options = torch::dtype(type).device(device);
    const ops::QuadratureTensors &first = ops::quadrature_on(20, options), &again = ops::quadrature_on(20, options);
    EXPECT_EQ(&first, &again);
    EXPECT_EQ(first.nodes.device().type(), device.type());
    EXPECT_EQ(first.nodes.scalar_type(), type);
    EXPECT_NE(&first, &ops::quadrature_on(50, options));
    // The last node is the end point, whose value is the derivative and not part of the sum.
    EXPECT_EQ(first.nodes.size(0), 22);
    EXPECT_EQ(first.nodes[21].item<double>(), 1.0);
    EXPECT_EQ(first.weights[21].item<double>(), 0.0);
    EXPECT_NEAR(first.weights.sum().item<double>(), 1.0, 1e-6);
  }
}

}  // namespace
}  // namespace pairs
