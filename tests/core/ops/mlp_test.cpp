#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/base/text/error.h"
#include "core/ops/ops.h"
#include "core/ops/repeated_networks.h"

namespace pairs::ops {
namespace {

using torch::Tensor;

struct Network {
  std::vector<std::int64_t> widths;  // inputs, outputs of each layer
  std::string act;
  std::int64_t blocks;
};

struct Result {
  Tensor y, grad_x;
  std::vector<Tensor> grads;
};

std::vector<Tensor> random_parameters(const Network& network, torch::ScalarType type) {
  torch::manual_seed(3);
  std::vector<Tensor> out;
  for (std::size_t i = 1; i < network.widths.size(); ++i)
    out.push_back(torch::randn({network.widths[i], network.widths[i - 1]}, torch::kDouble) /
                  std::sqrt(static_cast<double>(network.widths[i - 1])));
  for (std::size_t i = 1; i < network.widths.size(); ++i)
    out.push_back(torch::randn({network.widths[i]}, torch::kDouble) * 0.3);
  for (Tensor& p : out) p = p.to(type).requires_grad_(true);
  return out;
}

// The network in plain float64 operations of LibTorch, differentiated by its autograd.
Tensor reference(const Network& n, const Tensor& x, const std::vector<Tensor>& p) {
  const std::size_t layers = n.widths.size() - 1;
  const auto act = [&](const Tensor& t) {
    return n.act == "relu"       ? torch::relu(t)
           : n.act == "softplus" ? torch::softplus(t, 1, 40) - std::log(2.0)
                                 : t * torch::sigmoid(t);
  };
  const auto layer = [&](std::size_t i, const Tensor& t) { return torch::matmul(t, p[i].t()) + p[layers + i]; };
  Tensor h = layer(0, x);
  if (n.blocks < 0) {
    for (std::size_t i = 1; i < layers; ++i) h = layer(i, act(h));
    return h;
  }
  for (std::size_t i = 1; i + 1 < layers; i += 2) h = h + layer(i + 1, act(layer(i, act(h))));
  return layers > 1 ? layer(layers - 1, h) : h;
}

template <class F>
Result differentiate(const F& f, Tensor x, const std::vector<Tensor>& parameters, bool need_x) {
  x = x.detach().requires_grad_(need_x);
  Result out;
  out.y = f(x, parameters);
  torch::manual_seed(7);
  const Tensor direction = torch::randn(out.y.sizes(), torch::kFloat);
  (out.y * direction.to(out.y.scalar_type())).sum().backward();
  if (need_x) out.grad_x = x.grad();
  for (const Tensor& p : parameters) out.grads.push_back(p.grad());
  return out;
}

Result run(const Network& n, const Tensor& x, torch::ScalarType type, bool need_x = true) {
  return differentiate(
      [&](const Tensor& in, const std::vector<Tensor>& p) {
        const auto middle = p.begin() + static_cast<std::ptrdiff_t>(p.size() / 2);
        return mlp(in, {p.begin(), middle}, {middle, p.end()}, n.act, n.blocks);
      },
      x.to(type), random_parameters(n, type), need_x);
}

double mlp_error(const Tensor& a, const Tensor& b) {
  const Tensor exact = b.to(torch::kDouble);
  return ((a.to(torch::kDouble) - exact).abs().max() / (exact.abs().max() + 1e-30)).item<double>();
}

// Shapes around the edges of the register tiles (6 rows, 16 or 64 columns), of the row blocks and of the caches.
const std::vector<Network> networks = {
    {{1, 128, 128, 128}, "silu", -1},
    {{2, 33, 17, 5}, "relu", -1},
    {{65, 130, 1}, "silu", -1},
    {{7, 3}, "relu", -1},
    {{129, 128, 128, 128, 33}, "relu", 1},
    {{16, 64, 64, 64, 64, 64, 33}, "silu", 2},
    {{5, 20, 2}, "relu", 0},
    {{3, 100, 100, 100, 31}, "silu", 1},
    {{50, 128, 128}, "softplus", -1},
    {{9, 33, 33, 33, 5}, "softplus", 1},
};

TEST(Mlp, AgreesWithFloat64) {
  for (const Network& n : networks)
    for (const std::int64_t rows : {1, 5, 97, 128, 1031}) {
      SCOPED_TRACE(fmt::format("{} -> {}, {} rows, {}, {}", n.widths.front(), n.widths.back(), rows, n.act, n.blocks));
      torch::manual_seed(1);
      const Tensor x = torch::randn({rows, n.widths[0]}, torch::kDouble);
      const Result exact =
          differentiate([&](const Tensor& in, const std::vector<Tensor>& p) { return reference(n, in, p); },
                        x.to(torch::kFloat).to(torch::kDouble),
                        [&] {
                          std::vector<Tensor> p;  // the float32 parameters, in float64
                          for (const Tensor& t : random_parameters(n, torch::kFloat))
                            p.push_back(t.detach().to(torch::kDouble).requires_grad_(true));
                          return p;
                        }(),
                        true);
      const Result ours = run(n, x, torch::kFloat);
      EXPECT_LT(mlp_error(ours.y, exact.y), 3e-6);
      EXPECT_LT(mlp_error(ours.grad_x, exact.grad_x), 1e-5);
      for (std::size_t i = 0; i < ours.grads.size(); ++i)
        EXPECT_LT(mlp_error(ours.grads[i], exact.grads[i]), 1e-5) << "parameter " << i;
    }
}

TEST(Mlp, Float64GradientsAgreeWithAutograd) {
  for (const Network& n : networks) {
    torch::manual_seed(1);
    const Tensor x = torch::randn({13, n.widths[0]}, torch::kDouble);
    const Result exact =
        differentiate([&](const Tensor& in, const std::vector<Tensor>& p) { return reference(n, in, p); }, x,
                      random_parameters(n, torch::kDouble), true);
    const Result ours = run(n, x, torch::kDouble);
    EXPECT_LT(mlp_error(ours.y, exact.y), 1e-13);
    EXPECT_LT(mlp_error(ours.grad_x, exact.grad_x), 1e-13);
    for (std::size_t i = 0; i < ours.grads.size(); ++i) EXPECT_LT(mlp_error(ours.grads[i], exact.grads[i]), 1e-13);
  }
}

TEST(Mlp, SameBitsForAnyNumberOfThreads) {
  const Network n{{16, 128, 128, 128, 128, 128, 33}, "silu", 2};
  torch::manual_seed(1);
  const Tensor x = torch::randn({1500, 16});
  const int threads = at::get_num_threads();
  at::set_num_threads(1);
  const Result one = run(n, x, torch::kFloat);
  at::set_num_threads(3);
  const Result three = run(n, x, torch::kFloat);
  at::set_num_threads(threads);
  EXPECT_TRUE(torch::equal(one.y, three.y));
  EXPECT_TRUE(torch::equal(one.grad_x, three.grad_x));
  for (std::size_t i = 0; i < one.grads.size(); ++i) EXPECT_TRUE(torch::equal(one.grads[i], three.grads[i]));
}

TEST(Mlp, RowsDoNotDependOnEachOtherNorOnGradients) {
  const Network n{{2, 128, 128, 128}, "silu", -1};
  torch::manual_seed(1);
  const Tensor x = torch::randn({1000, 2});
  const Tensor all = run(n, x, torch::kFloat).y;
  const std::vector<Tensor> p = random_parameters(n, torch::kFloat);
  torch::NoGradGuard no_grad;
  const Tensor some = mlp(x.narrow(0, 500, 7), {p[0], p[1], p[2]}, {p[3], p[4], p[5]}, n.act);
  EXPECT_TRUE(torch::equal(all.narrow(0, 500, 7), some));
}

// What is kept for one thread changes no bit, whatever is asked in which order, and nothing of it outlives its scope.
TEST(Mlp, RepeatedNetworksGiveTheSameBits) {
  const torch::NoGradGuard no_grad;
  const Network first{{5, 32, 32, 7}, "relu", -1}, second{{5, 24, 24, 24, 3}, "silu", 1};
  std::vector<std::vector<Tensor>> weights, biases;
  for (const Network& network : {first, second}) {
    const std::vector<Tensor> all = random_parameters(network, torch::kFloat);
    const auto layers = static_cast<std::ptrdiff_t>(network.widths.size() - 1);
    weights.emplace_back(all.begin(), all.begin() + layers);
    biases.emplace_back(all.begin() + layers, all.end());
  }
  const auto asked = [&](std::size_t k, const Tensor& x) {
    return mlp(x, weights[k], biases[k], k == 0 ? first.act : second.act, k == 0 ? first.blocks : second.blocks);
  };
  const Tensor x = torch::randn({1, 5}), other = torch::randn({1, 5}), many = torch::randn({700, 5});
  const std::vector<std::pair<std::size_t, Tensor>> questions = {{0, x},    {0, x},     {1, x}, {0, other}, {0, other},
                                                                 {0, many}, {0, other}, {1, x}, {1, many},  {0, x}};
  std::vector<Tensor> plain;
  for (const auto& [network, input] : questions) plain.push_back(asked(network, input));
  {
    const RepeatedNetworks kept;
    for (std::size_t k = 0; k < questions.size(); ++k) {
      const Tensor y = asked(questions[k].first, questions[k].second);
      EXPECT_TRUE(y.equal(plain[k])) << k;
      y.zero_();  // an answer is the caller's
    }
    std::vector<Tensor> copies = weights[0];
    for (Tensor& one : copies) one = one.clone() * 2;
    EXPECT_FALSE(mlp(x, copies, biases[0], first.act, first.blocks).equal(plain[0])) << "another network";
  }
  weights[0][0].mul_(2);
  EXPECT_FALSE(asked(0, x).equal(plain[0]));
}

TEST(Mlp, InputGradientIsOptional) {
  const Network n{{4, 32, 32, 32, 3}, "relu", 1};
  torch::manual_seed(1);
  const Tensor x = torch::randn({50, 4});
  const Result with = run(n, x, torch::kFloat, true), without = run(n, x, torch::kFloat, false);
  for (std::size_t i = 0; i < with.grads.size(); ++i) EXPECT_TRUE(torch::equal(with.grads[i], without.grads[i]));
}

TEST(Mlp, NaNPropagates) {
  for (const char* act : {"relu", "silu", "softplus"}) {
    const Network n{{2, 16, 16, 3}, act, -1};
    Tensor x = torch::ones({9, 2});
    x[4][1] = std::numeric_limits<float>::quiet_NaN();
    const Tensor y = run(n, x, torch::kFloat).y;
    EXPECT_TRUE(y[4].isnan().all().item<bool>());
    EXPECT_EQ(y.isnan().sum().item<std::int64_t>(), 3);
  }
}

TEST(Mlp, RefusesWhatDoesNotFit) {
  const Tensor w = torch::ones({3, 4}), b = torch::ones({3});
  EXPECT_THROW(mlp(torch::ones({2, 5}), {w}, {b}, "relu"), Error);
  EXPECT_THROW(mlp(torch::ones({2, 4}), {w, w}, {b, b}, "relu"), Error);
  EXPECT_THROW(mlp(torch::ones({2, 4}), {w}, {b}, "tanh"), Error);
  EXPECT_THROW(mlp(torch::ones({2, 4}), {w}, {b}, "relu", 1), Error);
}

}  // namespace
}  // namespace pairs::ops
