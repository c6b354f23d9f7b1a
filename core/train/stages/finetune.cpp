#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "core/base/fields/face.h"
#include "core/base/files/safetensors.h"
#include "core/base/gpu/transfer.h"
#include "core/base/text/error.h"
#include "core/base/threads/clock.h"
#include "core/sets/amounts.h"
#include "core/sets/index_map.h"
#include "core/train/run/rank_monitor.h"
#include "core/train/run/run.h"
#include "core/train/stages/learned.h"
#include "core/train/stages/refreshing_cache.h"
#include "core/train/stages/slot_gradients.h"
#include "core/train/stages/stage_tools.h"
#include "core/train/steps/linear_start.h"
#include "core/train/steps/recorded_steps.h"
#include "core/train/steps/regression_sigma.h"

namespace pairs {
namespace {

// Removes files that stage 3 no longer needs once its estimator is written; a killed session may have left them.
void remove_leftovers(const std::filesystem::path& run, bool writes) {
  if (!writes) return;
  std::filesystem::remove(run / run_file::resume);
  std::filesystem::remove(run / run_file::partial);
  std::filesystem::remove(run / run_file::pool);
  remove_later_caches(run, {});
}

// The state of a run with one head per N between two heads: all weights so far, and values for its final event.
struct HeadsDone {
  std::size_t heads = 0;
  std::int64_t epochs = 0, refreshes = 0;
  OptimizeResult last;

  void save(const std::filesystem::path& file, const Estimator& estimator) const {
    const auto exact = [](double value) { return fmt::format("{:a}", value); };
    write_safetensors(file, {estimator.state(),
                             {{"heads_done", std::to_string(heads)},
                              {"epochs", std::to_string(epochs)},
                              {"refreshes", std::to_string(refreshes)},
                              {"last_epochs", std::to_string(last.epochs)},
                              {"best_epoch", std::to_string(last.best_epoch)},
                              {"train", exact(last.train)},
                              {"validation", exact(last.validation)},
                              {"seconds", exact(last.seconds)}}});
  }
  void load(const std::filesystem::path& file, Estimator& estimator) {
    const TensorFile content = read_safetensors(file);
    estimator.load_state(content.tensors);
    try {
      const auto& meta = content.metadata;
      heads = std::stoul(meta.at("heads_done"));
      epochs = std::stoll(meta.at("epochs"));
      refreshes = std::stoll(meta.at("refreshes"));
      last = {std::stod(meta.at("train")), std::stod(meta.at("validation")), std::stoll(meta.at("best_epoch")),
              std::stoll(meta.at("last_epochs")), std::stod(meta.at("seconds"))};
    } catch (const std::logic_error&) {
      fail("{} is damaged; remove it to train the heads again", file.string());
    }
  }
};

// Unions of held-out cached sets whose distances define the scale of typicality.
constexpr std::int64_t kTypicalityDraws = 16384, kFewestTypicalityDraws = 4096;
constexpr std::int64_t kMostTypicalityNumbers = std::int64_t{1} << 24;  // numbers in their θ

// The N for which the spread of stage 1's regression is fitted: those of the cache, and those of the evaluation that
// the cache can make.
std::set<std::int64_t> spread_sizes(const RunConfig& config) {
  std::set<std::int64_t> sizes(config.cache.sizes.begin(), config.cache.sizes.end());
  if (config.cache.mode == "blocks")
    for (const std::int64_t n : config.evaluate.sizes)
      if (n <= config.cache.sizes.back()) sizes.insert(n);
  return sizes;
}

// The training of stage 3's heads: one head for all N, or one head per N, one after another.
struct HeadTraining {
  const RunConfig& config;
  const StageSetting& setting;
  Estimator& estimator;
  RefreshingCache& cache;
  Monitor& monitor;
  std::int64_t steps;  // per epoch

  AggregateSampler sampler(std::int64_t head_n) const {
    return AggregateSampler(cache.first().groups(), size_distribution(config.finetune.size_distribution), head_n,
                            setting.seed, estimator.pool_pointer());
  }

  // Mean loss of aggregates drawn from the first generation.
  double validation_loss(std::int64_t head_n, const AggregateBatch& held_out) const {
    estimator.train(false);
    const std::int64_t all = held_out.n.size(0), part = head_rows_at_once(setting.task->info().target_size());
    const std::vector<double> losses = shared_values(monitor, (all + part - 1) / part, [&](std::int64_t k) {
      const std::int64_t first = k * part, last = std::min(first + part, all);
      AggregateBatch rows = held_out.slice(first, last);
      cache.first().recall(rows);
      return finetune_loss(estimator, head_n, rows).value.item<double>() * static_cast<double>(last - first);
    });
    return std::accumulate(losses.begin(), losses.end(), 0.0) / static_cast<double>(all);
  }

  // The optimization of one head; sampler, held-out aggregates, slots and recorded steps must outlive it.
  Problem problem(std::int64_t head_n, const AggregateSampler& sampler, const AggregateBatch& held_out,
                  SlotGradients& slots, RecordedSteps& recorded) const {
    Problem problem;
    problem.stage = Stage::finetune;
    problem.head_n = head_n;
    problem.optimizer = config.finetune;
    problem.epochs = config.finetune.epochs;
    problem.steps = steps;
    problem.device = setting.device;
    problem.parameters = estimator.head_parameters(head_n);
    problem.begin_epoch = [this, head_n](std::int64_t epoch, const std::function<void()>& save) {
      cache.begin_epoch(head_n, epoch, save);
    };
    problem.gradients = [this, &slots, &recorded, &sampler](std::int64_t epoch, std::int64_t step,
                                                            std::uint64_t step_key) {
      estimator.train(true);
      const auto position = static_cast<std::uint64_t>(epoch * steps + step);
      const AggregateBatch batch = sampler.draw(cache.training(), false, position, config.finetune.batch);
      return slots.gradients(config.finetune.batch, step_key, [&](const RowRange& rows, std::uint64_t key) {
        AggregateBatch part = batch.slice(rows.first, std::min(rows.last, config.finetune.batch));
        cache.training().recall(part);
        return head_gradients(estimator, part, key, recorded);
      });
    };
    problem.validate = [this, head_n, &held_out](std::int64_t) { return validation_loss(head_n, held_out); };
    const std::int64_t shown_n = head_n > 0 ? head_n : config.cache.sizes.back();
    problem.preview = [this, shown_n] { show_preview(monitor, Stage::finetune, shown_n, estimator); };
    return problem;
  }

  ScoredSets scored(AggregateBatch held_out) const {
    cache.first().recall(held_out);
    return {held_out.theta, held_out.aggregates, held_out.n, held_out.given};
  }

  OptimizeResult train(std::int64_t head_n, const std::filesystem::path& run) const {
    const AggregateSampler draws = sampler(head_n);
    const AggregateBatch held_out =
        draws.draw(cache.first(), true, index_map::kValidationPosition, config.finetune.validation_draws);
    RecordedSteps recorded =
        recorded_head_steps(estimator, head_n, setting.recorded, not_recorded(Stage::finetune, monitor));
    SlotGradients slots(estimator.head_parameters(head_n), config.slots, monitor);
    Problem head = problem(head_n, draws, held_out, slots, recorded);
    const OptimizeResult result = optimize(head, run, config, monitor);
    estimator.train(false);
    if (face<ResidualSpread>(estimator.head(head_n)) != nullptr)
      fit_regression_sigma(estimator, head_n, scored(held_out));
    return result;
  }

  // Fits the spread of a regression that stage 3 leaves unchanged, for each N that is evaluated or cached: on the
  // held-out sets of stage 1 and of the cache.
  OptimizeResult fit_spread(const std::function<bool()>& stop) const {
    constexpr std::int64_t kSetsEach = 2000;
    const Stopwatch watch;
    const SetSource source(setting.task, setting.seed, config.pretrain.sizes, finite_sets(config.pretrain),
                           config.pretrain.validation_sets);
    const ScoredSets first = held_out_sets(estimator, source, kSigmaSets, setting.device, stop);
    std::vector<torch::Tensor> theta = {first.theta}, aggregates = {first.aggregates.to(torch::kCPU)}, n = {first.n},
                               given;
    if (first.given.defined()) given.push_back(first.given);
    const AggregateSampler draws = sampler(0);
    std::uint64_t position = index_map::kValidationPosition + 2;
    for (const std::int64_t size : spread_sizes(config)) {
      if (stop()) throw Stopped();
      const ScoredSets more = scored(draws.draw(cache.first(), true, position++, kSetsEach, size));
      theta.push_back(more.theta);
      aggregates.push_back(more.aggregates);
      n.push_back(more.n);
      if (more.given.defined()) given.push_back(more.given);
    }
    OptimizeResult result;
    result.train = result.validation = fit_regression_sigma(
        estimator, 0,
        {at::cat(theta), at::cat(aggregates), at::cat(n), given.empty() ? torch::Tensor() : at::cat(given)});
    result.seconds = watch.seconds();
    return result;
  }

  // The gain over the prior on held-out sets, each used once.
  PriorGain gain(const std::function<bool()>& stop) const {
    const AggregateBatch drawn =
        sampler(0).draw(cache.first(), true, index_map::kTypicalityPosition, prior_gain_sets(estimator));
    std::set<std::int64_t> seen;
    std::vector<std::int64_t> rows;
    for (std::int64_t i = 0; i < drawn.n.size(0); ++i)
      if (seen.insert(drawn.index[i].item<std::int64_t>()).second) rows.push_back(i);
    const torch::Tensor once = torch::tensor(rows, torch::kInt64);
    const auto pick = [&](const torch::Tensor& t) { return t.defined() ? t.index_select(0, once) : t; };
    ScoredSets sets =
        scored({pick(drawn.theta), pick(drawn.aggregates), pick(drawn.n), pick(drawn.given), pick(drawn.index)});
    // A union of blocks may be slightly smaller than its head's N.
    if (const std::vector<std::int64_t> own = estimator.sizes(); !own.empty())
      for (std::int64_t i = 0; i < sets.n.size(0); ++i)
        sets.n[i] = *std::lower_bound(own.begin(), own.end(), sets.n[i].item<std::int64_t>());
    return prior_gain(estimator, sets, stop);
  }

  // Measures how far held-out sets lie from the training distribution: the scale for observed sets.
  void measure_distance() const {
    const std::int64_t draws = std::clamp(kMostTypicalityNumbers / setting.task->info().target_size(),
                                          kFewestTypicalityDraws, kTypicalityDraws);
    const AggregateBatch held_out = sampler(0).draw(cache.first(), true, index_map::kTypicalityPosition, draws);
    AggregateStatistics statistics = estimator.statistics();
    const torch::Tensor levels = at::linspace(0, 1, 101, torch::kFloat64);
    statistics.distance = at::quantile(estimator.typicality(held_out.aggregates, held_out.n).distance, levels);
    estimator.set_statistics(statistics, false, 0);
  }
};

}  // namespace

std::int64_t finetune_steps(const RunConfig& config, const std::vector<CacheGroup>& groups) {
  if (keeps_regression(config)) return 0;
  std::int64_t sets = 0;
  for (const CacheGroup& g : groups) sets += g.training;
  // Each head passes over one group; groups of unequal size share the mean.
  if (config.finetune.heads == "per-n") sets /= static_cast<std::int64_t>(groups.size());
  const std::int64_t pass = std::max<std::int64_t>(1, sets / config.finetune.batch);
  return config.finetune.steps > 0 ? config.finetune.steps : pass;
}

void prepare_finetuning(Estimator& estimator, const RunConfig& config, const AggregateCache& cache) {
  const auto seed = static_cast<std::uint64_t>(config.seed) + 1;
  const bool pretrained = config.finetune.start == "pretrained" && !replaces_regression(config);
  if (keeps_regression(config)) {
    // The head gets unstandardized aggregates at every N, as in stage 1.
    estimator.keep_aggregates();
    estimator.set_statistics(cache.statistics(), false, 0);
    return;
  }
  if (!pretrained) estimator.reset_heads(seed, head_of_stage(config, true));
  if (config.finetune.heads == "per-n") estimator.split_heads(config.cache.sizes);
  const std::int64_t small = *std::max_element(config.pretrain.sizes.begin(), config.pretrain.sizes.end());
  // A head that was already finetuned keeps its standardizer (pretrain.from) if the embedder is unchanged.
  const bool moved = config.pretrain.epochs > 0;
  if (!pretrained || moved || !estimator.standardized())
    estimator.set_statistics(cache.statistics(), pretrained, small);
  if (config.finetune.start == "linear") linear_start(estimator, config, cache);
}

Loss finetune_loss(Estimator& estimator, std::int64_t head_n, const AggregateBatch& batch) {
  return estimator.loss(head_n, batch.theta, send(batch.aggregates, estimator.device()), batch.n, batch.given);
}

RecordedSteps recorded_head_steps(Estimator& estimator, std::int64_t head_n, bool on,
                                  std::function<void(const std::string&)> warn) {
  const auto loss = [&estimator, head_n](const std::vector<torch::Tensor>& in) {
    return estimator.loss(head_n, {in[0], in[1], in[2]}, in[3]);
  };
  return {estimator.head_parameters(head_n), estimator.device(), on, loss, std::move(warn)};
}

torch::Tensor head_gradients(Estimator& estimator, const AggregateBatch& batch, std::uint64_t key,
                             RecordedSteps& recorded) {
  estimator.set_noise(key);
  const Estimator::SetColumns sets = estimator.send_sets(batch.theta, batch.n, batch.given);
  return recorded.gradients({sets.target, sets.n, sets.extra, send(batch.aggregates, estimator.device())}, key);
}

void finetune(const std::filesystem::path& run, const RunConfig& config, Monitor& monitor) {
  if (!strategy(config.strategy).stages_2_and_3) return;
  if (std::filesystem::exists(run / run_file::estimator)) return remove_leftovers(run, writes_run(monitor));
  const StageSetting setting(config, monitor.ranks());
  Estimator estimator = Estimator::load(run / run_file::pretrained, setting.task);
  estimator.to(setting.device);
  RefreshingCache cache(run, config, estimator, setting.seed, monitor);
  prepare_finetuning(estimator, config, cache.first());
  const std::filesystem::path partial = run / run_file::partial;
  std::vector<std::int64_t> heads = estimator.sizes();
  if (heads.empty()) heads.push_back(0);
  HeadsDone done;
  if (std::filesystem::exists(partial)) done.load(partial, estimator);

  const std::int64_t steps = finetune_steps(config, cache.first().groups());
  const HeadTraining training{config, setting, estimator, cache, monitor, steps};
  const auto stop = [&] { return monitor.should_stop(); };
  if (keeps_regression(config)) {
    done.last = training.fit_spread(stop);
    done.heads = heads.size();
  }
  while (done.heads < heads.size()) {
    const double before = done.last.seconds;
    done.last = training.train(heads[done.heads], run);
    done.last.seconds += before;
    done.epochs += done.last.epochs;
    done.refreshes += cache.refreshes(done.last.epochs);
    ++done.heads;
    if (heads.size() > 1)
      in_turn(monitor, [&] {
        done.save(partial, estimator);
        std::filesystem::remove(run / run_file::resume);
      });
  }
  training.measure_distance();
  estimator.set_max_n(config.cache.sizes.back());
  nlohmann::json reported = {{"sets", steps * config.finetune.batch * done.epochs}, {"refreshes", done.refreshes}};
  report_gain(Stage::finetune, training.gain(stop), estimator.has_density(), reported, monitor);
  report_invalid(Stage::finetune, invalid_draws_of(*setting.task), reported, monitor);
  finish_stage(run, run_file::estimator, config, estimator, done.last, Stage::finetune, std::move(reported), monitor);
  remove_leftovers(run, writes_run(monitor));
}

}  // namespace pairs
