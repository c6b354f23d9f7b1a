#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/files/line_reader.h"
#include "core/base/tables/csv_lines.h"

namespace pairs {

// Reads the rows of a CSV file of any size as texts, whatever they hold, together with what CsvLines detects about its
// columns.
class CsvRecords {
 public:
  // `names`: columns that the file may name in a comment. Throws Error if it holds no row or cannot be read.
  CsvRecords(const std::filesystem::path& file, const std::vector<std::string>& names);

  // The names of the columns, "column 1", ... if the file does not name them.
  std::vector<std::string> columns() const { return form_.columns(); }
  bool named() const { return form_.named(); }
  char separator() const { return form_.separator(); }
  // Cells before the first column in a row (CsvLines::shift).
  std::size_t shift() const { return form_.shift(); }
  // The line of the first row, from 1.
  std::int64_t first_row() const { return static_cast<std::int64_t>(form_.first_row()); }

  // Reads the next row, without comments, valid until the next call; line ends inside quotes become blanks. Returns
  // false at the end.
  bool next(std::string_view& row);
  // The line where the last row begins.
  std::int64_t number() const { return number_; }
  // Starts over from the first row.
  void rewind();
  // Feeds the first MiB of lines to `lines` without keeping the rows, so that it knows how the numbers are written.
  // Throws Error if these can be read in two ways; errors within a row are not reported.
  void teach(CsvLines& lines);

 private:
  std::filesystem::path file_;
  LineReader reader_;
  CsvLines form_;
  std::string joined_;
  std::int64_t number_ = 0;
};

}  // namespace pairs
