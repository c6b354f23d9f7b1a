#include "core/train/stages/cache_writer.h"

#include <cstring>
#include <memory>

#include "core/aggregate.h"
#include "core/parallel/ranks.h"
#include "core/train/cache/cache_file.h"
#include "core/train/cache/cache_statistics.h"
#include "core/train/cache/embedded_pool.h"
#include "core/train/cache/record_writer.h"
#include "core/train/run/run.h"

namespace pairs {
namespace {

// Makes the records of sets: their θ, and the aggregates of their blocks.
class SetRecords {
 public:
  SetRecords(Estimator& estimator, const CacheLayout& layout, std::int64_t chunk, const EmbeddedPool* pool,
             const std::function<bool()>& stop)
      : estimator_(estimator), layout_(layout), chunk_(chunk), pool_(pool), stop_(stop) {}

  void make(std::size_t group, std::int64_t first, std::int64_t count, const CacheRecord& record, char* out) {
    const CacheGroup& g = layout_.groups[group];
    const std::int64_t l = layout_.l, d = layout_.d, blocks = static_cast<std::int64_t>(g.blocks.size());
    std::vector<std::int64_t> indices(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i)
      indices[static_cast<std::size_t>(i)] = cached_set_index(group, g, first + i, layout_.generation);
    const Purpose purpose = cached_set_purpose(indices.front());
    const Latents latents = estimator_.task().latents(layout_.seed, purpose, indices);
    StreamOptions stream{.chunk = chunk_, .keep_going = [this] { return !stop_(); }};
    if (pool_)
      stream.known = [&](const Latents& mine, std::span<const SetRange> ranges) {
        return pool_->embeddings(mine, layout_.seed, purpose, ranges);
      };
    const torch::Tensor states = block_states(estimator_, latents, layout_.seed, purpose, indices, g.blocks, stream);
    const torch::Tensor aggregates =
        estimator_.pool().finish(states, torch::tensor(g.blocks).to(torch::kFloat64).unsqueeze(1)).to(torch::kFloat32);
    const torch::Tensor theta = latents.theta.slice(1, 0, d).contiguous();
    for (std::int64_t i = 0; i < count; ++i, out += record.stride) {
      std::memcpy(out, theta.data_ptr<double>() + i * d, static_cast<std::size_t>(8 * d));
      std::memcpy(out + 8 * d, aggregates.const_data_ptr<float>() + i * blocks * l,
                  static_cast<std::size_t>(4 * blocks * l));
      record.seal(out);
    }
  }

 private:
  Estimator& estimator_;
  const CacheLayout& layout_;
  std::int64_t chunk_;
  const EmbeddedPool* pool_;
  const std::function<bool()>& stop_;
};

}  // namespace

void write_cache(const std::filesystem::path& file, Estimator& estimator, const std::vector<CacheGroup>& groups,
                 std::uint64_t seed, std::int64_t generation, std::int64_t chunk, const std::function<bool()>& stop,
                 const std::function<void(const CacheProgress&)>& progress, Ranks* ranks) {
  const CacheLayout layout = cache_layout(estimator, groups, seed, generation);
  if (chunk <= 0) chunk = estimator.observations_at_once();
  const bool leads = ranks == nullptr || ranks->leads();
  if (!leads) ranks->meet();
  CacheProgress at{0, 0, 0};
  std::unique_ptr<const EmbeddedPool> pool;
  if (EmbeddedPool::serves(estimator.task()))
    pool = std::make_unique<EmbeddedPool>(file.parent_path() / run_file::pool, estimator, chunk, stop,
                                          [&](std::int64_t done, std::int64_t total) {
                                            at.members = done;
                                            at.all_members = total;
                                            if (progress) progress(at);
                                          });
  if (pool) at.members = at.all_members = pool->members();
  if (leads && !std::filesystem::exists(file)) {
    CacheHeader header{layout.text(), {}};
    if (generation == 0) header.statistics = measure_statistics(estimator, seed, stop, pool.get());
    create_cache_file(file, header, groups, layout.l, layout.d);
  }
  if (leads && ranks != nullptr) ranks->meet();
  constexpr std::int64_t kPooledChunk = 65536;  // embeddings at once, which are small compared with observations
  const std::int64_t at_once = pool ? kPooledChunk : chunk;
  SetRecords records(estimator, layout, at_once, pool.get(), stop);
  const auto fill = [&](const RecordShare& share) {
    fill_records(
        file, layout, at_once,
        [&](std::size_t group, std::int64_t first, std::int64_t count, const CacheRecord& record, char* out) {
          records.make(group, first, count, record, out);
        },
        stop,
        [&](std::int64_t done, std::int64_t total, double observations) {
          at.done = done;
          at.total = total;
          at.observations = observations;
          if (progress) progress(at);
        },
        share);
  };
  if (ranks != nullptr) {
    fill({ranks->rank(), ranks->size()});
    ranks->meet();
  }
  if (leads) fill({});
  if (ranks != nullptr) ranks->meet();
}

}  // namespace pairs
