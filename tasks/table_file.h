#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace pairs {

// A column of a table: what it is called, and, where it holds no numbers, what it holds instead ("text (string)"). A
// column x of two numbers a row is the columns x[0] and x[1].
struct TableColumn {
  std::string name;
  std::string other = {};
  std::string vector = {};  // the column of several numbers a row that it is a number of; "": it is one of its own
  bool fits = true;         // whether it has as many rows as the table; else `other` says how many
};

// A table of numbers in a file, read in place: memory goes with what is asked for at once. Rows that are asked for in
// order are read fast; others are found again. Used by one thread at a time.
class TableFile {
 public:
  // `where`: how sentences call the file.
  explicit TableFile(std::string where) : where_(std::move(where)) {}
  virtual ~TableFile() = default;
  TableFile(const TableFile&) = delete;
  TableFile& operator=(const TableFile&) = delete;

  const std::string& where() const { return where_; }
  const std::vector<TableColumn>& columns() const { return columns_; }
  std::vector<std::string> names() const;
  std::int64_t rows() const { return rows_; }
  // Whether columns() are names of the file; else they are "column 1", "column 2", ...
  bool named() const { return named_; }
  // Whether names that differ in case alone are one, as the FITS standard has it.
  bool any_case() const { return any_case_; }

  // Rows first .. first + count - 1 of the columns at `places` -> [count, places] float64, row by row. Throws Error
  // that names file, column and row of a value that is missing, no number or not finite, and where the file is damaged.
  void read(std::int64_t first, std::int64_t count, const std::vector<std::size_t>& places, double* out);
  // As read, but values that are not finite are handed on, and missing ones are NaN.
  void read_with_missing(std::int64_t first, std::int64_t count, const std::vector<std::size_t>& places, double* out);
  // The same rows of one column as texts, whatever it holds: texts as they are, whole numbers as such, others in the
  // fewest digits that read back; "" where a value is missing. Throws Error where the column holds neither.
  void read_texts(std::int64_t first, std::int64_t count, std::size_t place, std::vector<std::string>& out);

 protected:
  // A missing value is NaN.
  virtual void read_rows(std::int64_t first, std::int64_t count, const std::vector<std::size_t>& places,
                         double* out) = 0;
  // By itself of columns of numbers alone.
  virtual void read_row_texts(std::int64_t first, std::int64_t count, std::size_t place, std::vector<std::string>& out);
  // read_rows of a table that this one is made of.
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

// Usual endings of files of tables, those of text aside, in lower case: ".parquet", ".h5", ... Those of libraries that
// this build lacks are among them: they are refused by open_table.
const std::vector<std::string>& table_endings();

// Which table of a file with several is read.
struct TableChoice {
  std::string name = {};                 // of a HDF5 group or data set, or a FITS extension; "": the first that serves
  std::vector<std::string> wanted = {};  // the columns that the table must have; empty: any
};

// Opens a table by what the file begins with (tasks/file_format.h), unpacked where it is a gzip file; a folder that
// holds a table in parts is one. Throws Error where the file is missing, damaged or holds no table.
std::unique_ptr<TableFile> open_table(const std::filesystem::path& path, const TableChoice& choice = {});

// Sets in the groups of a HDF5 file, each of which is a table: its array x along one or two axes, or a column an array.
// Memory goes with what is asked for, and with their names.
class TableGroups {
 public:
  virtual ~TableGroups() = default;
  // Names of the groups that hold the array x or all of the wanted columns, and of the others that hold arrays.
  virtual const std::vector<std::string>& names() const = 0;
  virtual const std::vector<std::string>& others() const = 0;
  // The table in a group. From any thread. Throws Error where it is damaged.
  virtual std::unique_ptr<TableFile> open(const std::string& name) const = 0;
};
// Null where the file is no HDF5 file, or fewer than two of its groups hold what is wanted.
std::unique_ptr<TableGroups> open_table_groups(const std::filesystem::path& path,
                                               const std::vector<std::string>& wanted);

// Where the columns called `wanted` stand in the table: by name, or as "column 2"; where one is wanted, a table's only
// column may have any name. Where the table has none of the names, the numbers of its column x are taken, if it holds as
// many a row as are wanted. `numbers`: how many are needed in all, where a name may stand for several numbers a row; 0:
// as many as there are names. Throws ColumnsError (core/base/csv_table.h), naming what the table has, where they cannot
// be told, are not as many, or hold no numbers.
std::vector<std::size_t> places_in(const TableFile& table, const std::vector<std::string>& wanted,
                                   std::size_t numbers = 0);
// Whether the table has a column of this name, of one or several numbers a row, or as "column 2".
bool has_column(const TableFile& table, const std::string& name);

}  // namespace pairs
