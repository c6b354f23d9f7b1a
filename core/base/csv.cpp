#include <cstring>
#include <vector>

#include "core/base/csv_lines.h"
#include "core/base/csv_table.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/npz.h"
#include "core/base/text.h"

namespace pairs {

namespace {

CsvTable parse_table(std::string_view text, const std::string& where, const std::vector<std::string>& columns,
                     bool missing_as_nan) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  PAIRS_CHECK(!text.starts_with("\xff\xfe") && !text.starts_with("\xfe\xff"),
              "{} is text in UTF-16; save it as UTF-8 or plain ASCII", where);
  // Some old programs end lines with a carriage return alone.
  const char line_end = text.find('\n') == text.npos ? '\r' : '\n';
  CsvLines lines(where, columns, missing_as_nan);
  std::vector<double> values;
  std::int64_t rows = 0;
  while (!text.empty()) {
    const std::size_t end = text.find(line_end);
    rows += lines.take(text.substr(0, end), values);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  PAIRS_CHECK(rows > 0, "{} holds no numbers; give at least one line of them", where);
  torch::Tensor table = torch::empty({rows, static_cast<std::int64_t>(lines.numbers())}, torch::kDouble);
  std::memcpy(table.data_ptr(), values.data(), values.size() * sizeof(double));
  return {std::move(table), lines.columns(), lines.taken()};
}

}  // namespace

torch::Tensor parse_csv(std::string_view text, const std::string& where, const std::vector<std::string>& columns) {
  return parse_table(text, where, columns, false).rows;
}

CsvTable read_csv_table(const std::filesystem::path& file, const std::vector<std::string>& needed,
                        bool missing_as_nan) {
  return parse_table(read_file(file, array_memory_limit()), printable(file.string(), 300), needed, missing_as_nan);
}

torch::Tensor read_csv(const std::filesystem::path& file, const std::vector<std::string>& columns) {
  return read_csv_table(file, columns).rows;
}

}  // namespace pairs
