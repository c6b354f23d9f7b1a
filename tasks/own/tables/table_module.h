#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace pairs {

// A table as libpairs_arrow.so and libpairs_fits.so know it. Each holds all that is compiled against a library and is
// opened when a file asks for it: nothing of Arrow or of CFITSIO, which brings a client of the network, is loaded
// before.
class TableModule {
 public:
  struct Column {
    std::string name;
    std::string other;  // what it holds where it is no numbers; else ""
  };
  virtual ~TableModule() = default;
  virtual const std::vector<Column>& columns() const = 0;
  virtual std::int64_t rows() const = 0;
  // As TableFile::read; values that are not finite are handed on. Throws std::exception with a sentence that begins
  // with what is wrong.
  virtual void read(std::int64_t first, std::int64_t count, const std::vector<std::size_t>& places, double* out) = 0;
  // As TableFile::read_texts, of one column. Throws likewise.
  virtual void read_texts(std::int64_t first, std::int64_t count, std::size_t place, std::vector<std::string>& out) = 0;
};

// A module's functions: pairs_open_table, which throws std::exception, and pairs_table_version, which returns the
// number of this interface.
using OpenTable = TableModule*(const char* path);
inline constexpr int kTableModuleVersion = 2;

}  // namespace pairs
