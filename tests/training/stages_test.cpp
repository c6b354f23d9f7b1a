#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <numbers>
#include <numeric>

#include "core/aggregate.h"
#include "core/base/fields/face.h"
#include "core/base/files/files.h"
#include "core/base/files/safetensors.h"
#include "core/base/text/error.h"
#include "core/eval/evaluate/evaluate.h"
#include "core/heads/gaussian_head.h"
#include "core/heads/spline_head.h"
#include "core/train/events/event_values.h"
#include "core/train/run/cost.h"
#include "core/train/run/run.h"
#include "core/train/run/run_progress.h"
#include "tasks/registry.h"
#include "tests/aggregate_observed.h"
#include "tests/core/train/test_monitor.h"
#include "tests/core/train/toy_task.h"
#include "tests/read_settings.h"
#include "tests/tasks/in_place_of.h"

namespace pairs {
namespace {

// Runs to the end, stopped at random moments on the way; returns how often.
int run_in_pieces(const std::filesystem::path& run, std::uint64_t one_in) {
  for (int stops = 0;; ++stops) {
    TestMonitor monitor(one_in, static_cast<std::uint64_t>(stops) + 1);
    try {
      execute_run(built_in_tasks(), run, monitor);
      return stops;
    } catch (const Stopped&) {
      PAIRS_CHECK(stops < 400, "stopped too often to end");
    }
  }
}

// Observations turn into NaN after a few steps of stage 1.
class BreakingTask : public ToyTask {
 public:
  BreakingTask() : ToyTask("gaussian") {}
  Observations observe(const Latents& latents, std::uint64_t seed, Purpose purpose, std::span<const SetRange> ranges,
                       const torch::Device& device) const override {
    const torch::Tensor x = ToyTask::observe(latents, seed, purpose, ranges, device);
    return ranges.front().index >= 64 * 9 && ranges.front().index < 1 << 20 ? x * NAN : x;
  }
};

std::string failure(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

class StagesTest : public testing::Test {
 protected:
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
    return load_read(built_in_tasks(), built_in_tasks()->make(task)->info(), "quick", strategy, set);
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
    const RunConfig config =
        tiny("gaussian", strategy, {"cache.refresh=1", "finetune.start=fresh", "finetune.regression=trained"});
    const auto whole = make(config, "whole-" + strategy);
    TestMonitor all;
    execute_run(built_in_tasks(), whole, all);
    for (std::uint64_t one_in : {12, 40}) {
      const auto cut = make(config, fmt::format("cut-{}-{}", strategy, one_in));
      EXPECT_GT(run_in_pieces(cut, one_in), 1);
      EXPECT_EQ(weights(whole), weights(cut)) << strategy << ", stopped one poll in " << one_in;
      EXPECT_FALSE(std::filesystem::exists(cut / run_file::resume));
    }
  }
}

// The Gaussian, without what it knows of its sufficient statistics.
class UnknownStatistics : public Task {
 public:
  explicit UnknownStatistics(std::shared_ptr<const Task> task) : task_(std::move(task)) {}
  const TaskInfo& info() const override { return task_->info(); }
  Latents latents(std::uint64_t seed, Purpose purpose, std::span<const std::int64_t> indices) const override {
    return task_->latents(seed, purpose, indices);
  }
  Observations observe(const Latents& latents, std::uint64_t seed, Purpose purpose, std::span<const SetRange> ranges,
                       const torch::Device& device) const override {
    return task_->observe(latents, seed, purpose, ranges, device);
  }

 private:
  std::shared_ptr<const Task> task_;
};

// Every validation of stage 1 reports 1 − R² of each of the five statistics, which has no effect on the weights.
TEST_F(StagesTest, KnownStatisticsAreToldAndDecideNothing) {
  const RunConfig config = tiny("gaussian", "pairs");
  const Tasks unknown = in_place_of("gaussian", [](const TaskOptions& options) {
    return std::make_shared<UnknownStatistics>(built_in_tasks()->make("gaussian", options));
  });
  const auto with = make(config, "with"), without = make(config, "without");
  TestMonitor reported, unreported;
  execute_run(built_in_tasks(), with, reported, Stage::pretrain);
  execute_run(unknown, without, unreported, Stage::pretrain);
  EXPECT_EQ(read_file(with / run_file::pretrained), read_file(without / run_file::pretrained));
  const RunProgress progress = read_progress(with / run_file::events);
  const std::vector<LossPoint>& points = progress.losses(Stage::pretrain).at(0);
  ASSERT_EQ(points.size(), 3u);
  for (const LossPoint& point : points) {
    ASSERT_EQ(point.unexplained.size(), 5u);
    for (const double one : point.unexplained) {
      EXPECT_GT(one, 1e-9);
      EXPECT_LT(one, 1.1);
    }
  }
  const RunProgress other = read_progress(without / run_file::events);
  EXPECT_TRUE(other.losses(Stage::pretrain).at(0).front().unexplained.empty());
}

TEST_F(StagesTest, LessonsAreResumedAndTold) {
  const auto lesson_of = [](const Event& event) { return event.values.value("text", std::string()); };
  const RunConfig config =
      tiny("gaussian", "pairs", {"pretrain.epochs=4", "pretrain.curriculum=convention=covariance: 25 %"});
  const auto whole = make(config, "whole"), cut = make(config, "cut"),
             plain = make(tiny("gaussian", "pairs", {"pretrain.epochs=4"}), "plain");
  TestMonitor all, none;
  execute_run(built_in_tasks(), whole, all);
  execute_run(built_in_tasks(), plain, none);
  EXPECT_GT(run_in_pieces(cut, 10), 1);
  EXPECT_EQ(weights(whole), weights(cut));
  EXPECT_NE(weights(whole), weights(plain));
  for (const auto& run : {whole, cut}) {
    std::vector<std::string> reported;
    for (const Event& event : read_events((run / run_file::events).string()))
      if (event.type == EventType::lesson && (reported.empty() || reported.back() != lesson_of(event)))
        reported.push_back(lesson_of(event));
    EXPECT_THAT(reported, testing::ElementsAre(testing::HasSubstr("convention=covariance"),
                                               testing::Not(testing::HasSubstr("convention=covariance"))))
        << run;
  }
}

TEST_F(StagesTest, AnotherRunsWeightsCanBeStartedFrom) {
  const RunConfig config = tiny("gaussian", "pairs");
  const auto source = make(config, "source");
  TestMonitor monitor;
  execute_run(built_in_tasks(), source, monitor);
  const std::string from = "pretrain.from=" + source.string();
  const auto state = [](const std::filesystem::path& file) { return read_safetensors(file).tensors; };
  const auto trained = state(source / run_file::estimator);

  // Without epochs they stay as they are, standardizer and all, and stage 3 goes on from them.
  const auto kept =
      make(tiny("gaussian", "pairs", {from, "pretrain.epochs=0", "finetune.start=pretrained", "seed=2"}), "kept");
  execute_run(built_in_tasks(), kept, monitor);
  const auto first = state(kept / run_file::pretrained), last = state(kept / run_file::estimator);
  ASSERT_EQ(first.size(), trained.size());
  for (const auto& [name, tensor] : trained) EXPECT_TRUE(at::equal(tensor, first.at(name))) << name;
  for (const auto& [name, tensor] : trained)
    if (name.starts_with("embedder.") || name == "statistics.mean") {
      EXPECT_TRUE(at::equal(tensor, last.at(name))) << name;
    }

  // A finished run is not trained again, also where stage 1 left nothing.
  const std::string as_it_was = weights(kept);
  std::filesystem::remove(kept / run_file::pretrained);
  std::ofstream(kept / run_file::start) << "left by a kill";
  execute_run(built_in_tasks(), kept, monitor);
  EXPECT_FALSE(std::filesystem::exists(kept / run_file::start));
  EXPECT_EQ(weights(kept), as_it_was);
  EXPECT_FALSE(std::filesystem::exists(kept / run_file::pretrained));

  // Training goes on from them, in any N, stopped or not; a head of other settings begins afresh.
  for (const auto& [strategy, more] :
       {std::pair("pairs", std::vector<std::string>{}), std::pair("n1-5", std::vector<std::string>{}),
        std::pair("pairs", std::vector<std::string>{"head.hidden=24", "finetune.start=fresh"})}) {
    std::vector<std::string> set = {from, "seed=3"};
    set.insert(set.end(), more.begin(), more.end());
    const std::string name =
        (std::string(strategy) == "pairs" ? "" : strategy) + fmt::format("{}", fmt::join(more, "-"));
    const auto whole = make(tiny("gaussian", strategy, set), "whole" + name),
               cut = make(tiny("gaussian", strategy, set), "cut" + name);
    execute_run(built_in_tasks(), whole, monitor);
    run_in_pieces(cut, 15);
    EXPECT_EQ(weights(whole), weights(cut)) << name;
    const auto moved = state(whole / run_file::pretrained);
    EXPECT_EQ(moved.contains("statistics.mean"), more.size() < 2) << name;
    EXPECT_FALSE(at::equal(state(whole / run_file::estimator).at("statistics.mean"), trained.at("statistics.mean")))
        << name << ": the aggregates' statistics are another embedder's";
    for (const auto& [key, tensor] : trained)
      if (key.starts_with("embedder.") && tensor.dim() == 2) {
        const double step = (tensor - moved.at(key)).abs().max().item<double>();
        EXPECT_GT(step, 0) << key;
        EXPECT_LT(step, 18 * 2.4e-3) << key << ": AdamW moves a weight by about its rate a step";
      }
  }

  // The run took what it starts from with it.
  const auto alone = make(tiny("gaussian", "pairs", {from, "seed=3"}), "alone");
  std::filesystem::rename(source, folder_ / "moved");
  run_in_pieces(alone, 15);
  EXPECT_EQ(weights(alone), weights(folder_ / "whole"));
  EXPECT_FALSE(std::filesystem::exists(alone / run_file::start)) << "needed no longer";
  const RunCost spent = cost_of(load_run(built_in_tasks(), alone.string())),
                before = cost_of(load_run(built_in_tasks(), (folder_ / "moved").string()));
  ASSERT_TRUE(spent.known);
  EXPECT_DOUBLE_EQ(spent.cost.before, before.cost.paper());
  EXPECT_GT(spent.cost.paper(), before.cost.paper());
  EXPECT_DOUBLE_EQ(spent.cost.before_with_cache, before.cost.with_cache());
  std::filesystem::rename(folder_ / "moved", source);

  // A message states that a head with other settings is not used, and likewise for one head per size.
  const auto wide = make(tiny("gaussian", "pairs", {from, "head.hidden=24", "pretrain.epochs=0"}), "wide");
  TestMonitor reported;
  execute_run(built_in_tasks(), wide, reported);
  const auto warned = std::find_if(reported.events.begin(), reported.events.end(),
                                   [](auto& e) { return e.type == EventType::warning; });
  ASSERT_NE(warned, reported.events.end());
  EXPECT_THAT(warned->values.at("text").get<std::string>(), testing::HasSubstr("head.hidden = 16, and here it is 24"));
  const auto many = make(
      tiny("gaussian", "pairs", {"finetune.heads=per-n", "finetune.size_distribution=list", "cache.pieces=2"}), "many");
  execute_run(built_in_tasks(), many, reported);
  execute_run(built_in_tasks(),
              make(tiny("gaussian", "pairs", {"pretrain.from=" + many.string(), "pretrain.epochs=0"}), "one"),
              reported);
  EXPECT_TRUE(std::any_of(reported.events.begin(), reported.events.end(), [](const Event& event) {
    return event.type == EventType::warning &&
           event.values.at("text").get<std::string>().find("N = 4, 40") != std::string::npos;
  }));

  // Refused before a folder is made, in words that name the setting.
  const auto refused = [&](const std::vector<std::string>& set) {
    const std::string text = failure([&] { make(tiny("gaussian", "pairs", set), "refused"); });
    EXPECT_FALSE(std::filesystem::exists(folder_ / "refused"));
    return text;
  };
  EXPECT_THAT(refused({from, "embedder.size=7"}), testing::HasSubstr("set embedder.size=8"));
  EXPECT_THAT(refused({from, "embedder.activation=relu"}), testing::HasSubstr("set embedder.activation=\"silu\""));
  EXPECT_THAT(refused({"pretrain.from=no-such-run"}), testing::HasSubstr("pretrain.from = \"no-such-run\""));
  EXPECT_THAT(refused({"pretrain.from=" + (folder_ / "refused").string()}), testing::HasSubstr("pretrain.from"));
  EXPECT_THAT(refused({"pretrain.epochs=0"}), testing::HasSubstr("pretrain.from"));
}

TEST_F(StagesTest, OneHeadForEachNResumesBetweenHeads) {
  const RunConfig config =
      tiny("gaussian", "pairs",
           {"finetune.heads=per-n", "finetune.size_distribution=list", "finetune.start=linear", "cache.pieces=2"});
  const auto whole = make(config, "whole"), cut = make(config, "cut");
  TestMonitor all;
  execute_run(built_in_tasks(), whole, all);
  EXPECT_GT(run_in_pieces(cut, 15), 1);
  EXPECT_EQ(weights(whole), weights(cut));
  EXPECT_EQ(load_run(built_in_tasks(), whole.string()).estimator->sizes(), (std::vector<std::int64_t>{4, 40}));
}

TEST_F(StagesTest, ARefreshedCacheResumesAndLeavesNothingBehind) {
  for (const char* heads : {"per-n", "amortized"}) {
    const RunConfig config = tiny("gaussian", "pairs",
                                  {std::string("finetune.heads=") + heads, "finetune.size_distribution=list",
                                   "cache.pieces=2", "cache.refresh=1"});
    const auto whole = make(config, std::string("whole-") + heads), cut = make(config, std::string("cut-") + heads);
    TestMonitor all;
    execute_run(built_in_tasks(), whole, all);
    EXPECT_GT(run_in_pieces(cut, 15), 1);
    EXPECT_EQ(weights(whole), weights(cut));
    // What a kill between the last two files would leave.
    for (const char* name : {run_file::resume, run_file::partial, "aggregates-7.cache"})
      std::ofstream(cut / name) << "left behind";
    execute_run(built_in_tasks(), cut, all);
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
        if (event.type == EventType::stage_done && event.stage == Stage::finetune) values = event.values;
      return values;
    };
    EXPECT_EQ(done(whole), done(cut));
    EXPECT_GT(done(whole)["refreshes"].get<int>(), 0);
  }
}

TEST_F(StagesTest, SigmaOfTheRegressionHeadFitsManySizes) {
  const auto run = make(tiny("bump-hunt", "gaussian",
                             {"cache.sizes=[100]", "cache.sets=[2000]", "finetune.size_distribution=log-uniform",
                              "finetune.validation_draws=32768"}),
                        "sigma");
  TestMonitor monitor;
  execute_run(built_in_tasks(), run, monitor);
  // Its standard deviations are those of its residuals on sets that it never saw.
  const LoadedRun loaded = load_run(built_in_tasks(), run.string());
  ASSERT_TRUE(loaded.finetuned);
  Estimator& estimator = *loaded.estimator;
  const Task& task = estimator.task();
  std::vector<std::int64_t> indices(1500);
  std::iota(indices.begin(), indices.end(), 0);
  const Latents latents = task.latents(1, Purpose::test, indices);
  for (const std::int64_t n : {1, 3, 10, 40, 100}) {
    const torch::Tensor sizes = torch::full({1500}, n, torch::kInt64);
    const torch::Tensor aggregates = aggregate_sets(estimator, latents, 1, Purpose::test, indices, n);
    auto& head = dynamic_cast<GaussianHead&>(estimator.head(0));
    at::NoGradGuard no_grad;
    const torch::Tensor context = estimator.context(aggregates, sizes);
    const torch::Tensor residual = estimator.target(0, latents.theta, aggregates) - head.predict(context);
    const double sd = residual.square().mean().sqrt().item<double>();
    const double sigma =
        (-head.log_prob(head.predict(context), context)).exp().mean().item<double>() / std::sqrt(2 * std::numbers::pi);
    EXPECT_NEAR(sigma / sd, 1, 0.2) << "N = " << n;
  }
}

TEST_F(StagesTest, SameSeedSameWeightsOtherSeedOtherWeights) {
  const auto a = make(tiny("bump-hunt", "pairs"), "a"), b = make(tiny("bump-hunt", "pairs"), "b");
  const auto c = make(tiny("bump-hunt", "pairs", {"seed=2"}), "c");
  TestMonitor monitor;
  for (const auto& run : {a, b, c}) execute_run(built_in_tasks(), run, monitor);
  EXPECT_EQ(weights(a), weights(b));
  EXPECT_NE(weights(a), weights(c));
}

TEST_F(StagesTest, EndToEndHasOneStageAndServesItsSize) {
  const auto run = make(tiny("bump-hunt", "e2e"), "e2e");
  TestMonitor monitor;
  execute_run(built_in_tasks(), run, monitor);
  EXPECT_FALSE(std::filesystem::exists(run / run_file::cache));
  const LoadedRun loaded = load_run(built_in_tasks(), run.string());
  EXPECT_EQ(loaded.estimator->max_n(), 40);
  EvaluationOptions options;
  options.sizes = {40};
  options.sets = {20};
  options.samples = 20;
  EXPECT_TRUE(std::isfinite(evaluate(*loaded.estimator, options).at(0).gap));
}

// The baseline of the appendix: the weights of stage 1 stay unchanged at every N, and stage 3 fits the spread alone.
TEST_F(StagesTest, TheGaussianBaselineKeepsItsRegressionAndFitsItsSpreadAtEachN) {
  const auto run = make(tiny("bump-hunt", "gaussian",
                             {"pretrain.epochs=10", "pretrain.steps=40", "pretrain.batch=256", "cache.sets=[3000,3000]",
                              "evaluate.sizes=[1,10,40]", "restrict=false"}),
                        "sigma");
  TestMonitor monitor;
  execute_run(built_in_tasks(), run, monitor);
  for (const Event& event : monitor.events)
    EXPECT_FALSE(event.type == EventType::loss && event.stage == Stage::finetune);
  const auto task = built_in_tasks()->make("bump-hunt");
  Estimator before = Estimator::load(run / run_file::pretrained, task),
            after = Estimator::load(run / run_file::estimator, task);
  const auto kept = before.head_parameters(), now = after.head_parameters();
  for (const auto& [name, tensor] : kept) EXPECT_TRUE(tensor.equal(now.at(name))) << name;
  EXPECT_EQ(after.max_n(), 40);
  EvaluationOptions options;
  options.sizes = {1, 4, 10, 25, 40};
  options.sets = {4000};
  options.samples = 0;
  at::NoGradGuard no_grad;
  for (const std::int64_t n : options.sizes) {
    std::vector<std::int64_t> index(4000);
    std::iota(index.begin(), index.end(), 0);
    const Latents latents = task->latents(1, Purpose::test, index);
    const torch::Tensor aggregates = aggregate_sets(after, latents, 1, Purpose::test, index, n);
    const torch::Tensor sizes = torch::full({4000}, n, torch::kInt64);
    // Fine-tuning leaves the point estimate unchanged at every N, and its error equals the predicted spread.
    const torch::Tensor point = face<ResidualSpread>(after.head(0))->predict(after.context(aggregates, sizes));
    EXPECT_TRUE(point.equal(face<ResidualSpread>(before.head(0))->predict(before.context(aggregates, sizes))));
    const double error = (after.restore(point) - latents.theta).square().mean().sqrt().item<double>();
    const double spread =
        after.sample(aggregates.narrow(0, 0, 20), sizes.narrow(0, 0, 20), 4000, 1).std(1).mean().item<double>();
    EXPECT_NEAR(spread / error, 1, 0.06) << "N = " << n;
  }
}

// The main text's reading: a density on the features of the regression.
TEST_F(StagesTest, ADensityCanBeTrainedOnTheFeaturesOfARegression) {
  const auto run = make(tiny("bump-hunt", "gaussian", {"finetune.regression=spline", "head.bins=5"}), "flow");
  TestMonitor monitor;
  execute_run(built_in_tasks(), run, monitor);
  const LoadedRun loaded = load_run(built_in_tasks(), run.string());
  const HeadConfig& head = loaded.estimator->config().head;
  EXPECT_EQ(head.kind, "spline");
  EXPECT_EQ(head.of<SplineHead::Settings>().bins, 5);
  EXPECT_TRUE(confines(head));
  const torch::Tensor outside = torch::tensor({-0.01, 1.01}, torch::kFloat64).view({2, 1});
  EXPECT_TRUE(
      loaded.estimator
          ->log_prob(outside, torch::zeros({2, loaded.estimator->embedding_size()}), torch::ones({2}, torch::kInt64))
          .isneginf()
          .all()
          .item<bool>());
  const auto embedder = Estimator::load(run / run_file::pretrained, loaded.task).embedder_parameters();
  for (const auto& [name, tensor] : loaded.estimator->embedder_parameters())
    EXPECT_TRUE(tensor.equal(embedder.at(name)));
  EXPECT_EQ(face<ResidualSpread>(loaded.estimator->head(0)), nullptr);
}

TEST_F(StagesTest, ARunThatLearnedNothingSaysSo) {
  const auto outcome = [&](const std::string& name, const std::vector<std::string>& set) {
    const auto run = make(tiny("bump-hunt", "pairs", set), name);
    TestMonitor monitor;
    execute_run(built_in_tasks(), run, monitor);
    const std::vector<Event> events = read_events((run / run_file::events).string());
    const auto warned = std::count_if(events.begin(), events.end(), [](const Event& event) {
      return event.type == EventType::warning &&
             event.values["text"].get<std::string>().find("no better than the prior") != std::string::npos;
    });
    const bool nothing = read_progress(run / run_file::events).learned_nothing();
    EXPECT_EQ(warned > 0, nothing) << name;
    return nothing;
  };
  const std::vector<std::string> frozen = {"pretrain.rate=1e-12", "finetune.rate=1e-12",
                                           "pretrain.validation_sets=4000", "cache.sets=[2000,2000]"};
  EXPECT_TRUE(outcome("nothing", frozen));
  // Sets of one and two observations allow a gain of only a tenth of a nat.
  EXPECT_FALSE(outcome("little", {"pretrain.epochs=10", "pretrain.steps=40", "pretrain.batch=256",
                                  "pretrain.validation_sets=4000", "finetune.epochs=10", "cache.sets=[2000,2000]"}));
}

TEST_F(StagesTest, ALossThatIsNotFiniteStopsTheRunAndKeepsTheLastGoodWeights) {
  const auto run = make(tiny("gaussian", "pairs", {"evaluate.sizes=[1,10]", "evaluate.sets=[10]"}), "nan");
  const Tasks breaking = in_place_of("gaussian", [](const TaskOptions&) { return std::make_shared<BreakingTask>(); });
  TestMonitor monitor;
  std::string sentence;
  try {
    execute_run(breaking, run, monitor);
  } catch (const Error& error) {
    sentence = error.what();
  }
  EXPECT_THAT(sentence, testing::HasSubstr("at step 9"));
  EXPECT_THAT(sentence, testing::HasSubstr("pretrain.rate"));
  ASSERT_FALSE(monitor.events.empty());
  EXPECT_EQ(monitor.events.back().type, EventType::loss);
  const TensorFile kept = read_safetensors(run / run_file::resume);
  for (const auto& [name, tensor] : kept.tensors) EXPECT_TRUE(tensor.isfinite().all().item<bool>()) << name;
}

TEST_F(StagesTest, ADivergedRunFailsAndSaysSo) {
  const auto run = make(tiny("gaussian", "gaussian", {"pretrain.rate=10", "pretrain.clip=0"}), "diverged");
  std::string sentences[2];
  for (std::string& sentence : sentences) {
    TestMonitor monitor;
    try {
      execute_run(built_in_tasks(), run, monitor);
    } catch (const Error& error) {
      sentence = error.what();
    }
  }
  EXPECT_THAT(sentences[0], testing::HasSubstr("Stage pretrain diverged"));
  EXPECT_THAT(sentences[0], testing::HasSubstr("lower pretrain.rate"));
  EXPECT_EQ(sentences[0], sentences[1]) << "resuming does not make it better";
  EXPECT_FALSE(run_status(run).pretrained);
  const std::vector<Event> events = read_events((run / run_file::events).string());
  EXPECT_EQ(events.back().type, EventType::error);
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
        {"checkpoint=1000", "finetune.heads=per-n", "finetune.size_distribution=list", "cache.pieces=2"}}) {
    const RunConfig config = tiny("gaussian", "pairs", more);
    const auto plain = make(config, "plain"), seen = make(config, "seen");
    TestMonitor blind;
    execute_run(built_in_tasks(), plain, blind);
    LookingMonitor looking;
    execute_run(built_in_tasks(), seen, looking);
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
  execute_run(built_in_tasks(), whole, all);
  for (const int polls : {8, 9, 10}) {
    const auto cut = make(config, fmt::format("cut-{}", polls));
    CountingMonitor monitor(polls);
    EXPECT_THROW(execute_run(built_in_tasks(), cut, monitor), Stopped);
    for (const Event& event : monitor.events) EXPECT_NE(event.type, EventType::loss) << polls;
    execute_run(built_in_tasks(), cut, all);
    EXPECT_EQ(weights(whole), weights(cut)) << polls;
  }
}

TEST_F(StagesTest, ProblemsAreSentences) {
  const RunConfig config = tiny("gaussian", "pairs");
  const auto run = make(config, "r");
  EXPECT_THROW(make(config, "r"), Error);
  for (std::uint64_t seed = 2; !std::filesystem::exists(run / run_file::resume); ++seed) {
    TestMonitor stop_soon(6, seed);
    EXPECT_THROW(execute_run(built_in_tasks(), run, stop_soon), Stopped);
  }
  {
    const FolderLock held(run);
    TestMonitor monitor;
    EXPECT_THROW(execute_run(built_in_tasks(), run, monitor), Error);
  }
  const std::string good = read_file(run / run_file::resume);
  for (std::size_t at : {std::size_t{4}, good.size() / 2, good.size() - 5}) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x10);
    std::ofstream(run / run_file::resume, std::ios::binary) << bad;
    TestMonitor monitor;
    EXPECT_THROW(execute_run(built_in_tasks(), run, monitor), Error) << "flipped byte " << at;
    EXPECT_EQ(read_file(run / run_file::resume), bad);
  }
  std::ofstream(run / run_file::resume, std::ios::binary) << good.substr(0, good.size() / 3);
  TestMonitor monitor;
  EXPECT_THROW(execute_run(built_in_tasks(), run, monitor), Error);
  // Where the stage cannot stand.
  for (const auto& [key, value] : {std::pair("epoch", "99"), std::pair("step", "-1"), std::pair("step", "999999")}) {
    std::ofstream(run / run_file::resume, std::ios::binary) << good;
    TensorFile moved = read_safetensors(run / run_file::resume);
    moved.metadata[key] = value;
    write_safetensors(run / run_file::resume, moved);
    try {
      execute_run(built_in_tasks(), run, monitor);
      FAIL() << key << " " << value;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(),
                  testing::HasSubstr("which its stage does not have; remove it to start the stage again"));
    }
  }
  std::ofstream(run / run_file::resume, std::ios::binary) << good;
  execute_run(built_in_tasks(), run, monitor);
  EXPECT_TRUE(run_status(run).finished);
  EXPECT_THROW(load_run(built_in_tasks(), "no-such-run"), Error);
  EXPECT_THROW(execute_run(built_in_tasks(), folder_ / "nothing", monitor), Error);
}

TEST_F(StagesTest, FilesOfOthersStay) {
  const RunConfig config = tiny("gaussian", "pairs", {"cache.refresh=1"});
  const std::filesystem::path run = make(config, "a");
  std::filesystem::create_directories(run / "inner");
  const std::vector<std::filesystem::path> others = {
      folder_ / "a/aggregates-old.cache", folder_ / "a/aggregates-N-2.cache", folder_ / "a/.letter.4194305-0.tmp",
      folder_ / "a/inner/.run.toml.4194305-0.tmp"};
  const auto own = folder_ / "a/.aggregates-2.cache.4194305-0.tmp";  // no process has so large a number
  for (const auto& file : others) std::ofstream(file) << "theirs";
  std::ofstream(own) << "ours";
  TestMonitor monitor;
  execute_run(built_in_tasks(), run, monitor);
  for (const auto& file : others) EXPECT_TRUE(std::filesystem::exists(file)) << file;
  EXPECT_FALSE(std::filesystem::exists(own));
  std::filesystem::create_directories(folder_ / "b");
  std::filesystem::copy_file(folder_ / "a" / run_file::pretrained, folder_ / "b" / run_file::pretrained);
  EXPECT_THROW(make(config, "b"), Error);
}

// A run's folder that is moved away at its first poll, with another in its place.
class MovingMonitor : public TestMonitor {
 public:
  MovingMonitor(std::filesystem::path from, std::filesystem::path to) : from_(std::move(from)), to_(std::move(to)) {}
  bool should_stop() override {
    if (!std::exchange(moved_, true)) {
      std::filesystem::rename(from_, to_);
      std::filesystem::create_directory(from_);
      std::ofstream(from_ / run_file::events) << "theirs\n";
    }
    return false;
  }

 private:
  std::filesystem::path from_, to_;
  bool moved_ = false;
};

TEST_F(StagesTest, AFolderMovedWhileInUseEndsTheRunAndItsPlaceIsLeftAlone) {
  const RunConfig config = tiny("gaussian", "pairs");
  const auto run = make(config, "here"), whole = make(config, "whole");
  MovingMonitor moving(run, folder_ / "there");
  try {
    execute_run(built_in_tasks(), run, moving);
    ADD_FAILURE() << "it went on";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("here was moved"));
  }
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(run), std::filesystem::directory_iterator()), 1);
  EXPECT_EQ(read_file(run / run_file::events), "theirs\n");
  TestMonitor monitor;
  execute_run(built_in_tasks(), folder_ / "there", monitor);
  execute_run(built_in_tasks(), whole, monitor);
  EXPECT_EQ(weights(whole), weights(folder_ / "there"));
}

TEST_F(StagesTest, EventsTellTheStoryAndReplayedLossesAreDropped) {
  const auto run = make(tiny("gaussian", "pairs"), "e");
  EXPECT_GT(run_in_pieces(run, 15), 1);
  std::ofstream(run / run_file::events, std::ios::app) << "{\"type\": \"torn";
  int losses = 0;
  std::int64_t last = -1;
  for (const Event& event : read_events((run / run_file::events).string())) {
    if (event.type != EventType::loss || event.stage != Stage::pretrain) continue;
    ++losses;
    EXPECT_GT(event.epoch, last);
    last = event.epoch;
  }
  EXPECT_EQ(losses, 3);
}

// Training losses within epochs, whose mean is the epoch's, are those of a run that nobody stopped.
TEST_F(StagesTest, EventsHoldTheTrainingLossWithinEpochs) {
  const RunConfig config = tiny("gaussian", "pairs", {"pretrain.steps=25"});
  const auto whole = make(config, "whole"), cut = make(config, "cut");
  TestMonitor all;
  execute_run(built_in_tasks(), whole, all);
  EXPECT_GT(run_in_pieces(cut, 15), 1);
  const auto parts = [](const std::filesystem::path& run) {
    std::vector<std::vector<double>> out;
    for (const Event& event : read_events((run / run_file::events).string())) {
      if (event.type != EventType::loss) continue;
      out.push_back(event_numbers(event, "train_parts"));
      // Stage 1 has parts of 3 and 2 steps, stage 3 one for each of its 6.
      const bool first = event.stage == Stage::pretrain;
      EXPECT_EQ(out.back().size(), first ? 10u : 6u);
      double sum = 0;
      for (std::size_t k = 0; k < out.back().size(); ++k)
        sum += out.back()[k] * (first ? 3 - static_cast<int>(k % 2) : 1);
      EXPECT_NEAR(sum / (first ? 25 : 6), event_number(event, "train", NAN), 1e-9);
    }
    return out;
  };
  EXPECT_EQ(parts(whole), parts(cut));
  EXPECT_EQ(parts(whole).size(), 6u);
}

}  // namespace
}  // namespace pairs
