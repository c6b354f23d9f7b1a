#include <cstring>
#include <vector>

#include "core/base/files/gzip.h"
#include "core/base/files/npz.h"
#include "core/base/tables/csv_lines.h"
#include "core/base/tables/csv_table.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"

namespace pairs {

namespace {

CsvTable parse_table(std::string_view text, const std::string& where, const std::vector<std::string>& columns,
                     bool missing_as_nan) {
  check_utf8(text, where);
  // Some old programs end lines with only a carriage return.
  const char line_end = text.find('\n') == text.npos ? '\r' : '\n';
  CsvLines lines(where, columns, missing_as_nan);
  std::vector<double> values;
  std::int64_t rows = 0;
  while (!text.empty()) {
    const std::size_t end = text.find(line_end);
    rows += lines.take(text.substr(0, end), values);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  lines.check(true);
  PAIRS_CHECK(rows > 0, "{} holds no numbers; give at least one line of them", where);
  torch::Tensor table = torch::empty({rows, static_cast<std::int64_t>(lines.numbers())}, torch::kDouble);
  std::memcpy(table.data_ptr(), values.data(), values.size() * sizeof(double));
  CsvTable out{std::move(table), lines.columns(), lines.taken()};
  out.warnings = lines.warnings();
  out.guessed = lines.guessed();
  return out;
}

// A caller that takes only the numbers would not see that anything was guessed, so guesses are refused.
torch::Tensor sure_rows(CsvTable table, const std::string& where) {
  PAIRS_CHECK(
      !table.guessed,
      "{}: its first line may hold column numbers, as pandas writes them, or lack the name of a column; write the "
      "names of all columns, above it where it is a row",
      where);
  return std::move(table.rows);
}

}  // namespace

torch::Tensor parse_csv(std::string_view text, const std::string& where, const std::vector<std::string>& columns) {
  return sure_rows(parse_table(text, where, columns, false), where);
}

CsvTable read_csv_table(const std::filesystem::path& file, const std::vector<std::string>& needed,
                        bool missing_as_nan) {
  return parse_table(read_unzipped(file, array_memory_limit()), printable(file.string(), 300), needed, missing_as_nan);
}

torch::Tensor read_csv(const std::filesystem::path& file, const std::vector<std::string>& columns) {
  return sure_rows(read_csv_table(file, columns), printable(file.string(), 300));
}

}  // namespace pairs
