#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "core/aggregate.h"
#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "core/eval/evaluate/evaluate.h"
#include "core/heads/flow_matching_head.h"
#include "core/nn/resnet.h"
#include "core/train/run/run.h"
#include "core/train/stages/cache_writer.h"
#include "core/train/stages/stage_tools.h"
#include "tests/core/base/temporary_folder.h"
#include "tests/core/train/test_monitor.h"
#include "tests/core/train/toy_image_task.h"
#include "tests/core/train/toy_library.h"
#include "tests/core/train/toy_task.h"

// Everything of core on a task whose target is an image, with something given: the toy of toy_image_task.h.

namespace pairs {
namespace {

std::vector<std::int64_t> counted(std::int64_t first, std::int64_t count) {
  std::vector<std::int64_t> out(static_cast<std::size_t>(count));
  std::iota(out.begin(), out.end(), first);
  return out;
}

std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

class ImageTargetTest : public ::testing::Test {
 protected:
  RunConfig config() const {
    RunConfig c;
    c.tasks = tasks_;
    c.task = task_->info().name;
    c.device = "cpu";
    c.threads = 2;
    c.checkpoint = 0;
    c.estimator = toy_image_estimator();
    c.pretrain.epochs = 3;
    c.pretrain.steps = 4;
    c.pretrain.batch = 16;
    c.pretrain.validation_sets = 32;
    c.pretrain.ema = 0.9;
    c.cache.sizes = {4, 20};
    c.cache.sets = {40, 20};
    c.cache.pieces = 20;
    c.cache.oversample = 1;
    c.cache.refresh = 1;
    c.cache.chunk = 64;
    c.finetune.epochs = 3;
    c.finetune.steps = 4;
    c.finetune.batch = 16;
    c.finetune.validation_draws = 32;
    c.finetune.ema = 0.9;
    return c;
  }
  static std::string weights(const std::filesystem::path& run) { return read_file(run / run_file::estimator); }

  std::shared_ptr<const ToyImageTask> task_ = std::make_shared<ToyImageTask>();
  const Tasks tasks_ = std::make_shared<ToyLibrary>(task_);
  TemporaryFolder folder_;
};

TEST_F(ImageTargetTest, TrainingAddsTheSummaryToTheLossThatItReports) {
  EstimatorConfig estimator_config = toy_image_estimator();
  estimator_config.head.of<FlowMatchingHead::Settings>().summary = 0.5;
  Estimator estimator(task_, estimator_config, 1);
  const SetSource source(task_, 1, {1, 2}, 0, 16);
  const SetBatch batch = source.training(0, 0, 16, 16, torch::kCPU);
  estimator.train(false);
  EXPECT_FALSE(pretrain_loss(estimator, batch).auxiliary.defined());
  estimator.train(true);
  const Loss loss = pretrain_loss(estimator, batch);
  ASSERT_TRUE(loss.auxiliary.defined());
  EXPECT_GT(loss.auxiliary.item<double>(), 0.1);
  EXPECT_NEAR(loss.total().item<double>(), loss.value.item<double>() + loss.auxiliary.item<double>(), 1e-6);
}

TEST_F(ImageTargetTest, StoppedAnywhereARunEndsWithTheSameBits) {
  validate(config(), task_->info());
  const auto whole = create_run(config(), folder_.path() / "whole"), cut = create_run(config(), folder_.path() / "cut");
  TestMonitor all;
  execute_run(tasks_, whole, all);
  EXPECT_GT(execute_with_stops(tasks_, cut, 300), 3);
  EXPECT_EQ(weights(whole), weights(cut));
  EXPECT_EQ(read_file(whole / run_file::cache), read_file(cut / run_file::cache));
}

// Draws from LibTorch's generator whenever it is asked, as an estimate in flight or a window may.
class DrawingTask : public ToyImageTask {
 public:
  Observations observe(const Latents& latents, std::uint64_t seed, Purpose purpose, std::span<const SetRange> ranges,
                       const torch::Device& device) const override {
    at::rand({1 + drawn++ % 5});
    return ToyImageTask::observe(latents, seed, purpose, ranges, device);
  }
  mutable std::atomic<std::int64_t> drawn{0};
};

TEST_F(ImageTargetTest, WhatOthersDrawChangesNoBit) {
  RunConfig with_dropout = config();
  with_dropout.estimator.embedder.kind = "resnet";
  with_dropout.estimator.embedder.of<ResNet::Settings>().channels = {8, 8};
  with_dropout.estimator.embedder.of<ResNet::Settings>().projection = {16};
  with_dropout.estimator.embedder.of<ResNet::Settings>().dropout = 0.5;
  for (const RunConfig& c : {config(), with_dropout}) {
    const auto alone = create_run(c, folder_.path() / ("alone-" + c.estimator.embedder.kind)),
               extra = create_run(c, folder_.path() / ("beside-" + c.estimator.embedder.kind));
    TestMonitor monitor;
    execute_run(tasks_, alone, monitor);
    execute_run(std::make_shared<ToyLibrary>(std::make_shared<DrawingTask>()), extra, monitor);
    EXPECT_EQ(weights(alone), weights(extra)) << c.estimator.embedder.kind;
  }
}

TEST_F(ImageTargetTest, TheCacheKeepsNoImagesAndRecallsThem) {
  Estimator estimator(task_, toy_image_estimator(), 1);
  const auto groups = plan_groups(config().cache, false);
  for (const std::int64_t generation : {0, 2}) {
    const auto file = folder_.path() / fmt::format("{}.cache", generation);
    write_cache(
        file, estimator, groups, 5, generation, 64, [] { return false; }, [](const CacheProgress&) {});
    const AggregateCache cache(file, estimator, 5, generation);
    EXPECT_EQ(cache.targets(), 0);
    // The images alone, 64 doubles of 60 sets, would take 30 kB.
    EXPECT_LT(static_cast<double>(std::filesystem::file_size(file)), cache_bytes(groups, 16, 64) - 16000);
    const AggregateSampler sampler(groups, SizeDistribution::log_uniform, 0, 5);
    for (const bool validation : {false, true}) {
      AggregateBatch batch = sampler.draw(cache, validation, 3, 50);
      EXPECT_FALSE(batch.theta.defined());
      cache.recall(batch);
      ASSERT_EQ(batch.theta.sizes(), (std::vector<std::int64_t>{50, 64}));
      ASSERT_EQ(batch.given.sizes(), (std::vector<std::int64_t>{50, 1}));
      // Each aggregate is that of observations of the very set whose image was recalled: the mean of all blocks.
      for (std::int64_t row = 0; row < 50; ++row) {
        if (batch.n[row].item<std::int64_t>() != groups.back().observations()) continue;
        const std::int64_t index[] = {batch.index[row].item<std::int64_t>()};
        const Latents latents = task_->latents(5, Purpose::finetune, index);
        const torch::Tensor expected =
            aggregate_sets(estimator, latents, 5, Purpose::finetune, index, groups.back().observations());
        EXPECT_TRUE(at::allclose(batch.aggregates[row].to(torch::kFloat64), expected[0], 1e-5, 1e-6));
        EXPECT_TRUE(batch.theta[row].equal(latents.theta[0]));
        EXPECT_EQ(batch.given[row].item<double>(), latents.given.item<double>());
      }
      const AggregateBatch part = batch.slice(10, 13);
      EXPECT_TRUE(part.theta.equal(batch.theta.slice(0, 10, 13)));
      EXPECT_TRUE(part.index.equal(batch.index.slice(0, 10, 13)));
    }
  }
}

TEST_F(ImageTargetTest, EveryGenerationHoldsOtherTrainingSetsOnly) {
  Estimator estimator(task_, toy_image_estimator(), 1);
  const auto groups = plan_groups(config().cache, false);
  std::vector<std::vector<std::int64_t>> seen(3);
  for (const std::int64_t generation : {0, 1, 2}) {
    const auto file = folder_.path() / fmt::format("g{}.cache", generation);
    write_cache(
        file, estimator, groups, 5, generation, 64, [] { return false; }, [](const CacheProgress&) {});
    const AggregateCache cache(file, estimator, 5, generation);
    for (std::size_t g = 0; g < groups.size(); ++g)
      for (std::int64_t s = 0; s < groups[g].training; ++s)
        seen[static_cast<std::size_t>(generation)].push_back(cache.index(g, s));
  }
  for (auto& one : seen) std::sort(one.begin(), one.end());
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t b = a + 1; b < 3; ++b) {
      std::vector<std::int64_t> both;
      std::set_intersection(seen[a].begin(), seen[a].end(), seen[b].begin(), seen[b].end(), std::back_inserter(both));
      EXPECT_TRUE(both.empty()) << a << " and " << b;
    }
}

TEST_F(ImageTargetTest, ContextHoldsWhatIsGivenAndSentencesSayWhatIsWrong) {
  Estimator estimator(task_, toy_image_estimator(), 1);
  const torch::Tensor aggregates = at::randn({3, 16}), n = torch::tensor({1, 2, 5}, torch::kInt64);
  const torch::Tensor given = torch::tensor({2.0, 3.0, 7.0}, torch::kFloat64).unsqueeze(1);
  const torch::Tensor context = estimator.context(aggregates, n, given);
  ASSERT_EQ(context.size(1), 16 + 1 + 1);
  EXPECT_TRUE(context.select(1, 17).equal(given.select(1, 0).to(torch::kFloat32)));
  EXPECT_THAT(refusal([&] { estimator.context(aggregates, n); }), ::testing::HasSubstr("1 given quantities"));
  EXPECT_THAT(refusal([&] {
                estimator.context(aggregates, n, at::zeros({3, 2}, torch::kFloat64));
              }),
              ::testing::HasSubstr("not [3, 2]"));
  const torch::Tensor theta = at::zeros({3, 64}, torch::kFloat64);
  EXPECT_THAT(refusal([&] { estimator.log_prob(theta, aggregates, n, given); }), ::testing::HasSubstr("no density"));
  EXPECT_THAT(refusal([&] {
                estimator.set_location(0, at::zeros({64, 16}, torch::kFloat64), at::zeros({64}, torch::kFloat64));
              }),
              ::testing::HasSubstr("an image"));
  EstimatorConfig spline = toy_image_estimator();
  spline.head.kind = "spline";
  EXPECT_THAT(refusal([&] { Estimator(task_, spline, 1); }), ::testing::HasSubstr("flow-matching"));
  EXPECT_THAT(refusal([&] { Estimator(std::make_shared<ToyTask>(), toy_image_estimator(), 1); }),
              ::testing::HasSubstr("no image"));
  RunConfig wrong = config();
  wrong.finetune.start = "linear";
  EXPECT_THAT(refusal([&] { validate(wrong, task_->info()); }), ::testing::HasSubstr("finetune.start"));
  wrong = config();
  wrong.estimator.head.kind = "umnn";
  EXPECT_THAT(refusal([&] { validate(wrong, task_->info()); }), ::testing::HasSubstr("head.kind"));
}

TEST_F(ImageTargetTest, PixelsShareOneScaleAndSamplesStayInTheirRange) {
  Estimator estimator(task_, toy_image_estimator(), 1);
  const torch::Tensor theta = at::rand({2, 64}, torch::kFloat64);
  EXPECT_TRUE(at::allclose(estimator.standardize(theta), (theta - 0.1) / 0.2, 1e-12, 1e-12));
  EXPECT_TRUE(at::allclose(estimator.restore(estimator.standardize(theta)), theta, 1e-12, 1e-12));
  estimator.train(false);
  const torch::Tensor samples =
      estimator.sample(at::zeros({2, 16}, torch::kFloat64), torch::tensor({1, 9}, torch::kInt64), 4, 7,
                       at::zeros({2, 1}, torch::kFloat64));
  ASSERT_EQ(samples.sizes(), (std::vector<std::int64_t>{2, 4, 64}));
  EXPECT_GE(samples.min().item<double>(), 0);
  EXPECT_LE(samples.max().item<double>(), 1);
}

TEST_F(ImageTargetTest, EvaluationEmbedsOnceAndMeasuresWhatItsNamesSay) {
  Estimator estimator(task_, toy_image_estimator(), 1);
  estimator.set_max_n(100);
  EvaluationOptions options;
  options.sizes = {10, 1, 4};
  options.sets = {40};
  options.samples = 3;
  options.seed = 11;
  task_->observed = 0;
  std::vector<std::int64_t> reported;
  const auto rows = evaluate(estimator, options, {}, [&](const EvaluationRow& row) { reported.push_back(row.n); }, {});
  EXPECT_EQ(task_->observed, 40 * 10);
  EXPECT_EQ(reported, options.sizes);
  const Latents latents = task_->latents(11, Purpose::test, counted(0, 40));
  const double prior = (latents.theta - latents.theta.mean(0)).square().sum().item<double>() / 39 / 64;
  for (const EvaluationRow& row : rows) {
    EXPECT_NEAR(row.mse_prior, prior, 1e-12);
    EXPECT_TRUE(std::isnan(row.nll) && std::isnan(row.score("rmae")) && row.ranks.empty() && row.log_prob.empty());
    ASSERT_EQ(row.set_mse.size(), 40u);
    ASSERT_EQ(row.set_mse_posterior.size(), 40u);
    EXPECT_NEAR(row.mse_posterior, (3 * row.mse_mean - row.mse) / 2, 1e-12);
    EXPECT_NEAR(row.mse, std::accumulate(row.set_mse.begin(), row.set_mse.end(), 0.0) / 40, 1e-12);
    // Set 33 lies in a later run of sets; what is measured of it is what one would compute by hand.
    const std::int64_t index[] = {33};
    const Latents one = task_->latents(11, Purpose::test, index);
    const torch::Tensor aggregate = aggregate_sets(estimator, one, 11, Purpose::test, index, row.n);
    const torch::Tensor all = at::zeros({8, 16}, torch::kFloat64);
    all.select(0, 1).copy_(aggregate[0]);
    const torch::Tensor drawn =
        estimator.sample(all, torch::full({8}, row.n, torch::kInt64), 3, stream_key(11 + 32 * 977, Purpose::posterior),
                         at::full({8, 1}, one.given.item<double>(), torch::kFloat64))[1];
    EXPECT_NEAR(row.set_mse[33], (drawn - one.theta).square().mean().item<double>(), 1e-5);
  }
  options.sizes = {4};
  options.sets = {7};
  options.samples = 0;
  const EvaluationRow bare = evaluate(estimator, options).at(0);
  EXPECT_TRUE(std::isnan(bare.mse) && !std::isnan(bare.mse_prior));
  options.sets = {200};
  EXPECT_THROW(evaluate(estimator, options, [] { return false; }), Stopped);
}

TEST_F(ImageTargetTest, TrainedItComesNearTheExactPosteriorMean) {
  RunConfig c = config();
  c.checkpoint = 1000;
  c.pretrain.epochs = 4;
  c.pretrain.steps = 40;
  c.pretrain.batch = 32;
  c.pretrain.rate = 5e-3;
  c.pretrain.ema = 0.95;
  c.cache.sizes = {20};
  c.cache.sets = {400};
  c.finetune.epochs = 3;
  c.finetune.steps = 30;
  c.finetune.batch = 32;
  c.finetune.rate = 3e-3;
  c.finetune.ema = 0.95;
  const auto run = create_run(c, folder_.path() / "trained");
  TestMonitor monitor;
  execute_run(tasks_, run, monitor);
  const LoadedRun loaded = load_run(tasks_, run.string());
  EXPECT_EQ(loaded.estimator->max_n(), 20);
  EvaluationOptions options;
  options.sizes = {1, 20};
  options.sets = {100};
  options.samples = 4;
  const auto rows = evaluate(*loaded.estimator, options);
  for (const EvaluationRow& row : rows) {
    double exact = 0;
    for (std::int64_t i = 0; i < 100; ++i) {
      const std::int64_t index[] = {i};
      const SetRange range[] = {{i, 0, row.n}};
      const Latents latents = task_->latents(options.seed, Purpose::test, index);
      const torch::Tensor x = task_->observe(latents, options.seed, Purpose::test, range, torch::kCPU);
      const torch::Tensor mean = ToyImageTask::posterior_mean(x, latents.given.item<double>());
      exact += (mean - latents.theta[0]).square().mean().item<double>() / 100;
    }
    EXPECT_GT(row.mse_posterior, exact - 3 * row.mse_posterior_se);
    EXPECT_LT(row.mse_posterior, exact + 0.25 * row.mse_prior);
  }
  EXPECT_LT(rows[1].mse_posterior, 0.5 * rows[0].mse_posterior);
}

TEST_F(ImageTargetTest, ExpectationCountsRefreshes) {
  RunConfig c = config();
  c.cache.refresh = 0;
  const ExpectedCost once = expected_cost(c);
  c.cache.refresh = 1;
  const ExpectedCost each = expected_cost(c);
  EXPECT_NEAR(each.cache_bytes, 2 * once.cache_bytes, 1);
  const auto groups = plan_groups(c.cache, false);
  double observations = 0, again = 0;
  for (const CacheGroup& g : groups) {
    observations += static_cast<double>((g.training + g.validation) * g.observations());
    again += static_cast<double>(2 * g.training * g.observations());  // of epochs 1 and 2
  }
  const Estimator estimator(task_, toy_image_estimator(), 1);
  EXPECT_NEAR(each.gflop - once.gflop, 1e-9 * again * estimator.embedder_flops(), 1e-6 * each.gflop);
  EXPECT_GT(each.cache_seconds, 0.5 * once.cache_seconds * (observations + again) / observations);
}

}  // namespace
}  // namespace pairs
