#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>

#include "core/train/cache/aggregate_cache.h"
#include "core/train/settings/stages.h"

namespace pairs {

// The cache during stage 3: generation e / refresh is used for epoch e of a head, and simulated if it is not on disk
// yet. Only the groups that the head uses are simulated.
class RefreshingCache {
 public:
  RefreshingCache(const std::filesystem::path& run, const RunConfig& config, Estimator& estimator, std::uint64_t seed,
                  Monitor& monitor);

  const AggregateCache& first() const { return *first_; }
  const AggregateCache& training() const { return later_ ? *later_ : *first_; }

  // How many generations a head uses after the first.
  std::int64_t refreshes(std::int64_t epochs) const;
  // Switches `training` to the generation for this epoch of the head; `save` is called before an older generation is
  // removed. Throws Stopped when the monitor requests it.
  void begin_epoch(std::int64_t head_n, std::int64_t epoch, const std::function<void()>& save);

 private:
  std::filesystem::path file(std::int64_t head_n, std::int64_t generation) const;

  std::filesystem::path run_;
  const RunConfig& config_;
  Estimator& estimator_;
  std::uint64_t seed_;
  Monitor& monitor_;
  std::unique_ptr<AggregateCache> first_, later_;
  std::filesystem::path current_;  // the file of later_; empty while the first generation is used
};

// Removes later generations of the cache except `kept`, including those left by a killed session.
void remove_later_caches(const std::filesystem::path& run, const std::filesystem::path& kept);

}  // namespace pairs
