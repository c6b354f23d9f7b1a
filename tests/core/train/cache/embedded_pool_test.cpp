#include "core/train/cache/embedded_pool.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "core/base/files/files.h"
#include "core/eval/evaluate/evaluate.h"
#include "core/train/cache/aggregate_cache.h"
#include "core/train/run/cost.h"
#include "core/train/stages/cache_writer.h"
#include "tests/core/train/test_monitor.h"
#include "tests/core/train/toy_library.h"
#include "tests/core/train/toy_pool_task.h"
#include "tests/core/train/toy_task.h"

namespace pairs {
namespace {

class EmbeddedPoolTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / fmt::format("pairs-pool-{}", ::getpid());
    std::filesystem::create_directories(folder_ / "with");
    std::filesystem::create_directories(folder_ / "without");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  static std::vector<CacheGroup> groups() {
    CacheConfig config;
    config.sizes = {4, 20};
    config.sets = {200, 100};
    config.copies = 2;
    return plan_groups(config, false);
  }

  std::filesystem::path folder_;
  std::shared_ptr<ToyPoolTask> task_ = std::make_shared<ToyPoolTask>();
  Estimator estimator_{task_, toy_estimator(), 4};
};

TEST_F(EmbeddedPoolTest, SetsAreTheMeansThatEmbeddingEachObservationGives) {
  write_cache(folder_ / "with/a.cache", estimator_, groups(), 9, 0, 64, [] { return false; }, {});
  EXPECT_EQ(task_->given, 2 * ToyPoolTask::items * ToyPoolTask::each) << "each member once, whatever the sets";
  EXPECT_EQ(task_->observed, 0);
  task_->pooled = false;
  write_cache(folder_ / "without/a.cache", estimator_, groups(), 9, 0, 64, [] { return false; }, {});
  EXPECT_GT(task_->observed, 10 * task_->given) << "what the pool saves";
  const AggregateCache with(folder_ / "with/a.cache", estimator_, 9, 0),
      without(folder_ / "without/a.cache", estimator_, 9, 0);
  double largest = 0, size = 0;
  for (std::size_t g = 0; g < with.groups().size(); ++g)
    for (std::int64_t s = 0; s < with.groups()[g].sets(); ++s) {
      EXPECT_EQ(with.theta(g, s)[0], without.theta(g, s)[0]);
      for (std::size_t i = 0; i < with.groups()[g].blocks.size() * 6; ++i) {
        largest = std::max<double>(largest, std::abs(with.blocks(g, s)[i] - without.blocks(g, s)[i]));
        size = std::max<double>(size, std::abs(without.blocks(g, s)[i]));
      }
    }
  EXPECT_LT(largest, 1e-5 * size);
  EXPECT_GT(size, 0);
  EXPECT_TRUE(torch::allclose(with.statistics().mean, without.statistics().mean, 1e-4, 1e-5));
}

TEST_F(EmbeddedPoolTest, GoesOnWhereItWasStoppedAndMendsWhatIsDamaged) {
  write_cache(folder_ / "with/a.cache", estimator_, groups(), 9, 0, 16, [] { return false; }, {});
  int asked = 0;
  EXPECT_THROW(
      write_cache(folder_ / "without/a.cache", estimator_, groups(), 9, 0, 16, [&] { return ++asked > 4; }, {}),
      Stopped);
  const std::string whole = read_file(folder_ / "with" / run_file::pool);
  {
    std::fstream torn(folder_ / "without" / run_file::pool, std::ios::in | std::ios::out | std::ios::binary);
    torn.seekp(4096 + 5);
    torn.put('\x55');
  }
  EXPECT_NE(read_file(folder_ / "without" / run_file::pool), whole);
  write_cache(folder_ / "without/a.cache", estimator_, groups(), 9, 0, 16, [] { return false; }, {});
  EXPECT_EQ(read_file(folder_ / "without" / run_file::pool), whole);
  EXPECT_EQ(read_file(folder_ / "without/a.cache"), read_file(folder_ / "with/a.cache"));
}

TEST_F(EmbeddedPoolTest, BelongsToOneEmbedder) {
  const auto never = [] { return false; };
  const EmbeddedPool pool(folder_ / "p.cache", estimator_, 0, never, {});
  Estimator other(task_, toy_estimator(), 5);
  EXPECT_THROW(EmbeddedPool(folder_ / "p.cache", other, 0, never, {}), Error);
  EXPECT_FALSE(EmbeddedPool::serves(ToyTask()));
}

TEST_F(EmbeddedPoolTest, AnEvaluationIsAboutEachItemOnce) {
  EvaluationOptions options;
  options.sizes = {1, 3};
  options.sets = {5000, 7};
  options.samples = 19;
  const std::vector<EvaluationRow> rows = evaluate(estimator_, options);
  EXPECT_EQ(rows[0].sets, ToyPoolTask::items);
  EXPECT_EQ(rows[1].sets, 7);
}

TEST_F(EmbeddedPoolTest, ARunPreparesFirstTellsItAndResumes) {
  RunConfig config;
  config.tasks = std::make_shared<ToyLibrary>(task_);
  config.task = task_->info().name;
  config.estimator = toy_estimator();
  config.pretrain.budget = 4000;
  config.pretrain.epochs = 1;
  config.pretrain.batch = 50;
  config.cache.sizes = {4, 20};
  config.cache.sets = {100, 50};
  config.finetune.epochs = 2;
  config.finetune.steps = 5;
  config.evaluate.sizes = {1, 20};
  config.evaluate.sets = {12};
  config.device = "cpu";
  const std::filesystem::path run = create_run(config, folder_ / "run");
  for (int stops = 0; stops < 400; ++stops) {
    TestMonitor monitor(8, static_cast<std::uint64_t>(stops) + 1);
    try {
      execute_run(config.tasks, run, monitor);
      break;
    } catch (const Stopped&) {
    }
  }
  ASSERT_TRUE(run_status(run).finished);
  EXPECT_FALSE(std::filesystem::exists(run / run_file::pool)) << "what stage 3 no longer needs";
  bool prepared = false, cached = false;
  for (const Event& event : read_events((run / run_file::events).string())) {
    prepared = prepared || (event.type == EventType::prepared && event.values.value("things", 0) == 10);
    cached = cached || (event.type == EventType::stage_done && event.stage == Stage::cache &&
                        event.values.value("embedded", 0) == 2 * ToyPoolTask::items * ToyPoolTask::each);
  }
  EXPECT_TRUE(prepared);
  EXPECT_TRUE(cached);
  const Visits visits = visits_of(read_progress(run / run_file::events));
  EXPECT_DOUBLE_EQ(training_cost(config, visits, 1e9, 0).cache, 2 * ToyPoolTask::items * ToyPoolTask::each);
}

}  // namespace
}  // namespace pairs
