#include "tasks/objects/view_cache_file.h"

#include <ATen/Parallel.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>

#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"

namespace pairs {
namespace {

constexpr std::uint64_t view_file_magic = 0x3153574549563344ull;    // "D3VIEWS1"
constexpr std::uint64_t view_record_magic = 0x3144524357454956ull;  // "VIEWCRD1"
constexpr std::uint64_t file_prefix = 24, record_prefix = 24;
constexpr std::uint64_t largest_head = 64 << 20, largest_record = 1ull << 36;

template <class T>
void put(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}
template <class T>
T get(const std::string& bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

bool read_at(int descriptor, std::uint64_t at, std::uint64_t count, std::string& out) {
  out.resize(count);
  return ::pread(descriptor, out.data(), count, static_cast<off_t>(at)) == static_cast<ssize_t>(count);
}

// Parses a head's fields; false if they are inconsistent.
bool parse_head(const std::string& head, std::uint64_t begin, std::uint64_t images, std::string& key, ViewRecord& out) {
  if (head.size() < 8) return false;
  const std::uint64_t name = get<std::uint32_t>(head, 0), views = get<std::uint32_t>(head, 4);
  if (name > head.size() || views > head.size() || 8 + name + 40 * views != head.size()) return false;
  key.assign(head, 8, name);
  out.begin = begin;
  std::uint64_t total = 0;
  for (std::uint64_t v = 0; v < views; ++v) {
    const std::size_t at = 8 + name + 40 * v;
    out.cameras.push_back(
        {get<double>(head, at), get<double>(head, at + 8), get<double>(head, at + 16), get<double>(head, at + 24)});
    out.bytes.push_back(get<std::uint32_t>(head, at + 32));
    out.checksums.push_back(get<std::uint32_t>(head, at + 36));
    total += out.bytes.back();
  }
  return total == images;
}

}  // namespace

std::string pack_view_header(const ViewSettings& settings) {
  const std::string text = settings.text();
  std::string out;
  put(out, view_file_magic);
  put(out, std::uint64_t{text.size()});
  put(out, std::uint64_t{checksum(text)});
  return out + text;
}

std::string compress_view(const std::uint8_t* image, std::int64_t side) {
  std::vector<std::uint8_t> rows(image, image + side * side);
  for (std::int64_t k = side; k < side * side; ++k)
    rows[static_cast<std::size_t>(k)] = static_cast<std::uint8_t>(image[k] - image[k - side]);
  uLongf size = ::compressBound(rows.size());
  std::string out(size, '\0');
  PAIRS_CHECK(::compress2(reinterpret_cast<Bytef*>(out.data()), &size, rows.data(), rows.size(), 6) == Z_OK,
              "Memory does not suffice to compress a view of {} pixels a side", side);
  out.resize(size);
  return out;
}

bool expand_view(const std::string& bytes, std::int64_t side, std::uint8_t* out) {
  auto size = static_cast<uLongf>(side * side);
  if (::uncompress(out, &size, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()) != Z_OK ||
      size != static_cast<uLongf>(side * side))
    return false;
  for (std::int64_t row = 1; row < side; ++row)
    for (std::int64_t k = row * side; k < (row + 1) * side; ++k)
      out[k] = static_cast<std::uint8_t>(out[k] + out[k - side]);
  return true;
}

std::string pack_view_record(const std::string& key, const std::vector<render::MeshCamera>& cameras,
                             const std::uint8_t* views, std::int64_t side) {
  std::string head, images;
  put(head, static_cast<std::uint32_t>(key.size()));
  put(head, static_cast<std::uint32_t>(cameras.size()));
  head += key;
  std::vector<std::string> compressed(cameras.size());
  at::parallel_for(0, static_cast<std::int64_t>(cameras.size()), 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t v = begin; v < end; ++v)
      compressed[static_cast<std::size_t>(v)] = compress_view(views + v * side * side, side);
  });
  for (std::size_t v = 0; v < cameras.size(); ++v) {
    const render::MeshCamera& camera = cameras[v];
    for (const double value : {camera.azimuth, camera.elevation, camera.distance, camera.field_of_view})
      put(head, value);
    put(head, static_cast<std::uint32_t>(compressed[v].size()));
    put(head, checksum(compressed[v]));
    images += compressed[v];
  }
  std::string out;
  put(out, view_record_magic);
  put(out, std::uint64_t{record_prefix + head.size() + images.size()});
  put(out, static_cast<std::uint32_t>(head.size()));
  put(out, checksum(head));
  return out + head + images;
}

ViewFile scan_view_file(int descriptor, const ViewSettings& settings, const std::string& where, bool images) {
  struct stat info {};
  PAIRS_CHECK(::fstat(descriptor, &info) == 0, "The cache of views {} cannot be read; check the disk", where);
  const auto size = static_cast<std::uint64_t>(info.st_size);
  const std::string expected = pack_view_header(settings);
  std::string bytes;
  PAIRS_CHECK(size >= file_prefix && read_at(descriptor, 0, std::min<std::uint64_t>(size, expected.size()), bytes) &&
                  bytes == expected,
              "The cache of views {} is damaged at its beginning, or of other settings; it must be rendered again",
              where);
  ViewFile out;
  out.end = expected.size();
  std::uint64_t damage = 0;  // where a part that is not a record began, 0 for none
  const auto report = [&](std::uint64_t begin, std::uint64_t end) {
    out.damaged.push_back(
        fmt::format("The cache of views {} is damaged from byte {} to {}; the mesh that stood there "
                    "is rendered again",
                    where, begin, end));
  };
  for (std::uint64_t at = out.end; at + record_prefix <= size;) {
    std::string prefix, head, key;
    ViewRecord record;
    bool good = read_at(descriptor, at, record_prefix, prefix) && get<std::uint64_t>(prefix, 0) == view_record_magic;
    std::uint64_t total = 0;
    if (good) {
      total = get<std::uint64_t>(prefix, 8);
      const std::uint64_t length = get<std::uint32_t>(prefix, 16);
      good = length <= largest_head && total <= largest_record && total >= record_prefix + length &&
             total <= size - at && read_at(descriptor, at + record_prefix, length, head) &&
             checksum(head) == get<std::uint32_t>(prefix, 20) &&
             parse_head(head, at + record_prefix + length, total - record_prefix - length, key, record);
    }
    if (!good) {
      // The next record begins at the next magic word.
      if (damage == 0) damage = at;
      constexpr std::uint64_t window = 1 << 20;
      std::uint64_t from = at + 1, found = size;
      std::string magic;
      put(magic, view_record_magic);
      while (found == size && from + 8 <= size) {
        // A hole of a sparse file holds no records.
        const off_t written = ::lseek(descriptor, static_cast<off_t>(from), SEEK_DATA);
        if (written < 0 && errno == ENXIO) break;
        if (written > static_cast<off_t>(from)) from = static_cast<std::uint64_t>(written);
        if (!read_at(descriptor, from, std::min(window, size - from), bytes)) break;
        if (const std::size_t place = bytes.find(magic); place != bytes.npos) found = from + place;
        from += bytes.size() - 7;
      }
      at = found;
      continue;
    }
    if (damage != 0) report(std::exchange(damage, 0), at);
    bool whole = true;
    for (std::size_t v = 0, begin = record.begin; images && whole && v < record.bytes.size(); ++v) {
      whole = read_at(descriptor, begin, record.bytes[v], bytes) && checksum(bytes) == record.checksums[v];
      if (!whole)
        out.damaged.push_back(fmt::format("View {} of the mesh {} is damaged in the cache {}; it is rendered again", v,
                                          printable(key, 200), where));
      begin += record.bytes[v];
    }
    if (whole && static_cast<std::int64_t>(record.bytes.size()) == settings.views)
      out.records[key] = std::move(record);
    else
      out.records.erase(key);
    at += total;
    out.end = at;
  }
  return out;
}

}  // namespace pairs
