#include "core/base/tables/csv_line.h"

#include <algorithm>
#include <charconv>
#include <string>

namespace pairs {
namespace {

constexpr std::string_view blanks = " \t\r\v\f";

CsvCell unquoted(std::string_view cell) {
  if (cell.size() < 2 || cell.front() != '"' || cell.back() != '"') return {cell, false, cell};
  const std::string_view whole = cell.substr(1, cell.size() - 2);
  return {trimmed(whole), true, whole};
}

// The first place of `wanted` outside quotes; npos if there is none. In a line with unbalanced quotes, quotes are
// ordinary characters.
std::size_t find_unquoted(std::string_view line, char wanted) {
  const std::size_t first = line.find(wanted), quote = line.find('"');
  if (first == line.npos || quote == line.npos || first < quote) return first;
  bool quoted = false;
  std::size_t at = line.npos;
  for (std::size_t k = 0; k < line.size(); ++k) {
    if (line[k] == '"') quoted = !quoted;
    if (!quoted && line[k] == wanted && at == line.npos) at = k;
    if (!quoted && line[k] == '#') break;  // a comment does not belong to the line
  }
  return quoted ? first : at;
}

// Whether the '#' at a place of a line is part of a value: an error value of a spreadsheet, or "1.#INF", which old C
// libraries write for values that are not finite.
bool is_of_value(std::string_view line, std::size_t at) {
  const std::string_view text = line.substr(at);
  for (const char* word : {"#N/A", "#NULL!", "#VALUE!", "#DIV/0!", "#NUM!", "#REF!", "#NAME?"})
    if (text.starts_with(word)) return true;
  if (at == 0 || line[at - 1] != '.') return false;
  for (const char* word : {"#INF", "#IND", "#QNAN", "#SNAN"})
    if (text.starts_with(word)) return true;
  return false;
}

// Where the comment of a line begins; npos if it has none.
std::size_t find_comment(std::string_view line) {
  std::size_t from = 0;
  for (;;) {
    const std::size_t at = find_unquoted(line.substr(from), '#');
    if (at == line.npos) return at;
    if (!is_of_value(line, from + at)) return from + at;
    from += at + 1;
  }
}

// Whether the line is two or more numbers separated only by blanks and tabs; `commas`: whole numbers and numbers with a
// decimal comma, at least one of the latter.
bool are_numbers_between_blanks(std::string_view line, bool commas) {
  std::size_t cells = 0, marks = 0, tabs = 0;
  for (line = trimmed(line); !line.empty(); ++cells) {
    const std::size_t end = std::min(line.find_first_of(blanks), line.size());
    std::string cell(line.substr(0, end));
    if (const std::size_t comma = cell.find(','); comma != cell.npos) {
      if (!commas || comma == 0 || comma + 1 == cell.size()) return false;
      cell[comma] = '.';
      ++marks;
    }
    double value;
    if (parse_csv_number(cell, value) == CsvNumber::text) return false;
    const std::size_t next = std::min(line.find_first_not_of(blanks, end), line.size());
    tabs += line.substr(end, next - end) == "\t" ? 1 : 0;
    line.remove_prefix(next);
  }
  // If a single tab separates all cells, the tab is the separator.
  return commas ? cells > 1 && marks > 0 : cells > 1 && tabs + 1 < cells;
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

bool ends_in_quotes(std::string_view line, char separator) {
  if (line.find('"') == line.npos) return false;
  bool begins = true;  // only blanks so far in this cell
  for (std::size_t k = 0; k < line.size(); ++k) {
    const char c = line[k];
    if (c == '"' && begins) {
      for (++k;; ++k) {
        k = line.find('"', k);
        if (k == line.npos) return true;
        if (k + 1 == line.size() || line[k + 1] != '"') break;
        ++k;
      }
      begins = false;
    } else if (c == separator || (separator == ' ' && c == '\t')) {
      begins = true;
    } else if (c == '#' && !is_of_value(line, k)) {
      return false;
    } else if (blanks.find(c) == blanks.npos) {
      begins = false;
    }
  }
  return false;
}

char csv_separator(std::string_view line) {
  if (find_unquoted(line, ';') != line.npos) return ';';
  if (find_unquoted(line, '\t') != line.npos && !are_numbers_between_blanks(line, false)) return '\t';
  const bool bars = find_unquoted(line, '|') != line.npos;
  if (find_unquoted(line, ',') == line.npos) return bars ? '|' : ' ';
  if (are_numbers_between_blanks(line, true)) return ' ';
  if (!bars) return ',';
  std::string blank(line);
  std::replace(blank.begin(), blank.end(), '|', ' ');
  return are_numbers_between_blanks(blank, true) ? '|' : ',';
}

std::string_view csv_content(std::string_view line) {
  return trimmed(line.substr(0, find_comment(line)));
}

std::string_view csv_content(std::string_view line, char separator) {
  if (separator != '\t') return csv_content(line);
  line = line.substr(0, find_comment(line));
  constexpr std::string_view others = " \r\v\f";
  const std::size_t first = line.find_first_not_of(others);
  if (first == line.npos) return {};
  return line.substr(first, line.find_last_not_of(others) - first + 1);
}

std::string csv_text(std::string_view cell) {
  std::string text;
  for (std::size_t k = 0; k < cell.size(); ++k) {
    text += cell[k];
    if (cell[k] == '"' && k + 1 < cell.size() && cell[k + 1] == '"') ++k;
  }
  return text;
}

CsvCell take_csv_cell_quoted(std::string_view& line, char separator, bool& more) {
  bool quoted = false, begins = true;
  std::size_t end = 0;
  for (; end < line.size(); ++end) {
    const char c = line[end];
    if (c == '"' && quoted && end + 1 < line.size() && line[end + 1] == '"') {
      ++end;
      continue;
    }
    if (c == '"' && (quoted || begins)) quoted = !quoted;
    if (!quoted && (c == separator || (separator == ' ' && c == '\t'))) break;
    begins = begins && blanks.find(c) != blanks.npos;
  }
  const std::string_view cell = trimmed(line.substr(0, end));
  more = end < line.size();
  line.remove_prefix(more ? end + 1 : end);
  if (separator == ' ') line = trimmed(line);
  return unquoted(cell);
}

std::string_view take_csv_cell(std::string_view& line, char separator, bool& more) {
  return take_csv_cell_quoted(line, separator, more).text;
}

CsvNumber parse_csv_number(std::string_view cell, double& value) {
  if (cell.starts_with('+') && !cell.starts_with("+-")) cell.remove_prefix(1);
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (error == std::errc::invalid_argument || end != cell.data() + cell.size()) return CsvNumber::text;
  if (error == std::errc()) return CsvNumber::good;
  // Outside the range of float64: nearer to 0 than its smallest number, or too large.
  long double wide = 0;
  const bool held = std::from_chars(cell.data(), cell.data() + cell.size(), wide).ec == std::errc();
  const std::size_t exponent = cell.find_first_of("eE");
  const bool small = held ? wide > -1 && wide < 1 : exponent != cell.npos && cell.substr(exponent + 1).starts_with('-');
  if (!small) return CsvNumber::too_large;
  value = held ? static_cast<double>(wide) : 0;
  return CsvNumber::good;
}

bool is_missing_cell(std::string_view cell) {
  std::string word(cell);
  for (char& c : word)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  for (const char* missing : {"",     "na",      "n/a",    "<na>",    "nan",     "-nan",  "+nan",  "null",  "nil",
                              "none", "missing", "nat",    "-",       "--",      "---",   "?",     ".",     "*",
                              "#n/a", "#na",     "#null!", "#value!", "#div/0!", "#num!", "#ref!", "#name?"})
    if (word == missing) return true;
  if (word.starts_with('-') || word.starts_with('+')) word.erase(0, 1);
  for (const char* number : {"1.#inf", "1.#ind", "1.#qnan", "1.#snan"})  // more digits may follow
    if (word.starts_with(number)) return true;
  return word.starts_with("nan(");
}

std::string csv_quoted(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == text.npos) return std::string(text);
  std::string cell = "\"";
  for (const char c : text) cell.append(c == '"' ? 2 : 1, c);
  return cell + '"';
}

}  // namespace pairs
