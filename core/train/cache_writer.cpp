#include "core/train/cache_writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/aggregate.h"
#include "core/base/descriptor.h"
#include "core/base/error.h"
#include "core/train/cache_file.h"
#include "core/train/cache_statistics.h"

namespace pairs {
namespace {

// Fills the records of a cache whose file is there with its header and its space.
class CacheWriter {
 public:
  CacheWriter(const std::filesystem::path& file, Estimator& estimator, const CacheLayout& layout, std::int64_t chunk,
              const std::function<bool()>& stop, const std::function<void(const CacheProgress&)>& progress)
      : file_(file.string()),
        estimator_(estimator),
        layout_(layout),
        chunk_(chunk > 0 ? chunk : estimator.observations_at_once()),
        stop_(stop),
        progress_(progress),
        out_(::open(file.c_str(), O_RDWR | O_CLOEXEC)) {
    PAIRS_CHECK(out_ >= 0, "Cannot open the cache {}: {}", file_, std::strerror(errno));
    const CacheHeader header = read_cache_header(out_, open_file_bytes(out_), file_);
    PAIRS_CHECK(
        header.layout == layout.text(),
        "The cache {} belongs to another embedder or configuration; remove it and resume the run to build it again",
        file_);
    start_ = header.bytes;
    for (const CacheGroup& g : layout.groups) at_.total += g.sets();
  }

  void fill() {
    for (std::size_t group = 0; group < layout_.groups.size(); ++group) fill_group(group);
  }

 private:
  void fill_group(std::size_t group) {
    const CacheGroup& g = layout_.groups[group];
    const CacheRecord record(g, layout_.l, layout_.d);
    // A unit's composition depends on the layout alone, so that a resumed cache is bit-identical; all its sets are for
    // training, or all for validation.
    const std::int64_t unit = std::max<std::int64_t>(1, chunk_ / g.observations());
    std::string buffer;
    for (std::int64_t first = 0, count; first < g.sets(); first += count) {
      if (stop_()) throw Stopped();
      count = std::min(unit, (first < g.training ? g.training : g.sets()) - first);
      at_.done += count;
      const std::size_t where = start_ + static_cast<std::size_t>(first) * record.stride;
      buffer.assign(static_cast<std::size_t>(count) * record.stride, '\0');
      if (is_whole(buffer, where, record)) continue;
      make(group, first, count, record, buffer.data());
      PAIRS_CHECK(::pwrite(out_, buffer.data(), buffer.size(), static_cast<off_t>(where)) ==
                      static_cast<ssize_t>(buffer.size()),
                  "Cannot write the cache {}: {}; free some space and resume the run", file_, std::strerror(errno));
      at_.observations += static_cast<double>(count * g.observations());
      if (progress_) progress_(at_);
    }
    start_ += static_cast<std::size_t>(g.sets()) * record.stride;
  }

  // Whether the records that the buffer has room for are in the file already; reads them into it.
  bool is_whole(std::string& buffer, std::size_t where, const CacheRecord& record) const {
    if (::pread(out_, buffer.data(), buffer.size(), static_cast<off_t>(where)) != static_cast<ssize_t>(buffer.size()))
      return false;
    for (std::size_t at = 0; at < buffer.size(); at += record.stride)
      if (!record.whole(buffer.data() + at)) return false;
    return true;
  }

  // The records of `count` sets of a group from `first` on.
  void make(std::size_t group, std::int64_t first, std::int64_t count, const CacheRecord& record, char* out) {
    const CacheGroup& g = layout_.groups[group];
    const std::int64_t l = layout_.l, d = layout_.d, blocks = static_cast<std::int64_t>(g.blocks.size());
    std::vector<std::int64_t> indices(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i)
      indices[static_cast<std::size_t>(i)] = cached_set_index(group, g, first + i, layout_.generation);
    const Purpose purpose = cached_set_purpose(indices.front());
    const Latents latents = estimator_.task().latents(layout_.seed, purpose, indices);
    const torch::Tensor sums = block_sums(estimator_, latents, layout_.seed, purpose, indices, g.blocks,
                                          {.chunk = chunk_, .keep_going = [&] { return !stop_(); }});
    const torch::Tensor theta = latents.theta.slice(1, 0, d).contiguous();
    const double* sum = sums.data_ptr<double>();
    for (std::int64_t i = 0; i < count; ++i, out += record.stride) {
      std::memcpy(out, theta.data_ptr<double>() + i * d, static_cast<std::size_t>(8 * d));
      auto* means = reinterpret_cast<float*>(out + 8 * d);
      for (std::int64_t b = 0; b < blocks; ++b)
        for (std::int64_t j = 0; j < l; ++j)
          means[b * l + j] = static_cast<float>(sum[(i * blocks + b) * l + j] /
                                                static_cast<double>(g.blocks[static_cast<std::size_t>(b)]));
      record.seal(out);
    }
  }

  std::string file_;
  Estimator& estimator_;
  const CacheLayout& layout_;
  std::int64_t chunk_;
  const std::function<bool()>& stop_;
  const std::function<void(const CacheProgress&)>& progress_;
  Descriptor out_;
  std::size_t start_ = 0;  // of the present group in the file
  CacheProgress at_{0, 0, 0};
};

}  // namespace

void write_cache(const std::filesystem::path& file, Estimator& estimator, const std::vector<CacheGroup>& groups,
                 std::uint64_t seed, std::int64_t generation, std::int64_t chunk, const std::function<bool()>& stop,
                 const std::function<void(const CacheProgress&)>& progress) {
  const CacheLayout layout = cache_layout(estimator, groups, seed, generation);
  if (!std::filesystem::exists(file)) {
    CacheHeader header{layout.text(), {}};
    if (generation == 0) header.statistics = measure_statistics(estimator, seed, stop);
    create_cache_file(file, header, groups, layout.l, layout.d);
  }
  CacheWriter(file, estimator, layout, chunk, stop, progress).fill();
}

}  // namespace pairs
