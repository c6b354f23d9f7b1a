#include <ATen/Parallel.h>
#include <torch/types.h>

#include <algorithm>

#include "core/base/text/error.h"
#include "core/train/cache/aggregate_cache.h"

namespace pairs {
namespace {

// Selects blocks for a set of about n observations and returns their sum, which is n or less by under n / 16.
std::int64_t choose_blocks(const std::vector<std::int64_t>& blocks, std::int64_t n, Stream& stream,
                           std::vector<std::int32_t>& chosen) {
  chosen.clear();
  std::int64_t rest = n, below = 0;
  for (std::int64_t b : blocks) below += b;
  for (std::size_t begin = 0; begin < blocks.size() && rest > 0;) {
    const std::int64_t size = blocks[begin];
    std::size_t end = begin;
    while (end < blocks.size() && blocks[end] == size) ++end;
    const auto copies = static_cast<std::int64_t>(end - begin);
    below -= size * copies;
    const std::int64_t most = std::min(copies, rest / size);
    // Sometimes leaving one block to the smaller sizes gives many more unions.
    const std::int64_t take = most > 0 && rest - (most - 1) * size <= below && stream.bits() & 1u ? most - 1 : most;
    for (std::int64_t i = 0, left = take; i < copies && left > 0; ++i)
      if (static_cast<std::int64_t>(stream.below(static_cast<std::uint64_t>(copies - i))) < left) {
        chosen.push_back(static_cast<std::int32_t>(begin) + static_cast<std::int32_t>(i));
        --left;
      }
    rest -= take * size;
    begin = end;
    if (rest * 16 < n) break;
  }
  return n - rest;
}

}  // namespace

AggregateSampler::AggregateSampler(const std::vector<CacheGroup>& groups, SizeDistribution distribution,
                                   std::int64_t only_n, std::uint64_t seed, std::shared_ptr<const Pool> pool)
    : groups_(groups), distribution_(distribution), seed_(seed), pool_(std::move(pool)) {
  for (std::size_t g = 0; g < groups_.size(); ++g)
    if (only_n <= 0 || groups_[g].n == only_n) eligible_.push_back(g);
  PAIRS_CHECK(!eligible_.empty(), "The cache holds no sets of size {}", only_n);
}

AggregateBatch AggregateSampler::draw(const AggregateCache& cache, bool validation, std::uint64_t position,
                                      std::int64_t count, std::int64_t at_n) const {
  PAIRS_CHECK(at_n <= groups_.back().n, "The cache holds no sets of size {}", at_n);
  const std::int64_t l = cache.embedding_size(), d = cache.targets();
  AggregateBatch batch{d > 0 ? torch::empty({count, d}, torch::kFloat64) : torch::Tensor(),
                       torch::empty({count, l}, torch::kFloat32),
                       torch::empty({count}, torch::kInt64),
                       {},
                       torch::empty({count}, torch::kInt64)};
  double* theta = d > 0 ? batch.theta.data_ptr<double>() : nullptr;
  std::int64_t* index = batch.index.data_ptr<std::int64_t>();
  float* aggregate = batch.aggregates.data_ptr<float>();
  std::int64_t* size = batch.n.data_ptr<std::int64_t>();
  const std::uint64_t key = stream_key(seed_ + (validation ? 1 : 0), Purpose::blocks);
  at::parallel_for(0, count, 16, [&](std::int64_t begin, std::int64_t end) {
    std::vector<std::int32_t> chosen;
    std::vector<double> sum(static_cast<std::size_t>(l));
    for (std::int64_t row = begin; row < end; ++row) {
      Stream stream(key, position, static_cast<std::uint64_t>(row));
      std::size_t g = eligible_[(position + static_cast<std::uint64_t>(row)) % eligible_.size()];
      std::int64_t n = groups_[g].n;
      if (at_n > 0) {
        n = at_n;
        g = 0;
        while (groups_[g].n < n) ++g;
      } else if (distribution_ != SizeDistribution::list) {
        // Stratified within the batch.
        const double u = (static_cast<double>(row) + stream.uniform64()) / static_cast<double>(count);
        n = size_at(distribution_, u, groups_.back().n);
        g = 0;
        while (groups_[g].n < n) ++g;
      }
      const CacheGroup& group = groups_[g];
      const auto sets = static_cast<std::uint64_t>(validation ? group.validation : group.training);
      const auto set = static_cast<std::int64_t>(stream.below(sets)) + (validation ? group.training : 0);
      n = choose_blocks(group.blocks, n, stream, chosen);
      std::fill(sum.begin(), sum.end(), 0.0);
      const float* blocks = cache.blocks(g, set);
      for (std::int32_t b : chosen) {
        const double share = pool_->share(group.blocks[static_cast<std::size_t>(b)], n);
        const float* own = blocks + static_cast<std::int64_t>(b) * l;
        for (std::int64_t j = 0; j < l; ++j) sum[static_cast<std::size_t>(j)] += share * static_cast<double>(own[j]);
      }
      for (std::int64_t j = 0; j < l; ++j)
        aggregate[row * l + j] = static_cast<float>(sum[static_cast<std::size_t>(j)]);
      if (d > 0) std::copy_n(cache.theta(g, set), d, theta + row * d);
      index[row] = cache.index(g, set);
      size[row] = n;
    }
  });
  return batch;
}

}  // namespace pairs
