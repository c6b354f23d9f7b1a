#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cmath>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/eval/aggregate.h"
#include "core/nn/adamw.h"
#include "core/train/stage_tools.h"

namespace pairs {
namespace {

// Seconds of one call: one to warm up, then the quickest of those that a third of a second holds, at most ten. The
// quickest tells least of what else the machine does.
template <class F>
double seconds_each(const std::function<bool()>& stop, F&& call) {
  const auto check = [&] {
    if (stop && stop()) throw Stopped();
  };
  check();
  call();
  const Stopwatch watch;
  double least = INFINITY;
  int calls = 0;
  do {
    check();
    const double begin = watch.seconds();
    call();
    least = std::min(least, watch.seconds() - begin);
    ++calls;
  } while (watch.seconds() < 0.3 && calls < 10);
  return least;
}

}  // namespace

Expectation expect(const RunConfig& config, const std::function<bool()>& stop) {
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
  const std::int64_t d = cached_targets(setting.task->info());

  Expectation e{};
  // Steps are timed on a batch of at most 1,024 observations and scaled, so that asking costs about a second.
  const auto kinds = static_cast<std::int64_t>(config.pretrain.sizes.size());
  const std::int64_t fits = std::max(kinds, static_cast<std::int64_t>(1024.0 / mean_size));
  const std::int64_t batch = std::min(plan.batch, fits);
  {
    std::map<std::string, torch::Tensor> parameters = estimator.embedder_parameters();
    parameters.merge(estimator.head_parameters());
    AdamW adam(parameters, {});
    std::int64_t step = 0;
    estimator.train(true);
    const double one = seconds_each(stop, [&] {
      pretrain_loss(estimator, source.training(0, step++ * batch, batch, 1 << 20, setting.device)).total().backward();
      adam.step(0);
      adam.zero_grad();
    });
    const double scale = static_cast<double>(plan.batch) / static_cast<double>(batch);
    const double steps = static_cast<double>(plan.epochs * plan.steps);
    // A validation pass costs a forward, about a third of a training step a set.
    const double validation =
        static_cast<double>(plan.epochs * source.validation_sets()) / static_cast<double>(batch) / 3;
    e.pretrain_seconds = one * (scale * steps + validation);
    e.gflop = 3e-9 * steps * static_cast<double>(plan.batch) * (mean_size * embedder + head);
  }
  if (!strategy(config.strategy).stages_2_and_3) return e;

  at::NoGradGuard no_grad;
  estimator.train(false);
  const auto groups = plan_groups(config.cache, config.finetune.law == "list");
  double observations = 0, refreshed = 0;
  for (const CacheGroup& g : groups) {
    observations += static_cast<double>((g.training + g.validation) * g.observations());
    refreshed += static_cast<double>(g.training * g.observations());
  }
  const std::int64_t heads = config.finetune.heads == "per-n" ? static_cast<std::int64_t>(groups.size()) : 1;
  // One head among several simulates its own group again.
  if (config.cache.refresh > 0)
    observations += refreshed * static_cast<double>((config.finetune.epochs - 1) / config.cache.refresh);
  const std::int64_t chunk = setting.task->info().kind == ObservationKind::image ? 256 : 65536;
  const std::vector<std::int64_t> index = {0}, block = {chunk};
  const Latents latents = setting.task->latents(setting.seed, Purpose::check, index);
  const double embed = seconds_each(
      stop, [&] { block_sums(estimator, latents, setting.seed, Purpose::check, index, block, {.chunk = chunk}); });
  e.cache_seconds = embed * observations / static_cast<double>(chunk);
  e.cache_bytes = cache_bytes(groups, estimator.embedding_size(), d) * (config.cache.refresh > 0 ? 2 : 1);
  e.gflop += 1e-9 * observations * embedder;
  {
    at::AutoGradMode grad(true);
    estimator.train(true);
    AdamW adam(estimator.head_parameters(), {});
    const std::int64_t rows = config.finetune.batch;
    const std::vector<std::int64_t> sets(static_cast<std::size_t>(rows), 0);
    AggregateBatch random{{}, at::randn({rows, estimator.embedding_size()}), at::ones({rows}, torch::kInt64)};
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
    const double steps = static_cast<double>(heads * config.finetune.epochs * finetune_steps(config, groups));
    const double validation = static_cast<double>(heads * config.finetune.epochs * config.finetune.validation_draws) /
                              static_cast<double>(rows) / 3;
    e.finetune_seconds = one * (steps + validation);
    e.gflop += 3e-9 * steps * static_cast<double>(rows) * head;
  }
  return e;
}

}  // namespace pairs
