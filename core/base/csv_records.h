#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/csv_lines.h"
#include "core/base/line_reader.h"

namespace pairs {

// The rows of a CSV file of any size as texts, whatever they hold, with what CsvLines learns of its columns.
class CsvRecords {
 public:
  // `names`: columns that the file may name in a comment. Throws Error where it holds no row, or cannot be read.
  CsvRecords(const std::filesystem::path& file, const std::vector<std::string>& names);

  // What the columns are called, "column 1", ... where the file does not say.
  std::vector<std::string> columns() const { return form_.columns(); }
  bool named() const { return form_.named(); }
  char separator() const { return form_.separator(); }
  // Cells of a row before that of the first column (CsvLines::shift).
  std::size_t shift() const { return form_.shift(); }
  // The line of the first row, from 1.
  std::int64_t first_row() const { return static_cast<std::int64_t>(form_.first_row()); }

  // The next row without a comment, good until the next call; line ends between quotes are blanks. False at the end.
  bool next(std::string_view& row);
  // Of the line where the row that came last begins.
  std::int64_t number() const { return number_; }
  // Begins anew.
  void rewind();
  // Hands lines to a reader of numbers until it has seen the first MiB, without the rows: it then knows how the numbers
  // are written. Throws Error where these can be read in two ways; what is wrong in a row is not reported.
  void teach(CsvLines& lines);

 private:
  std::filesystem::path file_;
  LineReader reader_;
  CsvLines form_;
  std::string joined_;
  std::int64_t number_ = 0;
};

}  // namespace pairs
