#include "core/train/steps/weight_average.h"

#include <ATen/Functions.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/base/files/files.h"
#include "core/base/files/safetensors.h"
#include "core/base/text/error.h"
#include "core/train/run/run.h"
#include "core/train/steps/optimize.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs {
namespace {

TEST(WeightAverage, FollowsItsFormula) {
  const torch::Tensor w = torch::tensor({1.0f, -2.0f});
  WeightAverage average({{"w", w}}, 0.5);
  double expected = 1;
  for (int step = 0; step < 12; ++step) {
    w.fill_(static_cast<float>(step));
    average.update(step);
    const double decay = std::min(0.5, (1.0 + step) / (10.0 + step));
    expected += (1 - decay) * (step - expected);
    EXPECT_NEAR(average.values().at("w")[0].item<double>(), expected, 1e-5);
  }
  {
    const WeightAverage::InPlace shown(average);
    EXPECT_NEAR(w[0].item<double>(), expected, 1e-5);
  }
  EXPECT_EQ(w[0].item<float>(), 11.0f);
}

TEST(WeightAverage, OffItHoldsNothing) {
  const torch::Tensor w = at::ones({2});
  WeightAverage average({{"w", w}}, 0);
  average.update(0);
  EXPECT_TRUE(average.values().empty());
  const WeightAverage::InPlace nothing(average);
  EXPECT_TRUE(w.equal(at::ones({2})));
}

// Least squares of one weight with noise in its gradient.
class NoisyProblem {
 public:
  explicit NoisyProblem(double ema) {
    problem.optimizer.rate = 0.2;
    problem.optimizer.floor = 1;
    problem.optimizer.weight_decay = 0;
    problem.optimizer.ema = ema;
    problem.epochs = 4;
    problem.steps = 25;
    problem.parameters = {{"w", w}};
    problem.gradients = [this](std::int64_t epoch, std::int64_t step, std::uint64_t) {
      const double noise = std::sin(static_cast<double>(37 * (epoch * 25 + step)));
      seen.push_back(w.item<float>());
      const torch::Tensor loss = (w - 1 - 2 * noise).square().sum();
      loss.backward();
      return loss.detach();
    };
    problem.validate = [this](std::int64_t) {
      validated.push_back(w.item<float>());
      return (w.item<double>() - 1) * (w.item<double>() - 1);
    };
    problem.preview = [this] { previewed.push_back(w.item<float>()); };
  }
  torch::Tensor w = torch::zeros({1}, torch::requires_grad());
  Problem problem;
  std::vector<float> seen, validated, previewed;
};

class AverageMonitor : public Monitor {
 public:
  explicit AverageMonitor(int polls = 1 << 30, bool looks = false) : left_(polls), looks_(looks) {}
  void event(const Event&) override {}
  void progress(const Progress&) override {}
  bool should_stop() override { return left_-- <= 0; }
  bool wants_preview() override { return looks_; }

 private:
  int left_;
  bool looks_;
};

TEST(WeightAverage, IsWhatIsValidatedPreviewedAndKeptAndTrainsAsWithout) {
  const TemporaryFolder folder;
  RunConfig config;
  config.checkpoint = 1000;
  NoisyProblem plain(0), averaged(0.9);
  AverageMonitor blind, looking(1 << 30, true);
  optimize(plain.problem, folder.path(), config, blind);
  const OptimizeResult result = optimize(averaged.problem, folder.path(), config, looking);
  EXPECT_EQ(plain.seen, averaged.seen);
  ASSERT_EQ(averaged.validated.size(), 4u);
  EXPECT_NE(plain.validated, averaged.validated);
  const float kept = averaged.validated[static_cast<std::size_t>(result.best_epoch)];
  EXPECT_EQ(averaged.w.item<float>(), kept);
  // Replayed by hand: the averages of the weights that each step left, the last step's from the next one's start.
  double average = 0;
  for (std::size_t step = 0; step + 1 < averaged.seen.size(); ++step) {
    const double t = static_cast<double>(step), decay = std::min(0.9, (1 + t) / (10 + t));
    average += (1 - decay) * (static_cast<double>(averaged.seen[step + 1]) - average);
    EXPECT_NEAR(averaged.previewed.at(step + 1), average, 1e-5) << step;
    if (step % 25 == 24) {
      EXPECT_NEAR(averaged.validated.at(step / 25), average, 1e-5);
    }
  }
}

TEST(WeightAverage, ResumesBitForBit) {
  RunConfig config;
  config.checkpoint = 1000;
  const TemporaryFolder whole_folder;
  NoisyProblem whole(0.9);
  AverageMonitor all;
  optimize(whole.problem, whole_folder.path(), config, all);
  for (const int polls : {1, 13, 26, 60}) {
    const TemporaryFolder folder;
    NoisyProblem first(0.9), second(0.9);
    AverageMonitor stops(polls);
    EXPECT_THROW(optimize(first.problem, folder.path(), config, stops), Stopped);
    second.w.detach().fill_(77);
    optimize(second.problem, folder.path(), config, all);
    EXPECT_EQ(whole.w.item<float>(), second.w.item<float>()) << polls;
  }
}

TEST(WeightAverage, ACheckpointWithoutItIsRefused) {
  RunConfig config;
  const TemporaryFolder folder;
  NoisyProblem without(0), with(0.9);
  AverageMonitor stops(10), all;
  EXPECT_THROW(optimize(without.problem, folder.path(), config, stops), Stopped);
  EXPECT_THROW(optimize(with.problem, folder.path(), config, all), Error);
}

}  // namespace
}  // namespace pairs
