#pragma once

#include <string>
#include <string_view>

namespace pairs {

// The text without leading and trailing blanks.
std::string_view trimmed(std::string_view text);

// Detects the separator of a CSV line, ignoring quoted text: ';', '\t', ',', '|' or, if it has none of these, ' ' for
// blanks. Commas between digits are decimal commas if blanks or tabs separate such numbers.
char csv_separator(std::string_view line);

// Whether a line ends inside quotes that its last cell opened (RFC 4180), so that its row continues on the next line.
bool ends_in_quotes(std::string_view line, char separator);

// A line without its comment, which begins at a '#' outside quotes, and without leading and trailing blanks.
std::string_view csv_content(std::string_view line);
// csv_content for a line with a known separator: tabs at its ends belong to empty cells.
std::string_view csv_content(std::string_view line, char separator);

// Unescapes a cell that was taken off a line: doubled quotes become one.
std::string csv_text(std::string_view cell);

// Takes the first cell off `line` (a ' ' separator stands for any run of blanks), without blanks and quotes around it,
// and sets `more` to whether another follows. Quotes protect separators.
std::string_view take_csv_cell(std::string_view& line, char separator, bool& more);

// Formats a text as a CSV cell (RFC 4180): quoted if it holds a comma, a quote or a line end.
std::string csv_quoted(std::string_view text);

// A cell without blanks and quotes around it, and whether it was quoted.
struct CsvCell {
  std::string_view text;
  bool quoted = false;
  std::string_view whole;  // text with the blanks that stood between the quotes
};
// take_csv_cell that also returns whether the cell was quoted.
CsvCell take_csv_cell_quoted(std::string_view& line, char separator, bool& more);

// Parses a cell as a number into `value`; infinity and NaN are numbers, too.
enum class CsvNumber { good, text, too_large };
CsvNumber parse_csv_number(std::string_view cell, double& value);

// Whether a cell marks a missing value: it is empty, or "NA", "nan", "NULL", "-", "?", "#N/A" and the like.
bool is_missing_cell(std::string_view cell);

}  // namespace pairs
