// Whole steps as the stages run them, on the networks of the presets `small`, relative to the best float32 matrix
// product of the same process ("of_gemm").
#include <ATen/Functions.h>
#include <benchmark/benchmark.h>

#include <memory>

#include "core/base/fields/face.h"
#include "core/base/files/scratch_folder.h"
#include "core/heads/flow_matching_head.h"
#include "core/nn/adamw.h"
#include "core/train/stages/cache_writer.h"
#include "core/train/stages/stage_tools.h"
#include "tasks/registry.h"
#include "tests/bench/gemm_rate.h"

namespace pairs {
namespace {

constexpr std::uint64_t kStepSeed = 1;

struct SmallTask {
  explicit SmallTask(const std::string& name, std::vector<std::string> settings = {}) {
    settings.emplace_back("device=cpu");
    config = load_preset(built_in_tasks(), built_in_tasks()->make(name)->info(), "small", "pairs", settings);
    task = built_in_tasks()->make(name, config.task_options());
  }
  RunConfig config;
  std::shared_ptr<const Task> task;
};

void print(benchmark::State& state, std::int64_t items, double flop) {
  state.SetItemsProcessed(state.iterations() * items);
  if (flop <= 0) return;
  state.counters["GFLOP"] = 1e-9 * flop;
  state.counters["of_gemm"] =
      benchmark::Counter(flop / bench::best_gemm_rate(), benchmark::Counter::kIsIterationInvariantRate);
}

// Stage 1: simulate, embed, pool, loss, backward, AdamW.
void pretrain_step(benchmark::State& state, const char* name, std::int64_t batch) {
  const SmallTask small(name);
  Estimator estimator(small.task, small.config.estimator, kStepSeed);
  const SetSource source(small.task, kStepSeed, small.config.pretrain.sizes, 0, batch);
  std::map<std::string, torch::Tensor> parameters = estimator.embedder_parameters();
  parameters.merge(estimator.head_parameters());
  AdamW adam(parameters, {});
  estimator.train(true);
  std::int64_t step = 0;
  for (auto _ : state) {
    pretrain_loss(estimator, source.training(0, step++ * batch, batch, std::int64_t{1} << 30, torch::kCPU))
        .total()
        .backward();
    adam.step(1e-4);
    adam.zero_grad();
  }
  print(state, batch, 3 * static_cast<double>(batch) * (1.5 * estimator.embedder_flops() + estimator.head_flops()));
}
BENCHMARK_CAPTURE(pretrain_step, bump_hunt, "bump-hunt", 2048)->UseRealTime();
BENCHMARK_CAPTURE(pretrain_step, novel_view, "novel-view", 128)->UseRealTime();

// Stage 3, drawing from the cache included: on sets of n, or of the distribution's sizes for n = 0.
void finetune_step(benchmark::State& state, const char* name, const std::vector<std::string>& settings,
                   std::int64_t n) {
  constexpr std::int64_t kBatch = 128;
  const SmallTask small(name, settings);
  Estimator estimator(small.task, small.config.estimator, kStepSeed);
  const SizeDistribution distribution = size_distribution(small.config.finetune.size_distribution);
  const std::vector<CacheGroup> groups =
      plan_groups(small.config.cache, distribution == SizeDistribution::list, small.task->stored());
  const ScratchFolder folder;
  const auto file = folder / "aggregates.cache";
  write_cache(
      file, estimator, groups, kStepSeed, 0, 0, [] { return false; }, [](const CacheProgress&) {});
  AggregateCache cache(file, estimator, kStepSeed, 0);
  prepare_finetuning(estimator, small.config, cache);
  AdamW adam(estimator.head_parameters(), AdamW::Options());
  estimator.train(true);
  AggregateSampler sampler(groups, distribution, n, kStepSeed);
  std::uint64_t position = 0;
  for (auto _ : state) {
    AggregateBatch batch = sampler.draw(cache, false, position++, kBatch);
    cache.recall(batch);
    finetune_loss(estimator, 0, batch).total().backward();
    adam.step(1e-4);
    adam.zero_grad();
  }
  print(state, kBatch, 3 * kBatch * estimator.head_flops());
}
BENCHMARK_CAPTURE(finetune_step, bump_hunt, "bump-hunt", {"cache.sets=2000"}, 0)->UseRealTime();
BENCHMARK_CAPTURE(finetune_step, novel_view, "novel-view", {"cache.sets=40"}, 0)->UseRealTime();
// Fine-tuning steps at the smallest and the largest N.
const std::vector<std::string> kBothEnds = {"embedder.size=64",
                                            "cache.mode=\"fixed\"",
                                            "cache.sizes=[2,100000]",
                                            "cache.sets=[640,40]",
                                            "finetune.size_distribution=\"list\"",
                                            "finetune.heads=\"amortized\""};
BENCHMARK_CAPTURE(finetune_step, gaussian_2, "gaussian", kBothEnds, 2)->UseRealTime();
BENCHMARK_CAPTURE(finetune_step, gaussian_100000, "gaussian", kBothEnds, 100000)->UseRealTime();

Observations first_set(const Task& task, std::int64_t count) {
  const std::int64_t indices[] = {0};
  const SetRange ranges[] = {{0, 0, count}};
  return task.observe(task.latents(kStepSeed, Purpose::check, indices), kStepSeed, Purpose::check, ranges, torch::kCPU);
}

void embed(benchmark::State& state, const char* name, std::int64_t count) {
  const SmallTask small(name, {"embedder.size=128"});
  Estimator estimator(small.task, small.config.estimator, kStepSeed);
  estimator.train(false);
  const Observations x = first_set(*small.task, count);
  for (auto _ : state) benchmark::DoNotOptimize(estimator.embed(x));
  print(state, count, static_cast<double>(count) * estimator.embedder_flops());
}
BENCHMARK_CAPTURE(embed, bump_hunt, "bump-hunt", 200000)->UseRealTime();
BENCHMARK_CAPTURE(embed, digits, "digits", 1000)->UseRealTime();

// Samples of parameters for each of many sets, or of images in the preset's steps of the velocity.
void sample(benchmark::State& state, const char* name, std::int64_t sets, std::int64_t draws) {
  const SmallTask small(name);
  Estimator estimator(small.task, small.config.estimator, kStepSeed);
  estimator.train(false);
  const torch::Tensor aggregates = torch::zeros({sets, estimator.embedding_size()}, torch::kFloat64);
  const torch::Tensor n = torch::full({sets}, 100, torch::kInt64);
  const std::int64_t indices[] = {0};
  const torch::Tensor given = small.task->latents(kStepSeed, Purpose::check, indices).given;
  for (auto _ : state) benchmark::DoNotOptimize(estimator.sample(aggregates, n, draws, 1, given));
  const bool stepped = face<SteppedSampler>(estimator.head(100)) != nullptr;
  const auto steps = static_cast<double>(small.config.estimator.head.of<FlowMatchingHead::Settings>().steps);
  print(state, sets * draws, stepped ? static_cast<double>(sets * draws) * steps * estimator.head_flops() : 0);
}
BENCHMARK_CAPTURE(sample, bump_hunt, "bump-hunt", 100, 1000)->UseRealTime();
BENCHMARK_CAPTURE(sample, novel_view, "novel-view", 1, 8)->UseRealTime();

void exact_posterior(benchmark::State& state) {
  const auto task = built_in_tasks()->make("bump-hunt");
  const Observations x = first_set(*task, 100);
  for (auto _ : state) {
    const auto reference = task->reference("exact");
    reference->add(x);
    benchmark::DoNotOptimize(reference->mean());
  }
}
BENCHMARK(exact_posterior)->UseRealTime();

}  // namespace
}  // namespace pairs
