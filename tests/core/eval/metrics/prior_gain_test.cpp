#include "core/eval/metrics/prior_gain.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Functions.h>
#include <gtest/gtest.h>

#include "core/base/fields/face.h"
#include "core/base/text/error.h"
#include "core/heads/gaussian_head.h"
#include "core/heads/spline_head.h"
#include "tests/core/train/toy_task.h"

namespace pairs {
namespace {

// A regression whose point is the first number of the aggregate and whose spread is `sigma`, both of standardized θ.
Estimator status_points(double sigma) {
  EstimatorConfig config = toy_estimator();
  config.encoding = "none";
  config.head.kind = "gaussian";
  config.head.of<GaussianHead::Settings>().context_layers = 0;
  Estimator estimator(std::make_shared<ToyTask>(), config, 1);
  torch::NoGradGuard no_grad;
  for (auto& [name, tensor] : estimator.head_parameters()) {
    tensor.zero_();
    if (tensor.dim() == 2) tensor[0][0] = 1;
  }
  face<ResidualSpread>(estimator.head(0))
      ->set_sigma(torch::tensor({1}, torch::kInt64), torch::full({1, 1}, sigma, torch::kFloat64));
  estimator.train(false);
  return estimator;
}

// θ and points that have correlation ρ with it, with the posterior's mean and spread.
struct Status {
  Estimator estimator;
  ScoredSets sets;
};
Status reported(double rho, std::int64_t count, double spread) {
  Status out{status_points(spread), {}};
  auto generator = at::detail::createCPUGenerator(5);
  const torch::Tensor z = at::randn({count, 1}, generator, torch::kFloat64),
                      noise = at::randn({count, 1}, generator, torch::kFloat64);
  const torch::Tensor point = rho * rho * z + rho * std::sqrt(1 - rho * rho) * noise;
  torch::Tensor aggregates = torch::zeros({count, out.estimator.embedding_size()});
  aggregates.select(1, 0).copy_(point.squeeze(1));
  out.sets = {out.estimator.restore(z), aggregates, torch::ones({count}, torch::kInt64)};
  return out;
}

TEST(PriorGain, IsTheInformationThatPosteriorsHold) {
  for (const double rho : {0.22, 0.5, 0.95}) {
    Status is = reported(rho, 4000, std::sqrt(1 - rho * rho));
    const PriorGain gain = prior_gain(is.estimator, is.sets);
    EXPECT_NEAR(gain.gain, -0.5 * std::log(1 - rho * rho), 4 * gain.se + 0.002) << "correlation " << rho;
    EXPECT_FALSE(gain.nothing()) << "0.025 nat are little, and real";
  }
}

TEST(PriorGain, IsNothingWherePosteriorsIgnoreTheSet) {
  Status is = reported(0, 4000, 1);
  EXPECT_TRUE(prior_gain(is.estimator, is.sets).nothing());
}

TEST(PriorGain, IsNothingWherePosteriorsAreWorseThanThePrior) {
  // It knows something of θ, and is so sure of more that the prior does better.
  Status is = reported(0.3, 4000, 0.2);
  const PriorGain gain = prior_gain(is.estimator, is.sets);
  EXPECT_LT(gain.gain, -1);
  EXPECT_TRUE(gain.nothing());
}

TEST(PriorGain, IsUnknownOfAFewSets) {
  Status is = reported(0.5, 31, 0.8);
  EXPECT_FALSE(prior_gain(is.estimator, is.sets).known());
  EXPECT_FALSE(prior_gain(is.estimator, is.sets).nothing());
}

TEST(PriorGain, StopsWhenAsked) {
  Status is = reported(0.5, 400, 0.8);
  EXPECT_THROW(prior_gain(is.estimator, is.sets, [] { return true; }), Stopped);
}

// A density over a range: where nothing was learned the uniform density is the one to beat.
TEST(PriorGain, ComparesADensityOverARangeWithTheUniformOne) {
  EstimatorConfig config = toy_estimator();
  config.head.of<SplineHead::Settings>().support = "box";
  Estimator estimator(std::make_shared<BoundedToyTask>(), config, 1);
  estimator.train(false);
  auto generator = at::detail::createCPUGenerator(5);
  const torch::Tensor theta = at::rand({2000, 1}, generator, torch::kFloat64) * 8 - 3;
  const torch::Tensor aggregates = at::randn({2000, estimator.embedding_size()}, generator);
  const torch::Tensor n = torch::ones({2000}, torch::kInt64);
  const PriorGain gain = prior_gain(estimator, {theta, aggregates, n});
  const double own = estimator.log_prob(theta, aggregates, n).mean().item<double>();
  EXPECT_NEAR(gain.gain, own + std::log(8.0), 1e-9);
  EXPECT_TRUE(gain.nothing());
}

}  // namespace
}  // namespace pairs
