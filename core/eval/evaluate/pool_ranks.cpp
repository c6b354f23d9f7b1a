#include "core/eval/evaluate/pool_ranks.h"

#include <ATen/Functions.h>

#include <cmath>

#include "core/periodic.h"

namespace pairs {

PoolRanks::PoolRanks(Estimator& estimator, const EvaluationOptions& options, const EvaluationRow& row)
    : estimator_(estimator), options_(options), n_(row.n), bootstrap_(options.pool_replicates, options.seed) {
  const std::vector<std::int64_t> first = {0};
  const SetRange range[] = {{0, 0, 1}};
  const Task& task = estimator.task();
  const PoolDraws draws =
      task.pool_draws(task.latents(options.seed, options.purpose, first), options.seed, options.purpose, range);
  pool_ = draws.size;
  // An estimator trained on other data did not use this task's training pool.
  if (estimator.data_source() == task.info().data_source) trained_ = draws.trained;
  if (pool_ > 0) sets_ = pool_sets(row.sets, row.n, pool_);
  if (sets_ < 2 || row.n < 2) sets_ = 0;  // single observations have no weight to move
  ranks_.resize(static_cast<std::size_t>(task.info().target_size()));
}

bool PoolRanks::watch(std::int64_t first, std::int64_t count, StreamOptions& stream) {
  if (first >= sets_) return false;
  bootstrap_.begin(count);
  stream.embedded = [this](const torch::Tensor& embeddings, const std::vector<ChunkPart>& parts, const Latents& latents,
                           std::span<const SetRange> ranges) {
    torch::Tensor set = torch::empty({embeddings.size(0)}, torch::kInt64);
    for (const ChunkPart& part : parts) set.slice(0, part.begin, part.end).fill_(part.set);
    bootstrap_.add(embeddings, set, estimator_.task().pool_draws(latents, options_.seed, options_.purpose, ranges));
  };
  return true;
}

void PoolRanks::rank(std::int64_t first, const torch::Tensor& aggregates, const Latents& latents) {
  const std::int64_t count = aggregates.size(0), replicates = options_.pool_replicates;
  const torch::Tensor moved = bootstrap_.aggregates(aggregates).flatten(0, 1);
  const auto repeated = [&](const torch::Tensor& of) {
    return of.defined() ? of.repeat_interleave(replicates, 0) : torch::Tensor();
  };
  const std::uint64_t key = stream_key(
      options_.seed + static_cast<std::uint64_t>(first) * 977 + static_cast<std::uint64_t>(n_) * 7919, Purpose::check);
  const torch::Tensor samples = estimator_.sample(moved, torch::full({count * replicates}, n_, torch::kInt64), kDraws,
                                                  key, repeated(latents.given));
  const Unrolled cut = cut_open(estimator_.task().info().targets, samples, repeated(latents.theta), key);
  const torch::Tensor ranks = central_ranks(cut.samples, cut.theta, key);
  for (std::size_t t = 0; t < ranks_.size(); ++t)
    ranks_[t].push_back(ranks.select(1, static_cast<std::int64_t>(t)).reshape({count, replicates}));
}

void PoolRanks::finish(EvaluationRow& row) const {
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

}  // namespace pairs
