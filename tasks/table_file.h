#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace pairs {

// A column of a table: its name and, if it does not hold numbers, what it holds instead ("text (string)"). A column x
// with two numbers per row becomes the columns x[0] and x[1].
struct TableColumn {
  std::string name;
  std::string other = {};
  std::string vector = {};  // the vector column that it is an element of; "": it is a column of its own
  bool fits = true;         // whether it has as many rows as the table; if not, `other` states how many
};

// A table of numbers in a file, read in place: memory is proportional to the rows read at once. Reading rows in order
// is fast; other rows must be searched for. Used by one thread at a time.
class TableFile {
 public:
  // `where`: the file's name in sentences.
  explicit TableFile(std::string where) : where_(std::move(where)) {}
  virtual ~TableFile() = default;
  TableFile(const TableFile&) = delete;
  TableFile& operator=(const TableFile&) = delete;

  const std::string& where() const { return where_; }
  const std::vector<TableColumn>& columns() const { return columns_; }
  std::vector<std::string> names() const;
  std::int64_t rows() const { return rows_; }
  // Whether columns() are names in the file; else they are "column 1", "column 2", ...
  bool named() const { return named_; }
  // Whether names that differ only in case are equal, as in the FITS standard.
  bool any_case() const { return any_case_; }

  // Reads rows first .. first + count - 1 of the columns at `places` -> [count, places] float64, row by row. Throws
  // Error that names file, column and row of a value that is missing, not a number or not finite, and if the file is
  // damaged.
  void read(std::int64_t first, std::int64_t count, const std::vector<std::size_t>& places, double* out);
  // read() that passes on values that are not finite, and missing ones as NaN.
  void read_with_missing(std::int64_t first, std::int64_t count, const std::vector<std::size_t>& places, double* out);
  // Reads these rows of one column as texts, whatever it holds: texts unchanged, whole numbers as such, others with the
  // fewest digits that read back exactly; "" for a missing value. Throws Error if the column holds neither.
  void read_texts(std::int64_t first, std::int64_t count, std::size_t place, std::vector<std::string>& out);

 protected:
  // Missing values are NaN.
  virtual void read_rows(std::int64_t first, std::int64_t count, const std::vector<std::size_t>& places,
                         double* out) = 0;
  // The default implementation is for columns of numbers.
  virtual void read_row_texts(std::int64_t first, std::int64_t count, std::size_t place, std::vector<std::string>& out);
  // Calls read_rows of a table that this one consists of.
  static void read_rows_of(TableFile& table, std::int64_t first, std::int64_t count,
                           const std::vector<std::size_t>& places, double* out) {
    table.read_rows(first, count, places, out);
  }

  std::vector<TableColumn> columns_;
  std::int64_t rows_ = 0;
  bool named_ = true, any_case_ = false;

 private:
  std::string where_;
};

// Usual extensions of table files, except text, in lower case: ".parquet", ".h5", ... They include those of libraries
// that this build lacks, which open_table refuses.
const std::vector<std::string>& table_endings();

// Selects one of several tables in a file.
struct TableChoice {
  std::string name = {};  // of an HDF5 group or data set, or a FITS extension; "": the first suitable one
  std::vector<std::string> wanted = {};  // columns that the table must have; empty: any
};

// Opens a table by the first bytes of the file (tasks/file_format.h), unpacked if it is a gzip file; a folder that
// holds a table in parts is one table. Throws Error if the file is missing, damaged or holds no table.
std::unique_ptr<TableFile> open_table(const std::filesystem::path& path, const TableChoice& choice = {});

// Sets in the groups of an HDF5 file, each of which is a table: its array x along one or two axes, or one array per
// column. Memory is proportional to the rows read and to the names.
class TableGroups {
 public:
  virtual ~TableGroups() = default;
  // Names of the groups that hold the array x or all of the wanted columns, and of the others that hold arrays.
  virtual const std::vector<std::string>& names() const = 0;
  virtual const std::vector<std::string>& others() const = 0;
  // The table in a group. Thread-safe. Throws Error if it is damaged.
  virtual std::unique_ptr<TableFile> open(const std::string& name) const = 0;
};
// Null if the file is not an HDF5 file, or fewer than two of its groups hold the wanted columns.
std::unique_ptr<TableGroups> open_table_groups(const std::filesystem::path& path,
                                               const std::vector<std::string>& wanted);

// The places of the columns `wanted` in the table: by name, or as "column 2"; if only one is wanted, a table's only
// column may have any name. If the table has none of the names, the elements of its vector column x are used, provided
// there are as many as wanted. `numbers`: how many are needed in total, if a name may stand for several numbers per
// row; 0: as many as there are names. Throws ColumnsError (core/base/tables/csv_table.h), listing the table's columns,
// if they cannot be identified, have another number, or hold no numbers.
std::vector<std::size_t> places_in(const TableFile& table, const std::vector<std::string>& wanted,
                                   std::size_t numbers = 0);
// Whether the table has a column of this name, with one or several numbers per row, or as "column 2".
bool has_column(const TableFile& table, const std::string& name);

}  // namespace pairs
