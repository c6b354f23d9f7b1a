#pragma once

#include <torch/types.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/estimator.h"
#include "core/pool/pool.h"
#include "core/train/cache/cache_file.h"
#include "core/train/cache/cache_groups.h"
#include "core/train/settings/size_distribution.h"

namespace pairs {

// Aggregates drawn for one step: θ [B, d] float64, aggregates [B, l] float32, n [B] int64, conditions [B, g] float64,
// all on the CPU. If the cache does not store θ, θ and conditions are undefined until recall(); `index` [B] int64 holds
// the sets' indices in their source.
struct AggregateBatch {
  torch::Tensor theta, aggregates, n;
  torch::Tensor given = {}, index = {};

  AggregateBatch slice(std::int64_t first, std::int64_t last) const;
};

// A finished cache, mapped read-only after verifying magic word, version, layout, embedder and every checksum.
class AggregateCache {
 public:
  AggregateCache(const std::filesystem::path& file, const Estimator& estimator, std::uint64_t seed,
                 std::int64_t generation);
  ~AggregateCache();
  AggregateCache(const AggregateCache&) = delete;
  AggregateCache& operator=(const AggregateCache&) = delete;

  const std::vector<CacheGroup>& groups() const { return groups_; }
  const AggregateStatistics& statistics() const { return statistics_; }
  std::int64_t embedding_size() const { return l_; }
  std::int64_t targets() const { return d_; }  // cached_targets of its task
  // θ [d] and block means [blocks, l] of a set; `set` counts training sets first, then validation sets.
  const double* theta(std::size_t group, std::int64_t set) const;
  const float* blocks(std::size_t group, std::int64_t set) const;
  // The set's index in its source; a pure function of group and set.
  std::int64_t index(std::size_t group, std::int64_t set) const;
  // Fills in the parameters of the batch's sets if the cache does not store θ; otherwise does nothing.
  void recall(AggregateBatch& batch) const;

 private:
  void check_records(const std::string& where);
  const char* record(std::size_t group, std::int64_t set) const;

  std::shared_ptr<const Task> task_;
  std::uint64_t seed_;
  std::int64_t generation_;
  void* map_ = nullptr;
  std::size_t bytes_ = 0;
  std::int64_t l_ = 0, d_ = 0;
  std::vector<CacheGroup> groups_;
  std::vector<CacheRecord> records_;
  std::vector<std::size_t> starts_;
  AggregateStatistics statistics_;
};

// Draws sets and unions of blocks; a pure function of (seed, stream position, row). The distribution `list` draws
// uniformly from the groups' sizes, or only `only_n` if that is positive; the other distributions draw from 1 to the
// largest size.
class AggregateSampler {
 public:
  AggregateSampler(const std::vector<CacheGroup>& groups, SizeDistribution distribution, std::int64_t only_n,
                   std::uint64_t seed, std::shared_ptr<const Pool> pool = mean_pool());

  // `at_n`: draws only sets of this N, or of the nearest size that their blocks allow; 0: sizes follow the
  // distribution.
  AggregateBatch draw(const AggregateCache& cache, bool validation, std::uint64_t position, std::int64_t count,
                      std::int64_t at_n = 0) const;

 private:
  std::vector<CacheGroup> groups_;
  SizeDistribution distribution_;
  std::vector<std::size_t> eligible_;  // groups
  std::uint64_t seed_;
  std::shared_ptr<const Pool> pool_;
};

}  // namespace pairs
