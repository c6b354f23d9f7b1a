#pragma once

#include <string>
#include <string_view>

namespace pairs {

// A text without the blanks around it.
std::string_view trimmed(std::string_view text);

// What stands between the cells of a CSV line, quotes aside: ';', '\t', ',', '|' or, where it has none of these, ' '
// for blanks. Commas between digits are decimal ones where blanks or tabs stand between such numbers.
char csv_separator(std::string_view line);

// Whether a line ends within quotes that its last cell has opened (RFC 4180), so that its row goes on in the next line.
bool ends_in_quotes(std::string_view line, char separator);

// A line without the comment that begins at a '#', but for one between quotes, and without the blanks around it.
std::string_view csv_content(std::string_view line);
// The same of a line whose cells this separates: tabs at its ends stand before and behind cells that are empty.
std::string_view csv_content(std::string_view line, char separator);

// A cell that was taken off a line as it is meant: doubled quotes stand for one.
std::string csv_text(std::string_view cell);

// Takes the first cell off `line` (a ' ' separator stands for any run of blanks), without blanks and quotes around it,
// and says in `more` whether another follows. Quotes protect separators.
std::string_view take_csv_cell(std::string_view& line, char separator, bool& more);

// A text as a cell of CSV (RFC 4180): quoted where it holds a comma, a quote or the end of a line.
std::string csv_quoted(std::string_view text);

// A cell of a line without blanks and quotes around it, and whether it stood between quotes.
struct CsvCell {
  std::string_view text;
  bool quoted = false;
  std::string_view whole;  // text with the blanks that stood between the quotes
};
// The same as take_csv_cell.
CsvCell take_csv_cell_quoted(std::string_view& line, char separator, bool& more);

// Whether a cell is a number, which goes into `value`; infinity and NaN are numbers too.
enum class CsvNumber { good, text, too_large };
CsvNumber parse_csv_number(std::string_view cell, double& value);

// Whether a cell stands for a value that is missing: it is empty, or "NA", "nan", "NULL", "-", "?", "#N/A" and the
// like.
bool is_missing_cell(std::string_view cell);

}  // namespace pairs
