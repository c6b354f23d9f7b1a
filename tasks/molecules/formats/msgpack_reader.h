#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tasks/molecules/formats/byte_source.h"

namespace pairs {

// Reads msgpack value by value from a stream, without building a tree. A value of another type than requested is
// skipped whole, so that a caller can continue after it. Throws Error, naming `where` and the byte, if the stream ends
// within a value, holds the byte 0xc1 that msgpack never uses, or nests deeper than 64.
class MsgpackReader {
 public:
  MsgpackReader(ByteSource& source, std::string where) : source_(source), where_(std::move(where)) {}

  // Whether nothing follows. Only between values of the outermost level.
  bool at_end() { return source_.peek() < 0 && source_.fault().empty(); }

  // The number of entries of a map or array, whose values follow; nothing if the value was something else, which is
  // skipped.
  std::optional<std::uint32_t> map();
  std::optional<std::uint32_t> array();
  // An integer or float of any width.
  std::optional<double> number();
  // A str or bin, its first `limit` bytes.
  std::optional<std::string> text(std::size_t limit);
  // Skips the next value with everything in it.
  void skip();

  std::uint64_t position() const { return source_.position(); }

 private:
  std::uint8_t byte();
  std::uint64_t big_endian(int bytes);
  void skip_bytes(std::uint64_t count);
  // Size of the content and number of nested values of the value that begins with `type`.
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
