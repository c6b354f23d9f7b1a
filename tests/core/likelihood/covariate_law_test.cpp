#include "core/likelihood/covariate_law.h"

#include <ATen/Functions.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "tests/core/likelihood/covariate_toy.h"

namespace pairs {
namespace {

using testing::HasSubstr;

LikelihoodSettings few_weights() {
  LikelihoodSettings settings;
  settings.density = {4, 16, 1};
  return settings;
}

// The test holds for any network, so that untrained ones serve.
CovariateTest tested_law(const Task& task, std::uint64_t seed = 1) {
  const LearnedLikelihood likelihood(task, few_weights(), 1);
  return test_covariates(likelihood, task.info(), simulated_pairs(likelihood, task, seed));
}

TEST(CovariateLaw, OfFreeCovariatesIsNotRejected) {
  const std::array<CovariateToy::Covariate, 3> designs = {
      [](Stream& stream, double, double) { return stream.normal64(); },
      [](Stream& stream, double, double) {
        constexpr std::array<double, 4> values = {0, 0.1, 0.5, 2};
        return values[stream.below(4)];
      },
      [](Stream&, double, double) { return 1.5; },
  };
  for (const CovariateToy::Covariate& design : designs) {
    const CovariateToy task(design, 3);
    const LearnedLikelihood likelihood(task, few_weights(), 1);
    int rejected = 0;
    double least = 1;
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
      const CovariateTest test = test_covariates(likelihood, task.info(), simulated_pairs(likelihood, task, seed));
      rejected += test.rejected();
      least = std::min(least, test.p);
    }
    EXPECT_LE(rejected, 1) << "of 30 at a level of 0.005; the least p is " << least;
  }
  EXPECT_THAT(tested_law(CovariateToy()).text(), HasSubstr("appear not to depend on the parameters"));
}

TEST(CovariateLaw, FindsAMeanThatFollowsATarget) {
  const CovariateTest test =
      tested_law(CovariateToy([](Stream& stream, double theta, double) { return stream.normal64() + 0.15 * theta; }));
  EXPECT_TRUE(test.rejected()) << test.p;
  EXPECT_THAT(test.text(), HasSubstr("depend on the parameters"));
  EXPECT_THAT(test.text(), HasSubstr("take them out of x.covariates"));
}

TEST(CovariateLaw, FindsAWidthThatFollowsANuisance) {
  EXPECT_TRUE(tested_law(CovariateToy([](Stream& stream, double, double psi) {
                return stream.normal64() * std::exp(0.4 * psi);
              })).rejected());
}

TEST(CovariateLaw, FindsADesignThatFollowsATarget) {
  EXPECT_TRUE(tested_law(CovariateToy([](Stream& stream, double theta, double) {
                return stream.uniform64() < 0.5 + 0.1 * std::tanh(theta) ? 0.0 : 2.0;
              })).rejected());
}

// Each stored set stands in one pair, with its own first observations.
TEST(CovariateLaw, PairsStoredSets) {
  const CovariateToy task;
  const LearnedLikelihood likelihood(task, few_weights(), 1);
  const LikelihoodDraws draws = draw_observations(task, 1, 0, 5, torch::kCPU);
  const CovariatePairs pairs = stored_pairs(likelihood, draws);
  EXPECT_EQ(pairs.n, 20);
  ASSERT_EQ(pairs.z1.size(0), 2) << "the last of five sets is left over";
  const torch::Tensor x = likelihood.standardized(draws.x), z = likelihood.space().coordinates(draws.prior_parameters);
  const auto rows = [&](std::int64_t set) {
    const std::int64_t first = (draws.set == set).nonzero()[0].item<std::int64_t>();
    return x.slice(0, first, first + pairs.n);
  };
  EXPECT_TRUE(torch::equal(pairs.x1, at::cat({rows(0), rows(2)})));
  EXPECT_TRUE(torch::equal(pairs.x2, at::cat({rows(1), rows(3)})));
  EXPECT_TRUE(torch::equal(pairs.z2, at::stack({z[1], z[3]})));
  EXPECT_EQ(test_covariates(likelihood, task.info(), pairs).pairs, 2);
}

}  // namespace
}  // namespace pairs
