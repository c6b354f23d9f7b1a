#include "tasks/molecules/formats/msgpack_reader.h"

#include <bit>
#include <vector>

#include "core/base/text/error.h"

namespace pairs {
namespace {

constexpr std::size_t kDeepest = 64;

}  // namespace

void MsgpackReader::truncated() {
  if (!source_.fault().empty()) fail("{} breaks off at byte {}: {}; get it again", where_, position(), source_.fault());
  fail("{} ends within a value at byte {}: it is truncated, get it again", where_, position());
}

std::uint8_t MsgpackReader::byte() {
  const int value = source_.peek();
  if (value < 0) truncated();
  source_.take(1);
  return static_cast<std::uint8_t>(value);
}

std::uint64_t MsgpackReader::big_endian(int bytes) {
  std::uint64_t value = 0;
  for (int k = 0; k < bytes; ++k) value = value << 8 | byte();
  return value;
}

void MsgpackReader::skip_bytes(std::uint64_t count) {
  if (source_.skip(count) < count) truncated();
}

std::optional<std::uint32_t> MsgpackReader::map() {
  const std::uint8_t type = byte();
  if ((type & 0xf0) == 0x80) return type & 0x0f;
  if (type == 0xde) return static_cast<std::uint32_t>(big_endian(2));
  if (type == 0xdf) return static_cast<std::uint32_t>(big_endian(4));
  skip_after(type);
  return std::nullopt;
}

std::optional<std::uint32_t> MsgpackReader::array() {
  const std::uint8_t type = byte();
  if ((type & 0xf0) == 0x90) return type & 0x0f;
  if (type == 0xdc) return static_cast<std::uint32_t>(big_endian(2));
  if (type == 0xdd) return static_cast<std::uint32_t>(big_endian(4));
  skip_after(type);
  return std::nullopt;
}

std::optional<double> MsgpackReader::number() {
  const std::uint8_t type = byte();
  if (type == 0xcb) {
    // The most frequent case: coordinates.
    const std::string_view ready = source_.buffered();
    if (ready.size() >= 8) {
      std::uint64_t word;
      std::memcpy(&word, ready.data(), 8);
      source_.take(8);
      return std::bit_cast<double>(__builtin_bswap64(word));
    }
    return std::bit_cast<double>(big_endian(8));
  }
  if (type <= 0x7f) return type;
  if (type >= 0xe0) return static_cast<std::int8_t>(type);
  switch (type) {
    case 0xca:
      return std::bit_cast<float>(static_cast<std::uint32_t>(big_endian(4)));
    case 0xcc:
      return static_cast<double>(big_endian(1));
    case 0xcd:
      return static_cast<double>(big_endian(2));
    case 0xce:
      return static_cast<double>(big_endian(4));
    case 0xcf:
      return static_cast<double>(big_endian(8));
    case 0xd0:
      return static_cast<std::int8_t>(big_endian(1));
    case 0xd1:
      return static_cast<std::int16_t>(big_endian(2));
    case 0xd2:
      return static_cast<std::int32_t>(big_endian(4));
    case 0xd3:
      return static_cast<double>(static_cast<std::int64_t>(big_endian(8)));
    default:
      skip_after(type);
      return std::nullopt;
  }
}

std::optional<std::string> MsgpackReader::text(std::size_t limit) {
  const std::uint8_t type = byte();
  const bool text = (type & 0xe0) == 0xa0 || (type >= 0xd9 && type <= 0xdb) || (type >= 0xc4 && type <= 0xc6);
  if (!text) {
    skip_after(type);
    return std::nullopt;
  }
  const std::uint64_t length = extent(type).bytes;
  std::string out(static_cast<std::size_t>(std::min<std::uint64_t>(length, limit)), '\0');
  if (source_.read(out.data(), out.size()) < out.size()) truncated();
  skip_bytes(length - out.size());
  return out;
}

MsgpackReader::Extent MsgpackReader::extent(std::uint8_t type) {
  if (type <= 0x7f || type >= 0xe0) return {};
  if (type <= 0x8f) return {0, 2ull * (type & 0x0f)};
  if (type <= 0x9f) return {0, type & 0x0full};
  if (type <= 0xbf) return {type & 0x1full, 0};
  switch (type) {
    case 0xc0:
    case 0xc2:
    case 0xc3:
      return {};
    case 0xc4:
    case 0xd9:
      return {big_endian(1), 0};
    case 0xc5:
    case 0xda:
      return {big_endian(2), 0};
    case 0xc6:
    case 0xdb:
      return {big_endian(4), 0};
    case 0xc7:
      return {big_endian(1) + 1, 0};
    case 0xc8:
      return {big_endian(2) + 1, 0};
    case 0xc9:
      return {big_endian(4) + 1, 0};
    case 0xcc:
    case 0xd0:
      return {1, 0};
    case 0xcd:
    case 0xd1:
      return {2, 0};
    case 0xca:
    case 0xce:
    case 0xd2:
      return {4, 0};
    case 0xcb:
    case 0xcf:
    case 0xd3:
      return {8, 0};
    case 0xd4:
    case 0xd5:
    case 0xd6:
    case 0xd7:
    case 0xd8:
      return {(1ull << (type - 0xd4)) + 1, 0};
    case 0xdc:
      return {0, big_endian(2)};
    case 0xdd:
      return {0, big_endian(4)};
    case 0xde:
      return {0, 2 * big_endian(2)};
    case 0xdf:
      return {0, 2 * big_endian(4)};
    default:
      fail("{} holds the byte 0xc1, which msgpack never uses, at byte {}: it is damaged, get it again", where_,
           position() - 1);
  }
}

void MsgpackReader::skip_after(std::uint8_t type) {
  // Remaining values to skip at each level.
  std::vector<std::uint64_t> left;
  for (;;) {
    const Extent inside = extent(type);
    skip_bytes(inside.bytes);
    if (inside.values > 0) {
      PAIRS_CHECK(left.size() < kDeepest, "{} nests deeper than {} levels at byte {}: it is damaged, get it again",
                  where_, kDeepest, position());
      left.push_back(inside.values);
    }
    while (!left.empty() && left.back() == 0) left.pop_back();
    if (left.empty()) return;
    --left.back();
    type = byte();
  }
}

void MsgpackReader::skip() {
  skip_after(byte());
}

}  // namespace pairs
