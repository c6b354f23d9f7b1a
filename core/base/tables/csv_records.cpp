#include "core/base/tables/csv_records.h"

#include <algorithm>

#include "core/base/tables/csv_table.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"

namespace pairs {
namespace {

constexpr std::size_t kTaught = std::size_t{1} << 20, kLongestJoined = std::size_t{1} << 20;

std::string_view without_mark(std::string_view line, std::int64_t number) {
  return number == 1 && line.starts_with("\xef\xbb\xbf") ? line.substr(3) : line;
}

}  // namespace

CsvRecords::CsvRecords(const std::filesystem::path& file, const std::vector<std::string>& names)
    : file_(file), reader_(file), form_(printable(file.string(), 300), names, true) {
  std::vector<double> values;
  for (std::string_view line; form_.first_row() == 0 && reader_.next(line);) {
    try {
      form_.take(line, values);
    } catch (const Error&) {
      if (!form_.known()) throw;  // other columns than `names`, or a first row that does not hold numbers
    }
  }
  PAIRS_CHECK(form_.first_row() > 0, "{} holds no numbers; give at least one line of them",
              printable(file.string(), 300));
  rewind();
}

void CsvRecords::rewind() {
  reader_.rewind();
  number_ = 0;
}

bool CsvRecords::next(std::string_view& row) {
  for (std::string_view line; reader_.next(line);) {
    if (reader_.number() < first_row()) continue;
    number_ = reader_.number();
    line = without_mark(line, number_);
    if (ends_in_quotes(line, separator())) {
      joined_ = line;
      for (std::string_view more; ends_in_quotes(joined_, separator());) {
        PAIRS_CHECK(joined_.size() < kLongestJoined && reader_.next(more),
                    ErrorPlace(printable(file_.string(), 300), number_),
                    "a quote is opened and not closed; close it or double it");
        (joined_ += '\n') += more;
      }
      std::replace(joined_.begin(), joined_.end(), '\n', ' ');
      line = joined_;
    }
    row = csv_content(line, separator());
    if (!trimmed(row).empty()) return true;
  }
  return false;
}

void CsvRecords::teach(CsvLines& lines) {
  LineReader reader(file_);
  std::vector<double> values;
  std::size_t bytes = 0;
  bool all = false;
  for (std::string_view line; bytes < kTaught;) {
    all = !reader.next(line);
    if (all) break;
    bytes += line.size() + 1;
    try {
      lines.take(line, values);
    } catch (const ColumnsError&) {
      throw;
    } catch (const Error&) {
      // The problem is reported with the set that the row belongs to.
    }
    values.clear();
  }
  lines.check(all);
}

}  // namespace pairs
