#include "app/posterior/source/null_factor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>

#include "core/base/fields/face.h"
#include "tasks/registry.h"

namespace pairs {
namespace {

double normal(double x, double mean, double sd) {
  return std::exp(-0.5 * std::pow((x - mean) / sd, 2)) / (sd * std::sqrt(2 * std::numbers::pi));
}

// The bump hunt's Bayes factor of no signal by a plain sum over θ and ψ.
double factor_by_sum(const std::vector<double>& events) {
  constexpr int kTheta = 400, kPsi = 4000;
  double none = 1, with = 0;
  for (const double x : events) none *= normal(x, 0, 1);
  for (int t = 0; t < kTheta; ++t)
    for (int p = 0; p < kPsi; ++p) {
      const double theta = (t + 0.5) / kTheta, psi = 1 + 2 * (-6 + 12 * (p + 0.5) / kPsi);
      double product = normal(psi, 1, 2) * (24.0 / kPsi) / kTheta;
      for (const double x : events) product *= theta * normal(x, psi, 0.1) + (1 - theta) * normal(x, 0, 1);
      with += product;
    }
  return none / with;
}

TEST(NullFactor, OfTheExactPosteriorIsTheBayesFactor) {
  const auto task = built_in_tasks()->make("bump-hunt");
  for (const std::vector<double>& events :
       {std::vector<double>{0.3, -1.2, 0.7, 1.9, -0.4}, std::vector<double>{2.5, 2.52, 2.47, 0.1, 2.55}}) {
    const torch::Tensor x = torch::tensor(events, torch::kFloat64).unsqueeze(1);
    const PosteriorSource exact = reference_source(*task, "exact", x);
    PosteriorSource ours = exact;
    ours.name = "PAIRS";
    ours.role = SeriesRole::pairs;
    ours.ours = true;
    ours.log_density = [](const torch::Tensor& theta) {
      return torch::full({theta.size(0)}, std::log(2.0), torch::kFloat64);
    };
    const std::vector<NullFactor> factors = null_factors(*task, {ours, exact});
    ASSERT_EQ(factors.size(), 2u);
    EXPECT_NEAR(factors[0].factor, 2, 1e-12);
    const double wanted = factor_by_sum(events);
    EXPECT_NEAR(factors[1].factor / wanted, 1, 1e-3) << wanted;
    EXPECT_THAT(null_text(*task, factors),
                testing::AllOf(testing::HasSubstr("θ = 0 (no signal)"), testing::HasSubstr("exactly"),
                               testing::HasSubstr("2 by PAIRS's density there")));
    EXPECT_TRUE(null_factors(*task, {ours}).empty()) << "nothing to judge it by";
  }
}

TEST(NullFactor, IsNoneWhereATaskHasNoNullValue) {
  const auto task = built_in_tasks()->make("gaussian");
  EXPECT_EQ(face<HasNullValue>(*task), nullptr);
  EXPECT_EQ(null_text(*task, {}), "");
}

}  // namespace
}  // namespace pairs
