#include "core/eval/evaluate.h"

#include <ATen/Functions.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/base/error.h"
#include "core/eval/evaluate_images.h"
#include "core/eval/mean_error.h"
#include "core/eval/pool.h"
#include "core/sets/amounts.h"

namespace pairs {
namespace {

void append(std::vector<double>& out, const torch::Tensor& values) {
  const torch::Tensor flat = values.contiguous().to(torch::kFloat64);
  out.insert(out.end(), flat.data_ptr<double>(), flat.data_ptr<double>() + flat.numel());
}

// log densities of the references at each set's θ, computed from the observations as they stream by.
class ReferenceScores {
 public:
  ReferenceScores(const Task& task, const std::vector<std::string>& names) : task_(task), names_(names) {}

  void begin(std::int64_t sets) {
    running_.clear();
    for (std::int64_t s = 0; s < sets; ++s) {
      auto& mine = running_.emplace_back();
      for (const std::string& name : names_) mine.push_back(task_.reference(name));
    }
  }
  void add(const Observations& x, const std::vector<ChunkPart>& parts) {
    const Observations host = x.to(torch::kCPU);
    at::parallel_for(0, static_cast<std::int64_t>(parts.size()), 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const ChunkPart& part = parts[static_cast<std::size_t>(i)];
        for (auto& reference : running_[static_cast<std::size_t>(part.set)])
          reference->add(host.slice(part.begin, part.end));
      }
    });
  }
  // scores[name] grows by one value a set.
  void finish(const torch::Tensor& theta, std::map<std::string, std::vector<double>>& scores) {
    for (std::size_t k = 0; k < names_.size(); ++k) {
      std::vector<double> values(running_.size());
      at::parallel_for(0, static_cast<std::int64_t>(running_.size()), 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t s = begin; s < end; ++s)
          values[static_cast<std::size_t>(s)] =
              running_[static_cast<std::size_t>(s)][k]->log_density(theta.slice(0, s, s + 1)).item<double>();
      });
      auto& all = scores[names_[k]];
      all.insert(all.end(), values.begin(), values.end());
    }
  }

 private:
  const Task& task_;
  std::vector<std::string> names_;
  std::vector<std::vector<std::unique_ptr<ReferencePosterior>>> running_;
};

// The bootstrap over the pool of a task at one set size: the first sets' ranks in every replicate.
class PoolRanks {
 public:
  static constexpr std::int64_t kDraws = 10;  // posterior draws a set and replicate
  static constexpr std::int64_t kMostSets = 32;

  PoolRanks(Estimator& estimator, const EvaluationOptions& options, const EvaluationRow& row)
      : estimator_(estimator), options_(options), n_(row.n), bootstrap_(options.pool_replicates, options.seed) {
    const std::vector<std::int64_t> first = {0};
    const SetRange range[] = {{0, 0, 1}};
    const Task& task = estimator.task();
    const PoolDraws draws =
        task.pool_draws(task.latents(options.seed, Purpose::test, first), options.seed, Purpose::test, range);
    pool_ = draws.size;
    // What was trained on other data did not see the training pool of these.
    if (estimator.data_source() == task.info().data_source) trained_ = draws.trained;
    if (pool_ > 0) sets_ = pool_sets(row.sets, row.n, pool_);
    if (sets_ < 2 || row.n < 2) sets_ = 0;  // single observations have no weight to move
    ranks_.resize(static_cast<std::size_t>(task.info().target_size()));
  }
  std::int64_t pool() const { return pool_; }
  // Whether sets from `first` on are resampled; if so, watches them.
  bool watch(std::int64_t first, std::int64_t count, StreamOptions& stream) {
    if (first >= sets_) return false;
    bootstrap_.begin(count);
    stream.embedded = [this](const torch::Tensor& embeddings, const std::vector<ChunkPart>& parts,
                             const Latents& latents, std::span<const SetRange> ranges) {
      torch::Tensor set = torch::empty({embeddings.size(0)}, torch::kInt64);
      for (const ChunkPart& part : parts) set.slice(0, part.begin, part.end).fill_(part.set);
      bootstrap_.add(embeddings, set, estimator_.task().pool_draws(latents, options_.seed, Purpose::test, ranges));
    };
    return true;
  }
  void rank(std::int64_t first, const torch::Tensor& aggregates, const Latents& latents) {
    const std::int64_t count = aggregates.size(0), replicates = options_.pool_replicates;
    const torch::Tensor moved = bootstrap_.aggregates(aggregates).flatten(0, 1);
    const auto repeated = [&](const torch::Tensor& of) {
      return of.defined() ? of.repeat_interleave(replicates, 0) : torch::Tensor();
    };
    const std::uint64_t key =
        stream_key(options_.seed + static_cast<std::uint64_t>(first) * 977 + static_cast<std::uint64_t>(n_) * 7919,
                   Purpose::check);
    const torch::Tensor samples = estimator_.sample(moved, torch::full({count * replicates}, n_, torch::kInt64), kDraws,
                                                    key, repeated(latents.given));
    const torch::Tensor ranks = central_ranks(samples, repeated(latents.theta), key);
    for (std::size_t t = 0; t < ranks_.size(); ++t)
      ranks_[t].push_back(ranks.select(1, static_cast<std::int64_t>(t)).reshape({count, replicates}));
  }
  void finish(EvaluationRow& row) const {
    if (pool_ == 0) return;
    row.pool = pool_;
    row.pool_trained = trained_;
    const double both = both_pools(pool_, trained_);
    for (std::size_t t = 0; t < ranks_.size(); ++t) {
      const double sd = sets_ > 0 ? both * pool_location_sd(torch::cat(ranks_[t])) : 0;
      const double se = mean_rank_se(row.sets, row.samples);
      row.pool_location_sd.push_back(sd);
      row.pool_location_z.push_back(row.rank_tests[t].location_z * se / std::hypot(se, sd));
    }
  }

 private:
  Estimator& estimator_;
  const EvaluationOptions& options_;
  std::int64_t n_, pool_ = 0, trained_ = 0, sets_ = 0;
  PoolBootstrap bootstrap_;
  std::vector<std::vector<torch::Tensor>> ranks_;  // [target], parts [sets, replicates]
};

// Of the test sets from `first` on.
void check_log_prob(const std::vector<double>& values, std::int64_t first, std::int64_t n) {
  for (auto i = static_cast<std::size_t>(first); i < values.size(); ++i)
    PAIRS_CHECK(std::isfinite(values[i]),
                "At N = {} the log density of test set {} is {}: the weights are damaged or their training diverged; "
                "train the run again",
                n, i, values[i]);
}

}  // namespace

std::vector<EvaluationRow> evaluate(Estimator& estimator, const EvaluationOptions& options,
                                    const std::function<bool()>& keep_going,
                                    const std::function<void(const EvaluationRow&)>& row_done,
                                    const std::function<void(std::int64_t)>& step) {
  const Task& task = estimator.task();
  const std::int64_t d = task.info().target_size();
  PAIRS_CHECK(!options.sizes.empty() && (options.sets.size() == 1 || options.sets.size() == options.sizes.size()),
              "An evaluation needs set sizes, and one number of sets for all or one a size");
  if (!estimator.has_density()) return evaluate_images(estimator, options, keep_going, row_done, step);
  std::vector<std::string> names = options.references;
  const std::vector<std::string> known = task.references();
  const bool exact = options.exact && std::find(known.begin(), known.end(), "exact") != known.end();
  if (exact && std::find(names.begin(), names.end(), "exact") == names.end()) names.insert(names.begin(), "exact");
  torch::Tensor range = torch::empty({d}, torch::kFloat64);
  for (std::int64_t j = 0; j < d; ++j) range[j] = task.info().targets[static_cast<std::size_t>(j)].range;
  estimator.train(false);

  std::vector<EvaluationRow> rows;
  std::int64_t sets_done = 0;
  const auto checks = static_cast<std::int64_t>(options.sizes.size());
  for (std::size_t k = 0; k < options.sizes.size(); ++k) {
    EvaluationRow row;
    row.n = options.sizes[k];
    row.sets = options.sets.size() == 1 ? options.sets[0] : options.sets[k];
    row.samples = options.samples;
    std::optional<PoolRanks> pool;
    if (options.samples > 0 && options.pool_replicates > 0) pool.emplace(estimator, options, row);
    const bool pooled = pool && pool->pool() > 0;
    const std::int64_t most =
        pooled ? PoolRanks::kMostSets : sets_at_once(task.info().observation_numbers());  // between two questions
    const std::int64_t unit = std::clamp<std::int64_t>(estimator.observations_at_once() / row.n, 1, most);
    std::map<std::string, std::vector<double>> scores;
    std::vector<double> ranks, absolute_error, sds;
    ReferenceScores references(task, names);
    for (std::int64_t first = 0; first < row.sets; first += unit) {
      const std::int64_t count = std::min(unit, row.sets - first);
      std::vector<std::int64_t> indices(static_cast<std::size_t>(count));
      for (std::int64_t i = 0; i < count; ++i) indices[static_cast<std::size_t>(i)] = first + i;
      const Latents latents = task.latents(options.seed, Purpose::test, indices);
      StreamOptions stream;
      stream.keep_going = keep_going;
      if (!names.empty()) {
        references.begin(count);
        stream.visit = [&](const Observations& x, const std::vector<ChunkPart>& parts) { references.add(x, parts); };
      }
      const bool resampled = pooled && pool->watch(first, count, stream);
      const torch::Tensor aggregates =
          aggregate_sets(estimator, latents, options.seed, Purpose::test, indices, row.n, stream);
      if (!names.empty()) references.finish(latents.theta, scores);
      const torch::Tensor n = torch::full({count}, row.n, torch::kInt64);
      append(row.log_prob, estimator.log_prob(latents.theta, aggregates, n, latents.given));
      check_log_prob(row.log_prob, first, row.n);
      if (options.samples > 0) {
        const std::uint64_t key = stream_key(
            options.seed + static_cast<std::uint64_t>(first) * 977 + static_cast<std::uint64_t>(row.n) * 7919,
            Purpose::posterior);
        const torch::Tensor samples = estimator.sample(aggregates, n, options.samples, key, latents.given);
        append(ranks, central_ranks(samples, latents.theta, key));
        append(absolute_error, ((samples.mean(1) - latents.theta).abs() / range).mean(1));
        append(sds, samples.std(1).mean(1));
        if (resampled) pool->rank(first, aggregates, latents);
      }
      sets_done += count;
      if (step) step(sets_done);
    }
    std::vector<double> negative(row.log_prob);
    for (double& v : negative) v = -v;
    const MeanAndError nll = mean_and_error(negative);
    row.nll = nll.mean;
    row.nll_se = nll.se;
    row.exact_nll = task.exact_nll(row.n);
    for (const auto& [name, values] : scores) {
      const double mean = -mean_and_error(values).mean;
      row.reference_nll[name] = mean;
      if (name != "exact") continue;
      std::vector<double> gaps(values.size());
      for (std::size_t i = 0; i < gaps.size(); ++i) gaps[i] = values[i] - row.log_prob[i];
      const MeanAndError gap = mean_and_error(gaps);
      row.gap = gap.mean;
      row.gap_se = gap.se;
      if (std::isnan(row.exact_nll)) row.exact_nll = mean;
    }
    if (options.samples > 0) {
      const torch::Tensor all = torch::tensor(ranks, torch::kFloat64).view({row.sets, d});
      row.rmae = mean_and_error(absolute_error).mean;
      row.sd = mean_and_error(sds).mean;
      row.acauc = acauc(all);
      const NoiseFloor floor = acauc_noise_floor(row.sets, options.samples, d, checks);
      row.acauc_floor = floor.mean;
      row.acauc_p95 = floor.p95;
      for (std::int64_t j = 0; j < d; ++j) {
        std::vector<double> column;
        append(column, all.select(1, j));
        row.rank_tests.push_back(rank_test(column, row.samples));
        row.ranks.push_back(std::move(column));
      }
      if (pool) pool->finish(row);
    }
    if (row_done) row_done(row);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace pairs
