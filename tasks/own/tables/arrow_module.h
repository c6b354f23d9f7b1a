#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pairs {

// What the program knows of libpairs_arrow.so, which holds all that is compiled against Arrow and is opened when a file
// asks for it: no symbol of Arrow is the program's own.
class ArrowReader {
 public:
  struct Column {
    std::string name;
    std::string other;  // what it holds where it is no numbers; else ""
  };
  virtual ~ArrowReader() = default;
  virtual const std::vector<Column>& columns() const = 0;
  virtual std::int64_t rows() const = 0;
  // As TableFile::read; values that are not finite are handed on. Throws std::runtime_error with a sentence that begins
  // with what is wrong.
  virtual void read(std::int64_t first, std::int64_t count, const std::vector<std::size_t>& places, double* out) = 0;
};

// The module's only function. Throws std::runtime_error.
using OpenArrow = ArrowReader*(const char* path);
inline constexpr const char* kOpenArrow = "pairs_open_arrow";
inline constexpr int kArrowVersion = 1;  // of this interface; the module's pairs_arrow_version() returns it

}  // namespace pairs
