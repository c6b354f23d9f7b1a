#pragma once

#include <torch/types.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/error.h"

namespace pairs {

// A CSV of numbers with what its columns are called.
struct CsvTable {
  torch::Tensor rows;                // float64 [rows, those that were taken]
  std::vector<std::string> columns;  // all of the file: named by its first line, else "column 1", "column 2", ...
  std::vector<std::string> taken;    // of these, in the order of `rows`
};

// As read_csv (core/base/npz.h), and `needed` may name columns by their numbers, "column 2", where the file has no
// such name. `missing_as_nan`: values that are missing (is_missing_cell, core/base/csv_line.h) are NaN and infinite
// ones as they stand, so that a caller may leave their rows out; else both throw Error. Throws ColumnsError where the
// needed columns cannot be told among the file's.
CsvTable read_csv_table(const std::filesystem::path& file, const std::vector<std::string>& needed,
                        bool missing_as_nan = false);

// A file of numbers has other columns than the needed ones: these.
class ColumnsError : public Error {
 public:
  ColumnsError(const std::string& message, std::vector<std::string> columns)
      : Error(message), columns_(std::move(columns)) {}
  const std::vector<std::string>& columns() const { return columns_; }

 private:
  std::vector<std::string> columns_;
};

}  // namespace pairs
