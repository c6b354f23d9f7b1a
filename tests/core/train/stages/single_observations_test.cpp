#include "core/likelihood/single_observations.h"

#include <ATen/Functions.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "core/train/run/run.h"
#include "core/train/stages/likelihood_stage.h"
#include "tests/core/base/temporary_folder.h"
#include "tests/core/train/test_monitor.h"
#include "tests/core/train/toy_library.h"
#include "tests/core/train/toy_task.h"

namespace pairs {
namespace {

using testing::ElementsAre;

TEST(RejectedByHolm, FollowsTheRule) {
  EXPECT_THAT(rejected_by_holm({0.5, 0.01, 0.9, 0.04}, 0.05), ElementsAre(1)) << "0.04 > 0.05 / 3";
  EXPECT_THAT(rejected_by_holm({0.5, 0.012, 0.9, 0.016}, 0.05), ElementsAre(1, 3));
  EXPECT_TRUE(rejected_by_holm({0.02, 0.02, 0.02, 0.02}, 0.05).empty());
  EXPECT_TRUE(rejected_by_holm({}, 0.05).empty());
}

// A likelihood of ToyTask, x ~ N(θ + ψ, 1), that is learned once.
class SingleToy : public testing::Test {
 protected:
  static constexpr std::int64_t n = 100;
  static void SetUpTestSuite() {
    task_ = std::make_shared<const ToyTask>();
    const TemporaryFolder folder;
    RunConfig config;
    config.task = task_->info().name;
    config.tasks = std::make_shared<ToyLibrary>(task_);
    config.device = "cpu";
    LikelihoodConfig own;
    own.steps = 800;
    own.batch = 1024;
    own.networks.density = {4, 24, 1};
    TestMonitor monitor;
    train_likelihood(folder.path(), config, own, monitor);
    known_ = load_likelihood(folder.path(), *task_);
  }
  static void TearDownTestSuite() {
    task_.reset();
    known_.reset();
  }
  static torch::Tensor set(std::int64_t index) {
    const Latents latents = task_->latents(3, Purpose::test, std::vector<std::int64_t>{index});
    const std::vector<SetRange> ranges = {{index, 0, n}};
    return task_->observe(latents, 3, Purpose::test, ranges, torch::kCPU).block().clone();
  }
  static SingleObservations found(const torch::Tensor& x, std::int64_t draws = 128) {
    SingleOptions options;
    options.draws = draws;
    options.simulated = 10000;
    return single_observations(*known_->likelihood, *task_, x, {}, options);
  }

  static inline std::shared_ptr<const ToyTask> task_;
  static inline std::optional<RunLikelihood> known_;
};

// Given the other n - 1 observations of mean m, μ = θ + ψ has precision 0.8 + n - 1, and x_i is N(m', 1 + 1 / that).
TEST_F(SingleToy, DensitiesAndInfluenceAreThoseOfTheOthers) {
  const torch::Tensor x = set(1);
  const SingleObservations all = found(x, 1000);
  ASSERT_EQ(all.all.size(), static_cast<std::size_t>(n));
  const ColumnScale& column = known_->likelihood->columns()[0];
  const double scale =
      1 / (column.standardized(torch::ones({1})) - column.standardized(torch::zeros({1}))).item<double>();
  const double sum = x.sum().item<double>(), precision = 0.8 + n - 1;
  double most = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const double value = x[i].item<double>(), mean = (sum - value) / precision, variance = 1 + 1 / precision;
    const double exact =
        -0.5 * std::log(2 * M_PI * variance) - 0.5 * (value - mean) * (value - mean) / variance + std::log(scale);
    const SingleObservation& one = all.all[static_cast<std::size_t>(i)];
    most = std::max(most, std::abs(one.log_density - exact));
    EXPECT_LT(one.shape, 0.7);
  }
  EXPECT_LT(most, 0.3) << "with a small network, at the rarest of the observations";
  // θ is 4 / 5 of μ; leaving x_i out moves μ by about (x_i - m) / n.
  const double sd = std::sqrt(0.2 + 0.64 / (0.8 + n));
  for (const std::int64_t i : {0, 1, 2}) {
    const double value = x[i].item<double>(), full = sum / (0.8 + n), rest = (sum - value) / precision;
    EXPECT_NEAR(all.all[static_cast<std::size_t>(i)].influence, 0.8 * std::abs(full - rest) / sd, 0.06) << i;
  }
}

TEST_F(SingleToy, OfTheModelAreHardlyEverForeign) {
  int sets = 0;
  double sum = 0;
  for (std::int64_t k = 0; k < 15; ++k) {
    const SingleObservations all = found(set(k));
    sets += !all.foreign.empty();
    for (const SingleObservation& one : all.all) sum += one.p;
  }
  EXPECT_LE(sets, 3) << "of 15 at a rate of 0.05";
  EXPECT_NEAR(sum / (15 * n), 0.5, 0.02) << "p-values are uniform";
}

// Five values that are nearly impossible under the truth are found, and the posterior without them is that of the rest.
TEST_F(SingleToy, ForeignOnesAreFoundAndLeftOut) {
  int right = 0;
  for (std::int64_t k = 0; k < 5; ++k) {
    torch::Tensor x = set(k);
    const std::vector<std::int64_t> changed = {3, 20, 21, 50, 99};
    const double mean = x.mean().item<double>();
    for (std::size_t i = 0; i < changed.size(); ++i) x[changed[i]] = mean + (i % 2 == 0 ? 5.6 : -5.5);
    const SingleObservations all = found(x);
    right += std::includes(all.foreign.begin(), all.foreign.end(), changed.begin(), changed.end());
    EXPECT_LE(all.foreign.size(), 6U);
    EXPECT_LT(all.p(), 0.01);
    ASSERT_EQ(all.not_without, "");
    torch::Tensor kept = torch::ones({n}, torch::kBool);
    kept.index_fill_(0, torch::tensor(all.foreign), false);
    const torch::Tensor rest = x.squeeze(1).masked_select(kept);
    const double precision = 0.8 + static_cast<double>(rest.numel());
    EXPECT_NEAR(all.without.mean.item<double>(), 0.8 * rest.sum().item<double>() / precision, 0.2);
  }
  EXPECT_EQ(right, 5);
}

// A value that is hundreds of deviations away, and several of them on one side, do not hide themselves.
TEST_F(SingleToy, ExtremeOnesDoNotHideEachOther) {
  torch::Tensor x = set(2);
  for (const std::int64_t i : {1, 2, 3, 4, 5}) x[i] = 300 + 20 * static_cast<double>(i);
  const SingleObservations all = found(x);
  EXPECT_THAT(all.foreign, testing::IsSupersetOf({1, 2, 3, 4, 5}));
  EXPECT_LE(all.foreign.size(), 6U);
}

TEST_F(SingleToy, SameSeedSameAnswer) {
  torch::Tensor x = set(4);
  x[7] = 9;
  const SingleObservations a = found(x), b = found(x);
  EXPECT_EQ(a.foreign, b.foreign);
  for (std::size_t i = 0; i < a.all.size(); ++i) {
    EXPECT_EQ(a.all[i].p, b.all[i].p);
    EXPECT_EQ(a.all[i].log_density, b.all[i].log_density);
  }
}

}  // namespace
}  // namespace pairs
