#include "core/base/csv_line.h"

#include <charconv>
#include <string>

namespace pairs {
namespace {

constexpr std::string_view blanks = " \t\r\v\f";

std::string_view unquoted(std::string_view cell) {
  const bool quoted = cell.size() >= 2 && cell.front() == '"' && cell.back() == '"';
  return quoted ? trimmed(cell.substr(1, cell.size() - 2)) : cell;
}

// Where `wanted` first stands outside of quotes; npos where it does not. Of a line with a quote too many quotes are
// characters as others.
std::size_t find_unquoted(std::string_view line, char wanted) {
  const std::size_t first = line.find(wanted), quote = line.find('"');
  if (first == line.npos || quote == line.npos || first < quote) return first;
  bool quoted = false;
  std::size_t at = line.npos;
  for (std::size_t k = 0; k < line.size(); ++k) {
    if (line[k] == '"') quoted = !quoted;
    if (!quoted && line[k] == wanted && at == line.npos) at = k;
    if (!quoted && line[k] == '#') break;  // what a comment says is none of the line
  }
  return quoted ? first : at;
}

// Whether the '#' that a text begins with belongs to a word that spreadsheets write for a value that they lack.
bool is_spreadsheet_error(std::string_view text) {
  for (const char* word : {"#N/A", "#NULL!", "#VALUE!", "#DIV/0!", "#NUM!", "#REF!", "#NAME?"})
    if (text.starts_with(word)) return true;
  return false;
}

// Where the comment of a line begins; npos where it has none.
std::size_t find_comment(std::string_view line) {
  std::size_t from = 0;
  for (;;) {
    const std::size_t at = find_unquoted(line.substr(from), '#');
    if (at == line.npos) return at;
    if (!is_spreadsheet_error(line.substr(from + at))) return from + at;
    from += at + 1;
  }
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

char csv_separator(std::string_view line) {
  for (const char candidate : {';', ','})
    if (find_unquoted(line, candidate) != line.npos) return candidate;
  return ' ';
}

std::string_view csv_content(std::string_view line) {
  return trimmed(line.substr(0, find_comment(line)));
}

std::string csv_text(std::string_view cell) {
  std::string text;
  for (std::size_t k = 0; k < cell.size(); ++k) {
    text += cell[k];
    if (cell[k] == '"' && k + 1 < cell.size() && cell[k + 1] == '"') ++k;
  }
  return text;
}

std::string_view take_csv_cell(std::string_view& line, char separator, bool& more) {
  bool quoted = false;
  std::size_t end = 0;
  for (; end < line.size(); ++end) {
    if (line[end] == '"') quoted = !quoted;
    if (!quoted && (line[end] == separator || (separator == ' ' && line[end] == '\t'))) break;
  }
  const std::string_view cell = trimmed(line.substr(0, end));
  more = end < line.size();
  line.remove_prefix(more ? end + 1 : end);
  if (separator == ' ') line = trimmed(line);
  return unquoted(cell);
}

CsvNumber parse_csv_number(std::string_view cell, double& value) {
  if (cell.starts_with('+') && !cell.starts_with("+-")) cell.remove_prefix(1);
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (error == std::errc::invalid_argument || end != cell.data() + cell.size()) return CsvNumber::text;
  return error == std::errc() ? CsvNumber::good : CsvNumber::too_large;
}

bool is_missing_cell(std::string_view cell) {
  std::string word(cell);
  for (char& c : word)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  for (const char* missing : {"",     "na",      "n/a",    "<na>",    "nan",     "-nan",  "+nan",  "null",  "nil",
                              "none", "missing", "nat",    "-",       "--",      "---",   "?",     ".",     "*",
                              "#n/a", "#na",     "#null!", "#value!", "#div/0!", "#num!", "#ref!", "#name?"})
    if (word == missing) return true;
  return word.starts_with("nan(") || word.starts_with("-nan(");
}

std::string csv_quoted(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == text.npos) return std::string(text);
  std::string cell = "\"";
  for (const char c : text) cell.append(c == '"' ? 2 : 1, c);
  return cell + '"';
}

}  // namespace pairs
