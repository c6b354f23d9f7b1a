#include "core/base/tables/csv_lines.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "core/base/tables/csv_table.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"

namespace pairs {
namespace {

constexpr std::string_view unicode_minus = "\u2212";
constexpr std::string_view kDigits = "0123456789";
constexpr std::size_t kLongestRow = std::size_t{1} << 20, kMostComments = 1000;

bool is_number(std::string_view cell) {
  double value;
  return parse_csv_number(cell, value) != CsvNumber::text;
}

// "12", "-3": without a point and an exponent.
bool is_whole(std::string_view cell) {
  if (cell.starts_with('-') || cell.starts_with('+')) cell.remove_prefix(1);
  return !cell.empty() && cell.find_first_not_of(kDigits) == cell.npos;
}

// The length of a sign that may precede a name or a number: brackets, "$", blanks and currencies of Unicode. 0 for all
// others.
std::size_t leading_sign(std::string_view text) {
  if (text.empty()) return 0;
  if (std::string_view("$([{<\\'*@&~^").find(text[0]) != std::string_view::npos) return 1;
  const auto byte = [&](std::size_t k) { return k < text.size() ? static_cast<unsigned char>(text[k]) : 0u; };
  if (byte(0) == 0xC2 && byte(1) >= 0xA0 && byte(1) < 0xC0 && byte(1) != 0xB5) return 2;  // Latin-1, except "µ"
  if (byte(0) == 0xE2 && (byte(1) == 0x80 || byte(1) == 0x81)) return 3;                  // U+2000 to U+207F
  if (byte(0) == 0xE2 && (byte(1) == 0x82 || byte(1) == 0x83)) return 3;                  // U+2080 to U+20FF
  if (text.starts_with(unicode_minus)) return 3;
  if (text.starts_with("\xEF\xBB\xBF") || text.starts_with("\xE3\x80\x80")) return 3;
  return 0;
}

// Whether a cell is a column's name: it begins with a letter, ignoring brackets and the like, and does not mark a
// missing value.
bool is_name(std::string_view cell) {
  if (cell.starts_with(unicode_minus)) return false;
  std::string word(cell);
  std::transform(word.begin(), word.end(), word.begin(), [](unsigned char c) { return std::tolower(c); });
  if (is_number(word) || is_missing_cell(word) || word == "true" || word == "false") return false;
  for (std::size_t sign = leading_sign(cell); sign > 0; sign = leading_sign(cell)) cell.remove_prefix(sign);
  if (cell.empty()) return false;
  const auto first = static_cast<unsigned char>(cell[0]);
  return first >= 0x80 || std::isalpha(first) || first == '_';
}

// Whether a cell contains letters and is not a number: "2nd", which is a name among other names.
bool may_be_name(std::string_view cell) {
  return std::any_of(cell.begin(), cell.end(), [](unsigned char c) { return std::isalpha(c) || c >= 0x80; }) &&
         !is_number(cell) && !is_missing_cell(cell) && !cell.starts_with("0x") && !cell.starts_with("0X");
}

// Whether the cell is a number with a decimal comma.
bool has_decimal_comma(std::string_view cell) {
  std::string point(cell);
  if (std::count(point.begin(), point.end(), ',') != 1 || point.find('.') != point.npos) return false;
  point[point.find(',')] = '.';
  return is_number(point);
}

// Whether such a comma cannot be a thousands separator: "0,5", "1,25", "1234,500".
bool is_surely_decimal(std::string_view cell) {
  if (cell.starts_with('-') || cell.starts_with('+')) cell.remove_prefix(1);
  const std::size_t comma = cell.find(',');
  const std::string_view whole = cell.substr(0, comma), fraction = cell.substr(comma + 1);
  return whole.empty() || whole.size() > 3 || whole.starts_with('0') || fraction.size() != 3 || !is_whole(fraction);
}

// Whether a text may follow a decimal comma: "5", "5e-07".
bool is_fraction(std::string_view cell) {
  const std::size_t end = std::min(cell.find_first_of("eE"), cell.size());
  if (end == 0 || cell.substr(0, end).find_first_not_of(kDigits) != cell.npos) return false;
  return end == cell.size() || is_whole(cell.substr(end + 1));
}

// Whether a number has thousands separators: "1,234.5", "1'234", "1 234,5".
bool has_thousands(std::string_view cell) {
  std::size_t digits = 0, marks = 0;
  for (std::size_t k = 0; k < cell.size();) {
    const std::string_view rest = cell.substr(k);
    std::size_t length = 1;
    if (kDigits.find(rest[0]) != kDigits.npos)
      ++digits;
    else if (std::string_view(".,' ").find(rest[0]) != std::string_view::npos)
      ++marks;
    else if (rest.starts_with("\u00a0"))
      ++marks, length = 2;
    else if (rest.starts_with("\u202f") || rest.starts_with("\u2009") || rest.starts_with("\u2019"))
      ++marks, length = 3;
    else if (k > 0 || (rest[0] != '-' && rest[0] != '+'))
      return false;
    k += length;
  }
  return digits >= 4 && marks > 0;
}

// Replaces Fortran's exponent letter, as in "1.0D+03", by 'e'; "" for other texts.
std::string with_e(std::string_view cell) {
  const std::size_t at = cell.find_first_of("dD");
  if (at == cell.npos || at == 0 || cell.substr(0, at).find_first_not_of("+-.0123456789") != cell.npos) return "";
  std::string number(cell);
  number[at] = 'e';
  return is_whole(number.substr(at + 1)) && is_number(number) ? number : "";
}

// The value of a whole number in any notation, "12", "12.", "12.0"; nothing for other numbers and for more than nine
// digits.
std::optional<std::int64_t> whole_value(std::string_view cell) {
  std::string_view digits = cell.substr(0, cell.find('.'));
  const std::string_view decimals = cell.substr(std::min(digits.size() + 1, cell.size()));
  if (decimals.find_first_not_of('0') != decimals.npos) return std::nullopt;
  const bool minus = digits.starts_with('-');
  if (minus || digits.starts_with('+')) digits.remove_prefix(1);
  if (digits.empty() || digits.size() > 9 || digits.find_first_not_of(kDigits) != digits.npos) return std::nullopt;
  std::int64_t value = 0;
  for (const char digit : digits) value = 10 * value + (digit - '0');
  return minus ? -value : value;
}

std::string numbered(std::size_t place) {
  return fmt::format("column {}", place + 1);
}

bool holds(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::vector<std::string> parts_of(std::string_view text, std::string_view separators) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(separators), text.size());
    if (const std::string_view part = trimmed(text.substr(0, end)); !part.empty()) parts.emplace_back(part);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

// Normalizes a name, ignoring case, underscores and signs: "X_1" and "$x1$" become "x1".
std::string plain_name(std::string_view name) {
  std::string plain;
  for (const unsigned char c : name)
    if (c >= 0x80 || std::isalnum(c)) plain += static_cast<char>(std::tolower(c));
  return plain;
}

// Where the needed columns stand among those of a file; all of them if none is named.
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

// Where the columns stand in a file of `width` columns without names; empty, for all columns, if one is requested by
// name.
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

}  // namespace

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

std::vector<std::string> CsvLines::warnings() const {
  std::vector<std::string> warnings;
  if (numbers_line_ > 0)
    warnings.push_back(fmt::format(
        "{}: its first line holds column numbers {}, as pandas writes them; it is taken as names and not "
        "as an observation",
        where_, number_places_.size() > 1 ? fmt::format("0 to {}", number_places_.size() - 1) : std::string("0")));
  if (names_count_)
    warnings.push_back(
        fmt::format("{}: its first line has one name less than there are columns; the first column, which counts the "
                    "rows, is taken "
                    "as row names",
                    where_));
  if (blanks_ > 0)
    warnings.push_back(fmt::format(
        "{}: {} between rows, the first is line {}; no value is taken to be missing there", where_,
        blanks_ > 1 ? fmt::format("{} blank lines stand", blanks_) : std::string("a blank line stands"), blank_line_));
  if (commented_ > 0)
    warnings.push_back(fmt::format("{}: {} that {} with '#' {} like {}, and {} left out as {} (the first is line {})",
                                   where_, counted(commented_, "line"), commented_ > 1 ? "begin" : "begins",
                                   commented_ > 1 ? "look" : "looks", commented_ > 1 ? "rows" : "a row",
                                   commented_ > 1 ? "are" : "is", commented_ > 1 ? "comments" : "a comment",
                                   commented_line_));
  return warnings;
}

void CsvLines::go_to(std::size_t line) {
  number_ = line - 1;
  open_.clear();
  in_order_ = false;
}

void CsvLines::keep(std::vector<std::size_t> places) {
  places_ = std::move(places);
  kept_.assign(width_, places_.empty());
  for (const std::size_t place : places_) kept_[place] = true;
}

void CsvLines::split(std::string_view content) {
  cells_.clear();
  for (bool more = true; more;) cells_.push_back(take_csv_cell_quoted(content, separator_, more));
}

bool CsvLines::take(std::string_view line, std::vector<double>& values) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (++number_ == 1 && line.starts_with(byte_order_mark)) line.remove_prefix(byte_order_mark.size());
  if (!open_.empty()) {
    PAIRS_CHECK(open_.size() + line.size() <= kLongestRow, ErrorPlace(where_, record_),
                "a quote is opened and not closed within 1 MiB; close it or double it");
    open_ += '\n';
    line = open_.append(line);
  } else {
    record_ = number_;
    if (width_ == 0 && take_comment(line)) return false;
  }
  if (ends_in_quotes(line, separator_ != 0 ? separator_ : csv_separator(line))) {
    if (open_.empty()) open_ = line;
    return false;
  }
  const std::string whole = std::exchange(open_, "");
  if (!whole.empty()) check_swallowed(whole);
  return take_record(whole.empty() ? line : whole, values);
}

// Handles a comment above the first row.
bool CsvLines::take_comment(std::string_view line) {
  const std::string_view text = trimmed(line);
  const bool hash = text.starts_with('#') && csv_content(text).empty();
  if (!hash && !text.starts_with('%') && !text.starts_with('!') && !text.starts_with("//")) return false;
  if (comments_.size() < kMostComments)
    comments_.emplace_back(number_, text.substr(std::min(text.find_first_not_of("#%!/ \t"), text.size())));
  return true;
}

bool CsvLines::take_record(std::string_view record, std::vector<double>& values) {
  if (trimmed(record).empty() && (separator_ != '\t' || width_ < 2)) {
    if (first_row_ > 0 && width_ == 1 && blank_++ == 0 && blanks_ == 0) blank_line_ = record_;
    return false;
  }
  if (width_ == 0) {
    if (record_ == 1 && take_separator_line(record)) return false;
    if (separator_ == 0) separator_ = csv_separator(csv_content(record, '\t'));
    words_ = csv_content(record);
    split(csv_content(record, separator_));
    return take_first(values);
  }
  const std::string_view content = csv_content(record, separator_);
  if (content.empty()) {
    note_commented(record);
    return false;
  }
  if (trimmed(content).empty() &&
      static_cast<std::size_t>(std::count(content.begin(), content.end(), '\t')) + 1 != width_)
    return false;  // tabs alone
  // A decimal comma has no blank next to it.
  if (may_be_commas_ && (content.find(", ") != content.npos || content.find(" ,") != content.npos))
    may_be_commas_ = false;
  split(content);
  return take_row(values);
}

// The needed columns in the order in which a text names them, ignoring case; empty if it does not name them all.
std::vector<std::size_t> CsvLines::order_named(std::string_view text) const {
  std::vector<std::size_t> order;
  if (columns_.size() < 2 || columns_.front().starts_with("column ")) return order;
  for (const std::string& word : parts_of(text, " \t,;:|=()[]{}\"'"))
    for (std::size_t k = 0; k < columns_.size(); ++k)
      if (plain_name(word) == plain_name(columns_[k]) && std::find(order.begin(), order.end(), k) == order.end())
        order.push_back(k);
  if (order.size() < columns_.size()) order.clear();
  return order;
}

// Refuses a comment below the first row that names the columns in another order than they are read: a second table may
// begin there.
void CsvLines::check_named_below(std::string_view comment) const {
  const std::vector<std::size_t> named = order_named(comment);
  if (named.empty() || columns_.size() != width_) return;
  std::vector<std::size_t> read(columns_.size());
  for (std::size_t k = 0; k < read.size(); ++k) read[k] = k;
  if (!header_.empty())
    std::sort(read.begin(), read.end(), [&](std::size_t a, std::size_t b) { return places_[a] < places_[b]; });
  if (named == read) return;
  std::vector<std::string> words;
  for (const std::size_t k : named) words.push_back(columns_[k]);
  fail(ErrorPlace(where_, record_),
       "a comment below the first row names the columns {} in this order, in which they are not read; name them in the "
       "first line of the table, and give each table a file of its own",
       fmt::join(words, ", "));
}

// Detects whole rows inside quotes, which result from a quote opened by mistake.
void CsvLines::check_swallowed(std::string_view record) {
  if (width_ == 0 || separator_ == 0) return;
  std::size_t line = record_;
  for (std::size_t begin = record.find('\n'); begin != record.npos; ++line) {
    const std::size_t end = record.find('\n', begin + 1);
    if (end == record.npos) return;
    split(csv_content(record.substr(begin + 1, end - begin - 1), separator_));
    bool row = width_ > 1 && cells_.size() == width_ + shift_;
    for (std::size_t k = 0; row && k < width_; ++k) row = !kept_[k] || is_number(cells_[k + shift_].text);
    PAIRS_CHECK(!row, ErrorPlace(where_, record_),
                "a quote is opened, and what follows within it looks like rows, the first in line {}; close the quote",
                line + 1);
    begin = end;
  }
}

// Remembers a comment that would be a row without its '#'.
void CsvLines::note_commented(std::string_view record) {
  if (first_row_ == 0 || !in_order_) return;
  std::string_view text = trimmed(record);
  if (!text.starts_with('#')) return;
  check_named_below(text.substr(1));
  text = csv_content(text.substr(1), separator_);
  if (text.empty()) return;
  split(text);
  if (cells_.size() != width_ + shift_) return;
  for (std::size_t k = 0; k < width_; ++k)
    if (kept_[k] && !is_number(cells_[k + shift_].text) && !has_decimal_comma(cells_[k + shift_].text)) return;
  if (commented_++ == 0) commented_line_ = record_;
}

// Reads a line "sep=;", which specifies the separator for Excel.
bool CsvLines::take_separator_line(std::string_view raw) {
  std::string_view text = trimmed(raw);
  if (text.starts_with('"')) text.remove_prefix(1);
  if (text.size() < 4 || !(text.starts_with("sep=") || text.starts_with("SEP=") || text.starts_with("Sep=")))
    return false;
  std::string_view rest = raw.substr(raw.find('=') + 1);
  while (rest.ends_with('\r') || rest.ends_with('"')) rest.remove_suffix(1);
  if (rest.empty() || rest.find_first_not_of(rest[0]) != rest.npos) return false;
  PAIRS_CHECK(std::string_view(";,\t| ").find(rest[0]) != std::string_view::npos, ErrorPlace(where_, record_),
              "it is 'sep={}', Excel's line for what stands between values; use ';', ',', '|' or a tab",
              printable(rest.substr(0, 1)));
  separator_ = rest[0];
  return true;
}

bool CsvLines::is_header() const {
  bool named = false;
  for (const CsvCell& cell : cells_) {
    const bool sure = is_name(cell.text) || (cell.quoted && may_be_name(cell.text)) ||
                      (!cell.text.empty() && holds(columns_, csv_text(cell.text)));
    if (!sure && !cell.text.empty() && !may_be_name(cell.text)) return false;
    named |= sure;
  }
  return named;
}

// Whether the first line holds the numbers 0, 1, ... k - 1, possibly with names and empty cells.
bool CsvLines::is_column_numbers() {
  number_places_.clear();
  bool unnamed = false, quoted = true;
  for (std::size_t k = 0; k < cells_.size(); ++k) {
    const std::string_view cell = cells_[k].text;
    if (cell == fmt::format("{}", number_places_.size())) {
      number_places_.push_back(k);
      quoted = quoted && cells_[k].quoted;
    } else if (cell.empty()) {
      unnamed = true;
    } else if (!is_name(cell)) {
      return false;
    }
  }
  if (number_places_.empty()) return false;
  // A line with a single empty cell after a number ends in a separator; then all other lines may, too.
  const bool trailing =
      number_places_.size() + 1 == cells_.size() && cells_.back().text.empty() && !cells_.back().quoted;
  numbers_certain_ = unnamed && !trailing;
  numbers_quoted_ = quoted;
  written_.assign(number_places_.size(), {});
  return true;
}

bool CsvLines::take_first(std::vector<double>& values) {
  const bool numbers = is_column_numbers();
  if (numbers || is_header()) {
    width_ = cells_.size();
    keep({});  // until the needed columns are known
    for (const CsvCell& cell : cells_) header_.push_back(csv_text(cell.text));
    (numbers ? numbers_line_ : header_line_) = record_;
    const auto found =
        std::count_if(columns_.begin(), columns_.end(), [&](const std::string& name) { return holds(header_, name); });
    const bool all = found > 0 && static_cast<std::size_t>(found) == columns_.size();
    numbers_certain_ = numbers_certain_ || (numbers && all);
    // If the rows have one value, words separated by blanks are a single name.
    if (separator_ == ' ' && width_ > 1 && columns_.size() < 2 && words_.find('"') == words_.npos && !numbers)
      return false;
    words_.clear();
    if (numbers && found == 0 && columns_.size() == number_places_.size() && !columns_.front().starts_with("column "))
      keep(number_places_);
    else
      keep(places_of(columns_, header_, where_));
    return false;
  }
  words_.clear();
  width_ = cells_.size();
  trailing_ = width_ > 1 && columns_.size() + 1 == width_ && cells_.back().text.empty() && !cells_.back().quoted;
  if (trailing_) --width_;
  keep({});
  if (adopt_comment()) {
    keep(places_of(columns_, header_, where_));
  } else {
    keep(places_by_number(columns_, width_));
    note_suspect();
    const bool halves = places_.empty() && columns_.size() == width_ && width_ % 2 == 0;
    may_be_commas_ = halves && separator_ == ',';
    may_be_thousands_ = halves && separator_ == ' ';
  }
  if (std::all_of(cells_.begin(), cells_.end(), [](const CsvCell& one) { return one.quoted && is_number(one.text); }))
    quoted_first_ = record_;
  first_row_ = record_;
  return take_row(values);
}

// Uses the comment above the first row that names its columns, if there is one.
bool CsvLines::adopt_comment() {
  if (columns_.empty() || columns_.front().starts_with("column ")) return false;
  constexpr std::string_view kWordEnds = " \t,;:|=()[]{}\"'";
  for (auto at = comments_.rbegin(); at != comments_.rend(); ++at) {
    const auto& [line, text] = *at;
    for (const std::string_view separators :
         {std::string_view(&separator_, 1), std::string_view(",;\t|"), std::string_view(" \t,;|")}) {
      std::vector<std::string> names = parts_of(text, separators);
      if (names.size() != width_) continue;
      for (std::string& name : names)
        if (name.size() > 1 && name.front() == '"' && name.back() == '"') name = name.substr(1, name.size() - 2);
      const auto found = static_cast<std::size_t>(
          std::count_if(columns_.begin(), columns_.end(), [&](const std::string& one) { return holds(names, one); }));
      if (found == 0) continue;
      if (found < columns_.size() && columns_.size() > 1)
        throw ColumnsError(
            fmt::format("{}: the comment in line {} names the columns {}, but {} are needed; rename them, or drop the "
                        "comment where it is none of names",
                        where_, line, printable(fmt::format("{}", fmt::join(names, ", "))), fmt::join(columns_, ", ")),
            names);
      header_ = std::move(names);
      return true;
    }
    if (columns_.size() < 2 || columns_.size() != width_) continue;
    const std::vector<std::string> words = parts_of(text, kWordEnds);
    std::vector<std::string> order;
    for (const std::string& word : words)
      if (holds(columns_, word) && !holds(order, word)) order.push_back(word);
    PAIRS_CHECK(order.size() < columns_.size() || order == columns_, ErrorPlace(where_, line),
                "the comment names {} in this order; name the columns in the first line of the table, without '#'",
                fmt::join(order, ", "));
    if (const std::vector<std::size_t> named = order_named(text); !std::is_sorted(named.begin(), named.end()))
      fail(ErrorPlace(where_, line),
           "the comment {} names the columns in another order than {}; write their names in the first line of the "
           "table, without '#'",
           printable(text), fmt::join(columns_, ", "));
  }
  return false;
}

// Checks how the first row below a header fits it.
void CsvLines::first_row_below_header() {
  if (numbers_line_ > 0 && numbers_quoted_)
    numbers_certain_ = numbers_certain_ || std::none_of(cells_.begin(), cells_.end(), [](const CsvCell& one) {
                         return one.quoted && is_number(one.text);
                       });
  if (!words_.empty()) {
    if (cells_.size() == 1) {
      header_ = {words_};
      width_ = 1;
    }
    keep(places_of(columns_, header_, where_));
  }
  if (cells_.size() != width_ + 1) return;
  const CsvCell &front = cells_.front(), &back = cells_.back();
  if (back.text.empty() && !back.quoted && separator_ != ' ') {
    trailing_ = true;
  } else if (!front.text.empty() && (!is_number(front.text) || (front.quoted && !cells_[1].quoted))) {
    shift_ = 1;
  } else if (front.text == "0" || front.text == "1") {
    shift_ = 1;
    names_count_ = true;
    next_name_ = front.text[0] - '0';
  }
}

// Numeric row names of R count the rows.
void CsvLines::take_row_name() {
  if (in_order_)
    PAIRS_CHECK(
        cells_.front().text == fmt::format("{}", next_name_), ErrorPlace(where_, record_),
        "{} values where the first line has {}, and '{}' does not count the rows as {} would; name all columns in "
        "the first line",
        width_ + 1, width_, printable(cells_.front().text), next_name_);
  ++next_name_;
  ++counted_names_;
}

void CsvLines::fail_column_numbers() const {
  fail(ErrorPlace(where_, numbers_line_),
       "it holds {}, which may be the column numbers that pandas writes or a row of the table; write names in their "
       "place, or a line of names above them where they are a row",
       number_places_.size() > 1 ? fmt::format("0 to {}", number_places_.size() - 1) : "0 alone");
}

// The rows determine what the first line is: column numbers look different from values other than 0 and 1.
void CsvLines::check_column_numbers() {
  if (numbers_certain_) return;
  bool any = false;
  for (std::size_t k = 0; k < number_places_.size(); ++k) {
    const std::string_view cell = cells_[number_places_[k] + shift_].text;
    written_[k].whole |= is_whole(cell);
    written_[k].point |= !is_whole(cell) && (has_decimal_comma(cell) || (is_number(cell) && !is_missing_cell(cell)));
    any |= written_[k].point && !written_[k].whole;
  }
  if (!any) fail_column_numbers();
}

// Checks whether the first line, which names no columns, may number them in some order, from 0 or from 1, or count the
// rows below it.
void CsvLines::note_suspect() {
  std::vector<std::int64_t> numbers;
  std::size_t points = 0;
  for (std::size_t k = 0; k < width_; ++k) {
    const std::string_view cell = cells_[k].text;
    const std::optional<std::int64_t> value = whole_value(cell);
    if (!value || *value < 0 || cell.starts_with('+')) return;
    numbers.push_back(*value);
    if (cell.find('.') != cell.npos) {
      // Column numbers with a decimal point all have the form "1.0".
      if (!cell.ends_with(".0") || ++points <= k) return;
    } else if (points > 0) {
      return;
    }
    suspect_text_ += (k > 0 ? ", " : "") + std::string(cell);
  }
  suspect_count_ = static_cast<double>(numbers.front());
  const bool rows_and_columns = width_ == 2 && points == 0 && numbers[1] == 2;  // "12 2"
  suspect_point_ = points > 0;
  std::sort(numbers.begin(), numbers.end());
  bool counted = numbers.front() <= 1 && (width_ > 1 || (points == 0 && numbers.front() == 1));
  for (std::size_t k = 0; k < width_; ++k) counted &= numbers[k] == numbers[0] + static_cast<std::int64_t>(k);
  if (counted)
    suspect_ = Suspect::column_numbers;
  else if (rows_and_columns || (width_ == 1 && points == 0 && numbers.front() > 1))
    suspect_ = Suspect::count;
  written_.assign(width_, {});
}

// Compares a row below such a line with it: columns without any whole numbers suggest that the line is not a row.
void CsvLines::compare_with_suspect() {
  ++below_;
  bool any = false;
  for (std::size_t k = 0; k < width_; ++k) {
    const std::string_view cell = cells_[k].text;
    const bool whole = whole_value(cell).has_value();
    written_[k].whole |= whole;
    written_[k].point |= !whole && (has_decimal_comma(cell) || (is_number(cell) && !is_missing_cell(cell)));
    const std::size_t point = cell.find('.');
    decimals_differ_ |= point == cell.npos || cell.size() - point != 2;
    any |= !written_[k].whole;
  }
  if (!any) suspect_ = Suspect::none;  // it may be a row like the others
}

void CsvLines::check_suspect(bool end) const {
  if (suspect_ == Suspect::none || below_ == 0) return;
  const bool any =
      std::any_of(written_.begin(), written_.end(), [](const Written& one) { return one.point && !one.whole; });
  if (!any || (suspect_point_ && !decimals_differ_)) return;
  if (suspect_ == Suspect::count) {
    PAIRS_CHECK(
        !end || !in_order_ || static_cast<double>(below_) != suspect_count_, ErrorPlace(where_, first_row_),
        "it is {}, which fits the number of rows below it, and may count them or be one of them; drop it where it "
        "counts the rows, or write a line that names the columns above it where it is a row",
        suspect_text_);
    return;
  }
  fail(ErrorPlace(where_, first_row_),
       "it is {}, which may be {} of the column{} or a row of the table, as others below it are not whole numbers; "
       "write names in its place, or a line of names above it where it is a row",
       suspect_text_, width_ > 1 ? "the numbers" : "the number", width_ > 1 ? "s" : "");
}

bool CsvLines::take_row(std::vector<double>& values) {
  if (first_row_ == 0) {
    first_row_ = record_;
    first_row_below_header();
  }
  std::size_t count = cells_.size();
  if (trailing_ && count == width_ + shift_ + 1 && cells_.back().text.empty()) --count;
  const bool short_of_unnamed = !header_.empty() && header_.back().empty() && count + 1 == width_ + shift_;
  const bool fits = count == width_ + shift_ || short_of_unnamed;
  if (suspect_ != Suspect::none && width_ == 1 && below_ == 0 && record_ != first_row_ && columns_.size() > 1) {
    // Such a line does not show what separates values.
    const std::string_view text = cells_.front().text;
    const auto values_below =
        count > 1 ? count : 1 + static_cast<std::size_t>(std::count(text.begin(), text.end(), csv_separator(text)));
    PAIRS_CHECK(values_below < 2, ErrorPlace(where_, first_row_),
                "it is {} alone, and {} values stand in the next line; drop it where it counts the rows or the columns",
                suspect_text_, values_below);
  }
  row_.assign(width_, 0);
  for (std::size_t k = 0; k < width_ && k + shift_ < count; ++k)
    if (kept_[k]) row_[k] = number(cells_[k + shift_], k);
  PAIRS_CHECK(fits, ErrorPlace(where_, record_),
              "{} value{} where the first line has {}; give every line the same number{}", count - shift_,
              count - shift_ == 1 ? "" : "s", width_,
              separator_ == ',' && count == 2 * width_  ? ", and write decimal points if these are decimal commas"
              : !header_.empty() && count == width_ + 1 ? ", and name all columns in the first line, row names too"
                                                        : "");
  blanks_ += std::exchange(blank_, 0);
  if (names_count_) take_row_name();
  if (numbers_line_ > 0) check_column_numbers();
  if (suspect_ != Suspect::none && record_ != first_row_) compare_with_suspect();
  if (may_be_commas_) note_whole();
  if (may_be_thousands_) note_thousands();
  if (quoted_first_ > 0 && record_ != quoted_first_)
    PAIRS_CHECK(
        std::any_of(cells_.begin(), cells_.end(), [](const CsvCell& one) { return one.quoted; }),
        ErrorPlace(where_, quoted_first_),
        "its numbers stand in quotes and others do not; write names of columns that are no numbers, or drop the "
        "quotes where the line is a row");
  if (places_.empty())
    values.insert(values.end(), row_.begin(), row_.end());
  else
    for (const std::size_t place : places_) values.push_back(row_[place]);
  return true;
}

double CsvLines::number(const CsvCell& cell, std::size_t place) {
  double value = 0;
  if (parse_csv_number(cell.text, value) != CsvNumber::good || !std::isfinite(value))
    return number_otherwise(cell, place);
  if (mark_ != Mark::point && cell.text.find('.') != cell.text.npos) note_point(cell, place);
  return value;
}

// Handles a number with a decimal point.
void CsvLines::note_point(const CsvCell& cell, std::size_t place) {
  PAIRS_CHECK(mark_ != Mark::comma && unsure_.empty(), ErrorPlace(where_, record_),
              "value {} is '{}', with a decimal point, but another is '{}', with a comma; write all numbers with a "
              "decimal point and nothing between thousands",
              place + shift_ + 1, printable(cell.text), printable(comma_));
  mark_ = Mark::point;
}

// Parses a value that is not a plain number.
double CsvLines::number_otherwise(const CsvCell& cell, std::size_t at) {
  const std::string_view text = cell.text;
  const ErrorPlace line(where_, record_);
  const std::size_t place = at + shift_ + 1;
  if (missing_as_nan_ && is_missing_cell(text)) return std::numeric_limits<double>::quiet_NaN();
  double value = 0;
  PAIRS_CHECK(!text.empty(), line, "value {} is missing; fill it in or drop the line", place);
  if (const std::string number = with_e(text); !number.empty()) {
    const CsvNumber kind = parse_csv_number(number, value);
    PAIRS_CHECK(kind == CsvNumber::good, line, "value {} is '{}', not a finite number; correct it or drop the line",
                place, printable(text));
    if (text.find('.') != text.npos) note_point(cell, at);
    return value;
  }
  CsvNumber kind = parse_csv_number(text, value);
  // If there is no other separator, a comma may be one.
  PAIRS_CHECK(
      kind != CsvNumber::text || !has_decimal_comma(text) || separator_ != ' ' || width_ > 1 || cell.quoted, line,
      "value {} is '{}', with a decimal comma, or two values where the first line has one; write decimal points, or "
      "name all columns",
      place, printable(text));
  if (kind == CsvNumber::text && has_decimal_comma(text)) {
    PAIRS_CHECK(mark_ != Mark::point, line,
                "value {} is '{}', with a decimal comma or one between thousands, but others have a decimal point; "
                "write all numbers with a decimal point and nothing between thousands",
                place, printable(text));
    std::string point(text);
    point[point.find(',')] = '.';
    kind = parse_csv_number(point, value);
    comma_ = text;
    if (is_surely_decimal(text)) mark_ = Mark::comma;
    if (mark_ != Mark::comma && unsure_.empty()) {
      unsure_ = text;
      unsure_line_ = record_;
    }
  }
  PAIRS_CHECK(kind != CsvNumber::text || !has_thousands(text), line,
              "value {} is '{}', with a sign between thousands; write it as a plain number with a decimal point", place,
              printable(text));
  PAIRS_CHECK(kind != CsvNumber::text || text.find(';') == text.npos, line,
              "'{}' is separated by ';' but the first line is not; separate all lines alike", printable(text));
  PAIRS_CHECK(kind != CsvNumber::text || text.find(unicode_minus) == text.npos, line,
              "value {} is '{}', with the minus sign of Unicode; write the hyphen '-' instead", place, printable(text));
  const bool first = first_row_ == record_ && header_line_ == 0;
  const bool units = first_row_ == record_ && header_line_ > 0 && (may_be_name(text) || is_name(text));
  PAIRS_CHECK(kind != CsvNumber::text, line, "value {} is '{}', not a number{}; correct it{}", place, printable(text),
              first && !is_name(text) ? " and not the name of a column" : "",
              units ? ", or write '#' before the line where it holds units or more names" : "");
  PAIRS_CHECK(kind == CsvNumber::good && (missing_as_nan_ || std::isfinite(value)), line,
              "value {} is '{}', not a finite number; correct it or drop the line", place, printable(text));
  return value;
}

// Notes whether the row may be half as many numbers with decimal commas.
void CsvLines::note_whole() {
  for (std::size_t k = 0; k < width_ && may_be_commas_; ++k) {
    const CsvCell& cell = cells_[k];
    const bool behind = k % 2 == 1;  // after the comma
    may_be_commas_ = !cell.quoted && (behind ? is_fraction(cell.text) : is_whole(cell.text));
    if (!behind || !may_be_commas_) continue;
    const std::string_view fraction = cell.text.substr(0, cell.text.find_first_of("eE"));
    const std::size_t digits = fraction.size();
    lengths_differ_ |= fraction_ > 0 && fraction_ != digits;
    ends_in_zero_ |= digits > 1 && fraction.ends_with('0');
    begins_with_zero_ |= digits > 1 && fraction.starts_with('0');
    fraction_ = digits;
  }
}

// Notes whether the row may be half as many numbers with blanks as thousands separators.
void CsvLines::note_thousands() {
  for (std::size_t k = 0; k < width_ && may_be_thousands_; k += 2) {
    std::string_view front = cells_[k].text, back = cells_[k + 1].text;
    if (front.starts_with('-') || front.starts_with('+')) front.remove_prefix(1);
    back = back.substr(0, back.find_first_of(",."));
    may_be_thousands_ = is_whole(front) && front.size() <= 3 && back.size() == 3 &&
                        back.find_first_not_of(kDigits) == back.npos && !cells_[k].quoted && !cells_[k + 1].quoted;
  }
}

void CsvLines::check(bool end) const {
  PAIRS_CHECK(!end || open_.empty(), ErrorPlace(where_, record_),
              "a quote is opened and not closed; close it or double it");
  PAIRS_CHECK(!end || counted_names_ != 1, ErrorPlace(where_, first_row_),
              "{} values where the first line has {}; name all columns in the first line, row names too", width_ + 1,
              width_);
  if (end && numbers_line_ > 0 && first_row_ == 0 && !numbers_certain_) fail_column_numbers();
  check_suspect(end);
  PAIRS_CHECK(unsure_.empty() || mark_ == Mark::comma, ErrorPlace(where_, unsure_line_),
              "'{}' may have a decimal comma or one between thousands; write a decimal point, and nothing between "
              "thousands",
              printable(unsure_));
  // Whole numbers of several lengths that end in zeros are not fractions: fractions would have the same length, or not
  // end in zero.
  const bool columns = lengths_differ_ && ends_in_zero_ && !begins_with_zero_;
  PAIRS_CHECK(!may_be_commas_ || columns || first_row_ == 0,
              "{}: its lines may hold {} with decimal commas or {} whole "
              "numbers; write decimal points in the former case, and a first line that names the columns in the latter",
              where_, width_ == 2 ? "one number" : fmt::format("{} numbers", width_ / 2), width_);
  PAIRS_CHECK(!may_be_thousands_ || first_row_ == 0,
              "{}: its lines may hold {} with blanks between thousands or {}; write '1234.5' in the former case, and a "
              "first line that names the columns in the latter",
              where_, width_ == 2 ? "one number" : fmt::format("{} numbers", width_ / 2), width_);
}

}  // namespace pairs
