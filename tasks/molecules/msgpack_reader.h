#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tasks/molecules/byte_source.h"

namespace pairs {

// Reads msgpack value by value from a stream, without a tree of what it read. A value of another type than asked for is
// left out whole, so that a caller can go on behind it. Throws Error, naming `where` and the byte, when the stream ends
// within a value, holds the byte 0xc1 that msgpack never uses, or nests deeper than 64.
class MsgpackReader {
 public:
  MsgpackReader(ByteSource& source, std::string where) : source_(source), where_(std::move(where)) {}

  // Whether nothing follows. To be asked between values of the outermost level.
  bool at_end() { return source_.peek() < 0 && source_.fault().empty(); }

  // Number of entries of a map or array, whose values follow; none when the value was something else, now left out.
  std::optional<std::uint32_t> map();
  std::optional<std::uint32_t> array();
  // An integer or float of any width.
  std::optional<double> number();
  // A str or bin, its first `limit` bytes.
  std::optional<std::string> text(std::size_t limit);
  // Leaves the next value out with all that it holds.
  void skip();

  std::uint64_t position() const { return source_.position(); }

 private:
  std::uint8_t byte();
  std::uint64_t big_endian(int bytes);
  void skip_bytes(std::uint64_t count);
  // Bytes of content and number of values inside the value that begins with `type`.
  struct Extent {
    std::uint64_t bytes = 0, values = 0;
  };
  Extent extent(std::uint8_t type);
  void skip_after(std::uint8_t type);
  [[noreturn]] void truncated();

  ByteSource& source_;
  std::string where_;
};

}  // namespace pairs
