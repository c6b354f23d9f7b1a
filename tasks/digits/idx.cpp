#include "tasks/digits/idx.h"

#include <ATen/ops/empty.h>
#include <zlib.h>

#include <array>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include "core/base/files/files.h"
#include "core/base/text/error.h"

namespace pairs {
namespace {

constexpr std::int64_t size_limit = 1ll << 30;
// Deflate cannot expand by more than this factor.
constexpr std::int64_t deflate_ratio = 1032;

// Reads sequentially, from memory or through zlib.
class Bytes {
 public:
  Bytes(std::string_view bytes, const std::string& where) : rest_(bytes), where_(where) {
    zipped_ = bytes.size() >= 2 && bytes[0] == '\x1f' && bytes[1] == '\x8b';
    if (!zipped_) return;
    PAIRS_CHECK(bytes.size() <= std::numeric_limits<uInt>::max(), "{} is larger than any IDX file of ours: {} bytes",
                where, bytes.size());
    zip_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    zip_.avail_in = static_cast<uInt>(bytes.size());
    PAIRS_CHECK(inflateInit2(&zip_, 16 + MAX_WBITS) == Z_OK, "{}: zlib has no memory to unpack it", where);
  }
  ~Bytes() {
    if (zipped_) inflateEnd(&zip_);
  }
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;

  // The largest possible size of the rest of the file.
  std::int64_t at_most() const {
    return zipped_ ? (static_cast<std::int64_t>(zip_.avail_in) + 1024) * deflate_ratio
                   : static_cast<std::int64_t>(rest_.size());
  }

  void read(std::span<std::uint8_t> out) {
    if (!zipped_) {
      PAIRS_CHECK(rest_.size() >= out.size(), "{} ends {} bytes too early: it is truncated, get it again", where_,
                  out.size() - rest_.size());
      std::memcpy(out.data(), rest_.data(), out.size());
      rest_.remove_prefix(out.size());
      return;
    }
    zip_.next_out = out.data();
    zip_.avail_out = static_cast<uInt>(out.size());
    while (zip_.avail_out > 0) step();
  }

  // Checks that nothing follows, and that a gzip trailer matches its contents.
  void finish() {
    if (!zipped_) {
      PAIRS_CHECK(rest_.empty(), "{} has {} bytes behind its data: it is no IDX file, or damaged", where_,
                  rest_.size());
      return;
    }
    std::uint8_t more = 0;
    while (!ended_) {
      zip_.next_out = &more;
      zip_.avail_out = 1;
      step();
      PAIRS_CHECK(zip_.avail_out == 1, "{} unpacks to more than its header announces: it is damaged", where_);
    }
    PAIRS_CHECK(zip_.avail_in == 0, "{} has {} bytes behind its compressed data: it is damaged", where_, zip_.avail_in);
  }

 private:
  void step() {
    PAIRS_CHECK(!ended_, "{} unpacks to less than its header announces: it is damaged", where_);
    const int result = inflate(&zip_, Z_NO_FLUSH);
    ended_ = result == Z_STREAM_END;
    PAIRS_CHECK(result != Z_BUF_ERROR, "{} ends in the middle of its compressed data: it is truncated, get it again",
                where_);
    PAIRS_CHECK(result == Z_OK || ended_, "{} cannot be unpacked ({}): it is damaged, get it again", where_,
                zip_.msg != nullptr ? zip_.msg : "zlib failed");
  }

  std::string_view rest_;
  const std::string& where_;
  z_stream zip_{};
  bool zipped_ = false, ended_ = false;
};

}  // namespace

torch::Tensor parse_idx(std::string_view bytes, const std::string& where) {
  Bytes in(bytes, where);
  std::array<std::uint8_t, 4> magic{};
  in.read(magic);
  PAIRS_CHECK(magic[0] == 0 && magic[1] == 0, "{} does not start like an IDX file: get it again", where);
  PAIRS_CHECK(magic[2] == 0x08, "{} holds IDX values of type {:#04x}, and only bytes (0x08) are read", where, magic[2]);
  PAIRS_CHECK(magic[3] == 1 || magic[3] == 3, "{} has {} dimensions: labels have 1, images 3", where, magic[3]);
  std::vector<std::int64_t> shape;
  std::int64_t total = 1;
  for (int k = 0; k < magic[3]; ++k) {
    std::array<std::uint8_t, 4> d{};
    in.read(d);
    const std::int64_t size = std::int64_t{d[0]} << 24 | d[1] << 16 | d[2] << 8 | d[3];
    PAIRS_CHECK(size >= 1 && size <= size_limit / total, "{} announces dimensions that no data set of ours has: {}",
                where, size);
    shape.push_back(size);
    total *= size;
  }
  PAIRS_CHECK(total <= in.at_most(),
              "{} announces {} bytes of data, more than it can hold: it is truncated, get it again", where, total);
  torch::Tensor out = at::empty(shape, torch::kUInt8);
  in.read({out.mutable_data_ptr<std::uint8_t>(), static_cast<std::size_t>(total)});
  in.finish();
  return out;
}

torch::Tensor read_idx(const std::filesystem::path& file) {
  return parse_idx(read_file(file, static_cast<std::uint64_t>(size_limit) + 1024), file.string());
}

}  // namespace pairs
