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
  const std::vector<Column>& columns() const { return columns_; }
  const std::vector<std::vector<std::string>>& rows() const { return rows_; }
  // Lines ending in '\n', each indented by `indent` blanks; no trailing blanks.
  std::string text(int indent = 0) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// Columns that a UTF-8 text takes on a terminal (one a code point, combining marks none).
std::int64_t display_width(std::string_view text);

}  // namespace pairs
