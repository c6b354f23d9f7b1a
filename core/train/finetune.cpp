#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/safetensors.h"
#include "core/train/linear_start.h"
#include "core/train/regression_sigma.h"
#include "core/train/run.h"
#include "core/train/stage_tools.h"

namespace pairs {
namespace {

constexpr std::uint64_t kValidationPosition = std::uint64_t{1} << 40;

bool list_law(const RunConfig& config) { return config.finetune.law == "list"; }

// The cache as stage 3 goes on: generation e / refresh serves epoch e, simulated anew where it is not on disk yet.
class RefreshingCache {
 public:
  RefreshingCache(const std::filesystem::path& run, const RunConfig& config, Estimator& estimator, std::uint64_t seed,
                  Monitor& monitor)
      : run_(run), config_(config), estimator_(estimator), seed_(seed), monitor_(monitor),
        first_(std::make_unique<AggregateCache>(run / run_file::cache, estimator, seed, 0)) {}

  const AggregateCache& first() const { return *first_; }
  const AggregateCache& training() const { return later_ ? *later_ : *first_; }

  void begin_epoch(std::int64_t epoch) {
    const std::int64_t generation = config_.cache.refresh > 0 ? epoch / config_.cache.refresh : 0;
    if (generation == generation_) return;
    later_.reset();
    if (generation > 0) {
      std::vector<CacheGroup> groups = first_->groups();
      for (CacheGroup& g : groups) g.validation = 0;
      write_cache(file(generation), estimator_, groups, seed_, generation, config_.cache.chunk,
                  [&] { return monitor_.should_stop(); }, [&](const CacheProgress& at) {
                    Progress progress;
                    progress.stage = Stage::cache;
                    progress.done = at.done;
                    progress.total = at.total;
                    progress.unit = "sets";
                    monitor_.progress(progress);
                  });
      later_ = std::make_unique<AggregateCache>(file(generation), estimator_, seed_, generation);
    }
    for (std::int64_t g = std::max<std::int64_t>(1, generation_); g < generation; ++g) std::filesystem::remove(file(g));
    generation_ = generation;
  }
  void remove_later() {
    later_.reset();
    std::filesystem::remove(file(generation_));
  }

 private:
  std::filesystem::path file(std::int64_t generation) const {
    return run_ / fmt::format("aggregates-{}.cache", generation);
  }

  std::filesystem::path run_;
  const RunConfig& config_;
  Estimator& estimator_;
  std::uint64_t seed_;
  Monitor& monitor_;
  std::unique_ptr<AggregateCache> first_, later_;
  std::int64_t generation_ = 0;
};

}  // namespace

std::int64_t finetune_steps(const RunConfig& config, const std::vector<CacheGroup>& groups) {
  std::int64_t sets = 0;
  for (const CacheGroup& g : groups) sets += g.training;
  if (config.finetune.heads == "per-n") sets /= static_cast<std::int64_t>(groups.size());
  const std::int64_t pass = std::max<std::int64_t>(1, sets / config.finetune.batch);
  return config.finetune.steps > 0 ? config.finetune.steps : pass;
}

void prepare_finetuning(Estimator& estimator, const RunConfig& config, const AggregateCache& cache) {
  const bool pretrained = config.finetune.start == "pretrained";
  if (!pretrained) estimator.reset_heads(static_cast<std::uint64_t>(config.seed) + 1);
  if (config.finetune.heads == "per-n") estimator.split_heads(config.cache.sizes);
  const std::int64_t small = *std::max_element(config.pretrain.sizes.begin(), config.pretrain.sizes.end());
  estimator.set_statistics(cache.statistics(), pretrained, small);
  if (config.finetune.start == "linear") linear_start(estimator, config, cache);
}

torch::Tensor finetune_loss(Estimator& estimator, std::int64_t head_n, const AggregateBatch& batch) {
  const torch::Device device = estimator.device();
  return estimator.loss(head_n, batch.theta, batch.aggregates.to(device), batch.n.to(device));
}

void finetune(const std::filesystem::path& run, const RunConfig& config, Monitor& monitor) {
  if (!strategy(config.strategy).stages_2_and_3 || std::filesystem::exists(run / run_file::estimator)) return;
  const Stopwatch watch;
  const StageSetting setting(config);
  Estimator estimator = Estimator::load(run / run_file::pretrained, setting.task);
  estimator.to(setting.device);
  RefreshingCache cache(run, config, estimator, setting.seed, monitor);
  prepare_finetuning(estimator, config, cache.first());
  const std::filesystem::path partial = run / run_file::partial;
  std::vector<std::int64_t> heads = estimator.sizes();
  if (heads.empty()) heads.push_back(0);
  std::size_t finished = 0;
  if (std::filesystem::exists(partial)) {
    const TensorFile content = read_safetensors(partial);
    estimator.load_state(content.tensors);
    const auto done = content.metadata.find("heads_done");
    PAIRS_CHECK(done != content.metadata.end() && done->second.find_first_not_of("0123456789") == std::string::npos,
                "{} is damaged; remove it to train the heads again", partial.string());
    finished = std::min<std::size_t>(heads.size(), std::stoul(done->second));
  }

  const auto groups = cache.first().groups();
  const std::int64_t steps = finetune_steps(config, groups);
  OptimiseResult result;
  for (std::size_t k = finished; k < heads.size(); ++k) {
    const std::int64_t head_n = heads[k];
    const AggregateSampler sampler(groups, list_law(config), head_n, setting.seed);
    const AggregateBatch held_out =
        sampler.draw(cache.first(), true, kValidationPosition, config.finetune.validation_draws);
    Problem problem;
    problem.stage = Stage::finetune;
    problem.head_n = head_n;
    problem.optimiser = config.finetune;
    problem.epochs = config.finetune.epochs;
    problem.steps = steps;
    problem.device = setting.device;
    problem.parameters = estimator.head_parameters(head_n);
    problem.begin_epoch = [&](std::int64_t epoch) { cache.begin_epoch(epoch); };
    problem.loss = [&](std::int64_t epoch, std::int64_t step) {
      estimator.train(true);
      const auto position = static_cast<std::uint64_t>(epoch * steps + step);
      return finetune_loss(estimator, head_n, sampler.draw(cache.training(), false, position, config.finetune.batch));
    };
    problem.validate = [&] {
      estimator.train(false);
      double sum = 0;
      const std::int64_t all = held_out.n.size(0), part = 4096;
      for (std::int64_t first = 0; first < all; first += part) {
        const std::int64_t last = std::min(first + part, all);
        const AggregateBatch rows{held_out.theta.slice(0, first, last), held_out.aggregates.slice(0, first, last),
                                  held_out.n.slice(0, first, last)};
        sum += finetune_loss(estimator, head_n, rows).item<double>() * static_cast<double>(last - first);
      }
      return sum / static_cast<double>(all);
    };
    result = optimise(problem, run, config, monitor);
    estimator.train(false);
    {
      at::NoGradGuard no_grad;
      fit_regression_sigma(estimator, head_n,
                           estimator.target(head_n, held_out.theta, held_out.aggregates.to(setting.device)),
                           estimator.context(held_out.aggregates.to(setting.device), held_out.n.to(setting.device)),
                           held_out.n);
    }
    if (heads.size() > 1) {
      write_safetensors(partial, {estimator.state(), {{"heads_done", std::to_string(k + 1)}}});
      std::filesystem::remove(run / run_file::resume);
    }
  }

  // How far from the training distribution held-out sets lie: the scale on which an observed set is judged.
  const AggregateSampler sampler(groups, list_law(config), 0, setting.seed);
  const AggregateBatch held_out = sampler.draw(cache.first(), true, kValidationPosition + 1, 4096);
  AggregateStatistics statistics = estimator.statistics();
  const torch::Tensor levels = at::linspace(0, 1, 101, torch::kFloat64);
  statistics.distance = at::quantile(estimator.typicality(held_out.aggregates, held_out.n).distance, levels);
  estimator.set_statistics(statistics, false, 0);
  estimator.set_max_n(config.cache.sizes.back());
  finish_stage(run, run_file::estimator, estimator, result, Stage::finetune,
               steps * config.finetune.batch * result.epochs, watch.seconds(), monitor);
  std::filesystem::remove(partial);
  cache.remove_later();
}

}  // namespace pairs
