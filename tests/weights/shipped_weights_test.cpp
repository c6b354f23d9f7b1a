// The weights in assets/weights against exact answers. Sets are few so that the tests stay quick; the gap is paired, so
// its error is small all the same. README.md says how the full figures are measured.
#include <ATen/Functions.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "core/eval/evaluate.h"
#include "core/heads/flow_matching_head.h"
#include "core/task_factory.h"
#include "core/train/run.h"
#include "tasks/registry.h"
#include "tests/tasks/mnist_folder.h"

namespace pairs {
namespace {

class ShippedWeights : public ::testing::TestWithParam<std::string> {
 protected:
  static void SetUpTestSuite() { register_task_factory(make_task); }
};

LoadedRun shipped(const std::string& task) {
  register_task_factory(make_task);
  return load_run(task, task == "digits" ? testing::data_folder() : "", "cpu");
}

// Trapezoid over a grid of one target at one aggregate.
double mass_1d(Estimator& estimator, const torch::Tensor& aggregate, std::int64_t n, double low, double high) {
  constexpr std::int64_t points = 40001;
  const torch::Tensor grid = at::linspace(low, high, points, torch::kFloat64).view({1, points, 1});
  const torch::Tensor density =
      estimator.log_prob_grid(grid, aggregate, at::full({1}, n, torch::kInt64)).exp().squeeze(0);
  return (density.sum() - 0.5 * (density[0] + density[points - 1])).item<double>() * (high - low) /
         static_cast<double>(points - 1);
}

double mass_2d(Estimator& estimator, const torch::Tensor& aggregate, std::int64_t n, const torch::Tensor& centre,
               const torch::Tensor& half) {
  constexpr std::int64_t side = 801;
  const torch::Tensor unit = at::linspace(-1, 1, side, torch::kFloat64);
  const torch::Tensor x = (centre[0] + half[0] * unit).unsqueeze(1).expand({side, side});
  const torch::Tensor y = (centre[1] + half[1] * unit).unsqueeze(0).expand({side, side});
  const torch::Tensor grid = at::stack({x, y}, 2).reshape({1, side * side, 2});
  const torch::Tensor density = estimator.log_prob_grid(grid, aggregate, at::full({1}, n, torch::kInt64)).exp();
  return (density.sum() * (half[0] * half[1])).item<double>() * 4.0 / static_cast<double>((side - 1) * (side - 1));
}

TEST_P(ShippedWeights, DensityIntegratesToOneAtEveryN) {
  LoadedRun run = shipped(GetParam());
  if (run.task->info().image_target()) GTEST_SKIP() << "images have samples, not densities";
  const TaskInfo& info = run.task->info();
  const std::vector<std::int64_t> index = {0, 1, 2};
  const Latents latents = run.task->latents(5, Purpose::check, index);
  for (std::int64_t n : {1, 2, 10, 100, 1000, 10000, 100000}) {
    if (n > run.estimator->max_n()) break;
    const torch::Tensor aggregates = aggregate_sets(*run.estimator, latents, 5, Purpose::check, index, n);
    const torch::Tensor samples = run.estimator->sample(aggregates, at::full({3}, n, torch::kInt64), 2000, 9);
    for (std::int64_t s = 0; s < 3; ++s) {
      const torch::Tensor one = aggregates.slice(0, s, s + 1);
      if (info.targets.size() == 1) {
        // Wide enough for heavy tails, narrow enough for the grid to resolve the peak.
        const double mean = samples[s].mean().item<double>(), sd = samples[s].std().item<double>();
        const double low = std::max(info.targets[0].low, mean - 40 * sd),
                     high = std::min(info.targets[0].high, mean + 40 * sd);
        const bool bounded = run.config.estimator.head.support != "real";
        EXPECT_NEAR(mass_1d(*run.estimator, one, n, bounded ? low : mean - 40 * sd, bounded ? high : mean + 40 * sd),
                    1.0, 1e-3)
            << info.name << " at N = " << n;
      } else {
        // At N = 1 and 2 the posterior has heavy tails: a wide window.
        const torch::Tensor sd = samples[s].std(0) * (n <= 2 ? 25 : 9);
        EXPECT_NEAR(mass_2d(*run.estimator, one, n, samples[s].mean(0), sd), 1.0, 2e-3) << info.name << " at N = " << n;
      }
    }
  }
}

TEST_P(ShippedWeights, SaysHowItWasMade) {
  const LoadedRun run = shipped(GetParam());
  EXPECT_TRUE(run.finetuned);
  EXPECT_EQ(run.config.preset, "small");
  EXPECT_EQ(run.config.strategy, "pairs");
  EXPECT_TRUE(std::filesystem::exists(run.folder / run_file::events));
  EXPECT_EQ(run.estimator->max_n(), run.task->info().max_n);
  EXPECT_LT(std::filesystem::file_size(run.folder / run_file::estimator), 20u << 20);
}

INSTANTIATE_TEST_SUITE_P(Tasks, ShippedWeights, ::testing::Values("gaussian", "bump-hunt", "digits", "novel-view"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::erase(name, '-');
                           return name;
                         });

void expect_gap(const std::string& task, std::int64_t n, std::int64_t sets, double most) {
  LoadedRun run = shipped(task);
  EvaluationOptions options;
  options.sizes = {n};
  options.sets = {sets};
  options.samples = 0;
  options.seed = 3;
  const EvaluationRow row = evaluate(*run.estimator, options).at(0);
  // Four standard errors: a test of the weights, not of luck.
  EXPECT_LT(row.gap - 4 * row.gap_se, most) << task << " at N = " << n;
  EXPECT_GT(row.gap + 4 * row.gap_se, 0) << task << " at N = " << n << " beats the exact posterior: impossible";
}

TEST(ShippedGaussian, StaysNearTheExactPosterior) {
  for (std::int64_t n : {2, 10, 100}) expect_gap("gaussian", n, 2000, 0.05);
  expect_gap("gaussian", 1000, 1000, 0.05);
  expect_gap("gaussian", 10000, 100, 0.1);
}

TEST(ShippedBumpHunt, StaysNearTheExactPosterior) {
  expect_gap("bump-hunt", 2, 4000, 0.01);
  expect_gap("bump-hunt", 100, 2000, 0.03);
}

TEST(ShippedBumpHunt, MedianWidthWithinFivePercentOfExactInTheReferenceCells) {
  LoadedRun run = shipped("bump-hunt");
  constexpr std::int64_t sets = 100, n = 100;
  for (double theta : {0.2, 0.4})
    for (double psi : {-4.0, -2.0, -1.0, 0.0, 1.0, 2.0, 4.0, 6.0}) {
      std::vector<std::int64_t> index(sets);
      std::vector<double> ours, exact;
      for (std::int64_t s = 0; s < sets; ++s) index[static_cast<std::size_t>(s)] = s;
      const Latents latents{at::full({sets, 1}, theta, torch::kFloat64), at::full({sets, 1}, psi, torch::kFloat64)};
      StreamOptions stream;
      std::vector<std::unique_ptr<ReferencePosterior>> posteriors;
      for (std::int64_t s = 0; s < sets; ++s) posteriors.push_back(run.task->reference("exact"));
      stream.visit = [&](const torch::Tensor& x, const std::vector<ChunkPart>& parts) {
        for (const ChunkPart& p : parts) posteriors[static_cast<std::size_t>(p.set)]->add(x.slice(0, p.begin, p.end));
      };
      const torch::Tensor aggregates = aggregate_sets(*run.estimator, latents, 17, Purpose::check, index, n, stream);
      const torch::Tensor sd =
          run.estimator->sample(aggregates, at::full({sets}, n, torch::kInt64), 2000, 3).std(1).squeeze(1);
      for (std::int64_t s = 0; s < sets; ++s) {
        ours.push_back(sd[s].item<double>());
        exact.push_back(std::sqrt(posteriors[static_cast<std::size_t>(s)]->covariance().item<double>()));
      }
      const auto median = [](std::vector<double>& v) {
        std::nth_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2), v.end());
        return v[v.size() / 2];
      };
      EXPECT_NEAR(median(ours) / median(exact), 1.0, 0.05) << "theta = " << theta << ", psi = " << psi;
    }
}

TEST(ShippedDigits, KnowsMoreFromLargerSets) {
  if (testing::data_folder().empty()) GTEST_SKIP() << "the shipped digits were trained on MNIST, which is not here";
  LoadedRun run = shipped("digits");
  EvaluationOptions options;
  options.sizes = {1, 10, 100};
  options.sets = {100};
  options.samples = 100;
  const std::vector<EvaluationRow> rows = evaluate(*run.estimator, options);
  EXPECT_LT(rows[1].nll, rows[0].nll);
  EXPECT_LT(rows[2].nll, rows[1].nll);
  EXPECT_LT(rows[2].rmae, rows[0].rmae);
}

// With 600 sets the noise floor is three times as high as with the 5,000 of README.md.
TEST(ShippedDigits, AreCalibratedOnImagesThatTrainingNeverSaw) {
  if (testing::data_folder().empty()) GTEST_SKIP() << "the shipped digits were trained on MNIST, which is not here";
  LoadedRun run = shipped("digits");
  EvaluationOptions options;
  options.sizes = {10, 100};
  options.sets = {600};
  options.samples = 100;
  options.seed = 5;
  for (const EvaluationRow& row : evaluate(*run.estimator, options))
    EXPECT_LT(row.acauc, row.acauc_p95) << "at N = " << row.n;
}

// Few sets and steps: the full figures are in metrics.json and README.md. Errors are paired over N.
TEST(ShippedViews, SeeTheSceneBetterWithMoreViews) {
  LoadedRun run = shipped("novel-view");
  dynamic_cast<FlowMatchingHead&>(run.estimator->head(1)).set_sampler(15, "");
  EvaluationOptions options;
  options.sizes = {1, 10, 100};
  options.sets = {40};
  options.samples = 2;
  options.seed = 7;
  const std::vector<EvaluationRow> rows = evaluate(*run.estimator, options);
  EXPECT_LT(rows[1].mse_posterior, rows[0].mse_posterior);
  EXPECT_LE(rows[2].mse_posterior, rows[1].mse_posterior + 2 * rows[1].mse_posterior_se);
  EXPECT_LT(rows[2].mse_posterior - 2 * rows[2].mse_posterior_se, 0.3 * rows[2].mse_prior);
}

}  // namespace
}  // namespace pairs
