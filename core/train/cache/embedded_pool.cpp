#include "core/train/cache/embedded_pool.h"

#include <ATen/Functions.h>
#include <fcntl.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>

#include "core/base/files/descriptor.h"
#include "core/base/text/error.h"
#include "core/train/cache/cache_file.h"
#include "core/train/cache/record_writer.h"

namespace pairs {
namespace {

CacheLayout pool_layout(const Estimator& estimator) {
  const Task& task = estimator.task();
  CacheLayout layout;
  layout.task = task.info().name + " pool";
  layout.data_source = task.info().data_source;
  layout.l = estimator.embedding_size();
  layout.embedder = embedder_checksum(estimator);
  layout.groups = {{1, 1, task.pool_size(Purpose::finetune), task.pool_size(Purpose::finetune_validation), {1}}};
  return layout;
}

}  // namespace

bool EmbeddedPool::serves(const Task& task) {
  return task.pool_size(Purpose::finetune) > 0;
}

EmbeddedPool::EmbeddedPool(const std::filesystem::path& file, Estimator& estimator, std::int64_t chunk,
                           const std::function<bool()>& stop,
                           const std::function<void(std::int64_t, std::int64_t)>& progress)
    : task_(estimator.task_pointer()) {
  const CacheLayout layout = pool_layout(estimator);
  const CacheGroup& members = layout.groups.front();
  training_ = members.training;
  members_ = members.sets();
  const std::int64_t l = layout.l;
  if (!std::filesystem::exists(file)) create_cache_file(file, {layout.text(), {}}, layout.groups, l, 0);
  fill_records(
      file, layout, chunk > 0 ? chunk : estimator.observations_at_once(),
      [&](std::size_t, std::int64_t first, std::int64_t count, const CacheRecord& record, char* out) {
        at::NoGradGuard no_grad;
        const bool training = first < training_;
        const Observations x = task_->pool_members(training ? Purpose::finetune : Purpose::finetune_validation,
                                                   training ? first : first - training_, count, estimator.device());
        const torch::Tensor e = estimator.embed(x).to(torch::kCPU, torch::kFloat32).contiguous();
        for (std::int64_t i = 0; i < count; ++i, out += record.stride) {
          std::memcpy(out, e.const_data_ptr<float>() + i * l, static_cast<std::size_t>(4 * l));
          record.seal(out);
        }
      },
      stop,
      [&](std::int64_t done, std::int64_t total, double) {
        if (progress) progress(done, total);
      });

  const Descriptor in(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  PAIRS_CHECK(in >= 0, "Cannot open the cache {}: {}", file.string(), std::strerror(errno));
  bytes_ = open_file_bytes(in);
  const CacheHeader header = read_cache_header(in, bytes_, file.string());
  map_ = ::mmap(nullptr, bytes_, PROT_READ, MAP_PRIVATE, in, 0);
  PAIRS_CHECK(map_ != MAP_FAILED, "Cannot map the cache {} of {} bytes: {}", file.string(), bytes_,
              std::strerror(errno));
  const auto stride = static_cast<std::int64_t>(CacheRecord(members, l, 0).stride);
  table_ = at::from_blob(static_cast<char*>(map_) + header.bytes, {members_, l}, {stride / 4, 1}, torch::kFloat32);
}

EmbeddedPool::~EmbeddedPool() {
  if (map_ != nullptr && map_ != MAP_FAILED) ::munmap(map_, bytes_);
}

torch::Tensor EmbeddedPool::embeddings(const Latents& latents, std::uint64_t seed, Purpose purpose,
                                       std::span<const SetRange> ranges) const {
  PAIRS_CHECK(purpose == Purpose::finetune || purpose == Purpose::finetune_validation,
              "Only sets of stage 2 are means of the pool's embeddings");
  torch::Tensor member = task_->pool_draws(latents, seed, purpose, ranges).member;
  if (purpose == Purpose::finetune_validation) member = member + training_;
  return table_.index_select(0, member);
}

}  // namespace pairs
