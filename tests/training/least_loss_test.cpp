#include "core/train/steps/least_loss.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/estimator.h"
#include "core/train/settings/config.h"
#include "tasks/registry.h"

namespace pairs {
namespace {

EstimatorConfig quick_estimator(const std::string& task) {
  return load_preset(built_in_tasks(), built_in_tasks()->make(task)->info(), "quick", "pairs", {}).estimator;
}

// Compares the bound, in units of the loss, with an estimator on the same sets: its loss and its log densities differ
// by the same constant.
TEST(LeastLoss, HasTheUnitsOfTheLoss) {
  for (const std::string task : {"gaussian", "bump-hunt"}) {
    const EstimatorConfig config = quick_estimator(task);
    Estimator estimator(built_in_tasks()->make(task), config, 3);
    estimator.train(false);
    std::vector<std::int64_t> indices(50);
    for (std::size_t i = 0; i < indices.size(); ++i) indices[i] = static_cast<std::int64_t>(i);
    const torch::Tensor theta = estimator.task().latents(1, Purpose::explore, indices).theta;
    const torch::Tensor aggregates = torch::randn({50, estimator.embedding_size()});
    const torch::Tensor n = torch::ones({50}, torch::kInt64);
    const double nll = -estimator.log_prob(theta, aggregates, n).mean().item<double>();
    const double loss = estimator.loss(0, theta, aggregates, n).value.item<double>();
    EXPECT_NEAR(least_loss(estimator.task().info(), config.head, {1}, SizeDistribution::list,
                           [&](std::int64_t) { return nll; }),
                loss, 1e-3)
        << task;
  }
}

TEST(LeastLoss, AveragesOverTheSizes) {
  const TaskInfo info = built_in_tasks()->make("bump-hunt")->info();  // θ in [0, 1]: no scale
  HeadConfig head = quick_estimator("bump-hunt").head;
  const auto log_n = [](std::int64_t n) { return std::log(static_cast<double>(n)); };
  EXPECT_NEAR(least_loss(info, head, {1, 2, 4}, SizeDistribution::list, log_n), std::log(8.0) / 3, 1e-12);
  // N = floor(exp(u log(max + 1))) for uniform u, by brute force.
  double mean = 0;
  constexpr int kDraws = 200000;
  for (int i = 0; i < kDraws; ++i) {
    const double u = (i + 0.5) / kDraws;
    mean += std::log(std::floor(std::exp(u * std::log(1001.0)))) / kDraws;
  }
  EXPECT_NEAR(least_loss(info, head, {1000}, SizeDistribution::log_uniform, log_n), mean, 2e-3);
  // N = floor(r^2) for r uniform on 1..sqrt(max + 1).
  mean = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double root = 1 + (i + 0.5) / kDraws * (std::sqrt(1001.0) - 1);
    mean += std::log(std::floor(root * root)) / kDraws;
  }
  EXPECT_NEAR(least_loss(info, head, {1000}, SizeDistribution::root_uniform, log_n), mean, 2e-3);
  EXPECT_TRUE(std::isnan(least_loss(info, head, {1}, SizeDistribution::list, [](std::int64_t) { return NAN; })));
  head.kind = "gaussian";
  EXPECT_TRUE(std::isnan(least_loss(info, head, {1}, SizeDistribution::list, log_n)));
}

}  // namespace
}  // namespace pairs
