#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace pairs {

// Whether a CSV line with this separator (csv_separator) names columns: each cell is a name or empty, and one is a
// name.
bool names_columns(std::string_view line, char separator);

// The lines of a CSV text as they come, with numbers between ';', ',' or blanks, '#' before comments and maybe a first
// line that names columns.
class CsvLines {
 public:
  // `where` names the text in errors. Of several named columns those in `columns` are taken, in that order; none: all.
  // Where the text names none, "column 2" is its second, and all are taken where other names are asked for.
  // `missing_as_nan`: as read_csv_table.
  CsvLines(std::string where, std::vector<std::string> columns, bool missing_as_nan = false);

  // Takes the next line, without its end, and appends the numbers of its row. False where it holds none: it is blank, a
  // comment, or names columns. Throws Error naming line and value that are wrong.
  bool take(std::string_view line, std::vector<double>& values);
  // The line that is taken next is this one of the text, from 1; lines between need not be taken.
  void go_to(std::size_t line) { number_ = line - 1; }
  // Of a row, once there was one.
  std::size_t numbers() const;
  // What the text's columns are called, "column 1", "column 2", ... where it does not say; and those that are taken.
  std::vector<std::string> columns() const;
  std::vector<std::string> taken() const;

 private:
  void keep(std::vector<std::size_t> places);

  std::string where_;
  std::vector<std::string> columns_, header_;
  std::vector<std::size_t> places_;  // of the columns that are kept; empty: of all
  std::vector<bool> kept_;
  std::vector<double> row_;
  std::size_t width_ = 0, number_ = 0;
  char separator_ = 0;
  bool missing_as_nan_ = false;
};

}  // namespace pairs
