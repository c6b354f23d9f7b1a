#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/base/safetensors.h"
#include "core/base/transfer.h"
#include "core/sets/amounts.h"
#include "core/sets/index_map.h"
#include "core/train/linear_start.h"
#include "core/train/regression_sigma.h"
#include "core/train/run.h"
#include "core/train/stage_tools.h"

namespace pairs {
namespace {

bool list_law(const RunConfig& config) {
  return config.finetune.law == "list";
}

constexpr const char* kLaterCache = "aggregates-";

// Removes later generations of the cache but one, also those that a killed session left.
void remove_later_caches(const std::filesystem::path& run, const std::filesystem::path& kept) {
  for (const auto& entry : std::filesystem::directory_iterator(run)) {
    if (is_later_cache(entry.path().filename().string()) && entry.path() != kept) std::filesystem::remove(entry.path());
  }
}

// The cache as stage 3 goes on: generation e / refresh serves epoch e of a head, simulated anew where it is not on disk
// yet. Only the groups that the head draws from are simulated.
class RefreshingCache {
 public:
  RefreshingCache(const std::filesystem::path& run, const RunConfig& config, Estimator& estimator, std::uint64_t seed,
                  Monitor& monitor)
      : run_(run),
        config_(config),
        estimator_(estimator),
        seed_(seed),
        monitor_(monitor),
        first_(std::make_unique<AggregateCache>(run / run_file::cache, estimator, seed, 0)) {}

  const AggregateCache& first() const { return *first_; }
  const AggregateCache& training() const { return later_ ? *later_ : *first_; }

  // How many generations a head takes after the first.
  std::int64_t refreshes(std::int64_t epochs) const {
    return config_.cache.refresh > 0 ? (epochs - 1) / config_.cache.refresh : 0;
  }

  void begin_epoch(std::int64_t head_n, std::int64_t epoch, const std::function<void()>& save) {
    const std::int64_t generation = config_.cache.refresh > 0 ? epoch / config_.cache.refresh : 0;
    const std::filesystem::path wanted = generation > 0 ? file(head_n, generation) : std::filesystem::path();
    if (wanted == current_) return;
    later_.reset();
    // Older generations go first, so that the disk holds one; the checkpoint must no longer lie in an epoch they serve.
    save();
    remove_later_caches(run_, wanted);
    if (generation > 0) {
      std::vector<CacheGroup> groups = first_->groups();
      for (CacheGroup& g : groups) {
        g.validation = 0;
        if (head_n > 0 && g.n != head_n) g.training = 0;
      }
      write_cache(
          wanted, estimator_, groups, seed_, generation, config_.cache.chunk, [&] { return monitor_.should_stop(); },
          [&](const CacheProgress& at) {
            Progress progress;
            progress.stage = Stage::cache;
            progress.done = at.done;
            progress.total = at.total;
            progress.unit = "sets";
            monitor_.progress(progress);
          });
      later_ = std::make_unique<AggregateCache>(wanted, estimator_, seed_, generation);
    }
    current_ = wanted;
  }

 private:
  std::filesystem::path file(std::int64_t head_n, std::int64_t generation) const {
    return run_ / (head_n > 0 ? fmt::format("{}N{}-{}.cache", kLaterCache, head_n, generation)
                              : fmt::format("{}{}.cache", kLaterCache, generation));
  }

  std::filesystem::path run_;
  const RunConfig& config_;
  Estimator& estimator_;
  std::uint64_t seed_;
  Monitor& monitor_;
  std::unique_ptr<AggregateCache> first_, later_;
  std::filesystem::path current_;  // of later_; empty while the first generation serves
};

// What stage 3 no longer needs once its estimator is written; a kill may have left it behind.
void remove_leftovers(const std::filesystem::path& run) {
  std::filesystem::remove(run / run_file::resume);
  std::filesystem::remove(run / run_file::partial);
  remove_later_caches(run, {});
}

// Where a run with one head for each N stands between two heads: all weights so far, and what its end will tell.
struct HeadsDone {
  std::size_t heads = 0;
  std::int64_t epochs = 0, refreshes = 0;
  OptimiseResult last;

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

}  // namespace

bool is_later_cache(std::string_view name) {
  static constexpr std::string_view ending = ".cache";
  if (!name.starts_with(kLaterCache) || !name.ends_with(ending)) return false;
  name.remove_prefix(std::string_view(kLaterCache).size());
  name.remove_suffix(ending.size());
  const auto digits = [](std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
  };
  const std::size_t dash = name.find('-');
  if (dash == name.npos) return digits(name);
  return name.starts_with('N') && digits(name.substr(1, dash - 1)) && digits(name.substr(dash + 1));
}

std::int64_t finetune_steps(const RunConfig& config, const std::vector<CacheGroup>& groups) {
  std::int64_t sets = 0;
  for (const CacheGroup& g : groups) sets += g.training;
  // Each head passes over one group; groups of unequal size share the mean.
  if (config.finetune.heads == "per-n") sets /= static_cast<std::int64_t>(groups.size());
  const std::int64_t pass = std::max<std::int64_t>(1, sets / config.finetune.batch);
  return config.finetune.steps > 0 ? config.finetune.steps : pass;
}

void prepare_finetuning(Estimator& estimator, const RunConfig& config, const AggregateCache& cache) {
  const bool pretrained = config.finetune.start == "pretrained";
  if (!pretrained) estimator.reset_heads(static_cast<std::uint64_t>(config.seed) + 1);
  if (config.finetune.heads == "per-n") estimator.split_heads(config.cache.sizes);
  const std::int64_t small = *std::max_element(config.pretrain.sizes.begin(), config.pretrain.sizes.end());
  // A head that came finetuned keeps the standardiser it knows (pretrain.from) while the embedder is the same.
  const bool moved = config.pretrain.epochs > 0;
  if (!pretrained || moved || !estimator.standardised())
    estimator.set_statistics(cache.statistics(), pretrained, small);
  if (config.finetune.start == "linear") linear_start(estimator, config, cache);
}

Loss finetune_loss(Estimator& estimator, std::int64_t head_n, const AggregateBatch& batch) {
  return estimator.loss(head_n, batch.theta, send(batch.aggregates, estimator.device()), batch.n, batch.given);
}

void finetune(const std::filesystem::path& run, const RunConfig& config, Monitor& monitor) {
  if (!strategy(config.strategy).stages_2_and_3) return;
  if (std::filesystem::exists(run / run_file::estimator)) return remove_leftovers(run);
  const StageSetting setting(config);
  Estimator estimator = Estimator::load(run / run_file::pretrained, setting.task);
  estimator.to(setting.device);
  RefreshingCache cache(run, config, estimator, setting.seed, monitor);
  prepare_finetuning(estimator, config, cache.first());
  const std::filesystem::path partial = run / run_file::partial;
  std::vector<std::int64_t> heads = estimator.sizes();
  if (heads.empty()) heads.push_back(0);
  HeadsDone done;
  if (std::filesystem::exists(partial)) done.load(partial, estimator);

  const auto groups = cache.first().groups();
  const std::int64_t steps = finetune_steps(config, groups);
  while (done.heads < heads.size()) {
    const std::int64_t head_n = heads[done.heads];
    const AggregateSampler sampler(groups, list_law(config), head_n, setting.seed);
    const AggregateBatch held_out =
        sampler.draw(cache.first(), true, index_map::kValidationPosition, config.finetune.validation_draws);
    Problem problem;
    problem.stage = Stage::finetune;
    problem.head_n = head_n;
    problem.optimiser = config.finetune;
    problem.epochs = config.finetune.epochs;
    problem.steps = steps;
    problem.device = setting.device;
    problem.parameters = estimator.head_parameters(head_n);
    problem.begin_epoch = [&](std::int64_t epoch, const std::function<void()>& save) {
      cache.begin_epoch(head_n, epoch, save);
    };
    problem.gradients = [&](std::int64_t epoch, std::int64_t step, std::uint64_t key) {
      estimator.train(true);
      estimator.set_noise(key);
      const auto position = static_cast<std::uint64_t>(epoch * steps + step);
      AggregateBatch batch = sampler.draw(cache.training(), false, position, config.finetune.batch);
      cache.training().recall(batch);
      const Loss loss = finetune_loss(estimator, head_n, batch);
      loss.total().backward();
      return loss.value.detach();
    };
    problem.validate = [&] {
      estimator.train(false);
      double sum = 0;
      const std::int64_t all = held_out.n.size(0), part = head_rows_at_once(setting.task->info().target_size());
      for (std::int64_t first = 0; first < all; first += part) {
        if (monitor.should_stop()) throw Stopped();
        const std::int64_t last = std::min(first + part, all);
        AggregateBatch rows = held_out.slice(first, last);
        cache.first().recall(rows);
        sum += finetune_loss(estimator, head_n, rows).value.item<double>() * static_cast<double>(last - first);
      }
      return sum / static_cast<double>(all);
    };
    const std::int64_t shown_n = head_n > 0 ? head_n : config.cache.sizes.back();
    problem.preview = [&] { show_preview(monitor, Stage::finetune, shown_n, estimator); };
    const double before = done.last.seconds;
    done.last = optimise(problem, run, config, monitor);
    done.last.seconds += before;
    done.epochs += done.last.epochs;
    done.refreshes += cache.refreshes(done.last.epochs);
    ++done.heads;
    estimator.train(false);
    if (estimator.head(head_n).residual_spread() != nullptr) {
      at::NoGradGuard no_grad;
      AggregateBatch all = held_out;
      cache.first().recall(all);
      const torch::Tensor aggregates = all.aggregates.to(setting.device);
      fit_regression_sigma(estimator, head_n, estimator.target(head_n, all.theta, aggregates),
                           estimator.context(aggregates, all.n, all.given), all.n);
    }
    if (heads.size() > 1) {
      done.save(partial, estimator);
      std::filesystem::remove(run / run_file::resume);
    }
  }

  // How far from the training distribution held-out sets lie: the scale on which an observed set is judged.
  const AggregateSampler sampler(groups, list_law(config), 0, setting.seed);
  const AggregateBatch held_out = sampler.draw(cache.first(), true, index_map::kTypicalityPosition, 4096);
  AggregateStatistics statistics = estimator.statistics();
  const torch::Tensor levels = at::linspace(0, 1, 101, torch::kFloat64);
  statistics.distance = at::quantile(estimator.typicality(held_out.aggregates, held_out.n).distance, levels);
  estimator.set_statistics(statistics, false, 0);
  estimator.set_max_n(config.cache.sizes.back());
  finish_stage(run, run_file::estimator, config, estimator, done.last, Stage::finetune,
               {{"sets", steps * config.finetune.batch * done.epochs}, {"refreshes", done.refreshes}}, monitor);
  remove_leftovers(run);
}

}  // namespace pairs
