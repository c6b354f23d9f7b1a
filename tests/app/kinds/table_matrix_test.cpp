#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <optional>

#include "app/kinds/observed.h"
#include "app/posterior/set/set_stream.h"
#include "core/base/files/files.h"
#include "core/base/files/npy.h"
#include "core/base/files/npz.h"
#include "core/base/text/error.h"
#include "tests/core/base/temporary_folder.h"
#include "tests/tasks/own/tables/table_writers.h"
#if PAIRS_WITH_HDF5
#include <hdf5.h>
#endif

// Logical tables × formats and writers × quirks: each file gives the observations of the plain table to the bit, or an
// Error that names the quirk. Nothing is read wrong without a word.

namespace pairs {
namespace {

using ::testing::HasSubstr;

// Numbers as texts, as a plain CSV file has them.
struct Logical {
  std::string name;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;

  bool any(const std::function<bool(const std::string&)>& is) const {
    return std::any_of(rows.begin(), rows.end(),
                       [&](const auto& row) { return std::any_of(row.begin(), row.end(), is); });
  }
  bool fractions() const {
    return any([](const std::string& cell) { return cell.find('.') != cell.npos; });
  }
  // Numbers that are written as whole ones alone.
  bool whole() const {
    return !any([](const std::string& cell) { return cell.find_first_of(".eE") != cell.npos; });
  }
  torch::Tensor values() const {
    const auto count = static_cast<std::int64_t>(rows.size()), width = static_cast<std::int64_t>(columns.size());
    torch::Tensor out = torch::empty({count, width}, torch::kFloat64);
    for (std::int64_t i = 0; i < count; ++i)
      for (std::int64_t k = 0; k < width; ++k)
        out[i][k] = std::strtod(rows[static_cast<std::size_t>(i)][static_cast<std::size_t>(k)].c_str(), nullptr);
    return out;
  }
};

class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : state_(seed * 2654435761u + 12345) {}
  double uniform() {
    state_ = state_ * 6364136223846793005ull + 1442695040888963407ull;
    return static_cast<double>(state_ >> 11) / static_cast<double>(1ull << 53);
  }

 private:
  std::uint64_t state_;
};

std::string as_text(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

std::vector<Logical> logical_tables() {
  const std::vector<std::vector<std::string>> names = {
      {"x1", "x2", "x3", "x4", "x5", "x6"},
      {"mass", "energy", "time_s", "_w", "q2", "z"},
      {"photon energy", "x (GeV)", "run number", "w x", "p t", "last one"},
      {"$p_T$", "$\\eta$", "(phi)", "[mV]", "\u0394E", "\u03b8"},
      {"1st", "2nd", "3d_distance", "4x", "5y", "6z"},
  };
  const std::vector<std::pair<const char*, std::function<std::string(Numbers&)>>> styles = {
      {"three decimals", [](Numbers& one) { return as_text("%.3f", 4 * one.uniform() - 2); }},
      {"shortest", [](Numbers& one) { return as_text("%.6g", 100 * one.uniform() - 30); }},
      {"savetxt", [](Numbers& one) { return as_text("%.18e", one.uniform() - 0.5); }},
      {"whole", [](Numbers& one) { return as_text("%.0f", std::floor(200 * one.uniform()) - 20); }},
      {"counts", [](Numbers& one) { return as_text("%.0f", std::floor(9 * one.uniform())); }},
      {"extreme",
       [](Numbers& one) { return as_text("%.17g", (one.uniform() - 0.5) * std::pow(10.0, 60 * one.uniform() - 30)); }},
      {"thousands", [](Numbers& one) { return as_text("%.2f", 1000 + 9000 * one.uniform()); }},
  };
  std::vector<Logical> tables;
  const std::size_t rows[] = {1, 2, 3, 7, 20, 200};
  for (std::size_t t = 0; t < 35; ++t) {
    const auto& [style, draw] = styles[t % styles.size()];
    const std::vector<std::string>& from = names[t % names.size()];
    const std::size_t width = 1 + t % 6, count = rows[(t / 2 + t / 7) % std::size(rows)];
    Logical table{fmt::format("{}: {} × {}, {}", t, count, width, style), {from.begin(), from.begin() + width}, {}};
    Numbers numbers(t + 1);
    for (std::size_t i = 0; i < count; ++i) {
      table.rows.emplace_back();
      for (std::size_t k = 0; k < width; ++k) table.rows.back().push_back(draw(numbers));
    }
    tables.push_back(std::move(table));
  }
  return tables;
}

// How a text is written.
struct Style {
  std::string separator = ",", end = "\n";
  bool header = true, quote_all = false;
  std::function<std::string(std::string)> number = [](std::string text) { return text; };
  std::string index = {};                // the name of an index column; "-" for an empty one
  std::string before = {}, behind = {};  // cells of columns beside
  std::string above = {}, below = {};
};

std::string in_quotes(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + '"';
}
std::string name_cell(const std::string& name, const Style& style) {
  return style.quote_all || name.find_first_of(",;\t\"|" + style.separator) != name.npos ? in_quotes(name) : name;
}

std::string text_of(const Logical& table, const Style& style) {
  std::string text = style.above;
  const auto line = [&](std::string index, const std::vector<std::string>& cells, const std::string& before,
                        const std::string& behind) {
    std::vector<std::string> all;
    if (!style.index.empty()) all.push_back(std::move(index));
    if (!before.empty()) all.push_back(before);
    all.insert(all.end(), cells.begin(), cells.end());
    if (!behind.empty()) all.push_back(behind);
    for (std::size_t k = 0; k < all.size(); ++k) text += (k == 0 ? "" : style.separator) + all[k];
    text += style.end;
  };
  if (style.header) {
    std::vector<std::string> names;
    for (const std::string& name : table.columns) names.push_back(name_cell(name, style));
    line(style.index == "-" ? "" : style.index, names, style.before.empty() ? "" : "before_it",
         style.behind.empty() ? "" : "behind_it");
  }
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    std::vector<std::string> cells;
    for (const std::string& cell : table.rows[i]) {
      std::string number = style.number(cell);
      if (style.quote_all || (style.separator == "," && number.find(',') != number.npos)) number = in_quotes(number);
      cells.push_back(std::move(number));
    }
    line(std::to_string(i), cells, style.before, style.behind);
  }
  return text + style.below;
}

std::string with_comma(std::string text) {
  std::replace(text.begin(), text.end(), '.', ',');
  return text;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

std::string utf16(const std::string& text, bool mark, bool big) {
  std::string out;
  const auto put = [&](unsigned unit) {
    const char high = static_cast<char>(unit >> 8), low = static_cast<char>(unit & 255);
    out += big ? high : low;
    out += big ? low : high;
  };
  if (mark) put(0xFEFF);
  for (const char c : text) put(static_cast<unsigned char>(c));
  return out;
}

std::string zipped(const std::string& bytes) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(deflateBound(&stream, bytes.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

// Which outcomes of a file are right.
struct Outcome {
  std::vector<std::string> words = {};  // an Error with one of these; none: it must be read
  bool read = true;                     // it may be read
  std::string warns = {};               // and is then warned of with this word
};

struct TextQuirk {
  std::string name, ending;
  std::function<std::string(const Logical&)> write;
  std::function<Outcome(const Logical&)> outcome = [](const Logical&) { return Outcome{}; };
};

// "0,1,2" above the rows, behind an empty cell where there is an index.
std::string numbers_header(const Logical& table, Style style, bool quotes = false) {
  style.header = false;
  std::string line = style.index.empty() ? "" : style.separator;
  for (std::size_t k = 0; k < table.columns.size(); ++k)
    line += (k == 0 ? "" : style.separator) + (quotes ? in_quotes(std::to_string(k)) : std::to_string(k));
  return line + "\n" + text_of(table, style);
}

std::string r_table(const Logical& table, const std::string& separator, bool quotes) {
  std::string text;
  for (std::size_t k = 0; k < table.columns.size(); ++k)
    text += (k == 0 ? "" : separator) + in_quotes(table.columns[k]);
  text += '\n';
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    text += quotes ? in_quotes(std::to_string(i + 1)) : std::to_string(i + 1);
    for (const std::string& cell : table.rows[i]) text += separator + cell;
    text += '\n';
  }
  return text;
}

// In the middle row the first value is `cell`.
std::string with_cell(Logical table, const std::string& cell, const Style& style = {}) {
  table.rows[table.rows.size() / 2][0] = cell;
  return text_of(table, style);
}

Outcome must(std::vector<std::string> words) {
  return {std::move(words), false};
}

std::vector<TextQuirk> text_quirks() {
  std::vector<TextQuirk> all;
  const auto add = [&](std::string name, std::string ending, const std::function<std::string(const Logical&)>& write,
                       std::function<Outcome(const Logical&)> outcome = {}) {
    all.push_back({std::move(name), std::move(ending), write});
    if (outcome) all.back().outcome = std::move(outcome);
  };
  const auto styled = [](const Style& style) {
    return [style](const Logical& table) { return text_of(table, style); };
  };
  const auto never = [](std::vector<std::string> words) { return [words](const Logical&) { return must(words); }; };
  add("plain", ".csv", styled({}));
  add("semicolons", ".csv", styled({.separator = ";"}));
  add("tabs", ".tsv", styled({.separator = "\t"}));
  add("bars", ".csv", styled({.separator = "|"}));
  add("blanks", ".dat", styled({.separator = " "}));
  add("many blanks", ".dat", styled({.separator = "   ", .above = "  "}), {});
  add("tabs as .txt", ".txt", styled({.separator = "\t"}));
  add("commas and blanks", ".csv", styled({.separator = ", "}));
  add("CRLF", ".csv", styled({.end = "\r\n"}));
  add("CR", ".csv", styled({.end = "\r"}));
  add("byte order mark", ".csv", styled({.above = "\xef\xbb\xbf"}));
  add("quotes around all", ".csv", styled({.quote_all = true}));
  add("quotes around all and semicolons", ".csv", styled({.separator = ";", .quote_all = true}));
  add("no end of the last line", ".csv", [](const Logical& table) {
    std::string text = text_of(table, {});
    text.pop_back();
    return text;
  });
  add("trailing blank lines", ".csv", styled({.below = "\n  \n\n"}));
  add("trailing comments", ".csv", styled({.below = "# the end\n#\n"}));
  add("comments above", ".csv",
      styled({.above = "# made by a program, on a day\n\n% of MATLAB\n! of Fortran\n// of C\n"}));
  add("blanks around", ".csv", styled({.number = [](const std::string& text) { return "  " + text + " "; }}));
  add("plus signs", ".csv",
      styled({.number = [](const std::string& text) { return std::isdigit(text[0]) != 0 ? "+" + text : text; }}));
  add("capital E", ".csv", styled({.number = [](const std::string& text) { return replaced(text, "e", "E"); }}));
  add("Fortran's D", ".csv", styled({.number = [](const std::string& text) { return replaced(text, "e", "D"); }}));

  // Decimal commas.
  const auto thousands = [](const Logical&) { return Outcome{{"thousands", "decimal comma"}}; };
  for (const char* separator : {";", "\t", "|"})
    add(fmt::format("decimal commas between '{}'", separator), ".csv",
        styled({.separator = separator, .number = with_comma}), thousands);
  add("decimal commas between blanks", ".txt", styled({.separator = " ", .number = with_comma}), thousands);
  add("decimal commas in quotes", ".csv", styled({.number = with_comma}), thousands);
  add("decimal commas, semicolons, no names", ".csv", styled({.separator = ";", .header = false, .number = with_comma}),
      thousands);
  add("decimal commas, tabs, CRLF, mark", ".csv",
      styled({.separator = "\t", .end = "\r\n", .number = with_comma, .above = "\xef\xbb\xbf"}), thousands);
  for (const bool header : {true, false})
    add(
        fmt::format("decimal commas between commas, {}", header ? "names" : "no names"), ".csv",
        [=](const Logical& table) {
          std::string text;
          if (header) text = text_of({"", table.columns, {}}, {});
          for (const auto& row : table.rows) {
            for (std::size_t k = 0; k < row.size(); ++k) text += (k == 0 ? "" : ",") + with_comma(row[k]);
            text += '\n';
          }
          return text;
        },
        [=](const Logical& table) {
          return Outcome{{"decimal", "values where", "columns"}, !table.fractions()};
        });
  // Half of the columns with decimal commas are as many numbers as the task has columns.
  add(
      "half the columns with decimal commas", ".csv",
      [](const Logical& table) {
        std::string text;
        for (const auto& row : table.rows) {
          const std::size_t half = std::max<std::size_t>(row.size() / 2, 1);
          for (std::size_t k = 0; k < half; ++k)
            text +=
                (k == 0 ? "" : ",") + with_comma(row[k].find_first_of(".eE") == row[k].npos ? row[k] + ".5" : row[k]);
          text += '\n';
        }
        return text;
      },
      never({"decimal", "columns", "values where"}));
  add("commas between thousands", ".csv",
      styled({.number =
                  [](std::string text) {
                    const std::size_t point = text.find('.');
                    if (text.find_first_of("eE") == text.npos && point != text.npos && point > 3 &&
                        std::isdigit(text[point - 4]))
                      text.insert(point - 3, ",");
                    return text;
                  }}),
      [](const Logical& table) {
        const bool any = table.any([](const std::string& cell) {
          const std::size_t point = cell.find('.');
          return cell.find_first_of("eE") == cell.npos && point != cell.npos && point > 3 &&
                 std::isdigit(cell[point - 4]);
        });
        return Outcome{{"thousands", "decimal comma", "values where"}, !any};
      });
  for (const char* sign : {" ", ".", "'", "\u00a0", "\u202f"})
    add(fmt::format("'{}' between thousands and decimal commas", sign), ".csv",
        styled({.separator = ";",
                .number =
                    [=](std::string text) {
                      const std::size_t point = text.find('.');
                      text = with_comma(text);
                      if (text.find_first_of("eE") == text.npos && point != text.npos && point > 3 &&
                          std::isdigit(text[point - 4]))
                        text.insert(point - 3, sign);
                      return text;
                    }}),
        [](const Logical& table) {
          const bool any = table.any([](const std::string& cell) {
            const std::size_t point = cell.find('.');
            return cell.find_first_of("eE") == cell.npos && point != cell.npos && point > 3 &&
                   std::isdigit(cell[point - 4]);
          });
          return Outcome{{"thousands", "decimal comma", "values where"}, !any};
        });

  // Excel.
  add("sep=,", ".csv", styled({.above = "sep=,\n"}));
  add("sep=;", ".csv", styled({.separator = ";", .above = "sep=;\n"}));
  add("sep=; with quotes, CRLF and mark", ".csv",
      styled({.separator = ";", .end = "\r\n", .above = "\xef\xbb\xbf\"sep=;\"\r\n"}));
  add("sep=tab", ".csv", styled({.separator = "\t", .above = "sep=\t\n"}));
  add("sep=; and decimal commas", ".csv", styled({.separator = ";", .number = with_comma, .above = "sep=;\n"}),
      thousands);
  add("sep=,, no names", ".csv", styled({.header = false, .above = "sep=,\n"}), [](const Logical&) {
    return Outcome{{"decimal commas"}, true};
  });
  add("sep=:", ".csv", styled({.separator = ":", .above = "sep=:\n"}), never({"sep="}));
  add(
      "UTF-16, little end first", ".txt",
      [](const Logical& table) { return utf16(text_of(table, {.separator = "\t"}), true, false); }, never({"UTF-16"}));
  add(
      "UTF-16, big end first", ".csv", [](const Logical& table) { return utf16(text_of(table, {}), true, true); },
      never({"UTF-16"}));
  add(
      "UTF-16 without a mark", ".csv", [](const Logical& table) { return utf16(text_of(table, {}), false, false); },
      never({"UTF-16"}));

  // Quotes.
  add("a line end in quotes", ".csv", styled({.behind = "\"two\nlines, and \"\"quotes\"\"\""}));
  add("line ends in quotes first", ".csv", styled({.before = "\"a\n\nb\""}));
  add("CRLF in quotes", ".csv", styled({.separator = ";", .end = "\r\n", .behind = "\"two\r\nlines; 1\""}));
  add("a line end in a name", ".csv",
      [](const Logical& table) { return replaced(text_of(table, {.behind = "word"}), "behind_it", "\"behind\nit\""); });
  add("a '#' in quotes", ".csv", styled({.behind = "\"run #3, all\""}));
  add("inches", ".csv", styled({.behind = "5\" long"}));
  add("a quote that is not closed", ".csv", styled({.below = "\"1,2\n"}), never({"quote"}));

  // Columns.
  add("columns beside", ".csv", styled({.before = "left,7", .behind = "0.5"}), {});
  all.back().write = [](const Logical& table) { return text_of(table, {.before = "left", .behind = "0.5"}); };
  add("empty cells beside", ".csv",
      [](const Logical& table) { return replaced(text_of(table, {.behind = "NA"}), ",NA", ","); });
  add("missing values beside", ".csv", styled({.before = "NA", .behind = "nan"}));
  add("columns in another order", ".csv", [](Logical table) {
    std::reverse(table.columns.begin(), table.columns.end());
    for (auto& row : table.rows) std::reverse(row.begin(), row.end());
    return text_of(table, {});
  });
  add("index of pandas", ".csv", styled({.index = "-"}));
  add("index of pandas, tabs", ".tsv", styled({.separator = "\t", .index = "-"}),
      [](const Logical&) { return Outcome{{"values where"}}; });
  add("index with a name", ".csv", styled({.index = "id"}));
  const auto numbers = [](const Logical&) { return Outcome{{"column numbers"}, true, "column numbers"}; };
  add(
      "column numbers of pandas", ".csv", [](const Logical& table) { return numbers_header(table, {}); }, numbers);
  add(
      "column numbers and index of pandas", ".csv",
      [](const Logical& table) { return numbers_header(table, {.index = "-"}); }, numbers);
  add(
      "column numbers, semicolons and decimal commas", ".csv",
      [](const Logical& table) { return numbers_header(table, {.separator = ";", .number = with_comma}); },
      [](const Logical&) {
        return Outcome{{"column numbers", "thousands", "decimal comma"}, true, "column numbers"};
      });
  add(
      "column numbers in quotes", ".csv", [](const Logical& table) { return numbers_header(table, {}, true); },
      numbers);
  add(
      "column numbers, quotes around all", ".csv",
      [](const Logical& table) { return numbers_header(table, {.quote_all = true}, true); }, numbers);
  add(
      "column numbers, tabs and index", ".csv",
      [](const Logical& table) { return numbers_header(table, {.separator = "\t", .index = "-"}); }, numbers);
  add("row names of R", ".txt", [](const Logical& table) { return r_table(table, " ", true); });
  add("row names of R, tabs", ".tsv", [](const Logical& table) { return r_table(table, "\t", true); });
  add(
      "row names of R without quotes", ".txt", [](const Logical& table) { return r_table(table, " ", false); },
      [](const Logical&) {
        return Outcome{{"row names"}, true, "row names"};
      });
  add(
      "names in a comment", ".txt",
      [](const Logical& table) {
        std::string text = "# ";
        for (std::size_t k = 0; k < table.columns.size(); ++k) text += (k == 0 ? "" : ",") + table.columns[k];
        return text + "\n" + text_of(table, {.header = false});
      },
      [](const Logical&) {
        return Outcome{{"decimal commas"}, true};
      });
  add("names in a comment in another order", ".txt", [](Logical table) {
    std::reverse(table.columns.begin(), table.columns.end());
    for (auto& row : table.rows) std::reverse(row.begin(), row.end());
    std::string text = "# ";
    for (std::size_t k = 0; k < table.columns.size(); ++k) text += (k == 0 ? "" : ";") + table.columns[k];
    return text + "\n" + text_of(table, {.separator = ";", .header = false});
  });
  add("a sentence in a comment", ".txt", [](const Logical& table) {
    return "# written by a program on a day\n" + text_of(table, {.separator = " ", .header = false});
  });
  add("no names", ".csv", styled({.header = false}), [](const Logical&) {
    return Outcome{{"decimal commas", "column numbers"}, true};
  });
  add("no names, semicolons", ".csv", styled({.separator = ";", .header = false}), [](const Logical&) {
    return Outcome{{"column numbers"}, true};
  });
  add(
      "units in a second line", ".csv",
      [](const Logical& table) {
        std::string text = text_of(table, {}), units = "m";
        for (std::size_t k = 1; k < table.columns.size(); ++k) units += ",GeV";
        return text.insert(text.find('\n') + 1, units + "\n");
      },
      never({"units"}));
  add("a separator at the end of rows", ".csv", [](const Logical& table) { return text_of(table, {.end = ",\n"}); });
  add(
      "a semicolon at the end of rows, no names", ".csv",
      [](const Logical& table) { return text_of(table, {.separator = ";", .end = ";\n", .header = false}); },
      [](const Logical&) {
        return Outcome{{"missing", "column numbers"}, true};
      });
  add(
      "a semicolon at the end of rows alone", ".csv",
      [](const Logical& table) {
        std::string text = text_of(table, {.separator = ";", .end = ";\n"});
        return text.erase(text.find('\n') - 1, 1);
      },
      [](const Logical&) { return Outcome{{"separated by ';'"}}; });
  add(
      "two columns of one name", ".csv",
      [](Logical table) {
        table.columns.push_back(table.columns.front());
        for (auto& row : table.rows) row.push_back("1");
        return text_of(table, {});
      },
      never({"more than one column"}));
  add(
      "other names", ".csv",
      [](Logical table) {
        for (std::string& name : table.columns) name = "other " + name;
        return text_of(table, {});
      },
      [](const Logical& table) {  // a column alone may have any name
        return table.columns.size() == 1 ? Outcome{} : must({"needed"});
      });
  add("a row that is short", ".csv", styled({.behind = "1", .below = "1\n"}), never({"value", "columns"}));
  add(
      "a row that is long", ".csv",
      [](const Logical& table) {
        std::string row = "1";
        for (std::size_t k = 0; k < table.columns.size(); ++k) row += ",1";
        return text_of(table, {}) + row + "\n";
      },
      never({"values where", "two values"}));
  add(
      "a row behind '#'", ".csv",
      [](const Logical& table) {
        std::string row = "#1";
        for (std::size_t k = 1; k < table.columns.size(); ++k) row += ",1";
        return text_of(table, {}) + row + "\n";
      },
      [](const Logical&) {
        return Outcome{{}, true, "#"};
      });

  // Values that are missing or damaged.
  for (const char* cell : {"NA", "nan", "NULL", "-", "?", "N/A", "None", "inf", "-inf", "#N/A", "12:30", "0x10",
                           "1.5.2", "abc", "\u22121.5", "1e999", "5 m", "1;5"})
    add(
        fmt::format("a cell '{}'", cell), ".csv", [=](const Logical& table) { return with_cell(table, cell); },
        never({"line"}));
  // In a table of one column, pandas writes an empty cell as quotes; otherwise it would be a blank line.
  for (const char* separator : {",", "\t", ";"})
    add(
        fmt::format("an empty cell between '{}'", separator), ".csv",
        [=](const Logical& table) {
          return with_cell(table, table.columns.size() > 1 ? "" : "\"\"", {.separator = separator});
        },
        never({"missing"}));

  // What a file is.
  for (const char* ending : {".txt", ".dat", ".tsv", ".parquet", ".npz", ".npy", ".h5", ".fits", ".xlsx", ".data", ""})
    add(fmt::format("text that ends in '{}'", ending), ending, styled({}));
  for (const char* ending : {".csv.gz", ".gz", ".csv", ".txt.gz", ".parquet"})
    add(fmt::format("gzip that ends in '{}'", ending), ending,
        [](const Logical& table) { return zipped(text_of(table, {})); });
  add("two gzip members", ".csv.gz", [](const Logical& table) {
    const std::string text = text_of(table, {});
    return zipped(text.substr(0, text.size() / 2)) + zipped(text.substr(text.size() / 2));
  });
  add(
      "gzip cut short", ".csv.gz",
      [](const Logical& table) {
        const std::string whole = zipped(text_of(table, {}));
        return whole.substr(0, whole.size() - 9);
      },
      never({"gzip"}));
  add(
      "UTF-16 in gzip", ".csv.gz", [](const Logical& table) { return zipped(utf16(text_of(table, {}), true, false)); },
      never({"UTF-16"}));
  return all;
}

// Writes a table in one binary format: `file` is where, its folder may hold more. False where this build, or the
// format, does not have it.
struct BinaryWriter {
  std::string name, ending;
  std::function<bool(const Logical&, const std::filesystem::path& file)> write;
  std::function<Outcome(const Logical&)> outcome = [](const Logical&) { return Outcome{}; };
  bool single = false;  // numbers are rounded to float32
};

void put(const std::filesystem::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary) << bytes;
}

std::string npy_bytes(const torch::Tensor& values, bool fortran = false) {
  std::string header = npy_header_text(values.scalar_type(), values.sizes(), "test");
  const torch::Tensor data = fortran ? values.t().contiguous() : values.contiguous();
  if (fortran) header = replaced(header, "'fortran_order': False,", "'fortran_order': True, ");
  return header + std::string(static_cast<const char*>(data.const_data_ptr()), data.nbytes());
}

// By the letter of the standard: a column of doubles each, big end first.
std::string fits_bytes(const Logical& table) {
  std::string text;
  const auto card = [&](const std::string& line) { text += line + std::string(80 - line.size(), ' '); };
  const auto value = [&](const std::string& key, const std::string& is) {
    card(key + std::string(8 - key.size(), ' ') + "= " + std::string(is.size() < 20 ? 20 - is.size() : 0, ' ') + is);
  };
  const auto fill = [&](char with) { text += std::string((2880 - text.size() % 2880) % 2880, with); };
  value("SIMPLE", "T");
  value("BITPIX", "8");
  value("NAXIS", "0");
  value("EXTEND", "T");
  card("END");
  fill(' ');
  card("XTENSION= 'BINTABLE'");
  value("BITPIX", "8");
  value("NAXIS", "2");
  value("NAXIS1", std::to_string(8 * table.columns.size()));
  value("NAXIS2", std::to_string(table.rows.size()));
  value("PCOUNT", "0");
  value("GCOUNT", "1");
  value("TFIELDS", std::to_string(table.columns.size()));
  for (std::size_t k = 0; k < table.columns.size(); ++k) {
    card(fmt::format("TTYPE{}  = '{:<8}'", k + 1, table.columns[k]));
    card(fmt::format("TFORM{}  = '1D      '", k + 1));
  }
  card("END");
  fill(' ');
  for (const auto& row : table.rows)
    for (const std::string& cell : row) {
      const double number = std::strtod(cell.c_str(), nullptr);
      std::uint64_t bits;
      std::memcpy(&bits, &number, 8);
      for (int byte = 7; byte >= 0; --byte) text += static_cast<char>(bits >> (8 * byte));
    }
  fill('\0');
  return text;
}

#if PAIRS_WITH_ARROW
std::shared_ptr<arrow::Table> arrow_of(const Logical& table, std::size_t from, std::size_t to) {
  std::vector<std::pair<std::string, std::shared_ptr<arrow::Array>>> columns;
  for (std::size_t k = 0; k < table.columns.size(); ++k) {
    std::vector<double> values;
    for (std::size_t i = from; i < to; ++i) values.push_back(std::strtod(table.rows[i][k].c_str(), nullptr));
    columns.emplace_back(table.columns[k], table_files::arrow_array<arrow::DoubleBuilder>(values));
  }
  return table_files::arrow_table(columns);
}
#endif

// Further formats of binary files, and quirks of these, are lines of this list.
std::vector<BinaryWriter> binary_writers() {
  std::vector<BinaryWriter> all;
  const auto add = [&](std::string name, std::string ending, auto write, bool single = false) {
    all.push_back({std::move(name), std::move(ending), write});
    all.back().single = single;
  };
  const auto bytes = [](auto make) {
    return [make](const Logical& table, const std::filesystem::path& file) {
      put(file, make(table));
      return true;
    };
  };
  add("npy", ".npy", bytes([](const Logical& table) { return npy_bytes(table.values()); }));
  add("npy, Fortran order", ".npy", bytes([](const Logical& table) { return npy_bytes(table.values(), true); }));
  add("npy, float32", ".npy", bytes([](const Logical& table) { return npy_bytes(table.values().to(torch::kFloat32)); }),
      true);
  add("npy, one axis", ".npy", [](const Logical& table, const std::filesystem::path& file) {
    if (table.columns.size() > 1) return false;
    put(file, npy_bytes(table.values().reshape({-1})));
    return true;
  });
  add("npy in gzip", ".npy.gz", bytes([](const Logical& table) { return zipped(npy_bytes(table.values())); }));
  add("npy that ends in .csv", ".csv", bytes([](const Logical& table) { return npy_bytes(table.values()); }));
  add("npz, the array x", ".npz", [](const Logical& table, const std::filesystem::path& file) {
    write_npz(file, {{"x", table.values()}});
    return true;
  });
  add("npz, an array of another name", ".npz", [](const Logical& table, const std::filesystem::path& file) {
    write_npz(file, {{"arr_0", table.values()}});
    return true;
  });
  add("npz, a column an array", ".npz", [](const Logical& table, const std::filesystem::path& file) {
    if (table.columns.size() == 1) return false;
    std::map<std::string, torch::Tensor> arrays = {{"other", torch::zeros({3, 3})}};
    for (std::size_t k = 0; k < table.columns.size(); ++k)
      arrays[table.columns[k]] = table.values().select(1, static_cast<std::int64_t>(k)).contiguous();
    write_npz(file, arrays);
    return true;
  });
  add("npz without an ending", "", [](const Logical& table, const std::filesystem::path& file) {
    write_npz(file, {{"x", table.values()}});
    return true;
  });
  add("npz in gzip", ".npz.gz", [](const Logical& table, const std::filesystem::path& file) {
    write_npz(file, {{"x", table.values()}});
    put(file, zipped(read_file(file)));
    return true;
  });
#if PAIRS_WITH_FITS
  // Names of FITS tables are ASCII.
  const auto ascii = [](const Logical& table) {
    return std::all_of(table.columns.begin(), table.columns.end(), [](const std::string& name) {
      return std::all_of(name.begin(), name.end(), [](char c) { return c > 0; });
    });
  };
  for (const char* ending : {".fits", ".fts", ".fit", ".csv", ""})
    add(fmt::format("FITS that ends in '{}'", ending), ending,
        [=](const Logical& table, const std::filesystem::path& file) {
          if (ascii(table)) put(file, fits_bytes(table));
          return ascii(table);
        });
  add("FITS in gzip", ".fits.gz", [=](const Logical& table, const std::filesystem::path& file) {
    if (ascii(table)) put(file, zipped(fits_bytes(table)));
    return ascii(table);
  });
#endif
#if PAIRS_WITH_HDF5
  add("HDF5, a column an array", ".h5", [](const Logical& table, const std::filesystem::path& file) {
    const hid_t out = H5Fcreate(file.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hsize_t rows = table.rows.size();
    for (std::size_t k = 0; k < table.columns.size(); ++k) {
      const torch::Tensor values = table.values().select(1, static_cast<std::int64_t>(k)).contiguous();
      const hid_t space = H5Screate_simple(1, &rows, nullptr);
      const hid_t set =
          H5Dcreate2(out, table.columns[k].c_str(), H5T_IEEE_F64BE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
      H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.const_data_ptr<double>());
      H5Dclose(set);
      H5Sclose(space);
    }
    H5Fclose(out);
    return true;
  });
  const auto matrix = [](const Logical& table, const std::filesystem::path& file) {
    const hid_t out = H5Fcreate(file.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hsize_t extents[] = {table.rows.size(), table.columns.size()};
    const torch::Tensor values = table.values();
    const hid_t space = H5Screate_simple(2, extents, nullptr);
    const hid_t set = H5Dcreate2(out, "x", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.const_data_ptr<double>());
    H5Dclose(set);
    H5Sclose(space);
    H5Fclose(out);
    return true;
  };
  add("HDF5, the matrix x", ".hdf5", matrix);
  add("HDF5 that ends in .csv", ".csv", matrix);
  add("HDF5 in gzip", ".h5.gz", [=](const Logical& table, const std::filesystem::path& file) {
    matrix(table, file);
    put(file, zipped(read_file(file)));
    return true;
  });
#endif
#if PAIRS_WITH_ARROW
  for (const char* ending : {".parquet", ".pq", ".csv", ""})
    add(fmt::format("Parquet that ends in '{}'", ending), ending,
        [](const Logical& table, const std::filesystem::path& file) {
          table_files::write_parquet(file, *arrow_of(table, 0, table.rows.size()), 50);
          return true;
        });
  add("Parquet in gzip", ".parquet.gz", [](const Logical& table, const std::filesystem::path& file) {
    table_files::write_parquet(file, *arrow_of(table, 0, table.rows.size()), 50);
    put(file, zipped(read_file(file)));
    return true;
  });
  for (const bool stream : {false, true})
    for (const char* ending : {".arrow", ".ipc", ".feather"})
      add(fmt::format("Arrow{} that ends in '{}'", stream ? " as a stream" : "", ending), ending,
          [=](const Logical& table, const std::filesystem::path& file) {
            table_files::write_ipc(file, arrow_of(table, 0, table.rows.size()), 50, stream);
            return true;
          });
  const auto parts = [](const char* name, const char* extra) {
    return [=](const Logical& table, const std::filesystem::path& file) {
      const std::size_t rows = table.rows.size(), each = rows / 12 + 1;
      std::filesystem::create_directories(file);
      if (*extra != 0) put(file / extra, "");
      for (std::size_t from = 0, part = 0; from < rows; from += each, ++part)
        table_files::write_parquet(file / fmt::format(fmt::runtime(name), part),
                                   *arrow_of(table, from, std::min(from + each, rows)), 50);
      return true;
    };
  };
  add("parts of Spark", "", parts("part-{:05}-0f3c9b.c000.snappy.parquet", "_SUCCESS"));
  add("parts of Dask", ".parquet", parts("part.{}.parquet", "_metadata"));
  add("parts of Arrow", "", parts("0123456789abcdef0123456789abcdef-{}.parquet", ""));
#endif
  for (const bool zip : {false, true})
    add(zip ? "parts of Spark as CSV in gzip" : "parts of Spark as CSV", "",
        [=](const Logical& table, const std::filesystem::path& file) {
          const std::size_t rows = table.rows.size(), each = rows / 12 + 1;
          std::filesystem::create_directories(file);
          put(file / "_SUCCESS", "");
          put(file / "._SUCCESS.crc", "crc");
          for (std::size_t from = 0, part = 0; from < rows; from += each, ++part) {
            Logical some{"", table.columns, {}};
            for (std::size_t i = from; i < std::min(from + each, rows); ++i) some.rows.push_back(table.rows[i]);
            const std::string text = text_of(some, {});
            put(file / fmt::format("part-{:05}-0f3c.csv{}", part, zip ? ".gz" : ""), zip ? zipped(text) : text);
          }
          return true;
        });
  return all;
}

class TableMatrix : public ::testing::Test {
 protected:
  static TaskInfo task_of(const Logical& table) {
    TaskInfo task;
    task.name = "dots";
    task.file = "task.toml";  // a person's own: float64
    task.targets.push_back({"a", "a", "", 0, 1, 0, 1, 1, 0, 1});
    task.kind = ObservationKind::points;
    task.observation_shape = {static_cast<std::int64_t>(table.columns.size())};
    task.observation_columns = table.columns;
    task.max_n = 1000;
    return task;
  }

  void expect(const Logical& table, const std::string& quirk, const Outcome& outcome, const std::filesystem::path& file,
              bool single = false) {
    ++combinations_;
    const TaskInfo task = task_of(table);
    try {
      const ObservedTable read = read_observed_columns(file, task, 1 << 20, {});
      const torch::Tensor right = single ? table.values().to(torch::kFloat32).to(torch::kFloat64) : table.values();
      ++read_;
      EXPECT_TRUE(outcome.read) << quirk << " is read, table " << table.name;
      const torch::Tensor x = read.x.block().to(torch::kFloat64);
      EXPECT_TRUE(x.sizes() == right.sizes() && x.equal(right))
          << quirk << " is read WRONG, table " << table.name << ": " << x.sizes() << " for " << right.sizes();
      const bool warned = std::any_of(read.warnings.begin(), read.warnings.end(),
                                      [&](const std::string& text) { return text.find(outcome.warns) != text.npos; });
      EXPECT_TRUE(outcome.warns.empty() || warned) << quirk << " is read without a word, table " << table.name;
    } catch (const Error& error) {
      ++refused_;
      const std::string text = error.what();
      const bool named = std::any_of(outcome.words.begin(), outcome.words.end(),
                                     [&](const std::string& word) { return text.find(word) != text.npos; });
      EXPECT_TRUE(named) << quirk << ", table " << table.name << ": " << text;
      EXPECT_EQ(text.find("/proc/"), text.npos) << quirk << ": " << text;
    }
  }

  void TearDown() override {
    std::cout << combinations_ << " combinations: " << read_ << " read, " << refused_ << " refused by name\n";
  }

  TemporaryFolder folder_;
  std::int64_t combinations_ = 0, read_ = 0, refused_ = 0;
};

TEST_F(TableMatrix, TextsAreReadRightOrRefusedByName) {
  for (const Logical& table : logical_tables())
    for (const TextQuirk& quirk : text_quirks()) {
      const std::filesystem::path file = folder_ / ("a" + quirk.ending);
      put(file, quirk.write(table));
      expect(table, quirk.name, quirk.outcome(table), file);
    }
  EXPECT_GE(combinations_, 3000);
  EXPECT_GE(read_, combinations_ / 2);
}

TEST_F(TableMatrix, BytesAreReadRightOrRefusedByName) {
  std::size_t number = 0;
  for (const Logical& table : logical_tables())
    for (const BinaryWriter& writer : binary_writers()) {
      const std::filesystem::path file = folder_ / (std::to_string(number++) + writer.ending);
      if (!writer.write(table, file)) continue;
      expect(table, writer.name, writer.outcome(table), file, writer.single);
      std::filesystem::remove_all(file);
    }
  EXPECT_GE(combinations_, 500);
}

// Writes each text with a further column that identifies the sets.
TEST_F(TableMatrix, SetsOfTextsAreReadRightOrRefusedByName) {
  for (Logical table : logical_tables()) {
    const TaskInfo task = task_of(table);
    const torch::Tensor right = table.values();
    Logical grouped = table;
    grouped.columns.push_back("set");
    const auto half = static_cast<std::int64_t>(table.rows.size() / 2);
    for (std::size_t i = 0; i < table.rows.size(); ++i)
      grouped.rows[i].push_back(static_cast<std::int64_t>(i) < half ? "a" : "b");
    for (const TextQuirk& quirk : text_quirks()) {
      const std::string bytes = quirk.write(grouped);
      const std::filesystem::path file = folder_ / ("a" + quirk.ending);
      put(file, bytes);
      ++combinations_;
      Outcome outcome = quirk.outcome(table);
      // The second where the quirk leaves out names.
      outcome.words.insert(outcome.words.end(), {"no column set to separate sets by", "does not name the set"});
      try {
        ManySets sets{file, "set", {}};
        const std::unique_ptr<SetStream> stream = open_sets(sets, task);
        std::int64_t from = 0;
        for (ComingSet set; stream->next(set);) {
          const Observed observed = set.read();
          const std::int64_t to = set.name == "a" ? half : right.size(0);
          const torch::Tensor x = observed.x.block().to(torch::kFloat64), own = right.slice(0, from, to);
          EXPECT_TRUE(x.sizes() == own.sizes() && x.equal(own))
              << quirk.name << " is read WRONG by sets, table " << table.name << ": " << x.sizes() << " for "
              << own.sizes();
          from = to;
        }
        ++read_;
      } catch (const Error& error) {
        ++refused_;
        const std::string text = error.what();
        const bool named = std::any_of(outcome.words.begin(), outcome.words.end(),
                                       [&](const std::string& word) { return text.find(word) != text.npos; });
        EXPECT_TRUE(named) << quirk.name << " by sets, table " << table.name << ": " << text;
      }
    }
  }
  EXPECT_GE(read_, combinations_ / 2);
}

TEST_F(TableMatrix, OtherFilesAreCalledByTheirNames) {
  const Logical table = logical_tables()[1];
  for (const auto& [bytes, word] : std::vector<std::pair<std::string, std::string>>{
           {std::string("PK\x03\x04") + std::string(22, '\0') + std::string("\x13\0\0\0", 4) + "[Content_Types].xml",
            "Excel"},
           {std::string("\xd0\xcf\x11\xe0") + std::string(100, '\0'), "Office"},
           {std::string("\x80\x04\x95") + std::string(100, '\0'), "pickle"},
           {"MATLAB 5.0 MAT-file" + std::string(200, '\0'), "MAT file"},
           {"SQLite format 3" + std::string(100, '\0'), "SQLite"},
           {"BZh91AY" + std::string(100, '\1'), "bzip2"},
           {std::string("\xfd") + "7zXZ" + std::string(100, '\1'), "xz"},
           {std::string("\x28\xb5\x2f\xfd") + std::string(100, '\1'), "zstd"},
           {zipped("RDX3\nX\n" + std::string(100, '\1')), "objects of R"},
           {std::string("\1\2\3\4") + std::string(100, '\0'), "no file of observations"}}) {
    put(folder_ / "a.bin", bytes);
    expect(table, word, must({word}), folder_ / "a.bin");
    put(folder_ / "b", bytes);
    expect(table, word, must({word}), folder_ / "b");
  }
}

TEST_F(TableMatrix, PartsOfOneTableAreNoSets) {
  const TaskInfo task = task_of({"", {"x1", "x2"}, {}});
  std::filesystem::create_directory(folder_ / "spark");
  put(folder_ / "spark/_SUCCESS", "");
  put(folder_ / "spark/part-00000.csv", "x1,x2,set\n1.5,2,a\n2.5,3,b\n");
  put(folder_ / "spark/part-00001.csv", "x1,x2,set\n3.5,4,a\n");
  EXPECT_FALSE(is_folder_of_sets({folder_ / "spark", "", {}}, task));
  const torch::Tensor x = read_observed_columns(folder_ / "spark", task, 100, {}).x.block();
  EXPECT_TRUE(x.equal(torch::tensor({{1.5, 2.0}, {2.5, 3.0}, {3.5, 4.0}}, torch::kFloat64)));
  const std::unique_ptr<SetStream> sets = open_sets({folder_ / "spark", "set", {}}, task);
  EXPECT_EQ(sets->count(), 2);
  ComingSet set;
  ASSERT_TRUE(sets->next(set));
  EXPECT_TRUE(set.read().x.block().equal(torch::tensor({{1.5, 2.0}, {3.5, 4.0}}, torch::kFloat64)));
  put(folder_ / "spark/part-00001.csv", "x2,x1,set\n3.5,4,a\n");
  try {
    (void)read_observed_columns(folder_ / "spark", task, 100, {});
    ADD_FAILURE() << "parts with other columns";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("parts of one table"));
  }
  // Files of other names are sets, and notes are none.
  std::filesystem::create_directory(folder_ / "sets");
  put(folder_ / "sets/one.csv", "x1,x2\n1.5,2\n");
  put(folder_ / "sets/two.tsv", "x1\tx2\n1.5\t2\n");
  put(folder_ / "sets/three.txt", "# x1 x2\n1.5 2\n");
  put(folder_ / "sets/four.csv.gz", zipped("x1,x2\n1.5,2\n"));
  put(folder_ / "sets/five.npy", npy_bytes(torch::tensor({{1.5, 2.0}}, torch::kFloat64)));
  put(folder_ / "sets/README.txt", "These are sets,\nof a kind.\n");
  const std::unique_ptr<SetStream> folder = open_sets({folder_ / "sets", "", {}}, task);
  EXPECT_EQ(folder->count(), 5);
  EXPECT_THAT(folder->left_out(), ::testing::ElementsAre("README.txt"));
  for (ComingSet one; folder->next(one);)
    EXPECT_TRUE(one.read().x.block().equal(torch::tensor({{1.5, 2.0}}, torch::kFloat64))) << one.name;
}

}  // namespace
}  // namespace pairs
