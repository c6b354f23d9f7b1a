#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstring>
#include <vector>

#include "core/base/csv_line.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/npz.h"
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

// Whether the line names columns. A column of row numbers often has no name.
bool is_header(std::string_view line, char separator) {
  bool named = false;
  for (bool more = true; more;) {
    const std::string_view cell = take_csv_cell(line, separator, more);
    if (!cell.empty() && !is_name(cell)) return false;
    named |= !cell.empty();
  }
  return named;
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
  for (bool more = true; more;) names.emplace_back(take_csv_cell(line, separator, more));
  return names;
}

// Where the needed columns stand in a file with these; all of them, when none is named.
std::vector<std::size_t> places_of(const std::vector<std::string>& columns, const std::vector<std::string>& header,
                                   const std::string& where) {
  std::vector<std::size_t> places;
  if (columns.size() == 1 && header.size() == 1) return {0};
  for (const std::string& name : columns) {
    const auto at = std::find(header.begin(), header.end(), name);
    if (at == header.end() || std::count(header.begin(), header.end(), name) > 1)
      fail("{} names its columns {}, but {} needed; rename them or drop the first line", where,
           printable(fmt::format("{}", fmt::join(header, ", "))),
           fmt::format("{} {}", fmt::join(columns, ", "), columns.size() > 1 ? "are, in any order," : "is"));
    places.push_back(static_cast<std::size_t>(at - header.begin()));
  }
  return places;
}

// `first`: of the first line, where names of columns would stand.
double number_in(std::string_view cell, const std::string& where, std::size_t line, std::size_t place, bool first) {
  double value = 0;
  PAIRS_CHECK(!cell.empty(), "{}, line {}: value {} is missing; fill it in or drop the line", where, line, place);
  const CsvNumber kind = parse_csv_number(cell, value);
  PAIRS_CHECK(kind != CsvNumber::text || !has_decimal_comma(cell),
              "{}, line {}: value {} is '{}', with a decimal comma; write all numbers with a decimal point", where,
              line, place, printable(cell));
  PAIRS_CHECK(kind != CsvNumber::text || cell.find(';') == cell.npos,
              "{}, line {}: '{}' is separated by ';' but the first line is not; separate all lines alike", where, line,
              printable(cell));
  PAIRS_CHECK(kind != CsvNumber::text || cell.find(unicode_minus) == cell.npos,
              "{}, line {}: value {} is '{}', with the minus sign of Unicode; write the hyphen '-' instead", where,
              line, place, printable(cell));
  PAIRS_CHECK(kind != CsvNumber::text, "{}, line {}: value {} is '{}', not a number{}; correct it", where, line, place,
              printable(cell), first && !is_name(cell) ? " and not the name of a column" : "");
  PAIRS_CHECK(kind == CsvNumber::good && std::isfinite(value),
              "{}, line {}: value {} is '{}', not a finite number; correct it or drop the line", where, line, place,
              printable(cell));
  return value;
}

}  // namespace

torch::Tensor parse_csv(std::string_view text, const std::string& where, const std::vector<std::string>& columns) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  PAIRS_CHECK(!text.starts_with("\xff\xfe") && !text.starts_with("\xfe\xff"),
              "{} is text in UTF-16; save it as UTF-8 or plain ASCII", where);
  // Some old programs end lines with a carriage return alone.
  const char line_end = text.find('\n') == text.npos ? '\r' : '\n';
  std::vector<double> values, row;
  std::vector<std::size_t> places;  // of the columns that are kept; empty: of all
  std::vector<bool> kept;
  std::int64_t rows = 0;
  std::size_t width = 0;
  char separator = 0;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find(line_end);
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    line = trimmed(line.substr(0, line.find('#')));
    if (line.empty()) continue;
    const bool first = separator == 0;
    if (first) separator = csv_separator(line);
    if (first && is_header(line, separator)) {
      const std::vector<std::string> header = names_in(line, separator);
      width = header.size();
      places = places_of(columns, header, where);
      kept.assign(width, places.empty());
      for (const std::size_t place : places) kept[place] = true;
      continue;
    }
    row.clear();
    for (bool more = true; more;) {
      const std::string_view cell = take_csv_cell(line, separator, more);
      const bool needed = row.size() >= kept.size() || kept[row.size()];
      row.push_back(needed ? number_in(cell, where, number, row.size() + 1, first) : 0);
    }
    if (first) width = row.size();
    PAIRS_CHECK(
        row.size() == width, "{}, line {}: {} value{} where the first line has {}; give every line the same number{}",
        where, number, row.size(), row.size() == 1 ? "" : "s", width,
        separator == ',' && row.size() == 2 * width ? ", and write decimal points if these are decimal commas" : "");
    if (places.empty())
      values.insert(values.end(), row.begin(), row.end());
    else
      for (const std::size_t place : places) values.push_back(row[place]);
    ++rows;
  }
  PAIRS_CHECK(rows > 0, "{} holds no numbers; write one observation a line", where);
  const std::size_t count = places.empty() ? width : places.size();
  torch::Tensor table = torch::empty({rows, static_cast<std::int64_t>(count)}, torch::kDouble);
  std::memcpy(table.data_ptr(), values.data(), values.size() * sizeof(double));
  return table;
}

torch::Tensor read_csv(const std::filesystem::path& file, const std::vector<std::string>& columns) {
  return parse_csv(read_file(file, array_memory_limit()), printable(file.string(), 300), columns);
}

}  // namespace pairs
