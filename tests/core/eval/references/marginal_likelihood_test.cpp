#include "core/eval/references/marginal_likelihood.h"

#include <ATen/Functions.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/base/gpu/transfer.h"
#include "core/base/text/error.h"
#include "tests/core/train/toy_image_task.h"
#include "tests/core/train/toy_task.h"

namespace pairs {
namespace {

constexpr std::int64_t kN = 7;

// θ uniform on [−3, 5] instead of normal, x ~ N(θ + ψ, 1) with ψ ~ N(0, 1/4): the mean of N has the variance
// 1/N + 1/4 about θ.
class UniformToy : public BoundedToyTask {
 public:
  Latents latents(std::uint64_t seed, Purpose purpose, std::span<const std::int64_t> indices) const override {
    Latents out = BoundedToyTask::latents(seed, purpose, indices);
    out.theta = 8 * at::special_ndtr(out.theta) - 3;
    return out;
  }
  std::unique_ptr<ReferencePosterior> reference(const std::string&) const override { return std::make_unique<Exact>(); }

 private:
  class Exact : public ReferencePosterior {
   public:
    void add(const Observations& x) override { x_ = x.block().to(torch::kFloat64); }
    torch::Tensor log_density(const torch::Tensor& theta) override {
      const double variance = 1.0 / static_cast<double>(x_.size(0)) + 0.25;
      return -0.5 * (theta.select(1, 0) - x_.mean()).square() / variance;
    }
    torch::Tensor mean() override { return {}; }
    torch::Tensor covariance() override { return {}; }
    torch::Tensor sample(std::int64_t, Stream&) override { return {}; }

   private:
    torch::Tensor x_;
  };
};

torch::Tensor grid() {
  return at::linspace(-3, 5, 33, torch::kFloat64);
}

Latents at_theta(const Task& task, double theta, const std::vector<std::int64_t>& indices) {
  Latents latents = task.latents(1, Purpose::check, indices);
  latents.theta = at::full_like(latents.theta, theta);
  return latents;
}

TEST(MarginalLikelihood, AskedOfOneTargetWithEnds) {
  EXPECT_EQ(no_frequentist_answers(UniformToy()), "");
  EXPECT_THAT(no_frequentist_answers(ToyTask()), testing::HasSubstr("no bounds"));
  EXPECT_THAT(no_frequentist_answers(ToyImageTask()), testing::HasSubstr("64 numbers"));
}

TEST(MarginalLikelihood, AUniformPriorIsFoundInItsDraws) {
  const torch::Tensor log = prior_on_grid(UniformToy(), grid(), 1);
  EXPECT_NEAR((log + std::log(8.0)).abs().max().item<double>(), 0, 1e-12);
  EXPECT_THROW(prior_on_grid(BoundedToyTask(), grid(), 1), Error);
}

TEST(MarginalLikelihood, OfTheExactPosteriorIsTheClosedForm) {
  const auto task = std::make_shared<UniformToy>();
  const std::vector<std::int64_t> indices = {5, 9, 2};
  std::vector<Observations> sets;
  const auto exact = exact_likelihood(task, kN, grid(), at::full({33}, std::log(0.125), torch::kFloat64));
  const torch::Tensor log = exact->of_sets(at_theta(*task, 1.25, indices), 1, indices, &sets, {});
  ASSERT_EQ(sets.size(), 3u);
  for (std::int64_t k = 0; k < 3; ++k) {
    const torch::Tensor x = sets[static_cast<std::size_t>(k)].block().to(torch::kFloat64);
    ASSERT_EQ(x.size(0), kN);
    const torch::Tensor wanted = -0.5 * (grid() - x.mean()).square() / (1.0 / kN + 0.25) - std::log(0.125);
    EXPECT_NEAR((log[k] - wanted).abs().max().item<double>(), 0, 1e-9);
  }
}

// The estimated log likelihood is the estimator's log density at the set's aggregate minus the log prior, however sets
// are split for embedding.
TEST(MarginalLikelihood, OfAnEstimatorIsItsDensityOverThePrior) {
  const auto task = std::make_shared<UniformToy>();
  const auto estimator = std::make_shared<Estimator>(task, toy_estimator(), 3);
  const std::vector<std::int64_t> indices = {4, 1};
  std::vector<Observations> sets;
  const torch::Tensor prior = at::linspace(0, 1, 33, torch::kFloat64);
  const auto ours = estimated_likelihood(estimator, kN, grid(), prior);
  const torch::Tensor log = ours->of_sets(at_theta(*task, -1, indices), 1, indices, &sets, {});
  for (std::int64_t k = 0; k < 2; ++k) {
    const torch::Tensor aggregate =
        estimator->embed(sets[static_cast<std::size_t>(k)]).to(torch::kFloat64).mean(0, true);
    const torch::Tensor direct =
        estimator->log_prob_grid(grid().view({1, -1, 1}), aggregate, at::full({1}, kN, torch::kInt64));
    EXPECT_NEAR((log[k] - (direct[0] - prior)).abs().max().item<double>(), 0, 1e-4);
  }
  EXPECT_THROW(ours->of_sets(at_theta(*task, -1, indices), 1, indices, nullptr, [] { return false; }), Stopped);
  EXPECT_GE(ours->at_once(), 1);
}

}  // namespace
}  // namespace pairs
