#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace pairs {

// A file of tables as libpairs_arrow.so and libpairs_fits.so know it. Each holds all that is compiled against a library
// and is opened when a file asks for it: nothing of Arrow or of CFITSIO, which brings a client of the network, is
// loaded before.
class TableModule {
 public:
  struct Column {
    std::string name;
    std::string other;         // what it holds where it is no numbers; else ""
    std::int64_t numbers = 1;  // a row
  };
  struct Table {
    std::string name;  // "" where the format knows of one table alone
    std::string also;  // its number in the file, where it has one
    std::vector<Column> columns;
    bool any_case = false;  // whether names that differ in case alone are one
  };
  virtual ~TableModule() = default;
  // At least one.
  virtual const std::vector<Table>& tables() const = 0;
  // What follows is of this table. `wanted`: columns that are asked for, for which a format may have to look into the
  // rows; empty: any. Throws as read.
  virtual void choose(std::size_t table, const std::vector<std::string>& wanted) = 0;
  virtual const std::vector<Column>& columns() const = 0;
  virtual std::int64_t rows() const = 0;
  // Reads all numbers of the columns at `places`, row by row and one column behind the other; NaN where one is missing.
  // Throws std::exception with a sentence that begins with what is wrong.
  virtual void read(std::int64_t first, std::int64_t count, const std::vector<std::size_t>& places, double* out) = 0;
  // As TableFile::read_texts, of one column. Throws likewise.
  virtual void read_texts(std::int64_t first, std::int64_t count, std::size_t place, std::vector<std::string>& out) = 0;
};

// A module's functions: pairs_open_table, which throws std::exception, and pairs_table_version, which returns the
// number of this interface.
using OpenTable = TableModule*(const char* path);
inline constexpr int kTableModuleVersion = 3;

}  // namespace pairs
