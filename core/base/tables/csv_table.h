#pragma once

#include <torch/types.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/text/error.h"

namespace pairs {

// A CSV table of numbers with the names of its columns.
struct CsvTable {
  torch::Tensor rows;                // float64 [rows, taken columns]
  std::vector<std::string> columns;  // all of the file's: named by its first line, else "column 1", "column 2", ...
  std::vector<std::string> taken;    // the columns of `rows`, in order
  // Sentences about choices made in reading that a user should know; and whether the first line was taken for column
  // numbers only because of the lines below it.
  std::vector<std::string> warnings = {};
  bool guessed = false;
};

// Reads a table as read_csv (core/base/files/npz.h) does; `needed` may also name columns by number, "column 2", if the
// file has no such name. With `missing_as_nan`, missing values (is_missing_cell, core/base/tables/csv_line.h) become
// NaN and infinite ones are kept, so that a caller can leave out their rows; otherwise both throw Error. Throws
// ColumnsError if the needed columns cannot be identified.
CsvTable read_csv_table(const std::filesystem::path& file, const std::vector<std::string>& needed,
                        bool missing_as_nan = false);

// A file of numbers lacks the needed columns; columns() lists the ones that it has.
class ColumnsError : public Error {
 public:
  ColumnsError(const std::string& message, std::vector<std::string> columns)
      : Error(message), columns_(std::move(columns)) {}
  const std::vector<std::string>& columns() const { return columns_; }

 private:
  std::vector<std::string> columns_;
};

}  // namespace pairs
