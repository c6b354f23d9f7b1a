#include "app/scores/run_evaluation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/scores/borrowed_sets.h"
#include "app/scores/score.h"
#include "core/base/text/error.h"
#include "tasks/catalog.h"
#include "tests/core/base/temporary_folder.h"
#include "tests/core/train/test_monitor.h"
#include "tests/core/train/toy_task.h"

namespace pairs {
namespace {

// What a person's own program does at the moment.
struct Program {
  float noise = 1;
  std::uint64_t sets = 0;  // other sets than those of the seed
  std::string source = "simulated";
};

// The toy as a task of a person's own.
class OwnToyTask final : public ToyTask {
 public:
  explicit OwnToyTask(Program program) : program_(std::move(program)), info_(ToyTask::info()) {
    info_.file = "/my/task.toml";
    info_.data_source = program_.source;
  }
  const TaskInfo& info() const override { return info_; }
  Latents latents(std::uint64_t seed, Purpose purpose, std::span<const std::int64_t> indices) const override {
    return ToyTask::latents(seed + program_.sets, purpose, indices);
  }
  Observations observe(const Latents& latents, std::uint64_t seed, Purpose purpose, std::span<const SetRange> ranges,
                       const torch::Device& device) const override {
    return ToyTask::observe(latents, seed + program_.sets, purpose, ranges, device).block() * program_.noise;
  }

 private:
  Program program_;
  TaskInfo info_;
};

class RunEvaluation : public ::testing::Test {
 protected:
  std::string trained(const std::string& name) const {
    RunConfig c;
    c.tasks = tasks_;
    c.task = "toy";
    c.device = "cpu";
    c.threads = 1;
    c.estimator = toy_estimator();
    c.pretrain.epochs = c.finetune.epochs = 2;
    c.pretrain.steps = c.finetune.steps = 5;
    c.pretrain.batch = c.finetune.batch = 32;
    c.pretrain.validation_sets = c.finetune.validation_draws = 64;
    c.cache.sizes = {10};
    c.cache.sets = {100};
    c.evaluate = {{1, 10}, {50}, 19};
    const auto folder = create_run(c, folder_ / name);
    TestMonitor monitor;
    execute_run(tasks_, folder, monitor);
    return folder.string();
  }
  static Metrics evaluated(const LoadedRun& run) {
    TestMonitor monitor;
    return evaluate_in(monitor, run, evaluation_options(run));
  }

  TemporaryFolder folder_;
  Program program_;
  // As the program is when the task is made.
  const Tasks tasks_ = std::make_shared<TaskCatalog>(std::vector<TaskEntry>{
      {.name = "toy", .make = [this](const TaskOptions&) { return std::make_shared<OwnToyTask>(program_); }}});
};

TEST_F(RunEvaluation, ScoresOfAProgramThatHasChangedAreStale) {
  const std::string folder = trained("run");
  const LoadedRun run = load_run(tasks_, folder);
  const Metrics before = evaluated(run);
  ASSERT_EQ(before.rows.size(), 2u);
  EXPECT_EQ(before.rows[0].tested, before.rows[1].tested) << "the same sets at every N";
  EXPECT_TRUE(save_metrics(run, before));
  EXPECT_TRUE(stored_metrics(load_run(tasks_, folder)).has_value());
  EXPECT_TRUE(same_test_sets(stored_metrics(load_run(tasks_, folder))->rows, before.rows));
  program_.noise = 3;
  const LoadedRun changed = load_run(tasks_, folder);
  EXPECT_FALSE(stored_metrics(changed).has_value());
  EvaluationOptions fewer = evaluation_options(changed);
  fewer.sets = {20};
  TestMonitor monitor;
  const Metrics after = evaluate_in(monitor, changed, fewer);
  EXPECT_TRUE(other_test_sets(after.rows, before.rows));
  EXPECT_THROW(score_difference(after.rows[0], before.rows[0]), Error);
  EXPECT_TRUE(save_metrics(changed, after)) << "of fewer sets, but of those that there are";
  EXPECT_TRUE(stored_metrics(changed).has_value());
}

// A run that is moved while it is evaluated, and another one that is put in its place, keep what they have.
TEST_F(RunEvaluation, AnotherRunInItsPlaceGetsNoneOfItsScores) {
  const std::string first = trained("first");
  const LoadedRun run = load_run(tasks_, first);
  const Metrics scores = evaluated(run);
  program_.sets = 1;
  const std::string second = trained("second");
  std::filesystem::rename(first, folder_ / "moved");
  EXPECT_THROW(save_metrics(run, scores), Error);
  std::filesystem::rename(second, first);
  EXPECT_THROW(save_metrics(run, scores), Error);
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::path(first) / run_file::metrics));
}

TEST_F(RunEvaluation, ChangedMetricsAreRefused) {
  const LoadedRun run = load_run(tasks_, trained("run"));
  const std::string text = metrics_text(evaluated(run));
  EXPECT_NO_THROW(parse_metrics(text, "memory"));
  for (std::size_t at = 0; at < text.size(); at += 7) {
    std::string changed = text;
    if (!std::isdigit(static_cast<unsigned char>(changed[at]))) continue;
    changed[at] = changed[at] == '9' ? '1' : '9';
    if (changed != text) EXPECT_THROW(parse_metrics(changed, "memory"), Error) << at;
  }
  nlohmann::json none = nlohmann::json::parse(text);
  none["rows"] = nlohmann::json::array();
  EXPECT_THROW(parse_metrics(none.dump(), "memory"), Error);
  none.erase("check");
  EXPECT_THROW(parse_metrics(none.dump(), "memory"), Error) << "an evaluation of nothing";
}

TEST_F(RunEvaluation, RunsOnOtherDataAreScoredOnTheSameSets) {
  const LoadedRun first = load_run(tasks_, trained("first"));
  program_ = {1, 77, "100 stored sets"};
  const LoadedRun second = load_run(tasks_, trained("second"));
  EXPECT_TRUE(other_test_sets(evaluated(second).rows, evaluated(first).rows));
  const LoadedRun borrowed = with_sets_of(second, first);
  EXPECT_EQ(borrowed.task->info().data_source, "simulated");
  const Metrics scored = evaluated(borrowed), base = evaluated(first);
  ASSERT_TRUE(same_test_sets(scored.rows, base.rows));
  EXPECT_NE(scored.rows[0].log_prob, base.rows[0].log_prob) << "by weights of its own";
  EXPECT_NO_THROW(score_difference(scored.rows[0], base.rows[0]));
}

TEST_F(RunEvaluation, SizesThatTrainingDidNotSeeAreScoredWhereThatIsAsked) {
  LoadedRun run = load_run(tasks_, trained("run"));
  run.config.evaluate.sizes = {1, 10, 20};
  EXPECT_EQ(evaluation_options(run).sizes, (std::vector<std::int64_t>{1, 10}));
  run.config.evaluate.extrapolate = true;
  const Metrics metrics = evaluated(run);
  ASSERT_EQ(metrics.rows.size(), 3u);
  EXPECT_FALSE(metrics.rows[1].extrapolation);
  EXPECT_EQ(metrics.rows[2].n, 20);
  EXPECT_TRUE(metrics.rows[2].extrapolation);
}

}  // namespace
}  // namespace pairs
