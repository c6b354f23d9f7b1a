#include "core/train/aggregate_cache.h"

#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "core/aggregate.h"
#include "core/base/descriptor.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/sets/amounts.h"
#include "core/sets/index_map.h"
#include "core/target_model.h"

namespace pairs {
namespace {

constexpr char kMagic[] = "PAIRSAG1";
constexpr std::size_t kPage = 4096, kPrefix = 32;
constexpr std::uint32_t kWritten = 0x53524950;

std::size_t round_up(std::size_t value, std::size_t unit) {
  return (value + unit - 1) / unit * unit;
}

std::size_t record_stride(const CacheGroup& group, std::int64_t l, std::int64_t d) {
  return round_up(static_cast<std::size_t>(8 * d + 4 * l * static_cast<std::int64_t>(group.blocks.size())) + 8, 64);
}

// Index of a cached set in its source: training sets of later generations are new ones.
std::int64_t set_index(std::size_t group, const CacheGroup& g, std::int64_t set, std::int64_t generation) {
  const std::int64_t base = static_cast<std::int64_t>(group) * index_map::kGroupStride;
  return set < g.training ? base + generation * g.training + set
                          : base + index_map::kValidationSets + (set - g.training);
}

// Whether such an index is of a validation set, whose observations a task may take from other data.
Purpose purpose_of(std::int64_t index) {
  return index % index_map::kGroupStride < index_map::kValidationSets ? Purpose::finetune
                                                                      : Purpose::finetune_validation;
}

std::uint32_t embedder_checksum(const Estimator& estimator) {
  std::uint32_t sum = 0;
  for (const auto& [name, tensor] : estimator.embedder_parameters()) {
    const torch::Tensor host = tensor.detach().to(torch::kCPU).contiguous();
    sum = sum * 31 + checksum({static_cast<const char*>(host.const_data_ptr()), host.nbytes()});
  }
  return sum;
}

nlohmann::json layout_json(const Estimator& estimator, const std::vector<CacheGroup>& groups, std::uint64_t seed,
                           std::int64_t generation) {
  nlohmann::json list = nlohmann::json::array();
  for (const CacheGroup& g : groups)
    list.push_back({{"n", g.n},
                    {"smallest", g.smallest},
                    {"training", g.training},
                    {"validation", g.validation},
                    {"blocks", g.blocks}});
  return {{"task", estimator.task().info().name},
          {"data_source", estimator.task().info().data_source},
          {"seed", seed},
          {"generation", generation},
          {"l", estimator.embedding_size()},
          {"d", cached_targets(estimator.task().info())},
          {"embedder", embedder_checksum(estimator)},
          {"groups", list}};
}

struct Header {
  std::string layout;
  std::vector<double> statistics;  // mean, between, within; empty in later generations
  std::size_t bytes = 0;           // of the whole header region
};

std::string pack(const Header& header) {
  const std::size_t body = 16 + header.layout.size() + 8 * header.statistics.size();
  std::string out(round_up(kPrefix + body, kPage), '\0');
  const auto put = [&](std::size_t at, const void* data, std::size_t bytes) {
    if (bytes > 0) std::memcpy(out.data() + at, data, bytes);
  };
  const std::uint64_t total = out.size(), text = header.layout.size(), numbers = header.statistics.size();
  put(0, kMagic, 8);
  put(8, &total, 8);
  put(kPrefix, &text, 8);
  put(kPrefix + 8, &numbers, 8);
  put(kPrefix + 16, header.layout.data(), text);
  put(kPrefix + 16 + text, header.statistics.data(), 8 * numbers);
  const std::uint32_t crc = checksum({out.data() + kPrefix, out.size() - kPrefix});
  put(16, &crc, 4);
  return out;
}

Header unpack(int descriptor, std::size_t file_bytes, const std::string& where) {
  const auto damaged = [&](const char* what) {
    fail("The cache {} is damaged ({}); remove it and resume the run to build it again", where, what);
  };
  char prefix[kPrefix];
  if (file_bytes < kPage || ::pread(descriptor, prefix, kPrefix, 0) != static_cast<ssize_t>(kPrefix))
    damaged("it is too short");
  if (std::memcmp(prefix, kMagic, 8) != 0) damaged("it does not begin with the magic word");
  std::uint64_t total, text, numbers;
  std::uint32_t crc;
  std::memcpy(&total, prefix + 8, 8);
  std::memcpy(&crc, prefix + 16, 4);
  if (total < kPage || total > file_bytes || total % kPage != 0 || total > (1ull << 32))
    damaged("its header's length is impossible");
  std::string bytes(total, '\0');
  if (::pread(descriptor, bytes.data(), total, 0) != static_cast<ssize_t>(total)) damaged("its header cannot be read");
  if (checksum({bytes.data() + kPrefix, total - kPrefix}) != crc) damaged("its header's checksum is wrong");
  std::memcpy(&text, bytes.data() + kPrefix, 8);
  std::memcpy(&numbers, bytes.data() + kPrefix + 8, 8);
  if (text > total || numbers > total / 8 || kPrefix + 16 + text + 8 * numbers > total)
    damaged("its header is inconsistent");
  Header header;
  header.layout.assign(bytes, kPrefix + 16, text);
  header.statistics.resize(numbers);
  if (numbers > 0) std::memcpy(header.statistics.data(), bytes.data() + kPrefix + 16 + text, 8 * numbers);
  header.bytes = total;
  return header;
}

bool record_valid(const char* record, std::size_t payload) {
  std::uint32_t crc, tag;
  std::memcpy(&crc, record + payload, 4);
  std::memcpy(&tag, record + payload + 4, 4);
  return tag == kWritten && crc == checksum({record, payload});
}

std::size_t payload_bytes(const CacheGroup& group, std::int64_t l, std::int64_t d) {
  return static_cast<std::size_t>(8 * d + 4 * l * static_cast<std::int64_t>(group.blocks.size()));
}

// Mean and between-/within-set covariances of embeddings, float64, from a sample of sets.
std::vector<double> measure_statistics(Estimator& estimator, std::uint64_t seed, const std::function<bool()>& stop) {
  const std::int64_t l = estimator.embedding_size();
  const StatisticsSample sample = statistics_sample(estimator.task().info().observation_numbers());
  const std::int64_t sets = std::max(sample.sets, 6 * l), each = sample.observations;
  torch::Tensor sum = torch::zeros({l}, torch::kFloat64), outer = torch::zeros({l, l}, torch::kFloat64),
                within = torch::zeros({l, l}, torch::kFloat64);
  const std::int64_t group = std::max<std::int64_t>(1, estimator.observations_at_once() / each);
  for (std::int64_t first = 0; first < sets; first += group) {
    if (stop()) throw Stopped();
    const std::int64_t count = std::min(group, sets - first);
    std::vector<std::int64_t> indices(static_cast<std::size_t>(count));
    std::vector<SetRange> ranges(indices.size());
    for (std::int64_t i = 0; i < count; ++i) {
      indices[static_cast<std::size_t>(i)] = index_map::kStatisticsSets + first + i;
      ranges[static_cast<std::size_t>(i)] = {indices[static_cast<std::size_t>(i)], 0, each};
    }
    const Latents latents = estimator.task().latents(seed, Purpose::finetune, indices);
    const Observations x = estimator.task().observe(latents, seed, Purpose::finetune, ranges, estimator.device());
    const torch::Tensor e = estimator.embed(x).to(torch::kCPU, torch::kFloat64).view({count, each, l});
    const torch::Tensor mean = e.mean(1);
    const torch::Tensor rest = (e - mean.unsqueeze(1)).view({count * each, l});
    sum += mean.sum(0);
    outer += mean.t().mm(mean);
    within += rest.t().mm(rest);
  }
  const double s = static_cast<double>(sets), m = static_cast<double>(each);
  const torch::Tensor mean = sum / s;
  within /= s * (m - 1);
  torch::Tensor between = (outer - s * at::outer(mean, mean)) / (s - 1) - within / m;
  // The difference of two estimates: keep it positive semi-definite, and its diagonal above rounding.
  auto [values, vectors] = at::linalg_eigh(between);
  const torch::Tensor floor = (within.diagonal().mean() + between.diagonal().abs().mean()) * 1e-12;
  between = vectors.mm(at::diag(at::maximum(values, floor))).mm(vectors.t());
  std::vector<double> out;
  for (const torch::Tensor& t : {mean, between, within}) {
    const torch::Tensor flat = t.contiguous().view({-1});
    out.insert(out.end(), flat.data_ptr<double>(), flat.data_ptr<double>() + flat.numel());
  }
  return out;
}

AggregateStatistics statistics_of(const std::vector<double>& numbers, std::int64_t l) {
  const torch::Tensor all = torch::tensor(numbers, torch::kFloat64);
  return {all.slice(0, 0, l).clone(),
          all.slice(0, l, l + l * l).view({l, l}).clone(),
          all.slice(0, l + l * l, l + 2 * l * l).view({l, l}).clone(),
          {}};
}

std::size_t file_bytes(int descriptor) {
  struct stat info {};
  return ::fstat(descriptor, &info) == 0 ? static_cast<std::size_t>(info.st_size) : 0;
}

// Creates the file with its header and all its space reserved, so that it is whole from the first moment.
void create(const std::filesystem::path& file, const std::string& header, std::size_t bytes) {
  write_file_through(file, [&](const std::filesystem::path& temporary) {
    const Descriptor out(::open(temporary.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    PAIRS_CHECK(out >= 0, "Cannot create the cache {}: {}", file.string(), std::strerror(errno));
    const int reserved = ::posix_fallocate(out, 0, static_cast<off_t>(bytes));
    PAIRS_CHECK(reserved == 0, "Cannot reserve {:.1f} MB for the cache {}: {}; free some space or lower cache.sets",
                static_cast<double>(bytes) / 1e6, file.string(), std::strerror(reserved));
    PAIRS_CHECK(::pwrite(out, header.data(), header.size(), 0) == static_cast<ssize_t>(header.size()),
                "Cannot write the cache {}: {}", file.string(), std::strerror(errno));
  });
}

}  // namespace

std::int64_t CacheGroup::observations() const {
  std::int64_t total = 0;
  for (std::int64_t b : blocks) total += b;
  return total;
}

std::vector<CacheGroup> plan_groups(const CacheConfig& c, bool list_law) {
  std::vector<CacheGroup> groups;
  for (std::size_t k = 0; k < c.sizes.size(); ++k) {
    CacheGroup g;
    g.n = c.sizes[k];
    g.smallest = k == 0 ? 1 : c.sizes[k - 1] + 1;
    const std::int64_t sets = c.sets.size() == 1 ? c.sets[0] : c.sets[k];
    g.validation = std::max<std::int64_t>(1, static_cast<std::int64_t>(static_cast<double>(sets) * c.validation));
    g.training = sets - g.validation;
    const auto wanted = static_cast<std::int64_t>(std::ceil(c.oversample * static_cast<double>(g.n)));
    if (c.mode == "fixed") {
      g.blocks = {g.n};
    } else if (list_law) {
      // Equal blocks: any `pieces` of them make a set of exactly n.
      const std::int64_t pieces = std::min(c.pieces, g.n);
      if (g.n % pieces != 0)
        fail_usage("cache.pieces = {} does not divide the set size {} of cache.sizes; choose a divisor", pieces, g.n);
      g.blocks.assign(static_cast<std::size_t>((wanted + g.n / pieces - 1) / (g.n / pieces)), g.n / pieces);
    } else {
      const std::int64_t largest = std::max<std::int64_t>(1, g.n / c.pieces);
      std::int64_t total = 0;
      for (std::int64_t size = std::max<std::int64_t>(1, g.smallest / 16); size < largest; size *= 2)
        for (std::int64_t i = 0; i < c.copies; ++i, total += size) g.blocks.push_back(size);
      for (; total < wanted; total += largest) g.blocks.push_back(largest);
      std::sort(g.blocks.rbegin(), g.blocks.rend());
    }
    groups.push_back(std::move(g));
  }
  return groups;
}

std::int64_t cached_targets(const TaskInfo& task) {
  return target_model(task).kept_in_cache() && task.given_size() == 0 ? task.target_size() : 0;
}

double cache_bytes(const std::vector<CacheGroup>& groups, std::int64_t l, std::int64_t d) {
  double total = static_cast<double>(kPage + 16 * static_cast<std::size_t>(l * l));
  for (const CacheGroup& g : groups)
    total += static_cast<double>(g.training + g.validation) * static_cast<double>(record_stride(g, l, d));
  return total;
}

void write_cache(const std::filesystem::path& file, Estimator& estimator, const std::vector<CacheGroup>& groups,
                 std::uint64_t seed, std::int64_t generation, std::int64_t chunk, const std::function<bool()>& stop,
                 const std::function<void(const CacheProgress&)>& progress) {
  const std::int64_t l = estimator.embedding_size();
  const std::int64_t d = cached_targets(estimator.task().info());
  const std::string layout = layout_json(estimator, groups, seed, generation).dump();
  if (chunk <= 0) chunk = estimator.observations_at_once();
  std::int64_t total = 0;
  for (const CacheGroup& g : groups) total += g.training + g.validation;

  if (!std::filesystem::exists(file)) {
    Header header;
    header.layout = layout;
    if (generation == 0) header.statistics = measure_statistics(estimator, seed, stop);
    const std::string bytes = pack(header);
    create(file, bytes, bytes.size() + static_cast<std::size_t>(cache_bytes(groups, l, d)));
  }
  const Descriptor out(::open(file.c_str(), O_RDWR | O_CLOEXEC));
  PAIRS_CHECK(out >= 0, "Cannot open the cache {}: {}", file.string(), std::strerror(errno));
  const Header header = unpack(out, file_bytes(out), file.string());
  PAIRS_CHECK(
      header.layout == layout,
      "The cache {} belongs to another embedder or configuration; remove it and resume the run to build it again",
      file.string());

  std::int64_t done = 0;
  double observations = 0;
  std::size_t start = header.bytes;
  for (std::size_t gi = 0; gi < groups.size(); ++gi) {
    const CacheGroup& g = groups[gi];
    const std::size_t stride = record_stride(g, l, d), payload = payload_bytes(g, l, d);
    const std::int64_t per_set = g.observations(), sets = g.training + g.validation;
    const auto blocks = static_cast<std::int64_t>(g.blocks.size());
    // A unit's composition depends on the layout alone, so that a resumed cache is bit-identical; all its sets are for
    // training, or all for validation.
    const std::int64_t unit = std::max<std::int64_t>(1, chunk / per_set);
    std::string buffer;
    for (std::int64_t first = 0, count; first < sets; first += count) {
      if (stop()) throw Stopped();
      count = std::min(unit, (first < g.training ? g.training : sets) - first);
      const std::size_t where = start + static_cast<std::size_t>(first) * stride;
      buffer.assign(static_cast<std::size_t>(count) * stride, '\0');
      bool whole =
          ::pread(out, buffer.data(), buffer.size(), static_cast<off_t>(where)) == static_cast<ssize_t>(buffer.size());
      for (std::int64_t i = 0; whole && i < count; ++i)
        whole = record_valid(buffer.data() + static_cast<std::size_t>(i) * stride, payload);
      done += count;
      if (whole) continue;

      std::vector<std::int64_t> indices(static_cast<std::size_t>(count));
      for (std::int64_t i = 0; i < count; ++i)
        indices[static_cast<std::size_t>(i)] = set_index(gi, g, first + i, generation);
      const Purpose purpose = purpose_of(indices.front());
      const Latents latents = estimator.task().latents(seed, purpose, indices);
      const torch::Tensor sums = block_sums(estimator, latents, seed, purpose, indices, g.blocks,
                                            {.chunk = chunk, .keep_going = [&] { return !stop(); }});
      const torch::Tensor theta = latents.theta.slice(1, 0, d).contiguous();
      const double* sum = sums.data_ptr<double>();
      for (std::int64_t i = 0; i < count; ++i) {
        char* record = buffer.data() + static_cast<std::size_t>(i) * stride;
        std::memcpy(record, theta.data_ptr<double>() + i * d, static_cast<std::size_t>(8 * d));
        auto* means = reinterpret_cast<float*>(record + 8 * d);
        for (std::int64_t b = 0; b < blocks; ++b)
          for (std::int64_t j = 0; j < l; ++j)
            means[b * l + j] = static_cast<float>(sum[(i * blocks + b) * l + j] /
                                                  static_cast<double>(g.blocks[static_cast<std::size_t>(b)]));
        const std::uint32_t crc = checksum({record, payload});
        std::memcpy(record + payload, &crc, 4);
        std::memcpy(record + payload + 4, &kWritten, 4);
      }
      PAIRS_CHECK(
          ::pwrite(out, buffer.data(), buffer.size(), static_cast<off_t>(where)) == static_cast<ssize_t>(buffer.size()),
          "Cannot write the cache {}: {}; free some space and resume the run", file.string(), std::strerror(errno));
      observations += static_cast<double>(count * per_set);
      if (progress) progress({done, total, observations});
    }
    start += static_cast<std::size_t>(sets) * stride;
  }
}

AggregateCache::AggregateCache(const std::filesystem::path& file, const Estimator& estimator, std::uint64_t seed,
                               std::int64_t generation)
    : task_(estimator.task_pointer()), seed_(seed), generation_(generation) {
  const Descriptor in(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  PAIRS_CHECK(in >= 0, "Cannot open the cache {}: {}; resume the run to build it", file.string(), std::strerror(errno));
  bytes_ = file_bytes(in);
  const Header header = unpack(in, bytes_, file.string());
  const nlohmann::json layout = nlohmann::json::parse(header.layout, nullptr, false);
  PAIRS_CHECK(
      !layout.is_discarded() && layout.value("embedder", 0u) == embedder_checksum(estimator) &&
          layout.value("seed", std::uint64_t{0}) == seed && layout.value("generation", std::int64_t{-1}) == generation,
      "The cache {} belongs to another embedder or configuration; remove it and resume the run to build it again",
      file.string());
  l_ = layout.at("l").get<std::int64_t>();
  d_ = layout.at("d").get<std::int64_t>();
  PAIRS_CHECK(d_ == cached_targets(task_->info()),
              "The cache {} keeps {} targets a set, not {}; remove it and resume the run to build it again",
              file.string(), d_, cached_targets(task_->info()));
  std::size_t at = header.bytes;
  for (const auto& item : layout.at("groups")) {
    CacheGroup g;
    g.n = item.at("n");
    g.smallest = item.at("smallest");
    g.training = item.at("training");
    g.validation = item.at("validation");
    g.blocks = item.at("blocks").get<std::vector<std::int64_t>>();
    starts_.push_back(at);
    strides_.push_back(record_stride(g, l_, d_));
    at += strides_.back() * static_cast<std::size_t>(g.training + g.validation);
    groups_.push_back(std::move(g));
  }
  PAIRS_CHECK(at <= bytes_,
              "The cache {} is cut short ({} of {} bytes); remove it and resume the run to build it again",
              file.string(), bytes_, at);
  if (!header.statistics.empty()) {
    PAIRS_CHECK(header.statistics.size() == static_cast<std::size_t>(l_ + 2 * l_ * l_),
                "The cache {} holds statistics of a wrong length; remove it and resume the run to build it again",
                file.string());
    statistics_ = statistics_of(header.statistics, l_);
  }
  map_ = ::mmap(nullptr, bytes_, PROT_READ, MAP_PRIVATE, in, 0);
  PAIRS_CHECK(map_ != MAP_FAILED, "Cannot map the cache {} of {} bytes: {}", file.string(), bytes_,
              std::strerror(errno));
  for (std::size_t gi = 0; gi < groups_.size(); ++gi) {
    const std::int64_t sets = groups_[gi].training + groups_[gi].validation;
    std::atomic<std::int64_t> bad{-1};
    at::parallel_for(0, sets, 256, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t s = begin; s < end; ++s)
        if (!record_valid(record(gi, s), payload_bytes(groups_[gi], l_, d_))) bad = s;
    });
    if (bad >= 0) {
      ::munmap(map_, bytes_);
      map_ = nullptr;
      fail("The cache {} is damaged (checksum of set {} in group {}); resume the run to rebuild that set",
           file.string(), bad.load(), gi);
    }
  }
}

AggregateCache::~AggregateCache() {
  if (map_ != nullptr && map_ != MAP_FAILED) ::munmap(map_, bytes_);
}

const char* AggregateCache::record(std::size_t group, std::int64_t set) const {
  return static_cast<const char*>(map_) + starts_[group] + strides_[group] * static_cast<std::size_t>(set);
}
const double* AggregateCache::theta(std::size_t group, std::int64_t set) const {
  return reinterpret_cast<const double*>(record(group, set));
}
const float* AggregateCache::blocks(std::size_t group, std::int64_t set) const {
  return reinterpret_cast<const float*>(record(group, set) + 8 * d_);
}
std::int64_t AggregateCache::index(std::size_t group, std::int64_t set) const {
  return set_index(group, groups_[group], set, generation_);
}

void AggregateCache::recall(AggregateBatch& batch) const {
  if (d_ > 0) return;
  const torch::Tensor index = batch.index.contiguous();
  const auto count = static_cast<std::size_t>(index.numel());
  const std::int64_t* indices = index.const_data_ptr<std::int64_t>();
  const Purpose purpose = count > 0 ? purpose_of(indices[0]) : Purpose::finetune;
  PAIRS_CHECK(std::all_of(indices, indices + count, [&](std::int64_t i) { return purpose_of(i) == purpose; }),
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
