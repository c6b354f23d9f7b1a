#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cmath>

#include "core/aggregate.h"
#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/load.h"
#include "core/nn/adamw.h"
#include "core/ops/ops.h"
#include "core/train/set_gradients.h"
#include "core/train/stage_tools.h"

namespace pairs {
namespace {

// What is timed is cut to so many observations and floating-point operations and scaled, so that asking costs about a
// second and a request to stop is heard: a set of at most so many observations, and heads no heavier than that.
constexpr double kTimedObservations = 1024, kTimedFlops = 2e9, kHeaviest = 15e9;
constexpr std::int64_t kTimedSize = 16;
// A training step costs three forward passes.
constexpr double kStep = 3;

// Seconds of one call: one to warm up, then the quickest of those that a third of a second holds, at most ten. The
// quickest tells least of what else the machine does.
template <class F>
double seconds_each(const std::function<bool()>& stop, F&& call) {
  const auto check = [&] {
    if (stop && stop()) throw Stopped();
  };
  check();
  const Stopwatch watch;
  call();
  double least = watch.seconds();
  if (least > 1) return least;
  const double warm = watch.seconds();
  for (int calls = 0; calls == 0 || (watch.seconds() - warm < 0.3 && calls < 10); ++calls) {
    check();
    const double begin = watch.seconds();
    call();
    const double one = watch.seconds() - begin;
    least = calls == 0 ? one : std::min(least, one);
  }
  return least;
}

std::int64_t within(double wanted, std::int64_t most) {
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(std::min(wanted, 1e15)), 1, most);
}

}  // namespace

Expectation expect(const RunConfig& config, const std::function<bool()>& stop) {
  const LoadMeter load;
  const StageSetting setting(config);
  Estimator estimator(setting.task, config.estimator, setting.seed);
  estimator.to(setting.device);
  const SetSource source(setting.task, setting.seed, config.pretrain.sizes, config.pretrain.budget,
                         config.pretrain.validation_sets);
  const PretrainPlan plan = plan_pretraining(config, source);
  double mean_size = 0;
  for (std::int64_t n : config.pretrain.sizes) mean_size += static_cast<double>(n);
  mean_size /= static_cast<double>(config.pretrain.sizes.size());
  const double embedder = estimator.embedder_flops(), head = estimator.head_flops();
  const double set = mean_size * embedder + head;
  const std::int64_t d = cached_targets(setting.task->info());
  // A head too heavy to be timed counts by its operations, at the embedder's pace.
  const bool heavy = kStep * head > kHeaviest && !setting.device.is_cuda();

  Expectation e{};
  double pace = 0;  // seconds an operation of a training step
  {
    const std::int64_t size = within(std::round(mean_size), kTimedSize);
    const double timed = static_cast<double>(size) * embedder + (heavy ? 0 : head);
    const std::int64_t batch =
        within(std::min(kTimedObservations / static_cast<double>(size), kTimedFlops / (kStep * timed)), plan.batch);
    const SetSource sets(setting.task, setting.seed, {size}, 0, 1);
    std::map<std::string, torch::Tensor> parameters = estimator.embedder_parameters();
    if (!heavy) parameters.merge(estimator.head_parameters());
    AdamW adam(parameters, {});
    estimator.train(true);
    std::int64_t step = 0;
    const double one = seconds_each(stop, [&] {
      const SetBatch drawn = sets.timed(step++ * batch, batch, setting.device);
      if (heavy)
        ops::segment_mean(estimator.embedder().forward(drawn.x), drawn.offsets).sum().backward();
      else
        set_gradients(estimator, sets, drawn, 0, drawn.observations, {});
      adam.step(0);
      adam.zero_grad();
    });
    pace = one / (kStep * static_cast<double>(batch) * timed);
    const double steps = static_cast<double>(plan.epochs * plan.steps), sets_a_step = static_cast<double>(plan.batch);
    // In parts a batch goes through the embedder once more.
    const bool parted = sets_a_step * mean_size > static_cast<double>(estimator.observations_in_graph());
    const double validation = static_cast<double>(plan.epochs * source.validation_sets());
    const double flops = steps * sets_a_step * (kStep * set + (parted ? mean_size * embedder : 0));
    e.pretrain_seconds = pace * (flops + validation * set);
    e.gflop = 1e-9 * flops;
  }
  const auto finish = [&] {
    e.others = load.others();
    e.cores = load.cores();
    return e;
  };
  if (!strategy(config.strategy).stages_2_and_3) return finish();

  at::NoGradGuard no_grad;
  estimator.train(false);
  const auto groups = plan_groups(config.cache, config.finetune.law == "list", setting.task->stored());
  double observations = 0, refreshed = 0;
  for (const CacheGroup& g : groups) {
    observations += static_cast<double>((g.training + g.validation) * g.observations());
    refreshed += static_cast<double>(g.training * g.observations());
  }
  const std::int64_t heads = config.finetune.heads == "per-n" ? static_cast<std::int64_t>(groups.size()) : 1;
  // One head among several simulates its own group again.
  if (config.cache.refresh > 0)
    observations += refreshed * static_cast<double>((config.finetune.epochs - 1) / config.cache.refresh);
  if (setting.task->info().pool > 0) observations = setting.task->info().pool;
  const std::int64_t chunk = within(kTimedFlops / embedder, estimator.observations_at_once());
  const std::vector<std::int64_t> index = {0}, block = {chunk};
  const Latents latents = setting.task->latents(setting.seed, Purpose::check, index);
  const double embed = seconds_each(
      stop, [&] { block_sums(estimator, latents, setting.seed, Purpose::check, index, block, {.chunk = chunk}); });
  e.cache_seconds = embed * observations / static_cast<double>(chunk);
  e.cache_bytes = cache_bytes(groups, estimator.embedding_size(), d) * (config.cache.refresh > 0 ? 2 : 1);
  e.gflop += 1e-9 * observations * embedder;
  {
    const double steps = static_cast<double>(heads * config.finetune.epochs * finetune_steps(config, groups));
    const double sets_a_step = static_cast<double>(config.finetune.batch);
    const double validation = static_cast<double>(heads * config.finetune.epochs * config.finetune.validation_draws);
    const double flops = steps * sets_a_step * kStep * head;
    e.gflop += 1e-9 * flops;
    if (!heavy) {
      at::AutoGradMode grad(true);
      estimator.train(true);
      AdamW adam(estimator.head_parameters(), {});
      const std::int64_t rows = within(kTimedFlops / (kStep * head), config.finetune.batch);
      const std::vector<std::int64_t> sets(static_cast<std::size_t>(rows), 0);
      // An estimate may be made while a run trains: what it draws is its own.
      at::Generator generator = at::detail::createCPUGenerator(1);
      AggregateBatch random{
          {}, at::randn({rows, estimator.embedding_size()}, generator), at::ones({rows}, torch::kInt64)};
      const auto recall = [&] {
        const Latents drawn = setting.task->latents(setting.seed, Purpose::check, sets);
        random.theta = drawn.theta;
        random.given = drawn.given;
      };
      recall();
      const double one = seconds_each(stop, [&] {
        if (d == 0) recall();
        finetune_loss(estimator, 0, random).total().backward();
        adam.step(0);
        adam.zero_grad();
      });
      pace = one / (kStep * static_cast<double>(rows) * head);
    }
    e.finetune_seconds = pace * (flops + validation * head);
  }
  return finish();
}

}  // namespace pairs
