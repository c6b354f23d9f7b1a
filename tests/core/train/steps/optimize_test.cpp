#include "core/train/steps/optimize.h"

#include <ATen/Functions.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/base/files/safetensors.h"
#include "core/base/text/error.h"
#include "core/train/run/run.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs {
namespace {

class SilentMonitor : public Monitor {
 public:
  void event(const Event&) override {}
  void progress(const Progress&) override {}
  bool should_stop() override { return left-- <= 0; }
  int left = 1 << 30;
};

// Least squares of one weight; step `breaks` of the whole stage has a loss of `value`.
class OneWeight {
 public:
  explicit OneWeight(std::int64_t read_every, std::int64_t breaks = -1, double value = NAN) {
    problem.read_every = read_every;
    problem.optimizer.rate = 0.1;
    problem.epochs = 3;
    problem.steps = 25;
    problem.parameters = {{"w", w}};
    problem.gradients = [=, this](std::int64_t epoch, std::int64_t step, std::uint64_t key) {
      keys.push_back(key);
      torch::Tensor loss = (w - std::sin(static_cast<double>(step))).square().sum();
      if (epoch * 25 + step == breaks) loss = loss * value;
      if (epoch * 25 + step == breaks) broken_at = w.detach().clone();
      loss.backward();
      return loss.detach();
    };
    problem.validate = [this](std::int64_t) { return reported(); };
  }
  torch::Tensor w = torch::zeros({1}, torch::requires_grad());
  torch::Tensor broken_at;
  std::function<double()> reported = [this] { return w.square().item<double>(); };
  std::vector<std::uint64_t> keys;
  Problem problem;
};

std::string failure(OneWeight& one, const std::filesystem::path& run) {
  RunConfig config;
  config.checkpoint = 1000;
  SilentMonitor monitor;
  try {
    optimize(one.problem, run, config, monitor);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Optimize, StepsReadTogetherAreTheSameSteps) {
  RunConfig config;
  config.checkpoint = 1000;
  SilentMonitor monitor;
  const TemporaryFolder folder, other;
  OneWeight each(1), together(16);
  const OptimizeResult one = optimize(each.problem, folder.path(), config, monitor),
                       many = optimize(together.problem, other.path(), config, monitor);
  EXPECT_EQ(each.keys, together.keys);
  EXPECT_NEAR(one.train, many.train, 1e-5 * one.train);
  EXPECT_NEAR(one.validation, many.validation, 1e-5);
  EXPECT_EQ(one.best_epoch, many.best_epoch);
  EXPECT_NEAR(each.w.item<double>(), together.w.item<double>(), 1e-5);
}

// Further values that are reported with the losses belong to the validated weights and change none of them.
TEST(Optimize, TellsBesideTheLossesWhatItIsAsked) {
  class Losses : public SilentMonitor {
   public:
    void event(const Event& event) override {
      if (event.type == EventType::loss) reported.push_back(event.values);
    }
    std::vector<nlohmann::json> reported;
  } monitor, plain_monitor;
  RunConfig config;
  config.checkpoint = 1000;
  const TemporaryFolder folder, other;
  OneWeight one(1), plain(1);
  one.problem.optimizer.ema = plain.problem.optimizer.ema = 0.9;
  one.problem.extra = [&] { return nlohmann::json{{"weight", one.w.item<double>()}}; };
  optimize(one.problem, folder.path(), config, monitor);
  optimize(plain.problem, other.path(), config, plain_monitor);
  ASSERT_EQ(monitor.reported.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    const double weight = monitor.reported[i].at("weight");
    EXPECT_FLOAT_EQ(monitor.reported[i].at("validation"), weight * weight);
    EXPECT_EQ(monitor.reported[i].at("validation"), plain_monitor.reported[i].at("validation"));
    EXPECT_EQ(monitor.reported[i].at("train"), plain_monitor.reported[i].at("train"));
    EXPECT_FALSE(plain_monitor.reported[i].contains("weight"));
  }
  EXPECT_TRUE(one.w.equal(plain.w));
}

TEST(Optimize, StepsReadTogetherResumeBitForBit) {
  RunConfig config;
  config.checkpoint = 1000;
  SilentMonitor all;
  const TemporaryFolder whole_folder;
  OneWeight whole(16);
  const OptimizeResult wanted = optimize(whole.problem, whole_folder.path(), config, all);
  for (const int polls : {1, 7, 16, 40}) {
    const TemporaryFolder folder;
    OneWeight first(16), second(16);
    SilentMonitor stops;
    stops.left = polls;
    EXPECT_THROW(optimize(first.problem, folder.path(), config, stops), Stopped);
    const OptimizeResult result = optimize(second.problem, folder.path(), config, all);
    EXPECT_EQ(whole.w.item<float>(), second.w.item<float>()) << polls;
    EXPECT_EQ(wanted.train, result.train) << polls;
  }
}

TEST(Optimize, AStepThatIsNotFiniteIsNamedAndTheLastGoodWeightsKept) {
  for (const std::int64_t read_every : {1, 16})
    for (const std::int64_t breaks : {0, 5, 30}) {
      const TemporaryFolder folder;
      OneWeight one(read_every, breaks);
      EXPECT_THAT(failure(one, folder.path()), testing::HasSubstr(fmt::format("at step {} of stage", breaks)));
      const TensorFile kept = read_safetensors(folder.path() / run_file::resume);
      EXPECT_EQ(kept.tensors.at("live.w").item<float>(), one.broken_at.item<float>()) << read_every << " " << breaks;
    }
}

// Losses of easier problems in a curriculum are not comparable with the loss of the stage itself.
TEST(Optimize, NoLessonIsTheBestEpoch) {
  RunConfig config;
  config.checkpoint = 1000;
  const std::vector<double> losses = {0.1, 0.2, 0.9, 0.8, 0.85};
  const auto run = [&](std::int64_t lessons, const std::filesystem::path& folder, int polls = 1 << 30) {
    OneWeight one(1);
    one.problem.epochs = static_cast<std::int64_t>(losses.size());
    one.problem.lessons = lessons;
    one.problem.validate = [&](std::int64_t epoch) { return losses.at(static_cast<std::size_t>(epoch)); };
    SilentMonitor monitor;
    monitor.left = polls;
    return optimize(one.problem, folder, config, monitor);
  };
  for (const auto& [lessons, best] : {std::pair{0, 0}, {1, 1}, {2, 3}, {4, 4}}) {
    const TemporaryFolder whole, cut;
    EXPECT_EQ(run(lessons, whole.path()).best_epoch, best) << lessons;
    EXPECT_THROW(run(lessons, cut.path(), 70), Stopped);
    const OptimizeResult resumed = run(lessons, cut.path());
    EXPECT_EQ(resumed.best_epoch, best) << lessons;
    EXPECT_EQ(resumed.validation, losses.at(static_cast<std::size_t>(best))) << lessons;
  }
}

TEST(Optimize, AStageThatEndsFarAboveItsBeginningHasDiverged) {
  const TemporaryFolder folder;
  OneWeight one(1);
  int epoch = 0;
  one.reported = [&] { return ++epoch == 2 ? 50.0 : 1.0; };
  EXPECT_EQ(failure(one, folder.path()), "") << "it came back";
  for (const double end : {1500.0, 1e21}) {
    const TemporaryFolder other;
    OneWeight worse(1);
    epoch = 0;
    worse.reported = [&] { return ++epoch == 1 ? 0.5 : end; };
    const std::string sentence = failure(worse, other.path());
    EXPECT_THAT(sentence, testing::HasSubstr("Stage pretrain diverged"));
    EXPECT_THAT(sentence, testing::HasSubstr("pretrain.rate"));
    EXPECT_EQ(epoch, end > 1e6 ? 2 : 3) << "nothing comes back from there";
    EXPECT_EQ(failure(worse, other.path()), sentence);
  }
}

// However many steps an epoch has: the first validation at which the best is so many steps old ends the stage.
TEST(Optimize, PatienceCountsSteps) {
  for (const auto& [steps, patience, epochs] :
       {std::tuple{10, 25, 4}, std::tuple{5, 25, 6}, std::tuple{25, 25, 2}, std::tuple{10, 0, 50}}) {
    OneWeight one(1);
    one.problem.epochs = 50;
    one.problem.steps = steps;
    one.problem.optimizer.patience = patience;
    one.reported = [] { return 1.0; };  // the first epoch's stays the best
    const TemporaryFolder folder;
    RunConfig config;
    config.checkpoint = 1000;
    SilentMonitor monitor;
    const OptimizeResult result = optimize(one.problem, folder.path(), config, monitor);
    EXPECT_EQ(result.epochs, epochs) << steps << " steps an epoch, patience " << patience;
    EXPECT_EQ(result.best_epoch, 0);
  }
}

}  // namespace
}  // namespace pairs
