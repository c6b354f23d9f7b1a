#include "core/base/csv_lines.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/csv_line.h"
#include "core/base/csv_table.h"
#include "core/base/error.h"
#include "core/base/text.h"

namespace pairs {
namespace {

constexpr std::string_view unicode_minus = "\u2212";

// Whether a cell is a column's name: it begins with a letter and does not stand for a missing value.
bool is_name(std::string_view cell) {
  if (cell.empty() || cell.starts_with(unicode_minus)) return false;
  const auto first = static_cast<unsigned char>(cell[0]);
  if (first < 0x80 && !std::isalpha(first) && first != '_') return false;
  std::string word(cell);
  std::transform(word.begin(), word.end(), word.begin(), [](unsigned char c) { return std::tolower(c); });
  double value;
  if (parse_csv_number(word, value) != CsvNumber::text) return false;  // nan, inf
  for (const char* missing : {"na", "n/a", "null", "none", "missing", "true", "false"})
    if (word == missing) return false;
  return true;
}

// Whether the cell is a number with a comma for its point.
bool has_decimal_comma(std::string_view cell) {
  std::string point(cell);
  if (std::count(point.begin(), point.end(), ',') != 1) return false;
  point[point.find(',')] = '.';
  double value;
  return parse_csv_number(point, value) != CsvNumber::text;
}

std::vector<std::string> names_in(std::string_view line, char separator) {
  std::vector<std::string> names;
  for (bool more = true; more;) names.push_back(csv_text(take_csv_cell(line, separator, more)));
  return names;
}

std::string numbered(std::size_t place) {
  return fmt::format("column {}", place + 1);
}

// Where the needed columns stand in a file with these; all of them, when none is named.
std::vector<std::size_t> places_of(const std::vector<std::string>& columns, const std::vector<std::string>& header,
                                   const std::string& where) {
  std::vector<std::size_t> places;
  if (columns.size() == 1 && header.size() == 1) return {0};
  for (const std::string& name : columns) {
    if (std::count(columns.begin(), columns.end(), name) > 1)
      throw ColumnsError(fmt::format("{}: column {} is asked for twice; name each once", where, printable(name)),
                         header);
    if (std::count(header.begin(), header.end(), name) > 1)
      throw ColumnsError(fmt::format("{} has more than one column {}; name its columns apart", where, printable(name)),
                         header);
    const auto at = std::find(header.begin(), header.end(), name);
    std::size_t number = 0;
    while (at == header.end() && number < header.size() && numbered(number) != name) ++number;
    if (at == header.end() && number < header.size()) {
      places.push_back(number);
      continue;
    }
    if (at == header.end() && name.starts_with("column "))
      throw ColumnsError(
          fmt::format("{} has {} columns, and there is no {} among them", where, header.size(), printable(name)),
          header);
    if (at == header.end())
      throw ColumnsError(
          fmt::format("{} names its columns {}, but {} needed; rename them or drop the first line", where,
                      printable(fmt::format("{}", fmt::join(header, ", "))),
                      fmt::format("{} {}", fmt::join(columns, ", "), columns.size() > 1 ? "are, in any order," : "is")),
          header);
    places.push_back(static_cast<std::size_t>(at - header.begin()));
  }
  return places;
}

// The same in a file of `width` columns without names; all of them, where one is asked for by a name.
std::vector<std::size_t> places_by_number(const std::vector<std::string>& columns, std::size_t width) {
  std::vector<std::size_t> places;
  for (const std::string& name : columns) {
    std::size_t place = 0;
    if (std::count(columns.begin(), columns.end(), name) > 1) return {};
    while (place < width && numbered(place) != name) ++place;
    if (place == width) return {};
    places.push_back(place);
  }
  return places;
}

// `first`: of the first line, where names of columns would stand.
double number_in(std::string_view cell, const std::string& where, std::size_t line, std::size_t place, bool first,
                 bool missing_as_nan) {
  if (missing_as_nan && is_missing_cell(cell)) return std::numeric_limits<double>::quiet_NaN();
  double value = 0;
  PAIRS_CHECK(!cell.empty(), ErrorPlace{where, line}, "value {} is missing; fill it in or drop the line", place);
  const CsvNumber kind = parse_csv_number(cell, value);
  PAIRS_CHECK(kind != CsvNumber::text || !has_decimal_comma(cell), ErrorPlace{where, line},
              "value {} is '{}', with a decimal comma; write all numbers with a decimal point", place, printable(cell));
  PAIRS_CHECK(kind != CsvNumber::text || cell.find(';') == cell.npos, ErrorPlace{where, line},
              "'{}' is separated by ';' but the first line is not; separate all lines alike", printable(cell));
  PAIRS_CHECK(kind != CsvNumber::text || cell.find(unicode_minus) == cell.npos, ErrorPlace{where, line},
              "value {} is '{}', with the minus sign of Unicode; write the hyphen '-' instead", place, printable(cell));
  PAIRS_CHECK(kind != CsvNumber::text, ErrorPlace{where, line}, "value {} is '{}', not a number{}; correct it", place,
              printable(cell), first && !is_name(cell) ? " and not the name of a column" : "");
  PAIRS_CHECK(kind == CsvNumber::good && (missing_as_nan || std::isfinite(value)), ErrorPlace{where, line},
              "value {} is '{}', not a finite number; correct it or drop the line", place, printable(cell));
  return value;
}

}  // namespace

// A column of row numbers often has no name.
bool names_columns(std::string_view line, char separator) {
  bool named = false;
  for (bool more = true; more;) {
    const std::string_view cell = take_csv_cell(line, separator, more);
    if (!cell.empty() && !is_name(cell)) return false;
    named |= !cell.empty();
  }
  return named;
}

CsvLines::CsvLines(std::string where, std::vector<std::string> columns, bool missing_as_nan)
    : where_(std::move(where)), columns_(std::move(columns)), missing_as_nan_(missing_as_nan) {}

std::size_t CsvLines::numbers() const {
  return places_.empty() ? width_ : places_.size();
}

std::vector<std::string> CsvLines::columns() const {
  if (!header_.empty()) return header_;
  std::vector<std::string> names;
  for (std::size_t place = 0; place < width_; ++place) names.push_back(numbered(place));
  return names;
}

std::vector<std::string> CsvLines::taken() const {
  const std::vector<std::string> all = columns();
  if (places_.empty()) return all;
  std::vector<std::string> names;
  for (const std::size_t place : places_) names.push_back(all[place]);
  return names;
}

void CsvLines::keep(std::vector<std::size_t> places) {
  places_ = std::move(places);
  kept_.assign(width_, places_.empty());
  for (const std::size_t place : places_) kept_[place] = true;
}

bool CsvLines::take(std::string_view line, std::vector<double>& values) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (++number_ == 1 && line.starts_with(byte_order_mark)) line.remove_prefix(byte_order_mark.size());
  line = csv_content(line);
  if (line.empty()) return false;
  const bool first = separator_ == 0;
  if (first) separator_ = csv_separator(line);
  if (first && names_columns(line, separator_)) {
    const std::vector<std::string> header = names_in(line, separator_);
    width_ = header.size();
    header_ = header;
    keep(places_of(columns_, header, where_));
    return false;
  }
  if (first) {
    width_ = names_in(line, separator_).size();
    keep(places_by_number(columns_, width_));
  }
  row_.clear();
  for (bool more = true; more;) {
    const std::string_view cell = take_csv_cell(line, separator_, more);
    const bool needed = row_.size() >= kept_.size() || kept_[row_.size()];
    row_.push_back(needed ? number_in(cell, where_, number_, row_.size() + 1, first, missing_as_nan_) : 0);
  }
  PAIRS_CHECK(
      row_.size() == width_, ErrorPlace{where_, number_},
      "{} value{} where the first line has {}; give every line the same number{}", row_.size(),
      row_.size() == 1 ? "" : "s", width_,
      separator_ == ',' && row_.size() == 2 * width_ ? ", and write decimal points if these are decimal commas" : "");
  if (places_.empty())
    values.insert(values.end(), row_.begin(), row_.end());
  else
    for (const std::size_t place : places_) values.push_back(row_[place]);
  return true;
}

}  // namespace pairs
