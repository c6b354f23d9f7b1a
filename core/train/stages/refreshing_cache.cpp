#include "core/train/stages/refreshing_cache.h"

#include "core/train/run/rank_monitor.h"
#include "core/train/run/run.h"
#include "core/train/stages/cache_writer.h"

namespace pairs {
namespace {

constexpr const char* kLaterCache = "aggregates-";

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

void remove_later_caches(const std::filesystem::path& run, const std::filesystem::path& kept) {
  for (const auto& entry : std::filesystem::directory_iterator(run)) {
    if (is_later_cache(entry.path().filename().string()) && entry.path() != kept) std::filesystem::remove(entry.path());
  }
}

RefreshingCache::RefreshingCache(const std::filesystem::path& run, const RunConfig& config, Estimator& estimator,
                                 std::uint64_t seed, Monitor& monitor)
    : run_(run),
      config_(config),
      estimator_(estimator),
      seed_(seed),
      monitor_(monitor),
      first_(std::make_unique<AggregateCache>(run / run_file::cache, estimator, seed, 0)) {}

std::int64_t RefreshingCache::refreshes(std::int64_t epochs) const {
  return config_.cache.refresh > 0 ? (epochs - 1) / config_.cache.refresh : 0;
}

void RefreshingCache::begin_epoch(std::int64_t head_n, std::int64_t epoch, const std::function<void()>& save) {
  const std::int64_t generation = config_.cache.refresh > 0 ? epoch / config_.cache.refresh : 0;
  const std::filesystem::path wanted = generation > 0 ? file(head_n, generation) : std::filesystem::path();
  if (wanted == current_) return;
  later_.reset();
  // Older generations are removed first, so that the disk holds only one; the checkpoint must be past the epochs that
  // use them.
  save();
  if (writes_run(monitor_)) remove_later_caches(run_, wanted);
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
        },
        monitor_.ranks());
    later_ = std::make_unique<AggregateCache>(wanted, estimator_, seed_, generation);
  }
  current_ = wanted;
}

std::filesystem::path RefreshingCache::file(std::int64_t head_n, std::int64_t generation) const {
  return run_ / (head_n > 0 ? fmt::format("{}N{}-{}.cache", kLaterCache, head_n, generation)
                            : fmt::format("{}{}.cache", kLaterCache, generation));
}

}  // namespace pairs
