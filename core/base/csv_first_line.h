#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/csv_line.h"

namespace pairs {

// Judges whether a first line of numbers alone, which was read as a row, is a header after all: numbers of the columns
// (1, 2, ... or in another order, as whole numbers or as 0.0, 1.0), or, alone, the number of rows that follow. Such a
// line is written otherwise than every row is, up to one in fifty.
class CsvFirstLine {
 public:
  void take(const std::vector<CsvCell>& cells);
  // A row below it; `shift` cells stand before its columns.
  void compare(const std::vector<CsvCell>& cells, std::size_t shift);
  // What the line may be, "column numbers" or "the number of rows"; empty where it is a row.
  std::string otherwise() const;
  // "1, 2".
  const std::string& text() const { return text_; }

 private:
  enum class Form { whole, tenths, other };  // 1, 1.2, and what else there is
  static Form form_of(std::string_view cell);

  std::string text_;
  std::vector<Form> forms_;
  std::vector<std::size_t> alike_;  // rows that are written as the first line is, by column
  bool numbers_ = false;            // it may number the columns
  double only_ = -1;                // its only number, where that is whole
  std::size_t rows_ = 0;
};

}  // namespace pairs
