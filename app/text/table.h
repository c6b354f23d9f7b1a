#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pairs {

// A text table: a header, a rule, and rows with right-aligned numbers.
class Table {
 public:
  struct Column {
    std::string title;  // with its unit, e.g. "NLL / nat"
    bool right = true;  // numbers right, words left
  };
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  // Appends a row; throws Error unless there is one cell per column.
  void add(std::vector<std::string> cells);
  bool empty() const { return rows_.empty(); }
  const std::vector<Column>& columns() const { return columns_; }
  const std::vector<std::vector<std::string>>& rows() const { return rows_; }
  // Lines ending in '\n', each indented by `indent` blanks; no trailing blanks.
  std::string text(int indent = 0) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// The columns of a UTF-8 text on a terminal (one per code point, none for combining marks).
std::int64_t display_width(std::string_view text);

}  // namespace pairs
