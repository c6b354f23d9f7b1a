// The shipped example uniform-maximum: x ~ U(0, θ) and θ ~ U(1, 2), whose exact posterior is known and whose sufficient
// statistic, the largest observation, is no mean of features.
#include <ATen/Functions.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "core/base/gpu/transfer.h"
#include "core/base/threads/clock.h"
#include "tasks/file_facts.h"
#include "tasks/registry.h"
#include "tests/core/train/test_monitor.h"
#include "tests/long_tests.h"
#include "tests/tasks/own/exact_gap.h"
#include "tests/tasks/own/own_files.h"

namespace pairs::own {
namespace {

constexpr double kLow = 1, kHigh = 2;

// Where the posterior begins: no end lies below an observation. x [B, N, 1] -> [B].
torch::Tensor least_end(const torch::Tensor& x) {
  return x.squeeze(2).to(torch::kFloat64).amax(1).clamp_min(kLow);
}

// ∫ θ^-n dθ from `low` to `high`.
torch::Tensor mass(const torch::Tensor& low, const torch::Tensor& high, std::int64_t n) {
  const double power = static_cast<double>(1 - n);
  return n == 1 ? high.log() - low.log() : (high.pow(power) - low.pow(power)) / power;
}

// θ^-n between the least end and 2, normalized.
torch::Tensor uniform_log_prob(const torch::Tensor& theta, const torch::Tensor& x) {
  const torch::Tensor end = least_end(x), high = at::full_like(end, kHigh);
  const torch::Tensor inside =
      theta.squeeze(1).log() * -static_cast<double>(x.size(1)) - mass(end, high, x.size(1)).log();
  return at::where(theta.squeeze(1) >= end, inside, at::full_like(inside, -INFINITY));
}

class UniformMaximum : public OwnFolder {
 protected:
  void SetUp() override {
    if (std::system("/usr/bin/python3 -c 'import numpy' 2> /dev/null") != 0)
      GTEST_SKIP() << "/usr/bin/python3 has no numpy: install python3-numpy";
  }
  std::string task() const {
    std::filesystem::copy(PAIRS_SOURCE_DIR "/assets/examples/uniform-maximum", folder_ / "task");
    allow_task_file(folder_ / "task");
    return tasks_->open(folder_ / "task");
  }
  // At the preset `quick`.
  LoadedRun trained(const std::string& strategy) const {
    const auto uniform = tasks_->make(task());
    const RunConfig config = load_preset(tasks_, uniform->info(), "quick", strategy, {"device=cpu", "threads=1"});
    const Stopwatch watch;
    const auto run = create_run(config, folder_ / "run");
    TestMonitor monitor;
    execute_run(tasks_, run, monitor, Stage::finetune);
    std::printf("%s: %.0f s of training\n", strategy.c_str(), watch.seconds());
    return load_run(tasks_, run.string());
  }

  const Catalog tasks_ = built_in_tasks();
};

// Bayes' theorem on a fine grid, written without the posterior's formula.
TEST_F(UniformMaximum, ExactPosteriorMatchesAGrid) {
  const auto uniform = tasks_->make(task());
  constexpr std::int64_t kCells = 20000;
  const torch::Tensor grid =
      kLow + (at::arange(kCells, torch::kFloat64) + 0.5).unsqueeze(1) * ((kHigh - kLow) / kCells);
  for (const std::int64_t n : {1, 2, 10, 100}) {
    const Latents latents = pairs::testing::latents_of(*uniform, 3, Purpose::test, 0, 1);
    const torch::Tensor x = pairs::testing::sets_of(*uniform, latents, 3, Purpose::test, 0, n).to(torch::kFloat64);
    torch::Tensor likelihood = at::ones({kCells}, torch::kFloat64);
    for (const double one : doubles(x)) likelihood *= at::where(grid.squeeze(1) > one, 1 / grid.squeeze(1), 0.0);
    const torch::Tensor posterior = likelihood / (likelihood.sum() * ((kHigh - kLow) / kCells));
    const torch::Tensor reported = uniform_log_prob(grid, x.expand({kCells, n, 1})).exp();
    // At the jump a cell of the grid counts as whole or not at all.
    EXPECT_LT((reported - posterior).abs().max().item<double>(), 0.01 * static_cast<double>(n)) << "N = " << n;
  }
}

// The share of the posterior below the truth is uniform over sets of the simulator.
TEST_F(UniformMaximum, SimulatorFollowsTheExactPosterior) {
  const auto uniform = tasks_->make(task());
  for (const std::int64_t n : {1, 10}) {
    const Latents latents = pairs::testing::latents_of(*uniform, 5, Purpose::test, 0, 2000);
    const torch::Tensor end = least_end(pairs::testing::sets_of(*uniform, latents, 5, Purpose::test, 0, n));
    const torch::Tensor below = mass(end, latents.theta.squeeze(1), n) / mass(end, at::full_like(end, kHigh), n);
    EXPECT_LT(pairs::testing::kolmogorov(doubles(below), [](double share) { return share; }), 1.95) << "N = " << n;
  }
}

// Pairs learn the posterior of single observations and small sets; the mean of features learned on pairs does not
// determine the largest of a hundred.
TEST_F(UniformMaximum, PairsDoNotRecoverTheLargestOfAHundred) {
  if (!long_tests()) GTEST_SKIP() << "takes minutes; set PAIRS_LONG_TESTS=1";
  const LoadedRun pairs = trained("pairs");
  EXPECT_LE(gap_to(uniform_log_prob, pairs, 1), 0.03);
  EXPECT_LE(gap_to(uniform_log_prob, pairs, 10), 0.15);
  EXPECT_GE(gap_to(uniform_log_prob, pairs, 100), 0.3);
}

// Features learned on sets of a hundred do not determine it either: no mean of features holds the largest value.
TEST_F(UniformMaximum, NorDoSetsOfAHundred) {
  if (!long_tests()) GTEST_SKIP() << "takes minutes; set PAIRS_LONG_TESTS=1";
  EXPECT_GE(gap_to(uniform_log_prob, trained("e2e"), 100), 0.3);
}

}  // namespace
}  // namespace pairs::own
