#include "core/train/steps/regression_sigma.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Functions.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "core/heads/gaussian_head.h"
#include "tests/core/train/toy_task.h"

namespace pairs {
namespace {

// Residuals of known standard deviation at each N: the head must give this value at each N.
TEST(RegressionSigma, IsTheResidualsAtEverySize) {
  EstimatorConfig config = toy_estimator();
  config.head.kind = "gaussian";
  Estimator estimator(std::make_shared<ToyTask>(), config, 1);
  estimator.train(false);
  auto& head = dynamic_cast<GaussianHead&>(estimator.head(0));
  const auto sigma = [](const torch::Tensor& n) { return 0.05 + 2.0 * n.to(torch::kFloat64).pow(-0.5); };
  auto generator = at::detail::createCPUGenerator(3);
  const std::int64_t rows = 60000;
  // Log-uniform over 1 .. 1000: more sizes than the head's table has places.
  const torch::Tensor n = at::exp(at::rand({rows}, generator, torch::kFloat64) * std::log(1000.999)).to(torch::kInt64);
  const torch::Tensor aggregates = at::randn({rows, estimator.embedding_size()}, generator);
  const torch::Tensor context = estimator.context(aggregates, n);
  at::NoGradGuard no_grad;
  const torch::Tensor target = head.predict(context).to(torch::kFloat64) +
                               sigma(n).unsqueeze(1) * at::randn({rows, 1}, generator, torch::kFloat64);
  const double error = fit_regression_sigma(estimator, 0, {estimator.restore(target), aggregates, n});
  EXPECT_NEAR(error, sigma(n).square().mean().item<double>(), 0.02);

  const torch::Tensor asked = torch::tensor(std::vector<std::int64_t>{1, 2, 3, 5, 10, 30, 100, 300, 1000});
  const torch::Tensor at_sizes = estimator.context(aggregates.narrow(0, 0, asked.size(0)), asked);
  // The density at the mean gives the standard deviation.
  const torch::Tensor peak = head.log_prob(head.predict(at_sizes), at_sizes).to(torch::kFloat64);
  const torch::Tensor fitted = (-peak).exp() / std::sqrt(2 * std::numbers::pi), known = sigma(asked);
  for (std::int64_t i = 0; i < asked.size(0); ++i) {
    const double n_value = asked[i].item<double>(), ratio = (fitted[i] / known[i]).item<double>();
    EXPECT_NEAR(ratio, 1, n_value < 20 ? 0.05 : 0.15) << "N = " << n_value;
  }
}

TEST(RegressionSigma, OneSizeHasOne) {
  EstimatorConfig config = toy_estimator();
  config.head.kind = "gaussian";
  Estimator estimator(std::make_shared<ToyTask>(), config, 1);
  estimator.train(false);
  at::NoGradGuard no_grad;
  auto& head = dynamic_cast<GaussianHead&>(estimator.head(0));
  auto generator = at::detail::createCPUGenerator(3);
  const torch::Tensor n = at::full({20000}, 7, torch::kInt64);
  const torch::Tensor aggregates = at::randn({20000, estimator.embedding_size()}, generator);
  const torch::Tensor context = estimator.context(aggregates, n);
  const torch::Tensor target =
      head.predict(context).to(torch::kFloat64) + 0.3 * at::randn({20000, 1}, generator, torch::kFloat64);
  fit_regression_sigma(estimator, 0, {estimator.restore(target), aggregates, n});
  const torch::Tensor row = context.narrow(0, 0, 1);
  const double peak = head.log_prob(head.predict(row), row).item<double>();
  EXPECT_NEAR(std::exp(-peak) / std::sqrt(2 * std::numbers::pi), 0.3, 0.01);
}

}  // namespace
}  // namespace pairs
