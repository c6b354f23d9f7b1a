#include "core/ops/continuous_filter.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Functions.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/base/text/error.h"
#include "tests/on_device.h"

namespace pairs::ops {
namespace {

using torch::Tensor;

constexpr double kCutoff = 4, kSpacing = 0.05;
constexpr std::int64_t kPoints = 83;  // (83 - 3) * 0.05 = 4

// Reference through ATen in float64: evaluates the filter edge by edge.
Tensor edge_by_edge(const Tensor& x, const Tensor& table, const Neighbors& near) {
  const std::int64_t rows = x.size(0);
  const Tensor receiver = torch::repeat_interleave(torch::arange(rows), near.start.diff());
  const Tensor place = near.distance / kSpacing, cell = place.floor().to(torch::kLong);
  const Tensor t = place - cell;
  // Lagrange's polynomials at -1, 0, 1, 2, as products.
  Tensor w = torch::zeros({near.index.size(0), x.size(1)}, torch::kDouble);
  for (int k = -1; k <= 2; ++k) {
    Tensor weight = torch::ones_like(t);
    for (int other = -1; other <= 2; ++other)
      if (other != k) weight = weight * (t - other) / static_cast<double>(k - other);
    w = w + weight.unsqueeze(1) * table.index_select(0, cell + 1 + k);
  }
  const Tensor sent = x.index_select(0, near.index.to(torch::kLong));
  return torch::zeros({rows, x.size(1)}, torch::kDouble).index_add(0, receiver, w * sent);
}

PAIRS_DEVICE_TEST(ContinuousFilter, AgreesWithEveryEdgeForItselfInFloat64) {
  for (const std::int64_t width : {1, 19, 32, 128, 150})
    for (const std::int64_t most : {3, 32}) {
      auto generator = at::detail::createCPUGenerator(3);
      const Tensor offsets = torch::tensor({0, 30, 31, 31, 90}, torch::kLong);
      const Tensor places = 5 * torch::rand({90, 3}, generator);
      const Neighbors near = nearest_neighbors(places, offsets, kCutoff, most);
      const Tensor x = torch::randn({90, width}, generator), table = torch::randn({kPoints, width}, generator),
                   slope = torch::randn({90, width}, generator);
      const Tensor x64 = x.to(torch::kDouble).requires_grad_(true),
                   table64 = table.to(torch::kDouble).requires_grad_(true);
      const Tensor expected = edge_by_edge(x64, table64, near);
      expected.backward(slope.to(torch::kDouble));

      const Tensor here = x.to(device).clone().requires_grad_(true),
                   there = table.to(device).clone().requires_grad_(true);
      const Neighbors on = nearest_neighbors(places.to(device), offsets.to(device), kCutoff, most);
      const FilterPlan plan = plan_filter(on, offsets.to(device), kSpacing, kPoints, true);
      const Tensor y = continuous_filter(here, there, plan);
      EXPECT_LT(apart(y, expected), 1e-6) << width << ", " << most;
      y.backward(slope.to(device));
      EXPECT_LT(apart(here.grad(), x64.grad()), 1e-6) << width << ", " << most;
      EXPECT_LT(apart(there.grad(), table64.grad()), 1e-6) << width << ", " << most;
      torch::NoGradGuard no_grad;
      const FilterPlan lean = plan_filter(on, offsets.to(device), kSpacing, kPoints, false);
      EXPECT_TRUE(continuous_filter(here, there, lean).equal(y));
    }
}

TEST(ContinuousFilter, EveryInstructionSetAgrees) {
  auto generator = at::detail::createCPUGenerator(4);
  const Tensor offsets = torch::tensor({0, 40, 70}, torch::kLong);
  for (const std::int64_t most : {5, 32}) {
    const Neighbors near = nearest_neighbors(4 * torch::rand({70, 3}, generator), offsets, kCutoff, most);
    const FilterPlan plan = plan_filter(near, offsets, kSpacing, kPoints, true);
    for (const std::int64_t width : {1, 8, 19, 64, 150}) {
      const Tensor x = torch::randn({70, width}, generator), table = torch::randn({kPoints, width}, generator),
                   slope = torch::randn({70, width}, generator);
      const Tensor x64 = x.to(torch::kDouble).requires_grad_(true),
                   table64 = table.to(torch::kDouble).requires_grad_(true);
      const Tensor expected = edge_by_edge(x64, table64, near);
      expected.backward(slope.to(torch::kDouble));
      int ran = 0;
      for (const char* name : {"avx512", "avx2", "plain"}) {
        if (!use_filter_instructions(name)) continue;
        ++ran;
        const Tensor here = x.clone().requires_grad_(true), there = table.clone().requires_grad_(true);
        const Tensor y = continuous_filter(here, there, plan);
        y.backward(slope);
        EXPECT_LT(apart(y, expected), 1e-6) << name << ", " << width;
        EXPECT_LT(apart(here.grad(), x64.grad()), 1e-6) << name << ", " << width;
        EXPECT_LT(apart(there.grad(), table64.grad()), 1e-6) << name << ", " << width;
      }
      EXPECT_GE(ran, 1);
      EXPECT_TRUE(use_filter_instructions(""));
    }
  }
  EXPECT_FALSE(use_filter_instructions("mmx"));
}

// A cubic is interpolated exactly; a smooth function within the stated bound.
TEST(ContinuousFilter, InterpolatesWithinItsBound) {
  const Tensor places = torch::zeros({200, 3}, torch::kDouble);
  places.select(1, 0).slice(0, 1, 200, 2).copy_(torch::linspace(0, 3.999, 100, torch::kDouble));
  const Tensor offsets = torch::arange(0, 201, 2, torch::kLong);
  const Neighbors near = nearest_neighbors(places, offsets, kCutoff, 1);
  const FilterPlan plan = plan_filter(near, offsets, kSpacing, kPoints, false);
  const Tensor d = torch::linspace(0, 3.999, 100, torch::kDouble),
               k = (torch::arange(kPoints, torch::kDouble) - 1) * kSpacing;
  const auto at = [&](const auto& f) {
    const Tensor y = continuous_filter(torch::ones({200, 1}), f(k).to(torch::kFloat).unsqueeze(1), plan);
    return (y.select(1, 0).slice(0, 0, 200, 2) - f(d)).abs().max().template item<double>();
  };
  EXPECT_LT(at([](const Tensor& t) { return 0.1 * t * t * t - t * t + 0.5 * t - 1; }), 2e-6);
  const double frequency = 6;
  const double error = at([&](const Tensor& t) { return torch::sin(frequency * t); });
  const double bound = 3.0 / 128 * std::pow(frequency * kSpacing, 4);
  EXPECT_LT(error, bound + 1e-6);
  EXPECT_GT(error, 0.3 * bound) << "the bound is no empty promise";
}

TEST(ContinuousFilter, GivesTheSameBitsForAnyNumberOfThreads) {
  auto generator = at::detail::createCPUGenerator(3);
  const Tensor offsets = torch::arange(0, 401, 40, torch::kLong), places = 5 * torch::rand({400, 3}, generator);
  const Tensor x = torch::randn({400, 40}, generator), table = torch::randn({kPoints, 40}, generator);
  const int threads = at::get_num_threads();
  const auto run = [&](int number) {
    at::set_num_threads(number);
    const FilterPlan plan =
        plan_filter(nearest_neighbors(places, offsets, kCutoff, 12), offsets, kSpacing, kPoints, true);
    const Tensor here = x.clone().requires_grad_(true), there = table.clone().requires_grad_(true);
    const Tensor y = continuous_filter(here, there, plan);
    y.square().sum().backward();
    return std::vector<Tensor>{y, here.grad(), there.grad()};
  };
  const auto one = run(1), two = run(2);
  at::set_num_threads(threads);
  for (std::size_t k = 0; k < one.size(); ++k) EXPECT_TRUE(one[k].equal(two[k])) << k;
}

TEST(ContinuousFilter, RefusesWhatDoesNotFit) {
  const Tensor places = torch::tensor({{0.0f, 0.0f, 0.0f}, {3.0f, 0.0f, 0.0f}}),
               offsets = torch::tensor({0, 2}, torch::kLong);
  const Neighbors near = nearest_neighbors(places, offsets, kCutoff, 1);
  EXPECT_THROW(plan_filter(near, offsets, kSpacing, 50, false), Error);  // ends at 2.35
  const FilterPlan plan = plan_filter(near, offsets, kSpacing, kPoints, false);
  const Tensor x = torch::ones({2, 3}), table = torch::ones({kPoints, 3});
  EXPECT_NO_THROW(continuous_filter(x, table, plan));
  EXPECT_THROW(continuous_filter(torch::ones({3, 3}), table, plan), Error);
  EXPECT_THROW(continuous_filter(x, torch::ones({kPoints - 1, 3}), plan), Error);
  EXPECT_THROW(continuous_filter(x, torch::ones({kPoints, 4}), plan), Error);
  EXPECT_THROW(continuous_filter(x.to(torch::kDouble), table.to(torch::kDouble), plan), Error);
  EXPECT_THROW(continuous_filter(x.clone().requires_grad_(true), table, plan), Error) << "a plan without gradients";
}

}  // namespace
}  // namespace pairs::ops
