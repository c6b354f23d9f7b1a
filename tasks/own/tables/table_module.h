#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace pairs {

// A file of tables in libpairs_arrow.so and libpairs_fits.so. Each module holds all code compiled against a library and
// is opened when a file needs it: Arrow and CFITSIO, which includes a network client, are not loaded before.
class TableModule {
 public:
  struct Column {
    std::string name;
    std::string other;         // what it holds if it does not hold numbers; else ""
    std::int64_t numbers = 1;  // per row
  };
  struct Table {
    std::string name;  // "" if the format supports only one table
    std::string also;  // its number in the file, if it has one
    std::vector<Column> columns;
    bool any_case = false;  // whether names that differ only in case are equal
  };
  virtual ~TableModule() = default;
  // At least one table.
  virtual const std::vector<Table>& tables() const = 0;
  // Selects a table for all further calls. `wanted`: the requested columns, for which a format may have to read rows;
  // empty: any. Throws as read() does.
  virtual void choose(std::size_t table, const std::vector<std::string>& wanted) = 0;
  virtual const std::vector<Column>& columns() const = 0;
  virtual std::int64_t rows() const = 0;
  // Reads all numbers of the columns at `places`, row by row and one column after another; NaN for missing ones. Throws
  // std::exception with a sentence that begins with the problem.
  virtual void read(std::int64_t first, std::int64_t count, const std::vector<std::size_t>& places, double* out) = 0;
  // TableFile::read_texts for one column. Throws as read() does.
  virtual void read_texts(std::int64_t first, std::int64_t count, std::size_t place, std::vector<std::string>& out) = 0;
};

// A module's functions: pairs_open_table, which throws std::exception, and pairs_table_version, which returns the
// number of this interface.
using OpenTable = TableModule*(const char* path);
inline constexpr int kTableModuleVersion = 3;

}  // namespace pairs
