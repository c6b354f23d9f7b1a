#include "core/train/cache/cache_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "core/base/files/descriptor.h"
#include "core/base/files/files.h"
#include "core/base/text/error.h"

namespace pairs {
namespace {

constexpr char kMagic[] = "PAIRSAG1";
constexpr std::size_t kPage = 4096, kPrefix = 32;
constexpr std::uint32_t kWritten = 0x53524950;

std::size_t round_up(std::size_t value, std::size_t unit) {
  return (value + unit - 1) / unit * unit;
}

std::string pack_header(const CacheHeader& header) {
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

}  // namespace

std::uint32_t embedder_checksum(const Estimator& estimator) {
  std::uint32_t sum = 0;
  for (const auto& [name, tensor] : estimator.embedder_parameters()) {
    const torch::Tensor host = tensor.detach().to(torch::kCPU).contiguous();
    sum = sum * 31 + checksum({static_cast<const char*>(host.const_data_ptr()), host.nbytes()});
  }
  return sum;
}

CacheLayout cache_layout(const Estimator& estimator, const std::vector<CacheGroup>& groups, std::uint64_t seed,
                         std::int64_t generation) {
  const TaskInfo& task = estimator.task().info();
  return {task.name,
          task.data_source,
          seed,
          generation,
          estimator.embedding_size(),
          cached_targets(task),
          embedder_checksum(estimator),
          groups};
}

std::string CacheLayout::text() const {
  nlohmann::json list = nlohmann::json::array();
  for (const CacheGroup& g : groups)
    list.push_back({{"n", g.n},
                    {"smallest", g.smallest},
                    {"training", g.training},
                    {"validation", g.validation},
                    {"blocks", g.blocks}});
  const nlohmann::json all = {
      {"task", task}, {"data_source", data_source}, {"seed", seed},  {"generation", generation}, {"l", l},
      {"d", d},       {"embedder", embedder},       {"groups", list}};
  return all.dump();
}

CacheHeader read_cache_header(int descriptor, std::size_t file_bytes, const std::string& where) {
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
  CacheHeader header;
  header.layout.assign(bytes, kPrefix + 16, text);
  header.statistics.resize(numbers);
  if (numbers > 0) std::memcpy(header.statistics.data(), bytes.data() + kPrefix + 16 + text, 8 * numbers);
  header.bytes = total;
  return header;
}

CacheLayout parse_cache_layout(const CacheHeader& header, const Estimator& estimator, std::uint64_t seed,
                               std::int64_t generation, const std::string& where) {
  const nlohmann::json reported = nlohmann::json::parse(header.layout, nullptr, false);
  PAIRS_CHECK(
      !reported.is_discarded() && reported.value("embedder", 0u) == embedder_checksum(estimator) &&
          reported.value("seed", std::uint64_t{0}) == seed &&
          reported.value("generation", std::int64_t{-1}) == generation,
      "The cache {} belongs to another embedder or configuration; remove it and resume the run to build it again",
      where);
  CacheLayout layout;
  layout.task = reported.at("task");
  layout.data_source = reported.at("data_source");
  layout.seed = seed;
  layout.generation = generation;
  layout.l = reported.at("l");
  layout.d = reported.at("d");
  layout.embedder = reported.at("embedder");
  for (const auto& item : reported.at("groups"))
    layout.groups.push_back({item.at("n"), item.at("smallest"), item.at("training"), item.at("validation"),
                             item.at("blocks").get<std::vector<std::int64_t>>()});
  return layout;
}

CacheRecord::CacheRecord(const CacheGroup& group, std::int64_t l, std::int64_t d)
    : payload(static_cast<std::size_t>(8 * d + 4 * l * static_cast<std::int64_t>(group.blocks.size()))),
      stride(round_up(payload + 8, 64)) {}

bool CacheRecord::whole(const char* record) const {
  std::uint32_t crc, tag;
  std::memcpy(&crc, record + payload, 4);
  std::memcpy(&tag, record + payload + 4, 4);
  return tag == kWritten && crc == checksum({record, payload});
}

void CacheRecord::seal(char* record) const {
  const std::uint32_t crc = checksum({record, payload});
  std::memcpy(record + payload, &crc, 4);
  std::memcpy(record + payload + 4, &kWritten, 4);
}

double cache_bytes(const std::vector<CacheGroup>& groups, std::int64_t l, std::int64_t d) {
  double total = static_cast<double>(kPage + 16 * static_cast<std::size_t>(l * l));
  for (const CacheGroup& g : groups)
    total += static_cast<double>(g.sets()) * static_cast<double>(CacheRecord(g, l, d).stride);
  return total;
}

void create_cache_file(const std::filesystem::path& file, const CacheHeader& header,
                       const std::vector<CacheGroup>& groups, std::int64_t l, std::int64_t d) {
  const std::string packed = pack_header(header);
  const std::size_t bytes = packed.size() + static_cast<std::size_t>(cache_bytes(groups, l, d));
  write_file_through(file, [&](const std::filesystem::path& temporary) {
    const Descriptor out(::open(temporary.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    PAIRS_CHECK(out >= 0, "Cannot create the cache {}: {}", file.string(), std::strerror(errno));
    const int reserved = ::posix_fallocate(out, 0, static_cast<off_t>(bytes));
    PAIRS_CHECK(reserved == 0, "Cannot reserve {:.1f} MB for the cache {}: {}; free some space or lower {}",
                static_cast<double>(bytes) / 1e6, file.string(), std::strerror(reserved), "cache.sets"_key);
    PAIRS_CHECK(::pwrite(out, packed.data(), packed.size(), 0) == static_cast<ssize_t>(packed.size()),
                "Cannot write the cache {}: {}", file.string(), std::strerror(errno));
  });
}

std::size_t open_file_bytes(int descriptor) {
  struct stat info {};
  return ::fstat(descriptor, &info) == 0 ? static_cast<std::size_t>(info.st_size) : 0;
}

}  // namespace pairs
