#include "core/train/stages/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>
#include <set>

#include "core/eval/evaluate/evaluate.h"
#include "core/train/run/run.h"
#include "core/train/stages/expected_time.h"
#include "tasks/registry.h"
#include "tests/core/base/temporary_folder.h"
#include "tests/core/train/test_monitor.h"
#include "tests/core/train/toy_library.h"
#include "tests/core/train/toy_task.h"

namespace pairs {
namespace {

// Notes which sets of which purpose are observed, and how much of each.
class RecordingTask final : public ToyTask {
 public:
  Observations observe(const Latents& latents, std::uint64_t, Purpose purpose, std::span<const SetRange> ranges,
                       const torch::Device& device) const override {
    std::int64_t total = 0;
    {
      const std::lock_guard guard(mutex_);
      auto& seen = observed_[purpose];
      for (const SetRange& range : ranges) {
        std::int64_t& most = seen[range.index];
        most = std::max(most, range.first + range.count);
        total += range.count;
      }
    }
    const torch::Tensor count = torch::empty({static_cast<std::int64_t>(ranges.size())}, torch::kInt64);
    for (std::size_t k = 0; k < ranges.size(); ++k) count.mutable_data_ptr<std::int64_t>()[k] = ranges[k].count;
    const torch::Tensor ripple = torch::arange(total, torch::kFloat32).mul(0.7f).sin().unsqueeze(1);
    return (latents.theta.to(torch::kFloat32).repeat_interleave(count, 0) + ripple).to(device);
  }

  using Seen = std::map<std::int64_t, std::int64_t>;
  const std::map<Purpose, Seen>& observed() const { return observed_; }

 private:
  mutable std::mutex mutex_;
  mutable std::map<Purpose, Seen> observed_;
};

class PlanTest : public ::testing::Test {
 protected:
  // The preset with what it does, in the amounts of a test.
  static RunConfig shrunk(const std::string& name, const std::string& preset, const std::string& strategy) {
    RunConfig c = preset_values(built_in_tasks(), built_in_tasks()->make(name)->info(), preset, strategy);
    constexpr std::int64_t kLargest = 1000;  // of the toy
    c.task_settings = {};
    c.device = "cpu";
    c.threads = 2;
    c.estimator = toy_estimator();
    PretrainConfig& p = c.pretrain;
    p.from = p.curriculum = "";
    p.rotate = false;
    if (p.sizes.empty()) p.sizes = {20};
    for (std::int64_t& n : p.sizes) n = std::min<std::int64_t>(n, 50);
    const std::int64_t largest = *std::max_element(p.sizes.begin(), p.sizes.end());
    p.epochs = std::min<std::int64_t>(p.epochs, 2);
    p.steps = p.budget > 0 ? 4 : 2;  // a whole pass of the sets that come again
    p.batch = 10;
    if (p.budget > 0) p.budget = 50 * largest;
    p.validation_sets = 30;
    p.patience = c.finetune.patience = 0;
    CacheConfig& k = c.cache;
    std::vector<std::int64_t> sizes;
    for (const std::int64_t n : k.sizes)
      if (n <= kLargest) sizes.push_back(n);
    if (sizes.empty()) sizes = {kLargest};
    k.sizes = sizes;
    k.sets = {30};
    c.finetune.epochs = 3;
    if (k.refresh > 0) k.refresh = std::min<std::int64_t>(k.refresh, 2);
    c.finetune.steps = 2;
    c.finetune.batch = 8;
    c.finetune.validation_draws = 16;
    c.evaluate = {{1, 10, 40}, {7, 5, 3}, 19};
    if (c.finetune.heads == "per-n") c.evaluate = {k.sizes, {7}, 19};
    return c;
  }

  TemporaryFolder folder_;
};

// Runs all stages and the evaluation, and compares what they observed with what was expected.
void expect_expected(RunConfig config, const std::filesystem::path& folder, const std::string& what) {
  const auto task = std::make_shared<RecordingTask>();
  config.tasks = std::make_shared<ToyLibrary>(task);
  config.task = task->info().name;
  const std::vector<SetDemand> demands = set_demands(config, task);
  EXPECT_TRUE(task->observed().empty()) << "nothing is drawn to foretell it";
  const auto run = create_run(config, folder);
  TestMonitor monitor;
  execute_run(config.tasks, run, monitor);
  LoadedRun loaded = load_run(config.tasks, run.string());
  EvaluationOptions options;
  options.sizes = config.evaluate.sizes;
  options.sets = config.evaluate.sets;
  options.samples = 19;
  options.exact = false;
  evaluate(*loaded.estimator, options);

  std::map<Purpose, RecordingTask::Seen> left = task->observed();
  for (const SetDemand& demand : demands) {
    if (demand.purpose == Purpose::test) continue;
    RecordingTask::Seen& seen = left[demand.purpose];
    const auto begin = seen.lower_bound(demand.first), end = seen.lower_bound(demand.end);
    EXPECT_EQ(std::distance(begin, end), demand.sets) << what << ": " << demand.use;
    std::int64_t most = 0;
    for (auto one = begin; one != end; ++one) most = std::max(most, one->second);
    EXPECT_EQ(most, demand.n) << what << ": " << demand.use;
    seen.erase(begin, end);
  }
  // Evaluations share their first sets: the most at each index is of the largest size that takes it.
  for (const auto& [index, most] : left[Purpose::test]) {
    std::int64_t expected = 0;
    for (const SetDemand& demand : demands)
      if (demand.purpose == Purpose::test && index < demand.sets) expected = std::max(expected, demand.n);
    EXPECT_EQ(most, expected) << what << ": test set " << index;
  }
  EXPECT_EQ(left[Purpose::test].size(), 7u);
  left.erase(Purpose::test);
  for (const auto& [purpose, seen] : left)
    EXPECT_TRUE(seen.empty()) << what << ": " << seen.size() << " sets of purpose " << static_cast<int>(purpose)
                              << " that nobody foretold, the first " << (seen.empty() ? 0 : seen.begin()->first);
}

TEST_F(PlanTest, TellsWhatTheStagesOfEveryPresetDraw) {
  std::vector<std::pair<std::string, RunConfig>> all;
  for (const std::string& name : built_in_tasks()->names())
    for (const std::string& preset : preset_names())
      all.emplace_back(name + "-" + preset, shrunk(name, preset, "pairs"));
  for (const char* strategy : {"n1", "n1-10", "e2e", "gaussian"})
    all.emplace_back(strategy, shrunk("gaussian", "small", strategy));
  all.emplace_back("n1-10-budget", shrunk("digits", "quick", "n1-10"));
  RunConfig refreshed = shrunk("bump-hunt", "quick", "pairs");
  refreshed.cache.refresh = 1;
  all.emplace_back("refreshed", refreshed);
  for (const auto& [what, config] : all) expect_expected(config, folder_ / what, what);
}

TEST_F(PlanTest, TellsHowManySetsToStore) {
  const auto task = built_in_tasks()->make("bump-hunt");
  const RunConfig config = load_preset(built_in_tasks(), task->info(), "quick", "pairs", {});
  const std::vector<SetsToStore> rows = sets_to_store(set_demands(config, task));
  ASSERT_EQ(rows.size(), 2u);
  // 15 epochs of 200 steps of 1,024 sets, three in five of those that are stored.
  EXPECT_EQ(rows[0].n, 2);
  EXPECT_EQ(rows[0].sets, 15 * 200 * 1024 * 5 / 3);
  EXPECT_EQ(rows[0].use, "stage 1; evaluation") << "of N = 1 and 2";
  // 48,000 training sets are three in five of 80,000, 12,000 validation sets one in five of 60,000; 2,000 are
  // evaluated.
  EXPECT_EQ(rows[1].n, plan_groups(config.cache, false)[0].observations());
  EXPECT_EQ(rows[1].sets, 80000);
  EXPECT_EQ(rows[1].use, "stages 2 and 3, N up to 100; stage 2, standardizer; evaluation");
}

}  // namespace
}  // namespace pairs
