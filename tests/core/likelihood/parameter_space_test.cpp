#include "core/likelihood/parameter_space.h"

#include <ATen/Functions.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <map>

#include "core/base/numbers/random.h"
#include "tests/core/base/message.h"

namespace pairs {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

std::vector<double> draws_of(const std::function<double(Stream&)>& draw, int count = 100000) {
  std::vector<double> out;
  Stream stream(11, 0);
  for (int i = 0; i < count; ++i) out.push_back(draw(stream));
  return out;
}

TEST(Margin, FollowsTheDistributionOfItsDraws) {
  struct Case {
    const char* name;
    std::function<double(Stream&)> draw;
    std::function<double(double)> level, density;
    double low, high;
  };
  const Case cases[] = {
      {"uniform", [](Stream& s) { return 2 + 3 * s.uniform64(); }, [](double x) { return (x - 2) / 3; },
       [](double) { return 1 / 3.0; }, 2, 5},
      {"normal", [](Stream& s) { return 1 + 2 * s.normal64(); },
       [](double x) { return 0.5 * std::erfc(-(x - 1) / 2 * M_SQRT1_2); },
       [](double x) { return std::exp(-0.125 * (x - 1) * (x - 1)) / std::sqrt(8 * M_PI); }, -kInf, kInf},
      {"exponential", [](Stream& s) { return -std::log(1 - s.uniform64()); }, [](double x) { return 1 - std::exp(-x); },
       [](double x) { return std::exp(-x); }, 0, kInf},
      {"over six decades", [](Stream& s) { return std::pow(10, 6 * s.uniform64()); },
       [](double x) { return std::log10(x) / 6; }, [](double x) { return 1 / (6 * M_LN10 * x); }, 1, 1e6},
  };
  for (const Case& one : cases) {
    const Margin margin = Margin::of(draws_of(one.draw), one.low, one.high);
    for (const double level : {0.01, 0.1, 0.35, 0.5, 0.8, 0.97}) {
      const double x = margin.value(level);
      EXPECT_NEAR(margin.level(x), level, 1e-9) << one.name;
      EXPECT_NEAR(one.level(x), level, 0.012) << one.name << " at " << x;
      EXPECT_NEAR(margin.density(x) / one.density(x), 1, 0.25) << one.name << " at " << x;
    }
    EXPECT_EQ(margin.level(margin.low() - 1e-6 - std::abs(margin.low())), 0);
    EXPECT_EQ(margin.density(margin.high() + 1e-3 + std::abs(margin.high())), 0);
  }
}

TEST(Margin, OfAStatedPriorIsItself) {
  for (const char* text : {"uniform(2, 5)", "normal(1, 2)", "exponential(1)", "log-uniform(1, 1e6)", "beta(0.5, 2)",
                           "gamma(2, 3)", "half-normal(1)", "lognormal(0, 1)", "cauchy(0, 1)", "beta(2, 8, -1, 1)"}) {
    const auto prior = prior_family(text, "prior");
    const Margin margin = Margin::of(*prior);
    for (const double level : {1e-4, 0.01, 0.1, 0.35, 0.5, 0.8, 0.97, 0.9999}) {
      const double x = prior->quantile(level);
      EXPECT_NEAR(prior->below(x), level, 1e-12) << text;
      EXPECT_NEAR(margin.level(x) / level, 1, 1e-3) << text << " at " << x;
      EXPECT_NEAR(margin.value(level), x, 1e-3 * std::abs(x) + 1e-4) << text;
      EXPECT_NEAR(margin.density(x) / prior->log_density(at::full({1}, x, at::kDouble)).exp().item<double>(), 1, 0.01)
          << text << " at " << x;
    }
    const auto [low, high] = prior->range();
    if (std::isfinite(low)) EXPECT_EQ(margin.low(), low) << text;
    if (std::isfinite(high)) EXPECT_EQ(margin.high(), high) << text;
  }
}

TEST(Margin, RefusesDrawsWithoutADensity) {
  const auto refusal = [](const std::function<double(Stream&)>& draw) {
    return message_of([&] { Margin::of(draws_of(draw), -kInf, kInf); });
  };
  using testing::HasSubstr;
  EXPECT_THAT(refusal([](Stream& s) { return static_cast<double>(s.below(3)); }),
              HasSubstr("takes only 3 different values"));
  EXPECT_THAT(refusal([](Stream&) { return 7.0; }), HasSubstr("takes only 1 different value "));
  EXPECT_THAT(refusal([](Stream& s) { return std::max(0.0, s.normal64() - 1); }), HasSubstr("has no density"))
      << "a point mass on top of a density";
}

TEST(ParameterSpace, MapsBothWaysAndKeepsItsSlope) {
  const std::vector<double> a = draws_of([](Stream&s) { return s.normal64(); }),
                            b = draws_of([](Stream&s) { return s.uniform64(); });
  const ParameterSpace space({Margin::of(a, -kInf, kInf), Margin::of(b, 0, 1)});
  const torch::Tensor z = torch::tensor({{-2.0, 1.5}, {0.1, -0.3}, {1.2, 2.2}}, torch::kFloat64);
  const torch::Tensor values = space.values(z);
  EXPECT_TRUE(at::allclose(space.coordinates(values), z, 0, 1e-6));
  const torch::Tensor outside = torch::tensor({{0.0, 1.5}}, torch::kFloat64);
  EXPECT_EQ(space.log_slope(outside).item<double>(), -kInf);
  std::map<std::string, torch::Tensor> tensors;
  space.store("margin", tensors);
  EXPECT_TRUE(at::equal(ParameterSpace::from("margin", tensors).values(z), values));
}

// The slope is the derivative, and the density of θ that follows from a standard normal z is that of the draws.
TEST(ParameterSpace, CarriesDensitiesBack) {
  const ParameterSpace space({Margin::of(draws_of([](Stream& s) { return 1 + 2 * s.normal64(); }), -kInf, kInf)});
  const torch::Tensor x = at::linspace(-5, 7, 2401, at::kDouble).unsqueeze(1), z = space.coordinates(x).squeeze(1);
  const torch::Tensor density = (space.log_slope(x) - 0.5 * z.square() - 0.5 * std::log(2 * M_PI)).exp();
  EXPECT_NEAR(density.sum().item<double>() * 12 / 2400, 0.9974, 0.002);
  constexpr double h = 1e-6;
  const torch::Tensor inside = x.slice(0, 400, 2000);
  const torch::Tensor slope = (space.coordinates(inside + h) - space.coordinates(inside - h)).squeeze(1) / (2 * h);
  EXPECT_TRUE(at::allclose(space.log_slope(inside).exp(), slope, 1e-3));
  const torch::Tensor exact = (-0.125 * (x.squeeze(1) - 1).square()).exp() / std::sqrt(8 * M_PI);
  EXPECT_LT((density - exact).abs().max().item<double>(), 0.1 * exact.max().item<double>());
}

// A periodic parameter may be cut open anywhere: its coordinate stays standard normal under the prior, and values go
// around.
TEST(ParameterSpace, TurnsPeriodicParameters) {
  TaskInfo info;
  info.targets.push_back({.name = "angle", .low = -180, .high = 180, .periodic = true});
  info.targets.push_back({.name = "size", .low = 0, .high = 1});
  constexpr std::int64_t count = 20000;
  at::Generator generator = at::detail::createCPUGenerator(8);
  const torch::Tensor uniform = at::rand({count, 2}, generator, at::TensorOptions(at::kDouble));
  // A prior that favors one side.
  const torch::Tensor angle = 360 * uniform.select(1, 0).square() - 180;
  const torch::Tensor theta = at::stack({angle, uniform.select(1, 1)}, 1);
  const ParameterSpace space(info, theta, at::zeros({count, 0}, at::kDouble));
  ASSERT_TRUE(space.any_periodic());
  const torch::Tensor z = space.coordinates(theta);

  // A posterior on both sides of the ends of the range.
  const torch::Tensor near =
      at::stack({at::where(uniform.select(1, 0) < 0.5, 170 + 9 * uniform.select(1, 1), -170 - 9 * uniform.select(1, 1)),
                 uniform.select(1, 1)},
                1);
  const ParameterSpace turned = space.turned(space.coordinates(near), at::ones({count}, at::kDouble));
  EXPECT_NEAR(turned.coordinates(theta).select(1, 0).mean().item<double>(), 0, 0.03);
  EXPECT_NEAR(turned.coordinates(theta).select(1, 0).std().item<double>(), 1, 0.03);
  EXPECT_TRUE(at::allclose(turned.turn_in(z), turned.coordinates(theta), 1e-6, 1e-6));
  EXPECT_TRUE(at::allclose(turned.turn_out(turned.turn_in(z)), z, 1e-6, 1e-6));
  const torch::Tensor close = turned.coordinates(near);
  EXPECT_LT(close.select(1, 0).abs().max().item<double>(), 1) << "far from both cuts";
  EXPECT_TRUE(at::equal(close.select(1, 1), space.coordinates(near).select(1, 1)));
  const torch::Tensor back = turned.values(close), turns = (back.select(1, 0) - near.select(1, 0)) / 360;
  EXPECT_TRUE(at::allclose(turns, turns.round(), 1e-6, 1e-6));
  EXPECT_LT((back.select(1, 0).max() - back.select(1, 0).min()).item<double>(), 40) << "in one piece";
  const torch::Tensor within = turned.in_range(back, at::ones({count}, at::kDouble));
  EXPECT_LE(std::abs(within.select(1, 0).mean().item<double>()), 180);
  // The slope is that of the prior's density over the normal density, at any cut.
  const torch::Tensor slope = turned.log_slope(near) - space.log_slope(near);
  const auto half_square = [](const torch::Tensor& one) { return 0.5 * one.select(1, 0).square(); };
  EXPECT_TRUE(at::allclose(slope, half_square(close) - half_square(space.coordinates(near)), 1e-6, 1e-6));
  // The density is as smooth at the ends of the range as elsewhere, where the prior's is.
  const auto ring = [](Stream& s) {
    double value = 0;
    while (s.uniform64() > 0.5 * (1 + std::cos((value = 360 * s.uniform64() - 180) * M_PI / 180 + 2.5))) {
    }
    return value;
  };
  const Margin around = Margin::around(draws_of(ring), -180, 180);
  for (const double value : {-180.0, -179.9, -170.0, 0.0, 170.0, 179.9, 180.0})
    EXPECT_NEAR(around.density(value) * 360 / (1 + std::cos(value * M_PI / 180 + 2.5)), 1, 0.2) << value;
  EXPECT_NEAR(around.density(-180), around.density(180), 1e-9);
  // Networks see no cut.
  const torch::Tensor ends =
      space.features(space.coordinates(torch::tensor({{-180 + 1e-9, 0.5}, {180 - 1e-9, 0.5}}, torch::kFloat64)));
  EXPECT_TRUE(at::allclose(ends[0], ends[1], 1e-3, 1e-3));

  std::map<std::string, torch::Tensor> stored;
  space.store("margin", stored);
  EXPECT_TRUE(ParameterSpace::from("margin", stored).margin(0).periodic());
  EXPECT_FALSE(ParameterSpace::from("margin", stored).margin(1).periodic());
}

}  // namespace
}  // namespace pairs
