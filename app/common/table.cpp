#include "app/common/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.h"

namespace pairs {

void Table::add(std::vector<std::string> cells) {
  PAIRS_CHECK(cells.size() == columns_.size(), "A table row has {} cells for {} columns", cells.size(),
              columns_.size());
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

std::string count_text(std::int64_t value) {
  std::string digits = fmt::format("{}", value < 0 ? -value : value);
  for (std::int64_t at = static_cast<std::int64_t>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(static_cast<std::size_t>(at), 1, ',');
  return value < 0 ? "−" + digits : digits;
}

std::string duration_text(double seconds) {
  if (!std::isfinite(seconds)) return "–";
  if (seconds < 9.95) return fmt::format("{:.1f} s", std::max(0.0, seconds));
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

std::string clock_text(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0 || seconds > 3.6e9) return "–";
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  if (whole < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

std::string percent_text(double share) {
  return std::isfinite(share) ? fmt::format("{:.0f} %", std::floor(100 * share)) : "";
}

std::string number_text(double value, int digits) {
  if (std::isnan(value)) return "–";
  std::string text = fmt::format("{:.{}f}", std::abs(value), digits);
  const bool zero = text.find_first_not_of("0.") == std::string::npos;
  return value < 0 && !zero ? "−" + text : text;
}

std::string with_error_text(double value, double error, int digits) {
  if (std::isnan(value) || std::isnan(error)) return number_text(value, digits);
  return fmt::format("{} ± {}", number_text(value, digits), number_text(error, digits));
}

std::string flop_text(double gflop) {
  if (gflop < 1000) return fmt::format("{:.3g} GFLOP", gflop);
  if (gflop < 1e6) return fmt::format("{:.3g} TFLOP", gflop / 1e3);
  return fmt::format("{:.3g} PFLOP", gflop / 1e6);
}

}  // namespace pairs
