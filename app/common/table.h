#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pairs {

// A table for people: a header, a rule, and rows whose numbers stand right-aligned.
class Table {
 public:
  struct Column {
    std::string title;  // with its unit, e.g. "NLL / nat"
    bool right = true;  // numbers right, words left
  };
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  // Appends a row; throws Error when the number of cells is not the number of columns.
  void add(std::vector<std::string> cells);
  bool empty() const { return rows_.empty(); }
  // Lines ending in '\n', each indented by `indent` blanks; no trailing blanks.
  std::string text(int indent = 0) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// Columns that a UTF-8 text takes on a terminal (one a code point, combining marks none).
std::int64_t display_width(std::string_view text);

// 1234567 -> "1,234,567".
std::string count_text(std::int64_t value);
// Seconds for people: "0.4 s", "12 s", "3 min 20 s", "2 h 05 min".
std::string duration_text(double seconds);
// "ETA"-style clock: "0:32", "1:05:09".
std::string clock_text(double seconds);
// How much of something is done: 0.608 -> "60 %", so that 100 % is the end; "" for NaN.
std::string percent_text(double share);
// A number with `digits` decimals, with a real minus sign; "–" for NaN.
std::string number_text(double value, int digits);
// "0.012 ± 0.003"; the second part is left out when `error` is NaN.
std::string with_error_text(double value, double error, int digits);
// "12.3 GFLOP", "4.5 TFLOP".
std::string flop_text(double gflop);

}  // namespace pairs
