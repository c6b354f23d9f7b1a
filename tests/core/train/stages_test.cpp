#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <fstream>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/safetensors.h"
#include "core/eval/aggregate.h"
#include "core/eval/evaluate.h"
#include "core/task_factory.h"
#include "core/train/run.h"
#include "tasks/registry.h"
#include "tests/core/train/toy_task.h"

namespace pairs {
namespace {

// Asks to stop with a probability of 1 / `one_in` at each poll (0: never); records what it is told.
class TestMonitor : public Monitor {
 public:
  explicit TestMonitor(std::uint64_t one_in = 0, std::uint64_t seed = 0)
      : one_in_(one_in), stream_(stream_key(seed, Purpose::check), 0) {}
  void event(const Event& event) override { events.push_back(event); }
  void progress(const Progress&) override {}
  bool should_stop() override { return one_in_ > 0 && stream_.below(one_in_) == 0; }

  std::vector<Event> events;

 private:
  std::uint64_t one_in_;
  Stream stream_;
};

// Runs to the end, stopped at random moments on the way; returns how often.
int run_in_pieces(const std::filesystem::path& run, std::uint64_t one_in) {
  for (int stops = 0;; ++stops) {
    TestMonitor monitor(one_in, static_cast<std::uint64_t>(stops) + 1);
    try {
      execute_run(run, monitor);
      return stops;
    } catch (const Stopped&) {
      PAIRS_CHECK(stops < 400, "stopped too often to end");
    }
  }
}

// Observations turn into NaN after a few steps of stage 1.
class BreakingTask : public ToyTask {
 public:
  torch::Tensor observe(const Latents& latents, std::uint64_t seed, Purpose purpose, std::span<const SetRange> ranges,
                        const torch::Device& device) const override {
    const torch::Tensor x = ToyTask::observe(latents, seed, purpose, ranges, device);
    return ranges.front().index >= 64 * 9 && ranges.front().index < 1 << 20 ? x * NAN : x;
  }
};

class StagesTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { register_task_factory(make_task); }
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / fmt::format("pairs-stages-{}", ::getpid());
    std::filesystem::remove_all(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  static RunConfig tiny(const std::string& task, const std::string& strategy, std::vector<std::string> more = {}) {
    std::vector<std::string> set = {"threads=2",
                                    "device=cpu",
                                    "checkpoint=0",
                                    "embedder.layers=[16]",
                                    "embedder.size=8",
                                    "head.hidden=16",
                                    "pretrain.epochs=3",
                                    "pretrain.steps=6",
                                    "pretrain.batch=64",
                                    "pretrain.validation_sets=128",
                                    "cache.sizes=[4,40]",
                                    "cache.sets=[60,20]",
                                    "cache.pieces=4",
                                    "finetune.epochs=3",
                                    "finetune.steps=6",
                                    "finetune.batch=32",
                                    "finetune.validation_draws=64",
                                    "cache.chunk=256"};
    set.insert(set.end(), more.begin(), more.end());
    return load_preset(make_task(task)->info(), "quick", strategy, set);
  }
  std::filesystem::path make(const RunConfig& config, const std::string& name) {
    return create_run(config, folder_ / name);
  }
  static std::string weights(const std::filesystem::path& run) { return read_file(run / run_file::estimator); }

  std::filesystem::path folder_;
};

TEST_F(StagesTest, StoppedAnywhereARunEndsWithTheSameBits) {
  for (const std::string strategy : {"pairs", "gaussian"}) {
    // Refreshing the cache in stage 3 is part of what must be resumed.
    const RunConfig config = tiny("gaussian", strategy, {"cache.refresh=1", "finetune.start=fresh"});
    const auto whole = make(config, "whole-" + strategy);
    TestMonitor all;
    execute_run(whole, all);
    for (std::uint64_t one_in : {12, 40}) {
      const auto cut = make(config, fmt::format("cut-{}-{}", strategy, one_in));
      EXPECT_GT(run_in_pieces(cut, one_in), 1);
      EXPECT_EQ(weights(whole), weights(cut)) << strategy << ", stopped one poll in " << one_in;
      EXPECT_FALSE(std::filesystem::exists(cut / run_file::resume));
    }
  }
}

TEST_F(StagesTest, OneHeadForEachNResumesBetweenHeads) {
  const RunConfig config = tiny(
      "gaussian", "pairs", {"finetune.heads=per-n", "finetune.law=list", "finetune.start=linear", "cache.pieces=2"});
  const auto whole = make(config, "whole"), cut = make(config, "cut");
  TestMonitor all;
  execute_run(whole, all);
  EXPECT_GT(run_in_pieces(cut, 15), 1);
  EXPECT_EQ(weights(whole), weights(cut));
  EXPECT_EQ(load_run(whole.string()).estimator->sizes(), (std::vector<std::int64_t>{4, 40}));
}

TEST_F(StagesTest, ARefreshedCacheResumesAndLeavesNothingBehind) {
  for (const char* heads : {"per-n", "amortised"}) {
    const RunConfig config =
        tiny("gaussian", "pairs",
             {std::string("finetune.heads=") + heads, "finetune.law=list", "cache.pieces=2", "cache.refresh=1"});
    const auto whole = make(config, std::string("whole-") + heads), cut = make(config, std::string("cut-") + heads);
    TestMonitor all;
    execute_run(whole, all);
    EXPECT_GT(run_in_pieces(cut, 15), 1);
    EXPECT_EQ(weights(whole), weights(cut));
    // What a kill between the last two files would leave.
    for (const char* name : {run_file::resume, run_file::partial, "aggregates-7.cache"})
      std::ofstream(cut / name) << "left behind";
    execute_run(cut, all);
    for (const auto& run : {whole, cut})
      for (const auto& entry : std::filesystem::directory_iterator(run)) {
        const std::string name = entry.path().filename().string();
        EXPECT_TRUE(name == run_file::config || name == run_file::events || name == run_file::pretrained ||
                    name == run_file::estimator || name == run_file::cache || name == ".lock")
            << heads << ": " << entry.path();
      }
    const auto done = [](const std::filesystem::path& run) {
      nlohmann::json values;
      for (const Event& event : read_events((run / run_file::events).string()))
        if (event.type == "stage-done" && event.stage == Stage::finetune) values = event.values;
      return values;
    };
    EXPECT_EQ(done(whole), done(cut));
    EXPECT_GT(done(whole)["refreshes"].get<int>(), 0);
  }
}

TEST_F(StagesTest, SigmaOfTheRegressionHeadFitsManySizes) {
  const auto run = make(
      tiny("bump-hunt", "gaussian",
           {"cache.sizes=[100]", "cache.sets=[200]", "finetune.law=log-uniform", "finetune.validation_draws=32768"}),
      "sigma");
  TestMonitor monitor;
  execute_run(run, monitor);
  EXPECT_TRUE(load_run(run.string()).finetuned);
}

TEST_F(StagesTest, SameSeedSameWeightsOtherSeedOtherWeights) {
  const auto a = make(tiny("bump-hunt", "pairs"), "a"), b = make(tiny("bump-hunt", "pairs"), "b");
  const auto c = make(tiny("bump-hunt", "pairs", {"seed=2"}), "c");
  TestMonitor monitor;
  for (const auto& run : {a, b, c}) execute_run(run, monitor);
  EXPECT_EQ(weights(a), weights(b));
  EXPECT_NE(weights(a), weights(c));
}

TEST_F(StagesTest, EndToEndHasOneStageAndServesItsSize) {
  const auto run = make(tiny("bump-hunt", "e2e"), "e2e");
  TestMonitor monitor;
  execute_run(run, monitor);
  EXPECT_FALSE(std::filesystem::exists(run / run_file::cache));
  const LoadedRun loaded = load_run(run.string());
  EXPECT_EQ(loaded.estimator->max_n(), 40);
  EvaluationOptions options;
  options.sizes = {40};
  options.sets = {20};
  options.samples = 20;
  EXPECT_TRUE(std::isfinite(evaluate(*loaded.estimator, options).at(0).gap));
}

TEST_F(StagesTest, ALossThatIsNotFiniteStopsTheRunAndKeepsTheLastGoodWeights) {
  const auto run = make(tiny("gaussian", "pairs"), "nan");
  register_task_factory([](const std::string&, const TaskOptions&) { return std::make_shared<BreakingTask>(); });
  TestMonitor monitor;
  std::string sentence;
  try {
    execute_run(run, monitor);
  } catch (const Error& error) {
    sentence = error.what();
  }
  register_task_factory(make_task);
  EXPECT_THAT(sentence, testing::HasSubstr("at step 9"));
  EXPECT_THAT(sentence, testing::HasSubstr("pretrain.rate"));
  EXPECT_EQ(monitor.events.back().type, "loss");
  const TensorFile kept = read_safetensors(run / run_file::resume);
  for (const auto& [name, tensor] : kept.tensors) EXPECT_TRUE(tensor.isfinite().all().item<bool>()) << name;
}

// Looks before every step, and does with the estimator what a client may do.
class LookingMonitor : public TestMonitor {
 public:
  bool wants_preview() override { return true; }
  void preview(const Preview& preview) override {
    looks.emplace_back(preview.stage, preview.n);
    Estimator& estimator = preview.estimator;
    const auto d = static_cast<std::int64_t>(estimator.task().info().targets.size());
    const torch::Tensor n = torch::full({1}, preview.n, torch::kInt64);
    const torch::Tensor aggregate = aggregate_observed(estimator, torch::randn({5, 2}));
    const torch::Tensor score = estimator.log_prob_grid(torch::randn({1, 7, d}, torch::kFloat64), aggregate, n);
    EXPECT_FALSE(score.requires_grad());
    EXPECT_FALSE(estimator.embedder().is_training());
    estimator.sample(aggregate, n, 3, 1);
  }
  std::vector<std::pair<Stage, std::int64_t>> looks;
};

TEST_F(StagesTest, PreviewsChangeNoBit) {
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{"checkpoint=1000"},
        {"checkpoint=1000", "finetune.heads=per-n", "finetune.law=list", "cache.pieces=2"}}) {
    const RunConfig config = tiny("gaussian", "pairs", more);
    const auto plain = make(config, "plain"), seen = make(config, "seen");
    TestMonitor blind;
    execute_run(plain, blind);
    LookingMonitor looking;
    execute_run(seen, looking);
    EXPECT_EQ(weights(plain), weights(seen));
    const std::size_t heads = more.size() == 1 ? 1 : 2;
    ASSERT_EQ(looking.looks.size(), 18 + 18 * heads);  // epochs times steps of stages 1 and 3
    EXPECT_EQ(looking.looks.front(), std::pair(Stage::pretrain, std::int64_t{2}));
    EXPECT_EQ(looking.looks[18], std::pair(Stage::finetune, std::int64_t{heads == 1 ? 40 : 4}));
    EXPECT_EQ(looking.looks.back(), std::pair(Stage::finetune, std::int64_t{40}));
    std::filesystem::remove_all(folder_);
  }
}

// Asks to stop after so many polls.
class CountingMonitor : public TestMonitor {
 public:
  explicit CountingMonitor(int polls) : left_(polls) {}
  bool should_stop() override { return left_-- <= 0; }

 private:
  int left_;
};

TEST_F(StagesTest, StopsWithinAValidation) {
  // Validation sets in four parts: of the polls of an epoch, six come before steps, one before validation, four within.
  const RunConfig config = tiny("gaussian", "pairs", {"pretrain.validation_sets=1024", "checkpoint=1000"});
  const auto whole = make(config, "whole");
  TestMonitor all;
  execute_run(whole, all);
  for (const int polls : {8, 9, 10}) {
    const auto cut = make(config, fmt::format("cut-{}", polls));
    CountingMonitor monitor(polls);
    EXPECT_THROW(execute_run(cut, monitor), Stopped);
    for (const Event& event : monitor.events) EXPECT_NE(event.type, "loss") << polls;
    execute_run(cut, all);
    EXPECT_EQ(weights(whole), weights(cut)) << polls;
  }
}

TEST_F(StagesTest, ProblemsAreSentences) {
  const RunConfig config = tiny("gaussian", "pairs");
  const auto run = make(config, "r");
  EXPECT_THROW(make(config, "r"), Error);
  TestMonitor stop_soon(6, 2);
  EXPECT_THROW(execute_run(run, stop_soon), Stopped);
  {
    const FolderLock held(run);
    TestMonitor monitor;
    EXPECT_THROW(execute_run(run, monitor), Error);
  }
  const std::string good = read_file(run / run_file::resume);
  for (std::size_t at : {std::size_t{4}, good.size() / 2, good.size() - 5}) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x10);
    std::ofstream(run / run_file::resume, std::ios::binary) << bad;
    TestMonitor monitor;
    EXPECT_THROW(execute_run(run, monitor), Error) << "flipped byte " << at;
    EXPECT_EQ(read_file(run / run_file::resume), bad);
  }
  std::ofstream(run / run_file::resume, std::ios::binary) << good.substr(0, good.size() / 3);
  TestMonitor monitor;
  EXPECT_THROW(execute_run(run, monitor), Error);
  std::ofstream(run / run_file::resume, std::ios::binary) << good;
  execute_run(run, monitor);
  EXPECT_TRUE(run_status(run).finished);
  EXPECT_THROW(load_run("no-such-run"), Error);
  EXPECT_THROW(execute_run(folder_ / "nothing", monitor), Error);
}

TEST_F(StagesTest, EventsTellTheStoryAndReplayedLossesAreDropped) {
  const auto run = make(tiny("gaussian", "pairs"), "e");
  EXPECT_GT(run_in_pieces(run, 15), 1);
  std::ofstream(run / run_file::events, std::ios::app) << "{\"type\": \"torn";
  int losses = 0;
  std::int64_t last = -1;
  for (const Event& event : read_events((run / run_file::events).string())) {
    if (event.type != "loss" || event.stage != Stage::pretrain) continue;
    ++losses;
    EXPECT_GT(event.epoch, last);
    last = event.epoch;
  }
  EXPECT_EQ(losses, 3);
}

}  // namespace
}  // namespace pairs
