#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>

#include "core/train/aggregate_cache.h"
#include "core/train/stages.h"

namespace pairs {

// The cache as stage 3 goes on: generation e / refresh serves epoch e of a head, simulated anew where it is not on disk
// yet. Only the groups that the head draws from are simulated.
class RefreshingCache {
 public:
  RefreshingCache(const std::filesystem::path& run, const RunConfig& config, Estimator& estimator, std::uint64_t seed,
                  Monitor& monitor);

  const AggregateCache& first() const { return *first_; }
  const AggregateCache& training() const { return later_ ? *later_ : *first_; }

  // How many generations a head takes after the first.
  std::int64_t refreshes(std::int64_t epochs) const;
  // Makes `training` what serves this epoch of the head; `save` is called before an older generation is removed. Throws
  // Stopped when the monitor says so.
  void begin_epoch(std::int64_t head_n, std::int64_t epoch, const std::function<void()>& save);

 private:
  std::filesystem::path file(std::int64_t head_n, std::int64_t generation) const;

  std::filesystem::path run_;
  const RunConfig& config_;
  Estimator& estimator_;
  std::uint64_t seed_;
  Monitor& monitor_;
  std::unique_ptr<AggregateCache> first_, later_;
  std::filesystem::path current_;  // of later_; empty while the first generation serves
};

// Removes later generations of the cache but one, also those that a killed session left.
void remove_later_caches(const std::filesystem::path& run, const std::filesystem::path& kept);

}  // namespace pairs
