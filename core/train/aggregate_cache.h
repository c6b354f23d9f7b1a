#pragma once

#include <torch/types.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/estimator.h"
#include "core/train/config.h"

namespace pairs {

// Sets cached together: each stores the means of its blocks of consecutive observations, largest block first. Any union
// of blocks is a valid set of the same θ (design, Three stages).
struct CacheGroup {
  std::int64_t n = 0;                         // serves sizes in (previous group's n, n]
  std::int64_t smallest = 1;                  // smallest size it serves
  std::int64_t training = 0, validation = 0;  // sets
  std::vector<std::int64_t> blocks;           // sizes, descending

  std::int64_t observations() const;  // a set
};

// The groups a configuration asks for.
std::vector<CacheGroup> plan_groups(const CacheConfig& cache, bool list_law);

// How many numbers of θ a cached set keeps: d, or 0 where θ is an image or comes with given quantities, which are
// recalled from the set's index instead.
std::int64_t cached_targets(const TaskInfo& task);

// Bytes of the finished cache file(s) for embeddings of length l and d = cached_targets(task).
double cache_bytes(const std::vector<CacheGroup>& groups, std::int64_t l, std::int64_t d);

// Writes the cache of one generation: every observation simulated, embedded in chunks and reduced in float64, so that
// memory does not depend on N. Continues after the last whole unit when the file is there; a checksum stands behind
// each set. Generation 0 holds training and validation sets and the aggregate statistics; later ones training sets
// alone. Throws Stopped between units when `stop()` says so.
struct CacheProgress {
  std::int64_t done, total;  // sets
  double observations;
};
void write_cache(const std::filesystem::path& file, Estimator& estimator, const std::vector<CacheGroup>& groups,
                 std::uint64_t seed, std::int64_t generation, std::int64_t chunk, const std::function<bool()>& stop,
                 const std::function<void(const CacheProgress&)>& progress);

// Aggregates drawn for one step: θ [B, d] float64, aggregates [B, l] float32, n [B] int64, given [B, g] float64, all on
// the CPU. θ and given are undefined until recalled where the cache keeps no θ; `index` [B] int64 are the sets' indices
// in their source.
struct AggregateBatch {
  torch::Tensor theta, aggregates, n;
  torch::Tensor given = {}, index = {};

  AggregateBatch slice(std::int64_t first, std::int64_t last) const;
};

// A finished cache, mapped read-only and verified: magic, version, layout, embedder and every checksum.
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
  // The set's index in its source, of which it is a pure function.
  std::int64_t index(std::size_t group, std::int64_t set) const;
  // Fills in what the task tells of the batch's sets and the cache does not keep; does nothing where it keeps θ.
  void recall(AggregateBatch& batch) const;

 private:
  const char* record(std::size_t group, std::int64_t set) const;

  std::shared_ptr<const Task> task_;
  std::uint64_t seed_;
  std::int64_t generation_;
  void* map_ = nullptr;
  std::size_t bytes_ = 0;
  std::int64_t l_ = 0, d_ = 0;
  std::vector<CacheGroup> groups_;
  std::vector<std::size_t> starts_, strides_;
  AggregateStatistics statistics_;
};

// Draws sets and unions of blocks; a pure function of (seed, stream position, row). `law` log-uniform draws N from 1 to
// the largest size; list draws from the groups' sizes equally, or only `only_n` when positive.
class AggregateSampler {
 public:
  AggregateSampler(const std::vector<CacheGroup>& groups, bool list_law, std::int64_t only_n, std::uint64_t seed);

  AggregateBatch draw(const AggregateCache& cache, bool validation, std::uint64_t position, std::int64_t count) const;

 private:
  std::vector<CacheGroup> groups_;
  bool list_;
  std::vector<std::size_t> eligible_;  // groups
  std::uint64_t seed_;
};

}  // namespace pairs
