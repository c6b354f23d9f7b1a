#include "core/train/cache/aggregate_cache.h"

#include <ATen/Parallel.h>
#include <fcntl.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>

#include "core/base/files/descriptor.h"
#include "core/base/text/error.h"
#include "core/train/cache/cache_statistics.h"

namespace pairs {

AggregateCache::AggregateCache(const std::filesystem::path& file, const Estimator& estimator, std::uint64_t seed,
                               std::int64_t generation)
    : task_(estimator.task_pointer()), seed_(seed), generation_(generation) {
  const std::string where = file.string();
  const Descriptor in(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  PAIRS_CHECK(in >= 0, "Cannot open the cache {}: {}; resume the run to build it", where, std::strerror(errno));
  bytes_ = open_file_bytes(in);
  const CacheHeader header = read_cache_header(in, bytes_, where);
  CacheLayout layout = parse_cache_layout(header, estimator, seed, generation, where);
  l_ = layout.l;
  d_ = layout.d;
  groups_ = std::move(layout.groups);
  PAIRS_CHECK(d_ == cached_targets(task_->info()),
              "The cache {} keeps {} targets a set, not {}; remove it and resume the run to build it again", where, d_,
              cached_targets(task_->info()));
  std::size_t at = header.bytes;
  for (const CacheGroup& g : groups_) {
    starts_.push_back(at);
    records_.emplace_back(g, l_, d_);
    at += records_.back().stride * static_cast<std::size_t>(g.sets());
  }
  PAIRS_CHECK(at <= bytes_,
              "The cache {} is cut short ({} of {} bytes); remove it and resume the run to build it again", where,
              bytes_, at);
  if (!header.statistics.empty()) {
    PAIRS_CHECK(header.statistics.size() == static_cast<std::size_t>(l_ + 2 * l_ * l_),
                "The cache {} holds statistics of a wrong length; remove it and resume the run to build it again",
                where);
    statistics_ = unpack_statistics(header.statistics, l_);
  }
  map_ = ::mmap(nullptr, bytes_, PROT_READ, MAP_PRIVATE, in, 0);
  PAIRS_CHECK(map_ != MAP_FAILED, "Cannot map the cache {} of {} bytes: {}", where, bytes_, std::strerror(errno));
  check_records(where);
}

void AggregateCache::check_records(const std::string& where) {
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    std::atomic<std::int64_t> bad{-1};
    at::parallel_for(0, groups_[group].sets(), 256, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t s = begin; s < end; ++s)
        if (!records_[group].whole(record(group, s))) bad = s;
    });
    if (bad >= 0) {
      ::munmap(map_, bytes_);
      map_ = nullptr;
      fail("The cache {} is damaged (checksum of set {} in group {}); resume the run to rebuild that set", where,
           bad.load(), group);
    }
  }
}

AggregateCache::~AggregateCache() {
  if (map_ != nullptr && map_ != MAP_FAILED) ::munmap(map_, bytes_);
}

const char* AggregateCache::record(std::size_t group, std::int64_t set) const {
  return static_cast<const char*>(map_) + starts_[group] + records_[group].stride * static_cast<std::size_t>(set);
}
const double* AggregateCache::theta(std::size_t group, std::int64_t set) const {
  return reinterpret_cast<const double*>(record(group, set));
}
const float* AggregateCache::blocks(std::size_t group, std::int64_t set) const {
  return reinterpret_cast<const float*>(record(group, set) + 8 * d_);
}
std::int64_t AggregateCache::index(std::size_t group, std::int64_t set) const {
  return cached_set_index(group, groups_[group], set, generation_);
}

void AggregateCache::recall(AggregateBatch& batch) const {
  if (d_ > 0) return;
  const torch::Tensor index = batch.index.contiguous();
  const auto count = static_cast<std::size_t>(index.numel());
  const std::int64_t* indices = index.const_data_ptr<std::int64_t>();
  const Purpose purpose = count > 0 ? cached_set_purpose(indices[0]) : Purpose::finetune;
  PAIRS_CHECK(std::all_of(indices, indices + count, [&](std::int64_t i) { return cached_set_purpose(i) == purpose; }),
              "A batch of cached sets mixes training and validation sets, which are not recalled together");
  const Latents latents = task_->latents(seed_, purpose, {indices, count});
  batch.theta = latents.theta;
  batch.given = latents.given;
}

AggregateBatch AggregateBatch::slice(std::int64_t first, std::int64_t last) const {
  const auto rows = [&](const torch::Tensor& all) { return all.defined() ? all.slice(0, first, last) : all; };
  return {rows(theta), rows(aggregates), rows(n), rows(given), rows(index)};
}

}  // namespace pairs
