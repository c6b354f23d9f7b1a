#include "core/train/cache/record_writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "core/base/files/descriptor.h"
#include "core/base/text/error.h"

namespace pairs {
namespace {

// Whether the records for the buffer are already complete in the file; reads them into it.
bool read_whole(int file, std::string& buffer, std::size_t where, const CacheRecord& record) {
  if (::pread(file, buffer.data(), buffer.size(), static_cast<off_t>(where)) != static_cast<ssize_t>(buffer.size()))
    return false;
  for (std::size_t at = 0; at < buffer.size(); at += record.stride)
    if (!record.whole(buffer.data() + at)) return false;
  return true;
}

// Sets that are made together, and where their records begin in the file.
struct Unit {
  std::size_t group;
  std::int64_t first, count;
  std::size_t where;
};

// A share's units: consecutive ones of each group, whose sets all cost the same.
std::vector<Unit> units_of(const CacheLayout& layout, std::int64_t chunk, std::size_t start, const RecordShare& share) {
  std::vector<Unit> units;
  for (std::size_t group = 0; group < layout.groups.size(); ++group) {
    const CacheGroup& g = layout.groups[group];
    const CacheRecord record(g, layout.l, layout.d);
    const std::int64_t at_once = std::max<std::int64_t>(1, chunk / g.observations());
    std::vector<Unit> all;
    for (std::int64_t first = 0, count; first < g.sets(); first += count) {
      count = std::min(at_once, (first < g.training ? g.training : g.sets()) - first);
      all.push_back({group, first, count, start + static_cast<std::size_t>(first) * record.stride});
    }
    const auto edge = [&](std::int64_t k) {
      return all.begin() + static_cast<std::int64_t>(all.size()) * k / share.of;
    };
    units.insert(units.end(), edge(share.share), edge(share.share + 1));
    start += static_cast<std::size_t>(g.sets()) * record.stride;
  }
  return units;
}

}  // namespace

void fill_records(const std::filesystem::path& file, const CacheLayout& layout, std::int64_t chunk,
                  const MakeRecords& make, const std::function<bool()>& stop, const OnRecords& on_records,
                  const RecordShare& share) {
  const std::string name = file.string();
  const Descriptor out(::open(file.c_str(), O_RDWR | O_CLOEXEC));
  PAIRS_CHECK(out >= 0, "Cannot open the cache {}: {}", name, std::strerror(errno));
  const CacheHeader header = read_cache_header(out, open_file_bytes(out), name);
  PAIRS_CHECK(
      header.layout == layout.text(),
      "The cache {} belongs to another embedder or configuration; remove it and resume the run to build it again",
      name);
  std::int64_t done = 0, total = 0;
  double made = 0;
  const std::vector<Unit> units = units_of(layout, chunk, header.bytes, share);
  for (const Unit& unit : units) total += unit.count;
  std::string buffer;
  for (const Unit& unit : units) {
    if (stop()) throw Stopped();
    const CacheGroup& g = layout.groups[unit.group];
    const CacheRecord record(g, layout.l, layout.d);
    done += unit.count;
    buffer.assign(static_cast<std::size_t>(unit.count) * record.stride, '\0');
    if (read_whole(out, buffer, unit.where, record)) continue;
    make(unit.group, unit.first, unit.count, record, buffer.data());
    PAIRS_CHECK(::pwrite(out, buffer.data(), buffer.size(), static_cast<off_t>(unit.where)) ==
                    static_cast<ssize_t>(buffer.size()),
                "Cannot write the cache {}: {}; free some space and resume the run", name, std::strerror(errno));
    made += static_cast<double>(unit.count * g.observations());
    if (on_records) on_records(done, total, made);
  }
}

}  // namespace pairs
