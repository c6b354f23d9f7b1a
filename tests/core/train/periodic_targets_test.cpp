// A task whose target and observations are directions, from training to scores and refined posteriors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/eval/evaluate/evaluate.h"
#include "core/heads/spline_head.h"
#include "core/likelihood/refined_posterior.h"
#include "core/train/run/run.h"
#include "core/train/stages/likelihood_stage.h"
#include "core/train/stages/refined_density.h"
#include "tests/core/base/message.h"
#include "tests/core/base/temporary_folder.h"
#include "tests/core/train/angle_toy.h"
#include "tests/core/train/test_monitor.h"
#include "tests/core/train/toy_library.h"

namespace pairs {
namespace {

class PeriodicTargets : public ::testing::Test {
 protected:
  RunConfig config() const {
    RunConfig c;
    c.tasks = tasks_;
    c.task = task_->info().name;
    c.device = "cpu";
    c.threads = 2;
    c.checkpoint = 0;
    c.estimator = toy_estimator();
    c.pretrain.epochs = 10;
    c.pretrain.steps = 60;
    c.pretrain.batch = 256;
    c.pretrain.rate = 5e-3;
    c.pretrain.validation_sets = 256;
    c.cache.sizes = {20};
    c.cache.sets = {2000};
    c.cache.pieces = 10;
    c.cache.chunk = 2000;
    c.finetune.epochs = 12;
    c.finetune.steps = 60;
    c.finetune.batch = 256;
    c.finetune.rate = 5e-3;
    c.finetune.validation_draws = 512;
    c.evaluate.sizes = {20};
    return c;
  }
  // n observations of the set `index` at this direction.
  torch::Tensor set_at(double theta, std::int64_t index, std::int64_t n) const {
    const Latents latents{torch::full({1, 1}, theta, torch::kFloat64), torch::zeros({1, 1}, torch::kFloat64)};
    const SetRange range[] = {{index, 0, n}};
    return task_->observe(latents, 1, Purpose::check, range, torch::kCPU).block();
  }

  std::shared_ptr<const AngleToy> task_ = std::make_shared<AngleToy>();
  const Tasks tasks_ = std::make_shared<ToyLibrary>(task_);
  TemporaryFolder folder_;
};

// Posteriors next to the ends of the range are as good as others: the gap to the exact posterior, and ranks.
TEST_F(PeriodicTargets, AreLearnedAroundTheCircle) {
  for (const char* support : {"box", "real"}) {
    RunConfig wanted = config();
    wanted.estimator.head.of<SplineHead::Settings>().support = support;
    const auto run = create_run(wanted, folder_ / support);
    TestMonitor monitor;
    execute_run(tasks_, run, monitor, Stage::finetune);
    const LoadedRun loaded = load_run(tasks_, run.string());
    EvaluationOptions options;
    options.sizes = {1, 5, 20};
    options.sets = {1000};
    options.samples = 99;
    for (const EvaluationRow& row : evaluate(*loaded.estimator, options)) {
      EXPECT_LT(row.gap, 0.08) << support << ", N = " << row.n;
      EXPECT_LT(std::abs(row.rank_tests[0].location_z), 6) << support << ", N = " << row.n;
      EXPECT_LT(std::abs(row.rank_tests[0].width_z), 5) << support << ", N = " << row.n;
      if (row.n == 20)
        EXPECT_LT(*std::max_element(row.sds[0].begin(), row.sds[0].end()), 2 * AngleToy::kNoise / std::sqrt(20))
            << "none is spread over both ends";
    }
  }
}

TEST_F(PeriodicTargets, AreRefinedAroundTheCircle) {
  LikelihoodConfig config;
  config.steps = 2500;
  config.batch = 1024;
  config.networks.density = {4, 32, 1};
  RunConfig run;
  run.tasks = tasks_;
  run.task = task_->info().name;
  run.device = "cpu";
  TestMonitor monitor;
  train_likelihood(folder_.path(), run, config, monitor);
  const std::optional<RunLikelihood> made = load_likelihood(folder_.path(), *task_);
  ASSERT_TRUE(made.has_value());
  ASSERT_EQ(made->unusable(), "");
  EXPECT_EQ(made->likelihood->columns()[0].kind(), ColumnKind::periodic);
  for (const std::int64_t n : {1, 20})
    for (const double theta : {0.5, 120.0, 359.0}) {
      const torch::Tensor x = set_at(theta, static_cast<std::int64_t>(theta), n);
      const auto exact = task_->reference("exact");
      exact->add(Observations(x));
      const RefinedPosterior out = refine(*made->likelihood, 1, x, {}, {.draws = 4000, .seed = 2});
      ASSERT_EQ(out.refused, "") << n << " at " << theta;
      const double sd = std::sqrt(exact->covariance().item<double>());
      EXPECT_NEAR(wrapped(out.mean.item<double>() - exact->mean().item<double>(), -180, 360) / sd, 0, 0.25)
          << n << " at " << theta;
      EXPECT_NEAR(out.sd.item<double>() / sd, 1, 0.2) << n << " at " << theta;
      EXPECT_GE(out.mean.item<double>(), 0);
      EXPECT_LT(out.mean.item<double>(), 360);
      // The density is that of the exact posterior, at values of any turn.
      const torch::Tensor at = out.mean.unsqueeze(0) + torch::tensor({{-0.8}, {0.0}, {0.8}}, torch::kFloat64) * sd;
      const RefinedDensity density(out);
      EXPECT_TRUE(torch::allclose(density.log_density(at), exact->log_density(at), 0, 0.35)) << n << " at " << theta;
      EXPECT_TRUE(torch::allclose(density.log_density(at - 360), density.log_density(at), 0, 1e-3));
      // A start that lies on both sides of the ends is a start like others.
      RefineOptions options{.draws = 4000, .seed = 2};
      options.start = wrapped(task_->info().targets, resampled(out, 500, 3));
      EXPECT_NEAR(refine(*made->likelihood, 1, x, {}, options).sd.item<double>() / sd, 1, 0.2) << n << " at " << theta;
    }
  // Ranks and densities of truths, as evaluations score them.
  constexpr std::int64_t sets = 100;
  const MadeDensity scores = refined_density(*made, task_, sets);
  double gap = 0, mean = 0;
  for (std::int64_t k = 0; k < sets; ++k) {
    const std::vector<std::int64_t> index = {k};
    const Latents latents = task_->latents(4, Purpose::test, index);
    const SetRange range[] = {{k, 0, 10}};
    const Observations x = task_->observe(latents, 4, Purpose::test, range, torch::kCPU);
    const auto score = scores.score(x, latents);
    ASSERT_TRUE(score.has_value()) << k;
    gap +=
        (AngleToy::exact_log_density(latents.theta.select(1, 0), x.block()).item<double>() - score->log_density) / sets;
    mean += score->ranks.at(0) / sets;
  }
  EXPECT_LT(std::abs(gap), 0.05);
  EXPECT_NEAR(mean, 0.5, 4 * 0.29 / std::sqrt(sets));
}

// What cannot be done on a circle is refused in a sentence.
TEST_F(PeriodicTargets, RefuseWhatIsOfALine) {
  RunConfig linear = config();
  linear.finetune.start = "linear";
  const auto refusal = [&](const RunConfig& config) {
    TestMonitor monitor;
    return message_of([&] {
      execute_run(tasks_, create_run(config, folder_ / config.estimator.head.kind), monitor, Stage::finetune);
    });
  };
  EXPECT_THAT(refusal(linear), testing::HasSubstr("which is periodic"));
  RunConfig regression = config();
  regression.estimator.head.kind = "gaussian";
  EXPECT_THAT(refusal(regression), testing::HasSubstr("does not model a periodic target"));
}

}  // namespace
}  // namespace pairs
