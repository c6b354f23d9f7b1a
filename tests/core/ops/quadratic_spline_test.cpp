#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>
#include <vector>

#include "core/base/text/error.h"
#include "core/ops/ops.h"
#include "tests/on_device.h"

namespace pairs {
namespace {

using torch::Tensor;

Tensor params_like(std::int64_t rows, std::int64_t bins, bool tails, double sharpness, torch::Dtype type) {
  torch::manual_seed(7);
  return (sharpness * torch::randn({rows, tails ? 2 * bins - 1 : 2 * bins + 1}, torch::kDouble)).to(type);
}

// The map written with ATen operators in float64, an independent reference.
std::pair<Tensor, Tensor> reference(const Tensor& y, const Tensor& params, std::int64_t bins, bool tails) {
  const double floor = 1e-3;
  const Tensor w = floor + (1 - bins * floor) * torch::softmax(params.narrow(1, 0, bins), 1);
  Tensor u = torch::softplus(params.narrow(1, bins, params.size(1) - bins), 1, 1e9) + floor;
  if (tails) {
    const Tensor left = 0.5 * w.narrow(1, 0, 1), right = 0.5 * w.narrow(1, bins - 1, 1);
    Tensor inner = left * u.narrow(1, 0, 1) + right * u.narrow(1, bins - 2, 1);
    if (bins > 2)
      inner =
          inner + (0.5 * (u.narrow(1, 0, bins - 2) + u.narrow(1, 1, bins - 2)) * w.narrow(1, 1, bins - 2)).sum(1, true);
    const Tensor outer = inner / (1 - left - right);
    u = torch::cat({outer, u, outer}, 1);
  }
  const Tensor area = (0.5 * (u.narrow(1, 0, bins) + u.narrow(1, 1, bins)) * w).sum(1, true);
  const Tensor v = floor + (1 - floor) * u / area;
  const Tensor cells = 0.5 * (v.narrow(1, 0, bins) + v.narrow(1, 1, bins)) * w;
  const Tensor left = torch::cumsum(w, 1) - w, below = torch::cumsum(cells, 1) - cells;
  const Tensor k = (y.unsqueeze(1) >= left).sum(1, true).clamp(1, bins) - 1;
  const auto at = [&](const Tensor& t, std::int64_t shift = 0) { return t.gather(1, k + shift).squeeze(1); };
  const Tensor alpha = (y - at(left)) / at(w);
  const Tensor v0 = at(v), dv = at(v, 1) - v0;
  return {at(below) + at(w) * (v0 * alpha + 0.5 * dv * alpha * alpha), torch::log(v0 + alpha * dv)};
}

struct Case {
  std::int64_t bins;
  bool tails;
  double sharpness;
};

class QuadraticSpline : public testing::TestWithParam<Case> {};

TEST_P(QuadraticSpline, MatchesAnIndependentReference) {
  const auto [bins, tails, sharpness] = GetParam();
  for (const std::int64_t rows : {1, 5, 16, 333}) {
    const Tensor params = params_like(rows, bins, tails, sharpness, torch::kDouble);
    const Tensor y = torch::rand({rows}, torch::kDouble);
    const auto [z, log_slope] = ops::quadratic_spline(y, params, bins, tails);
    const auto [z_ref, log_ref] = reference(y, params, bins, tails);
    EXPECT_LT((z - z_ref).abs().max().item<double>(), 1e-12);
    EXPECT_LT((log_slope - log_ref).abs().max().item<double>(), 1e-10);
    // float32 against the reference at the float32 inputs.
    const Tensor y32 = y.to(torch::kFloat), p32 = params.to(torch::kFloat);
    const auto [z32, log32] = ops::quadratic_spline(y32, p32, bins, tails);
    const auto [z64, log64] = reference(y32.to(torch::kDouble), p32.to(torch::kDouble), bins, tails);
    const Tensor slope = log64.exp().clamp_min(1);
    EXPECT_LT(((z32 - z64).abs() / slope).max().item<double>(), 1e-6);
    if (sharpness <= 2) {
      EXPECT_LT((log32 - log64).abs().max().item<double>(), 2e-3);
    }
  }
}

TEST_P(QuadraticSpline, GradientsMatchFiniteDifferences) {
  const auto [bins, tails, sharpness] = GetParam();
  const std::int64_t rows = 19;
  const Tensor params = params_like(rows, bins, tails, sharpness, torch::kDouble).requires_grad_();
  const Tensor y = torch::rand({rows}, torch::kDouble).requires_grad_();
  const Tensor a = torch::randn({rows}, torch::kDouble), b = torch::randn({rows}, torch::kDouble);
  const auto value = [&](const Tensor& y_, const Tensor& p_) {  // per row: rows are independent
    const auto [z, log_slope] = ops::quadratic_spline(y_, p_, bins, tails);
    return a * z + b * log_slope;
  };
  value(y, params).sum().backward();
  torch::NoGradGuard no_grad;
  const double h = 1e-6;
  const auto check = [&](const Tensor& numeric, const Tensor& analytic, const std::string& what) {
    const Tensor error = (numeric - analytic).abs() / analytic.abs().clamp_min(1);
    EXPECT_LT(error.max().item<double>(), 1e-6) << what;
  };
  // A point within h of a knot would straddle it; with these seeds none does.
  check((value(y + h, params) - value(y - h, params)) / (2 * h), y.grad(), "y");
  for (std::int64_t j = 0; j < params.size(1); ++j) {
    Tensor step = torch::zeros_like(params);
    step.select(1, j).fill_(h);
    check((value(y, params + step) - value(y, params - step)) / (2 * h), params.grad().select(1, j),
          "parameter " + std::to_string(j));
  }
}

TEST_P(QuadraticSpline, Float32GradientsMatchFloat64) {
  const auto [bins, tails, sharpness] = GetParam();
  const std::int64_t rows = 257;
  const Tensor p32 = params_like(rows, bins, tails, sharpness, torch::kFloat).requires_grad_();
  const Tensor y32 = torch::rand({rows}).requires_grad_();
  const Tensor p64 = p32.detach().to(torch::kDouble).requires_grad_();
  const Tensor y64 = y32.detach().to(torch::kDouble).requires_grad_();
  const auto run = [&](const Tensor& y, const Tensor& p) {
    const auto [z, log_slope] = ops::quadratic_spline(y, p, bins, tails);
    (z - 0.7 * log_slope).sum().backward();
  };
  run(y32, p32);
  run(y64, p64);
  // A few points so near a knot that float32 puts them on its other side may differ in the kinked gradient.
  const Tensor wrong = ((p32.grad() - p64.grad()).abs() > 2e-4 * p64.grad().abs().clamp_min(1)).any(1);
  EXPECT_LE(wrong.sum().item<std::int64_t>(), sharpness > 2 ? rows / 20 : 1);
}

TEST_P(QuadraticSpline, InverseUndoesTheMap) {
  const auto [bins, tails, sharpness] = GetParam();
  for (const auto type : {torch::kFloat, torch::kDouble}) {
    const std::int64_t rows = 500;
    const Tensor params = params_like(rows, bins, tails, sharpness, type);
    const Tensor z = torch::rand({rows}, type);
    const auto [y, log_back] = ops::quadratic_spline_inverse(z, params, bins, tails);
    const auto [z2, log_slope] = ops::quadratic_spline(y, params, bins, tails);
    // y is rounded to its type, which the slope multiplies.
    const double tolerance = type == torch::kFloat ? 1e-5 : 1e-12;
    const Tensor error = (z2 - z).abs() / log_slope.exp().clamp_min(1);
    EXPECT_LT(error.max().item<double>(), tolerance);
    if (type == torch::kDouble) {
      EXPECT_LT((log_slope + log_back).abs().max().item<double>(), 1e-8);
    }
  }
}

TEST_P(QuadraticSpline, EndsAreFixedAndDensityIntegratesToOne) {
  const auto [bins, tails, sharpness] = GetParam();
  const Tensor params = params_like(6, bins, tails, sharpness, torch::kDouble);
  const auto ends =
      std::get<0>(ops::quadratic_spline(torch::tensor({0.0, 1.0}, torch::kDouble).repeat({6}), params, bins, tails));
  EXPECT_LT((ends.view({6, 2}) - torch::tensor({0.0, 1.0}, torch::kDouble)).abs().max().item<double>(), 1e-12);
  const std::int64_t n = 100000;
  const Tensor mid = (torch::arange(n, torch::kDouble) + 0.5) / n;
  const auto slope = std::get<1>(ops::quadratic_spline(mid.repeat({6}), params, bins, tails)).exp().view({6, n});
  EXPECT_LT((slope.mean(1) - 1).abs().max().item<double>(), 1e-6);
}

INSTANTIATE_TEST_SUITE_P(Shapes, QuadraticSpline,
                         testing::Values(Case{16, false, 1.0}, Case{16, true, 1.0}, Case{16, false, 4.0},
                                         Case{16, true, 4.0}, Case{1, false, 1.0}, Case{2, true, 1.0},
                                         Case{5, false, 0.3}, Case{64, true, 1.0}));

TEST(QuadraticSplineOp, RepeatsOneRowOfParametersOverManyValues) {
  const std::int64_t contexts = 3, repeat = 37, bins = 8;
  for (const bool tails : {false, true}) {
    const Tensor params = params_like(contexts, bins, tails, 1.0, torch::kFloat);
    const Tensor y = torch::rand({contexts * repeat});
    const Tensor full = params.repeat_interleave(repeat, 0);
    const auto [z, l] = ops::quadratic_spline(y, params, bins, tails);
    const auto [z2, l2] = ops::quadratic_spline(y, full, bins, tails);
    EXPECT_TRUE(torch::equal(z, z2));
    EXPECT_TRUE(torch::equal(l, l2));
    const auto [y3, l3] = ops::quadratic_spline_inverse(z, params, bins, tails);
    const auto [y4, l4] = ops::quadratic_spline_inverse(z, full, bins, tails);
    EXPECT_TRUE(torch::equal(y3, y4));
    EXPECT_TRUE(torch::equal(l3, l4));
    // With gradients: those of the repeated rows add up.
    const Tensor leaf = params.clone().requires_grad_(), leaf_full = full.clone().requires_grad_();
    std::get<1>(ops::quadratic_spline(y, leaf, bins, tails)).sum().backward();
    std::get<1>(ops::quadratic_spline(y, leaf_full, bins, tails)).sum().backward();
    EXPECT_LT((leaf.grad() - leaf_full.grad().view({contexts, repeat, -1}).sum(1)).abs().max().item<double>(), 1e-4);
  }
}

TEST(QuadraticSplineOp, StableInverseWhereTheSlopeVanishes) {
  // Nearly equal heights: the textbook root loses every digit there.
  const std::int64_t bins = 4;
  for (const double tilt : {0.0, 1e-8, 1e-6, 1e-4}) {
    Tensor params = torch::zeros({1, 2 * bins + 1});
    params.select(1, 2 * bins).fill_(tilt);
    const Tensor z = torch::linspace(0, 1, 1001);
    const Tensor y = std::get<0>(ops::quadratic_spline_inverse(z, params, bins, false));
    const Tensor back = std::get<0>(ops::quadratic_spline(y, params, bins, false));
    EXPECT_LT((back - z).abs().max().item<double>(), 3e-7);
    EXPECT_LT((y - z).abs().max().item<double>(), 1e-4);
  }
}

TEST(QuadraticSplineOp, OutsideTheUnitInterval) {
  const Tensor y = torch::tensor({-0.5, 1.5, 0.0, 1.0});
  const Tensor tails = params_like(4, 8, true, 1.0, torch::kFloat), box = params_like(4, 8, false, 1.0, torch::kFloat);
  const auto [z, l] = ops::quadratic_spline(y, tails, 8, true);
  EXPECT_EQ(z[0].item<float>(), -0.5f);
  EXPECT_EQ(z[1].item<float>(), 1.5f);
  EXPECT_EQ(l[0].item<float>(), 0.0f);
  EXPECT_NEAR(l[2].item<float>(), 0.0f, 1e-5);  // the density meets the identity's at both ends
  EXPECT_NEAR(l[3].item<float>(), 0.0f, 1e-5);
  const Tensor log_box = std::get<1>(ops::quadratic_spline(y, box, 8, false));
  EXPECT_EQ(log_box[0].item<float>(), -INFINITY);
  EXPECT_EQ(log_box[1].item<float>(), -INFINITY);
  EXPECT_TRUE(std::isfinite(log_box[2].item<float>()));
}

TEST(QuadraticSplineOp, NanIsNotHidden) {
  const Tensor params = params_like(2, 8, false, 1.0, torch::kFloat);
  const Tensor y = torch::tensor({NAN, 0.5f});
  const auto [z, l] = ops::quadratic_spline(y, params, 8, false);
  EXPECT_TRUE(std::isnan(z[0].item<float>()) && std::isnan(l[0].item<float>()));
  EXPECT_TRUE(std::isfinite(z[1].item<float>()));
  Tensor broken = params.clone();
  broken[1][3] = NAN;
  EXPECT_TRUE(std::isnan(std::get<1>(ops::quadratic_spline(y, broken, 8, false))[1].item<float>()));
}

TEST(QuadraticSplineOp, RefusesWhatDoesNotFit) {
  EXPECT_THROW(ops::quadratic_spline(torch::rand({4}), torch::rand({4, 16}), 8, false), Error);
  EXPECT_THROW(ops::quadratic_spline(torch::rand({4}), torch::rand({3, 17}), 8, false), Error);
  EXPECT_THROW(ops::quadratic_spline(torch::rand({4}), torch::rand({4, 131}), 65, false), Error);
  EXPECT_THROW(ops::quadratic_spline(torch::rand({4}), torch::rand({4, 17}, torch::kDouble), 8, false), Error);
}

PAIRS_DEVICE_TEST(QuadraticSplineOp, AgreesWithFloat64OnTheCpu) {
  for (const auto& [type, tolerance] : {std::pair{torch::kFloat, 1e-3}, std::pair{torch::kDouble, 1e-8}})
    for (const bool tails : {false, true})
      for (const std::int64_t bins : {5, 8, 16, 24, 40})
        for (const std::int64_t repeat : {1, 4}) {
          torch::manual_seed(7);
          const std::int64_t rows = 500;
          const Tensor params = params_like(rows, bins, tails, 1.0, torch::kDouble).to(torch::kFloat),
                       y = torch::rand({rows * repeat}), weight = torch::randn({2, rows * repeat});
          const auto run = [&](const torch::Device& where, torch::ScalarType as) {
            const Tensor p = params.to(where, as).detach().clone().requires_grad_(),
                         v = y.to(where, as).detach().clone().requires_grad_(), w = weight.to(where, as);
            const auto [z, l] = ops::quadratic_spline(v, p, bins, tails);
            (z * w[0] + l * w[1]).sum().backward();
            torch::NoGradGuard no_grad;
            const auto [plain, plain_log] = ops::quadratic_spline(v, p, bins, tails);
            const auto [back, log_back] =
                ops::quadratic_spline_inverse(y.to(where, as), params.to(where, as), bins, tails);
            return std::vector<Tensor>{z, l, v.grad(), p.grad(), plain, plain_log, back, log_back};
          };
          const auto reference = run(torch::kCPU, torch::kDouble), here = run(device, type);
          for (std::size_t k = 0; k < here.size(); ++k) {
            EXPECT_EQ(here[k].device().type(), device.type());
            EXPECT_LT(apart(here[k], reference[k]), tolerance)
                << bins << " bins, tails " << tails << ", repeated " << repeat << ", tensor " << k;
          }
        }
}

}  // namespace
}  // namespace pairs
