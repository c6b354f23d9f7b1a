#include <charconv>
#include <cmath>
#include <cstring>
#include <vector>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/npz.h"
#include "core/base/text.h"

namespace pairs {
namespace {

constexpr std::string_view blanks = " \t\r\v\f";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::string_view unquoted(std::string_view cell) {
  const bool quoted = cell.size() >= 2 && cell.front() == '"' && cell.back() == '"';
  return quoted ? trimmed(cell.substr(1, cell.size() - 2)) : cell;
}

// Takes the first cell off `line` (a ' ' separator stands for any run of blanks) and says in `more` whether another
// follows. Quotes protect separators.
std::string_view take_cell(std::string_view& line, char separator, bool& more) {
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

enum class Number { good, text, too_large };

Number parse_number(std::string_view cell, double& value) {
  if (cell.starts_with('+') && !cell.starts_with("+-")) cell.remove_prefix(1);
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (error == std::errc::invalid_argument || end != cell.data() + cell.size()) return Number::text;
  return error == std::errc() ? Number::good : Number::too_large;
}

char separator_of(std::string_view line) {
  for (const char candidate : {';', ','})
    if (line.find(candidate) != line.npos) return candidate;
  return ' ';
}

// Whether no cell of the line looks like a number, be it malformed ("1,5" between semicolons).
bool is_header(std::string_view line, char separator) {
  for (bool more = true; more;) {
    const std::string_view cell = take_cell(line, separator, more);
    double value;
    if (parse_number(cell, value) != Number::text ||
        (!cell.empty() && cell.find_first_not_of("0123456789+-.,") == cell.npos))
      return false;
  }
  return true;
}

}  // namespace

torch::Tensor parse_csv(std::string_view text, const std::string& where, std::vector<std::string>* names) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  std::vector<double> values;
  std::int64_t rows = 0, columns = 0;
  char separator = 0;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    line = trimmed(line.substr(0, line.find('#')));
    if (line.empty()) continue;
    const bool first = separator == 0;
    if (first) separator = separator_of(line);
    const bool header = first && is_header(line, separator);
    std::int64_t cells = 0;
    for (bool more = true; more;) {
      const std::string_view cell = take_cell(line, separator, more);
      ++cells;
      if (header && names) names->emplace_back(cell);
      if (header) continue;
      double value = 0;
      PAIRS_CHECK(!cell.empty(), "{}, line {}: value {} is missing; fill it in or drop the line", where, number, cells);
      const Number kind = parse_number(cell, value);
      PAIRS_CHECK(kind != Number::text, "{}, line {}: value {} is '{}', not a number; correct it", where, number, cells,
                  printable(cell));
      PAIRS_CHECK(kind == Number::good && std::isfinite(value),
                  "{}, line {}: value {} is '{}', not a finite number; correct it or drop the line", where, number,
                  cells, printable(cell));
      values.push_back(value);
    }
    if (first) columns = cells;
    PAIRS_CHECK(cells == columns,
                "{}, line {}: {} value{} where the first line has {}; give every line the same number", where, number,
                cells, cells == 1 ? "" : "s", columns);
    rows += !header;
  }
  PAIRS_CHECK(rows > 0, "{} holds no numbers; write one observation a line", where);
  torch::Tensor table = torch::empty({rows, columns}, torch::kDouble);
  std::memcpy(table.data_ptr(), values.data(), values.size() * sizeof(double));
  return table;
}

torch::Tensor read_csv(const std::filesystem::path& file, std::vector<std::string>* header) {
  return parse_csv(read_file(file), printable(file.string(), 300), header);
}

}  // namespace pairs
