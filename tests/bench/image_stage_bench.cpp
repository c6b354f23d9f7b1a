#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "core/nn/adamw.h"
#include "core/train/stages/cache_writer.h"
#include "core/train/stages/stage_tools.h"
#include "tasks/registry.h"
#include "tests/core/base/temporary_folder.h"
#include "tests/core/train/toy_image_task.h"

namespace {

using namespace pairs;

// Stage 3 of a task with image targets: 100 views of a set, embedded one by one when the cache was made.
struct ImageStage {
  ImageStage(std::shared_ptr<const Task> task, const EstimatorConfig& settings)
      : estimator(std::move(task), settings, 1), adam(parameters(), AdamW::Options()) {
    CacheConfig config;
    config.sizes = {2, 100};
    config.sets = {200, 200};
    config.pieces = 100;
    config.oversample = 1;
    const auto groups = plan_groups(config, false);
    const auto file = folder / "aggregates.cache";
    write_cache(
        file, estimator, groups, 1, 0, 0, [] { return false; }, [](const CacheProgress&) {});
    cache = std::make_unique<AggregateCache>(file, estimator, 1, 0);
    estimator.set_statistics(cache->statistics(), false, 0);
    estimator.train(true);
    for (const CacheGroup& group : groups) samplers.emplace_back(groups, SizeDistribution::list, group.n, 1);
  }
  std::map<std::string, torch::Tensor> parameters() { return estimator.head_parameters(); }
  // One step on sets of 2 (k = 0) or of 100 (k = 1), drawing from the cache included.
  void step(std::size_t k) {
    AggregateBatch batch = samplers[k].draw(*cache, false, position++, 64);
    cache->recall(batch);
    finetune_loss(estimator, 0, batch).total().backward();
    adam.step(1e-4);
    adam.zero_grad();
  }

  TemporaryFolder folder;
  Estimator estimator;
  AdamW adam;
  std::unique_ptr<AggregateCache> cache;
  std::vector<AggregateSampler> samplers;
  std::uint64_t position = 0;
};

// A step at N = 100 over one at N = 2: the two take turns, so that a busy machine slows both alike. "ratio" is that of
// the medians; at most 1.05 is wanted.
void finetune_100_over_2(benchmark::State& state, bool views) {
  EstimatorConfig settings = toy_image_estimator();
  std::shared_ptr<const Task> task = std::make_shared<ToyImageTask>();
  if (views) {
    const RunConfig small =
        load_preset(built_in_tasks(), built_in_tasks()->make("novel-view")->info(), "small", "pairs", {});
    settings = small.estimator;
    task = built_in_tasks()->make(small.task, small.task_options());
  }
  ImageStage stage(task, settings);
  std::vector<double> times[2];
  for (int k = 0; k < 4; ++k) stage.step(static_cast<std::size_t>(k % 2));
  for (auto _ : state)
    for (std::size_t k = 0; k < 2; ++k) {
      const auto begin = std::chrono::steady_clock::now();
      stage.step(k);
      times[k].push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    }
  for (auto& one : times)
    std::nth_element(one.begin(), one.begin() + static_cast<std::ptrdiff_t>(one.size() / 2), one.end());
  const double small = times[0][times[0].size() / 2], large = times[1][times[1].size() / 2];
  state.counters["ms_at_2"] = 1e3 * small;
  state.counters["ms_at_100"] = 1e3 * large;
  state.counters["ratio"] = large / small;
}
BENCHMARK_CAPTURE(finetune_100_over_2, toy, false)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(finetune_100_over_2, views, true)->Unit(benchmark::kMillisecond)->UseRealTime()->MinTime(20);

}  // namespace
