#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/tables/csv_line.h"

namespace pairs {

// Parses a CSV text line by line. Numbers are separated by ';', tabs, ',', '|' or blanks, '#' begins a comment, and the
// columns are named by a first line, by a comment above the first row (as numpy.savetxt writes it), or not at all.
// Accepts Excel's line "sep=;", column numbers from pandas, row names from R, separators at the end of lines and line
// ends inside quotes; refuses what can be read in two ways.
class CsvLines {
 public:
  // `where` names the text in errors. If the text names its columns, those in `columns` are taken, in that order; none:
  // all. If it does not, "column 2" is its second column, and all columns are taken when other names are requested.
  // `missing_as_nan`: as in read_csv_table.
  CsvLines(std::string where, std::vector<std::string> columns, bool missing_as_nan = false);

  // Parses the next line, given without its end, and appends the numbers of its row. Returns false if the line
  // completes no row: it is blank, a comment, a header, or ends inside quotes. Throws Error naming the line and the
  // value that are wrong.
  bool take(std::string_view line, std::vector<double>& values);
  // Throws Error if the lines so far can be read in two ways, or if the text is at its `end` inside quotes.
  void check(bool end) const;
  // Sets the number, from 1, of the line that is taken next; lines in between may be skipped.
  void go_to(std::size_t line);

  // Whether the names of the columns are known, at the latest after the first row.
  bool known() const { return first_row_ > 0 || !header_.empty(); }
  // The line of the first row, from 1; 0 before the first row.
  std::size_t first_row() const { return first_row_; }
  // The separator of cells; 0 before it is known.
  char separator() const { return separator_; }
  // Whether the text names its columns.
  bool named() const { return !header_.empty(); }
  // Cells before the first column in a row: 1 if R's row names come first.
  std::size_t shift() const { return shift_; }
  // How many numbers a row has, once there has been a row.
  std::size_t numbers() const;
  // All columns of the text, "column 1", "column 2", ... if it does not name them; and the columns that are taken.
  std::vector<std::string> columns() const;
  std::vector<std::string> taken() const;
  // Whether only the rows suggest that the first line holds column numbers, or that R's row names precede the columns.
  bool guessed() const { return (numbers_line_ > 0 && !numbers_certain_) || names_count_; }
  // Sentences about choices made in reading that a user should know.
  std::vector<std::string> warnings() const;

 private:
  enum class Mark { unknown, point, comma };
  // Which numbers of a column are written with a point or an exponent, and which as whole numbers.
  struct Written {
    bool point = false, whole = false;
  };
  // What the first line may be, other than a row, if it names no columns.
  enum class Suspect { none, column_numbers, count };

  bool take_record(std::string_view record, std::vector<double>& values);
  bool take_first(std::vector<double>& values);
  bool take_row(std::vector<double>& values);
  bool take_comment(std::string_view line);
  void note_commented(std::string_view record);
  void check_named_below(std::string_view comment) const;
  void check_swallowed(std::string_view record);
  std::vector<std::size_t> order_named(std::string_view text) const;
  bool is_header() const;
  bool is_column_numbers();
  bool take_separator_line(std::string_view raw);
  bool adopt_comment();
  void first_row_below_header();
  void take_row_name();
  void check_column_numbers();
  void note_suspect();
  void check_suspect(bool end) const;
  void compare_with_suspect();
  void split(std::string_view content);
  void keep(std::vector<std::size_t> places);
  double number(const CsvCell& cell, std::size_t place);
  double number_otherwise(const CsvCell& cell, std::size_t place);
  void note_point(const CsvCell& cell, std::size_t place);
  void note_whole();
  void note_thousands();
  [[noreturn]] void fail_column_numbers() const;

  std::string where_;
  std::vector<std::string> columns_, header_;
  std::vector<std::size_t> places_;  // places of the kept columns; empty: all columns
  std::vector<bool> kept_;
  std::vector<CsvCell> cells_;
  std::vector<double> row_;
  std::size_t width_ = 0, number_ = 0, first_row_ = 0, header_line_ = 0;
  std::size_t record_ = 0;  // the line where the current row begins
  std::string open_;        // a row whose quotes are open, with its lines so far
  char separator_ = 0;
  bool missing_as_nan_ = false;
  bool trailing_ = false;  // lines end in a separator
  bool in_order_ = true;   // every line was taken

  std::vector<std::pair<std::size_t, std::string>> comments_;  // above the first row, with their lines
  std::size_t commented_ = 0, commented_line_ = 0;             // comments that look like rows, and the first of them
  std::size_t blank_ = 0, blanks_ = 0,
              blank_line_ = 0;  // in files of one column: blank lines since the last row, and between rows
  std::string words_;           // the first line, if it may be one name with blanks

  std::size_t numbers_line_ = 0;  // the first line, if it holds column numbers
  bool numbers_certain_ = false;  // it cannot be a row
  bool numbers_quoted_ = false;
  std::vector<std::size_t> number_places_;  // places of the columns with such a number
  std::vector<Written> written_;            // how the numbers in each of these are written
  std::size_t quoted_first_ = 0;            // the first line, if it is a row of quoted numbers

  Suspect suspect_ = Suspect::none;
  std::string suspect_text_;      // the first line's numbers
  double suspect_count_ = 0;      // the first of these
  std::size_t below_ = 0;         // rows behind it
  bool suspect_point_ = false;    // its numbers are written with a point
  bool decimals_differ_ = false;  // others have more decimals than one

  std::size_t shift_ = 0;     // 1: R's row names stand before the columns that are named
  bool names_count_ = false;  // these are running numbers
  std::int64_t next_name_ = 0, counted_names_ = 0;

  Mark mark_ = Mark::unknown;
  std::string comma_, unsure_;  // the last number with a comma, and the first that need not be a decimal one
  std::size_t unsure_line_ = 0;
  bool may_be_commas_ = false;     // every number so far is whole, and a comma stands between each two
  bool may_be_thousands_ = false;  // every second number has three digits, and a blank stands before it
  bool lengths_differ_ = false, ends_in_zero_ = false, begins_with_zero_ = false;  // about the numbers after these
  std::size_t fraction_ = 0;                                                       // decimals of the last of these
};

}  // namespace pairs
