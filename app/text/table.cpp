#include "app/text/table.h"

#include <algorithm>

#include "core/base/text/error.h"
#include "core/base/text/text.h"

namespace pairs {

void Table::add(std::vector<std::string> cells) {
  PAIRS_CHECK(cells.size() == columns_.size(), "A table row has {} cells for {} columns", cells.size(),
              columns_.size());
  for (std::string& cell : cells) cell = printable(cell, cell.size());
  rows_.push_back(std::move(cells));
}

std::int64_t display_width(std::string_view text) {
  std::int64_t width = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xc0) == 0x80) continue;
    const bool combining = (byte == 0xcc || byte == 0xcd) && i + 1 < text.size();
    if (!combining) ++width;
  }
  return width;
}

std::string Table::text(int indent) const {
  std::vector<std::int64_t> widths;
  for (const Column& column : columns_) widths.push_back(display_width(column.title));
  for (const auto& row : rows_)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], display_width(row[i]));
  const std::string margin(static_cast<std::size_t>(indent), ' ');
  std::string out;
  const auto line = [&](auto&& cell) {
    std::string one = margin;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const std::string& value = cell(i);
      const std::string pad(static_cast<std::size_t>(widths[i] - display_width(value)), ' ');
      if (i) one += "  ";
      one += columns_[i].right ? pad + value : value + pad;
    }
    one.erase(one.find_last_not_of(' ') + 1);
    out += one + '\n';
  };
  std::vector<std::string> rule;
  for (const std::int64_t width : widths) {
    rule.emplace_back();
    for (std::int64_t k = 0; k < width; ++k) rule.back() += "─";
  }
  line([&](std::size_t i) -> const std::string& { return columns_[i].title; });
  line([&](std::size_t i) -> const std::string& { return rule[i]; });
  for (const auto& row : rows_) line([&](std::size_t i) -> const std::string& { return row[i]; });
  return out;
}

}  // namespace pairs
