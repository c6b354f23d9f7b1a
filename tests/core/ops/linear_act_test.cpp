#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/base/text/error.h"
#include "core/ops/ops.h"
#include "tests/on_device.h"

namespace pairs::ops {
namespace {

using torch::Tensor;

Tensor reference(const Tensor& x, const Tensor& w, const Tensor& b, const std::string& act) {
  Tensor pre = torch::matmul(x, w.t());
  if (b.defined()) pre = pre + b;
  return act == "relu"       ? pre.clamp_min(0)
         : act == "silu"     ? pre * torch::sigmoid(pre)
         : act == "softplus" ? torch::softplus(pre, 1, 40) - std::log(2.0)
                             : pre;
}

double error(const Tensor& a, const Tensor& exact) {
  return ((a.to(torch::kDouble) - exact).abs().max() / exact.abs().max()).item<double>();
}

TEST(LinearAct, ValuesAndGradientsAgreeWithFloat64) {
  for (const auto type : {torch::kFloat, torch::kDouble})
    for (const std::string act : {"none", "relu", "silu", "softplus"})
      for (const bool with_bias : {true, false}) {
        SCOPED_TRACE(fmt::format("{} {} bias {}", c10::toString(type), act, with_bias));
        torch::manual_seed(4);
        const auto leaf = [&](at::IntArrayRef sizes) { return torch::randn(sizes, torch::kFloat); };
        Tensor x = leaf({37, 65}), w = leaf({29, 65}), b = leaf({29}), direction = leaf({37, 29});
        const auto evaluate = [&](const auto& f, torch::ScalarType t) {
          std::vector<Tensor> in;
          for (const Tensor& v : {x, w, b}) in.push_back(v.to(t, false, true).requires_grad_(true));
          const Tensor y = f(in[0], in[1], with_bias ? in[2] : Tensor(), act);
          (y * direction.to(t)).sum().backward();
          std::vector<Tensor> out = {y, in[0].grad(), in[1].grad()};
          if (with_bias) out.push_back(in[2].grad());
          return out;
        };
        const auto ours = evaluate(linear_act, type), exact = evaluate(reference, torch::kDouble);
        for (std::size_t i = 0; i < ours.size(); ++i)
          EXPECT_LT(error(ours[i], exact[i]), type == torch::kFloat ? 2e-6 : 1e-14) << i;
        torch::NoGradGuard no_grad;
        EXPECT_LT(error(linear_act(x.to(type), w.to(type), with_bias ? b.to(type) : Tensor(), act), exact[0]), 2e-6);
      }
}

TEST(LinearAct, GradientsAgreeWithFiniteDifferences) {
  torch::manual_seed(5);
  Tensor x = torch::randn({3, 4}, torch::kDouble).requires_grad_(true), w = torch::randn({2, 4}, torch::kDouble),
         b = torch::randn({2}, torch::kDouble);
  linear_act(x, w, b, "silu").pow(2).sum().backward();
  torch::NoGradGuard no_grad;
  for (std::int64_t i = 0; i < 3; ++i)
    for (std::int64_t j = 0; j < 4; ++j) {
      const double h = 1e-5;
      const auto at = [&](double step) {
        Tensor moved = x.detach().clone();
        moved[i][j] += step;
        return linear_act(moved, w, b, "silu").pow(2).sum().item<double>();
      };
      const double slope = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
      EXPECT_NEAR(x.grad()[i][j].item<double>(), slope, 1e-6 * (1 + std::abs(slope)));
    }
}

TEST(LinearAct, TakesNoRows) {
  const Tensor y = linear_act(torch::ones({0, 4}), torch::ones({3, 4}), torch::ones({3}), "relu");
  EXPECT_EQ(y.size(0), 0);
  EXPECT_EQ(y.size(1), 3);
}

TEST(LinearAct, RefusesWhatDoesNotFit) {
  const Tensor x = torch::ones({2, 4}), w = torch::ones({3, 4}), b = torch::ones({3});
  EXPECT_THROW(linear_act(x, w, b, "tanh"), Error);
  EXPECT_THROW(linear_act(x, torch::ones({3, 5}), b, "relu"), Error);
  EXPECT_THROW(linear_act(x, w, torch::ones({4}), "relu"), Error);
  EXPECT_THROW(linear_act(x.to(torch::kDouble), w, b, "relu"), Error);
}

PAIRS_DEVICE_TEST(LinearAct, AgreesWithFloat64OnTheCpu) {
  for (const auto& [type, tolerance] : {std::pair{torch::kFloat, 1e-5}, std::pair{torch::kDouble, 1e-12}})
    for (const std::string act : {"none", "relu", "silu", "softplus"})
      for (const std::int64_t rows : {0, 1, 37, 3000})
        for (const bool biased : {true, false}) {
          torch::manual_seed(4);
          std::vector<Tensor> values = {torch::randn({rows, 65}, torch::kDouble),
                                        torch::randn({29, 65}, torch::kDouble)};
          if (biased) values.push_back(torch::randn({29}, torch::kDouble));
          const auto run = [&](const torch::Device& where, torch::ScalarType as) {
            std::vector<Tensor> in;
            for (const Tensor& v : values)
              in.push_back(v.to(torch::kFloat).to(where, as).detach().clone().requires_grad_(true));
            const Tensor y = linear_act(in[0], in[1], biased ? in[2] : Tensor(), act);
            y.pow(2).mean().backward();
            std::vector<Tensor> out = {y};
            for (const Tensor& v : in) out.push_back(v.grad());
            torch::NoGradGuard no_grad;
            out.push_back(linear_act(in[0], in[1], biased ? in[2] : Tensor(), act));
            return out;
          };
          const auto reference = run(torch::kCPU, torch::kDouble), here = run(device, type);
          for (std::size_t k = 0; k < here.size(); ++k) {
            if (rows == 0 && k > 0) continue;  // the mean of nothing
            EXPECT_EQ(here[k].device().type(), device.type());
            EXPECT_LT(apart(here[k], reference[k]), tolerance) << act << ", " << rows << " rows, tensor " << k;
          }
        }
}

}  // namespace
}  // namespace pairs::ops
