#include "core/eval/references/conditional_nuisances.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/gpu/transfer.h"
#include "core/base/text/error.h"
#include "tests/core/eval/dependent_task.h"

namespace pairs {
namespace {

std::vector<std::int64_t> toy_indices(std::int64_t count) {
  std::vector<std::int64_t> out(static_cast<std::size_t>(count));
  std::iota(out.begin(), out.end(), std::int64_t{1} << 41);
  return out;
}

// The largest distance between the distribution function of draws and that of a normal, in units of 1 / √draws.
double distance_from_normal(std::vector<double> draws, double mean, double sd) {
  std::sort(draws.begin(), draws.end());
  const auto count = static_cast<double>(draws.size());
  double most = 0;
  for (std::size_t i = 0; i < draws.size(); ++i) {
    const double p = 0.5 * std::erfc(-(draws[i] - mean) / sd / std::sqrt(2.0));
    most = std::max({most, std::fabs(p - static_cast<double>(i) / count), std::fabs(p - (i + 1.0) / count)});
  }
  return most * std::sqrt(count);
}

TEST(ConditionalNuisances, AreThoseOfAnyDrawWhereNothingDepends) {
  const DependentTask task([](double) { return 1.0; }, [](double) { return 0.5; });
  for (const std::uint64_t seed : {1, 2, 3, 4}) EXPECT_FALSE(ConditionalNuisances(task, seed).depends());
}

TEST(ConditionalNuisances, FollowLocationAndSpread) {
  struct Case {
    const char* how;
    DependentTask::Curve mean, sd;
  };
  const std::vector<Case> cases = {
      {"the location of ψ", [](double t) { return 4 * t - 2; }, [](double) { return 0.5; }},
      {"the location of ψ", [](double t) { return 4 * t - 2; }, [](double) { return 0.02; }},
      {"the spread of ψ", [](double) { return 0.0; }, [](double t) { return 0.1 + t; }},
      {"the location of ψ", [](double t) { return std::sin(9 * t); }, [](double t) { return 0.05 + 0.3 * t * t; }}};
  for (const Case& one : cases) {
    const DependentTask task(one.mean, one.sd);
    const ConditionalNuisances nuisances(task, 1);
    EXPECT_EQ(nuisances.how(), one.how);
    for (const double theta : {0.0, 0.013, 0.5, 0.9, 1.0}) {
      const std::vector<double> draws = doubles(nuisances.at(theta, toy_indices(4000)));
      // Some 1.95 at p = 0.001 of independent draws; those of the same neighbors share what is fitted.
      EXPECT_LT(distance_from_normal(draws, one.mean(theta), one.sd(theta)), 4.2) << one.how << " " << theta;
    }
  }
}

TEST(ConditionalNuisances, AreAFunctionOfSeedThetaAndIndex) {
  const DependentTask task([](double t) { return 4 * t; }, [](double) { return 0.5; });
  const ConditionalNuisances one(task, 1), again(task, 1), other(task, 2);
  const std::vector<std::int64_t> all = toy_indices(64), some(all.begin() + 7, all.begin() + 19);
  const torch::Tensor whole = one.at(0.4, all);
  EXPECT_TRUE(again.at(0.4, some).equal(whole.slice(0, 7, 19)));
  EXPECT_FALSE(other.at(0.4, all).equal(whole));
}

// Values that are counts stay counts, and none leaves the values that the prior has.
class CountsTask : public DependentTask {
 public:
  CountsTask() : DependentTask([](double t) { return 3 + 20 * t; }, [](double) { return 2.0; }) {}
  Latents latents(std::uint64_t seed, Purpose purpose, std::span<const std::int64_t> indices) const override {
    Latents out = DependentTask::latents(seed, purpose, indices);
    out.psi = out.psi.round().clamp_min(0);
    return out;
  }
};
TEST(ConditionalNuisances, KeepCountsAndSupports) {
  const CountsTask task;
  const ConditionalNuisances nuisances(task, 1);
  for (const double theta : {0.0, 0.6}) {
    const torch::Tensor psi = nuisances.at(theta, toy_indices(2000));
    EXPECT_TRUE(psi.equal(psi.round()));
    EXPECT_GE(psi.min().item<double>(), 0);
    EXPECT_NEAR(psi.mean().item<double>(), theta == 0 ? 3.1 : 15, 0.4);
  }
}

class OwnTask : public DependentTask, public DrawsNuisances {
 public:
  OwnTask() : DependentTask([](double t) { return t > 0.5 ? 9.0 : 0.0; }, [](double) { return 0.01; }) {}
  torch::Tensor nuisances_at(double theta, std::uint64_t, Purpose,
                             std::span<const std::int64_t> indices) const override {
    return at::full({static_cast<std::int64_t>(indices.size()), 1}, mean_of(theta), torch::kFloat64);
  }
};
TEST(ConditionalNuisances, AreTheTasksOwnWhereItKnowsThem) {
  const OwnTask task;
  const ConditionalNuisances nuisances(task, 1);
  EXPECT_TRUE(nuisances.depends());
  EXPECT_EQ(nuisances.at(0.51, toy_indices(3)).min().item<double>(), 9);
}

std::string refusal_at(const ConditionalNuisances& nuisances, double theta) {
  try {
    nuisances.at(theta, toy_indices(3));
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(ConditionalNuisances, AreRefusedWhereNoDrawsLieNear) {
  const DependentTask task([](double t) { return 4 * t - 2; }, [](double) { return 0.5; });
  const ConditionalNuisances nuisances(task, 1);
  ASSERT_TRUE(nuisances.depends());
  EXPECT_EQ(refusal_at(nuisances, 1), "");
  const std::string refusal = refusal_at(nuisances, 3);  // the prior draws from 0 to 1
  EXPECT_THAT(refusal, testing::HasSubstr("too few lie near"));
  EXPECT_THAT(refusal, testing::HasSubstr("--known-psi"));
}

// The 512 nearest of 1,048,576 draws span a period and a half of the faster wave, and no parabola is near that; of the
// slower one they span a fifteenth.
TEST(ConditionalNuisances, AreRefusedWhereTheyChangeFasterThanDrawsShow) {
  for (const double waves : {3000.0, 140.0}) {
    const DependentTask task([waves](double t) { return 4 * t + std::sin(2 * M_PI * waves * t); },
                             [](double) { return 0.01; });
    const ConditionalNuisances nuisances(task, 1);
    ASSERT_TRUE(nuisances.depends());
    for (const double theta : {0.0, 0.2, 0.37, 0.61, 1.0}) {
      const std::string refusal = refusal_at(nuisances, theta);
      if (waves < 1000) {
        EXPECT_EQ(refusal, "");
        const std::vector<double> draws = doubles(nuisances.at(theta, toy_indices(2000)));
        double mean = 0;
        for (const double psi : draws) mean += psi / 2000;
        EXPECT_NEAR(mean, task.mean_of(theta), 0.01) << theta;
      } else {
        EXPECT_THAT(refusal, testing::HasSubstr("ψ changes too fast with θ there for 1048576 joint draws")) << theta;
        EXPECT_THAT(refusal, testing::HasSubstr("--known-psi"));
      }
    }
  }
}

}  // namespace
}  // namespace pairs
