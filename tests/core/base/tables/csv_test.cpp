#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "core/base/files/files.h"
#include "core/base/files/npz.h"
#include "core/base/tables/csv_line.h"
#include "core/base/tables/csv_table.h"
#include "tests/core/base/message.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

torch::Tensor table(std::vector<double> values, std::int64_t columns) {
  return torch::tensor(values, torch::kDouble).reshape({-1, columns});
}
torch::Tensor numbers(std::vector<double> values, std::int64_t columns) {
  return table(std::move(values), columns);
}
// Why a file is refused; "" where it is read.
std::string refusal_of(const std::filesystem::path& file, const std::vector<std::string>& names) {
  try {
    (void)read_csv_table(file, names);
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}
std::string csv_refusal(const std::string& text) {
  return message_of([&] { parse_csv(text, "data.csv"); });
}

TEST(Csv, SeparatorsHeadersAndComments) {
  const torch::Tensor expected = table({1, 2.5, -3e4, 0.5}, 2);
  for (const char* text : {"1,2.5\n-3e4,.5\n", "x,y\n1, 2.5\n-3e4 ,.5", "1;2.5\n-3e4;0.5\n", "1\t2.5\n-3e4\t0.5\n",
                           "  1  2.5 \n-3e4 \t0.5\n", "# comment, with, commas\n\nx y\n1 2.5 # note\n\n-3e4 0.5\n",
                           "\xef\xbb\xbf\"the, first\",\"y\"\r\n1,+2.5\r\n-3e4,\"0.5\"\r\n"}) {
    const torch::Tensor read = parse_csv(text, "x");
    EXPECT_EQ(read.scalar_type(), torch::kDouble);
    EXPECT_TRUE(read.equal(expected)) << text;
  }
  EXPECT_TRUE(parse_csv("1\n2\n3\n", "x").equal(table({1, 2, 3}, 1)));
  EXPECT_TRUE(parse_csv("x\r1\r2\r3\r", "x").equal(table({1, 2, 3}, 1))) << "line ends of old programs";
  EXPECT_TRUE(parse_csv("x\n1e-300\n", "x").equal(table({1e-300}, 1)));
}

TEST(Csv, QuotesProtectWhatTheyHold) {
  EXPECT_TRUE(parse_csv("\"run #\",x\n\"#1; a\",2 # a \"note\"\n\"b, c\",3\n", "x", {"x"}).equal(table({2, 3}, 1)));
  EXPECT_TRUE(parse_csv("\"the \"\"x\"\"\",y\n1,2\n", "x", {"the \"x\""}).equal(table({1}, 1)));
  EXPECT_TRUE(parse_csv("x,y\n1,2 # 5\" long\n", "x").equal(table({1, 2}, 2)));
  EXPECT_EQ(csv_content(" a \"#\" b # c"), "a \"#\" b");
  EXPECT_EQ(csv_content("5\" # inches"), "5\"") << "a quote too many protects nothing";
  EXPECT_EQ(csv_separator("\"a;b\",c"), ',');
  EXPECT_EQ(csv_text("say \"\"so\"\""), "say \"so\"");
}

TEST(Csv, ErrorsNameTheLine) {
  EXPECT_THAT(csv_refusal("1,2\n3\n"),
              AllOf(HasSubstr("data.csv, line 2"), HasSubstr("1 value where the first line has 2")));
  EXPECT_THAT(csv_refusal("1,2\n\n# c\n3,4,5\n"), HasSubstr("data.csv, line 4: 3 values"));
  EXPECT_THAT(csv_refusal("x,y,z\n1,2\n"), HasSubstr("data.csv, line 2"));
  EXPECT_THAT(csv_refusal("1,2\n3,four\n"), AllOf(HasSubstr("line 2: value 2 is 'four'"), HasSubstr("not a number")));
  EXPECT_THAT(csv_refusal("1,2\nx,y\n"), HasSubstr("line 2: value 1 is 'x'"));
  EXPECT_THAT(csv_refusal("x,1\n2,3\n"), HasSubstr("line 1: value 1 is 'x'"));
  EXPECT_THAT(csv_refusal("1,nan\n"), HasSubstr("not a finite number"));
  EXPECT_THAT(csv_refusal("1,-inf\n"), HasSubstr("not a finite number"));
  EXPECT_THAT(csv_refusal("1,1e999\n"), HasSubstr("not a finite number"));
  EXPECT_THAT(csv_refusal("1,,2\n"), HasSubstr("value 2 is missing"));
  EXPECT_THAT(csv_refusal("1,2,\n"), HasSubstr("value 3 is missing"));
  EXPECT_THAT(csv_refusal("1,5;2.5\n"), HasSubstr("'1,5'"));
  EXPECT_THAT(csv_refusal("1,2x\n"), HasSubstr("'2x'"));
  EXPECT_THAT(csv_refusal(std::string("1,\0 2\n", 6)), HasSubstr("\\x00"));
  EXPECT_THAT(csv_refusal(std::string("\xff\xfe\x31\0\n\0", 6)), HasSubstr("UTF-16"));
  for (const char* text : {"", "\n\n", "# only comments\n", "x,y\n"})
    EXPECT_THAT(csv_refusal(text), HasSubstr("holds no numbers"));
}

TEST(Csv, AFirstLineThatIsNeitherNamesNorNumbersIsRefused) {
  for (const char* cell : {"NA", "n/a", "null", "0x10", "12:30", "1.5.2", "-", "?", "2nd", "$5", "nan", "inf"})
    EXPECT_THAT(csv_refusal(std::string(cell) + "\n1\n2\n"), AllOf(HasSubstr("data.csv, line 1"), HasSubstr(cell)))
        << cell;
  EXPECT_THAT(csv_refusal("NA\n1\n"), HasSubstr("not a number and not the name of a column"));
  EXPECT_THAT(csv_refusal("\u22121.5\n1\n"), HasSubstr("with the minus sign of Unicode"));
  EXPECT_THAT(csv_refusal("1\n\u22121.5\n"), HasSubstr("line 2: value 1 is '\u22121.5', with the minus sign"));
  EXPECT_THAT(csv_refusal("NA,1\n1,2\n"), HasSubstr("line 1: value 1 is 'NA'"));
  for (const char* names : {",x", "\u03b8,_b", "Energy (GeV),when", "nanometer,information"})
    EXPECT_EQ(parse_csv(std::string(names) + "\n1,2\n", "x").size(0), 1) << names;
}

TEST(Csv, MissingValuesAreHandedOnWhereTheyAreAskedFor) {
  const TemporaryFolder folder;
  write_file(folder / "x.csv", "x,note,y\n1,,2\nNA,a,3\n4,b,\n-,c,inf\n#N/A,d,NULL\n5,e,nan\n6,f,7\n");
  EXPECT_THAT(message_of([&] { read_csv_table(folder / "x.csv", {"x", "y"}); }), HasSubstr("line 3: value 1 is 'NA'"));
  const torch::Tensor rows = read_csv_table(folder / "x.csv", {"x", "y"}, true).rows;
  ASSERT_EQ(rows.size(0), 7);
  const torch::Tensor missing = torch::tensor({0, 0, 1, 0, 0, 1, 1, 0, 1, 1, 0, 1, 0, 0}, torch::kBool).view({7, 2});
  EXPECT_TRUE(rows.isnan().equal(missing)) << rows;
  EXPECT_TRUE(rows[3][1].isinf().item<bool>()) << "an infinite value is no missing one";
  EXPECT_TRUE(rows[6].equal(torch::tensor({6.0, 7.0}, torch::kFloat64)));
  write_file(folder / "x.csv", "x,y\n1,2\noops,3\n");
  EXPECT_THAT(message_of([&] { read_csv_table(folder / "x.csv", {"x", "y"}, true); }), HasSubstr("'oops'"));
}

TEST(Csv, ColumnNumbersAreNoRow) {
  const TemporaryFolder folder;
  const auto read = [&](const std::string& text, const std::vector<std::string>& names) {
    write_file(folder / "x.csv", text);
    return read_csv_table(folder / "x.csv", names);
  };
  for (const char* text : {"0,1\n1.5,2\n2.5,3.5\n", ",0,1\n0,1.5,2\n1,2.5,3.5\n", "\"0\",\"1\"\n1.5,2\n2.5,3.5\n"}) {
    const CsvTable table = read(text, {"x1", "x2"});
    EXPECT_TRUE(table.rows.equal(numbers({1.5, 2, 2.5, 3.5}, 2))) << text;
    ASSERT_EQ(table.warnings.size(), 1u) << text;
    EXPECT_THAT(table.warnings[0], HasSubstr("column numbers 0 to 1"));
    EXPECT_EQ(table.taken, (std::vector<std::string>{"0", "1"}));
  }
  EXPECT_TRUE(read("0,1,2\n1.5,2,3\n", {"2", "0"}).rows.equal(numbers({3, 1.5}, 2))) << "they are names";
  EXPECT_TRUE(read("0,2\n1.5,2\n", {"x1", "x2"}).rows.equal(numbers({0, 2, 1.5, 2}, 2))) << "no column numbers";
  EXPECT_TRUE(read("0.0,1\n1.5,2\n", {"x1", "x2"}).rows.equal(numbers({0, 1, 1.5, 2}, 2)));
  // If the rows hold whole numbers, too, the header is ambiguous.
  for (const char* text : {"0\n3\n5\n", "0\n", "0\n0.5\n1\n1.5\n"})
    EXPECT_THAT(message_of([&] { read(text, {"x"}); }), HasSubstr("line 1: it holds 0 alone, which may be the column"));
  EXPECT_THAT(csv_refusal("0,1\n0.5,1.5\n"), HasSubstr("may hold column numbers"))
      << "who hears no warning guesses not";
}

// A first line of whole numbers that the rows below do not hold: every order of the columns' numbers, from 0 and
// from 1.
TEST(Csv, NumbersOfColumnsAreNoRowInAnyOrder) {
  const TemporaryFolder folder;
  const auto read = [&](const std::string& text, const std::vector<std::string>& names) {
    write_file(folder / "x.csv", text);
    return refusal_of(folder / "x.csv", names);
  };
  const auto line_of = [](const std::vector<int>& numbers, const char* point, const std::string& separator) {
    std::string line;
    for (const int number : numbers) line += (line.empty() ? "" : separator) + std::to_string(number) + point;
    return line + "\n";
  };
  std::size_t validated = 0;
  for (int columns = 2; columns <= 4; ++columns)
    for (const int from : {0, 1})
      for (const char* point : {"", ".0"})
        for (const std::string separator : {",", "\t", ";", " "}) {
          std::vector<std::string> names;
          std::string floats, whole, fixed;
          for (int k = 0; k < columns; ++k) {
            names.push_back("x" + std::to_string(k + 1));
            floats += (k > 0 ? separator : "") + "0.2" + std::to_string(k + 5);
            whole += (k > 0 ? separator : "") + std::to_string(k * 7 % 3) + ".0";
            fixed += (k > 0 ? separator : "") + "0." + std::to_string(k + 5);
          }
          std::vector<int> order(static_cast<std::size_t>(columns));
          for (int k = 0; k < columns; ++k) order[static_cast<std::size_t>(k)] = k + from;
          const std::vector<int> first = order;
          do {
            const std::string line = line_of(order, point, separator);
            const bool pandas = from == 0 && order == first && *point == 0;  // read as names, with a warning
            SCOPED_TRACE(line + floats);
            ++validated;
            if (!pandas) {
              EXPECT_THAT(read(line + floats + "\n", names), HasSubstr("line 1: it is "));
              EXPECT_THAT(read(line + floats + "\n", names), HasSubstr("numbers of the columns or a row"));
              EXPECT_EQ(read(line + whole + "\n" + floats + "\n", names), "") << "rows hold whole numbers, too";
              EXPECT_THAT(read(line, names), Not(HasSubstr("it is "))) << "a row alone";
              if (*point != 0) {
                EXPECT_EQ(read(line + fixed + "\n", names), "") << "all have one decimal";
              }
            }
            std::string header;
            for (const std::string& name : names) header += (header.empty() ? "" : separator) + name;
            EXPECT_EQ(read(header + "\n" + line + floats + "\n", names), "") << "below names it is a row";
          } while (std::next_permutation(order.begin(), order.end()));
        }
  EXPECT_EQ(validated, (2 + 6 + 24) * 2 * 2 * 4);
  EXPECT_THAT(read("1\n0.5\n0.25\n", {"x"}), HasSubstr("it is 1, which may be the number of the column or a row"));
  EXPECT_EQ(read("1\n0.5\n2\n", {"x"}), "");
  EXPECT_EQ(read("1.0\n0.5\n0.25\n", {"x"}), "");
  EXPECT_EQ(read("1,3\n0.5,0.25\n", {"x1", "x2"}), "") << "3 is no column's number";
}

TEST(Csv, ALineThatCountsTheRowsIsNoRow) {
  const TemporaryFolder folder;
  const auto read = [&](const std::string& text, const std::vector<std::string>& names) {
    write_file(folder / "x.csv", text);
    return refusal_of(folder / "x.csv", names);
  };
  for (int rows = 2; rows <= 12; ++rows)
    for (int columns = 1; columns <= 3; ++columns)
      for (const std::string separator : {",", " ", "\t"}) {
        std::vector<std::string> names;
        std::string row;
        for (int k = 0; k < columns; ++k) {
          names.push_back("x" + std::to_string(k + 1));
          row += (k > 0 ? separator : "") + "0.25";
        }
        std::string text = std::to_string(rows) + "\n";
        for (int i = 0; i < rows; ++i) text += row + "\n";
        EXPECT_THAT(read(text, names), HasSubstr(fmt::format("line 1: it is {}", rows))) << text;
        EXPECT_THAT(read(text, names), HasSubstr("drop it where it counts the rows")) << text;
        if (columns == 2) {
          const std::string both = std::to_string(rows) + separator + "2" + text.substr(text.find('\n'));
          EXPECT_THAT(read(both, names), AllOf(HasSubstr("line 1: it is "), HasSubstr(" a row"))) << both;
          if (rows > 3) {
            EXPECT_EQ(read(both + row + "\n", names), "") << "more rows than it counts";
          }
        }
        if (columns == 1) {
          EXPECT_EQ(read(text + row + "\n", names), "") << "more rows than it counts";
          EXPECT_EQ(read(std::to_string(rows + 1) + "\n3\n" + text.substr(text.find('\n') + 1), names), "");
        }
      }
}

TEST(Csv, BytesThatAreNoTextAreNamed) {
  const std::string plain = "x1,x2\n0.25,0.5\n1.5,-2.5\n";
  for (const bool big : {false, true})
    for (const bool mark : {false, true})
      for (const std::size_t width : {std::size_t{2}, std::size_t{4}}) {
        std::string text = !mark ? "" : width == 2 ? (big ? "\xfe\xff" : "\xff\xfe") : "";
        if (mark && width == 4) text = big ? std::string("\0\0\xfe\xff", 4) : std::string("\xff\xfe\0\0", 4);
        for (const char c : plain) {
          const std::string zeros(width - 1, '\0');
          text += big ? zeros + c : c + zeros;
        }
        EXPECT_THAT(csv_refusal(text), HasSubstr(width == 2 ? "is text in UTF-16" : "is text in UTF-32"))
            << big << mark;
      }
  EXPECT_THAT(csv_refusal("PK\x03\x04" + plain), HasSubstr("a zip archive or an Excel workbook"));
  EXPECT_THAT(csv_refusal("\x1f\x8b" + plain), HasSubstr("packed with gzip more than once"));
  std::string numbers;
  for (int k = 1; k <= 100; ++k) {
    const double value = std::sqrt(k + 0.1);
    numbers.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  EXPECT_THAT(csv_refusal(numbers), HasSubstr("bytes that are no text, such as binary numbers"));
}

TEST(Csv, NumbersTooSmallForFloat64AreZero) {
  for (const std::string& text :
       std::vector<std::string>{"1e-400", "-1e-400", "1.5E-330", "1e-99999", "0." + std::string(400, '0') + "1"}) {
    double value = 5;
    EXPECT_EQ(parse_csv_number(text, value), CsvNumber::good) << text;
    EXPECT_EQ(value, 0) << text;
  }
  for (const std::string& text : std::vector<std::string>{"1e400", "-1e400", "1e99999", "1" + std::string(400, '0')}) {
    double value = 5;
    EXPECT_EQ(parse_csv_number(text, value), CsvNumber::too_large) << text;
  }
  double value = 0;
  EXPECT_EQ(parse_csv_number("4.9e-324", value), CsvNumber::good);
  EXPECT_GT(value, 0);
}

TEST(Csv, WholeNumbersBetweenCommasMayBeDecimals) {
  const auto refused = [](const std::string& text, const std::vector<std::string>& names) {
    return message_of([&] { (void)parse_csv(text, "data.csv", names); });
  };
  EXPECT_THAT(refused("1,501\n1,226\n1,045\n1,56\n", {"x1", "x2"}), HasSubstr("one number with decimal commas or 2"));
  EXPECT_THAT(refused("1 234,5\n2 045,25\n", {"x1", "x2"}), HasSubstr("one number with blanks between thousands"));
  EXPECT_THAT(refused("1,5,2,5\n", {"a", "b", "c", "d"}), HasSubstr("2 numbers with decimal commas or 4"));
  const torch::Tensor rows = table({1, 5, 2, 7}, 2);
  for (const char* text : {"x1,x2\n1,5\n2,7\n", "1, 5\n2, 7\n", "1;5\n2;7\n", "1\t5\n2\t7\n", "1,5.0\n2,7\n"})
    EXPECT_TRUE(parse_csv(text, "x", {"x1", "x2"}).equal(rows)) << text;
  EXPECT_TRUE(parse_csv("1,5\n2,7\n", "x", {"column 1", "column 2"}).equal(rows)) << "a person says that there are two";
  EXPECT_TRUE(parse_csv("1,-5\n", "x", {"x1", "x2"}).equal(table({1, -5}, 2)));
  EXPECT_TRUE(parse_csv("1,5\n2,70\n", "x", {"x1", "x2"}).equal(table({1, 5, 2, 70}, 2)))
      << "fractions of several lengths do not end in zeros";
}

TEST(Csv, DecimalCommasByOneRule) {
  const torch::Tensor rows = table({0.5, -1.25, 1234.5, 3}, 2);
  for (const char* text : {"0,5;-1,25\n1234,5;3\n", "x;y\n0,5;-1,25\n1234,5;3,0\n", "0,5\t-1,25\n1234,5\t3\n",
                           "0,5 -1,25\n1234,5 3\n", "\"0,5\",\"-1,25\"\n\"1234,5\",3\n", "0,5|-1,25\n1234,5|3\n"})
    EXPECT_TRUE(parse_csv(text, "x").equal(rows)) << text;
  EXPECT_TRUE(parse_csv("a;b\n1,234;0,5\n", "x").equal(table({1.234, 0.5}, 2))) << "another number shows what it is";
  EXPECT_THAT(csv_refusal("a;b\n1,234;5,678\n"), HasSubstr("line 2: '1,234' may have a decimal comma or one between"));
  EXPECT_THAT(csv_refusal("a;b\n0,5;1\n1.234;2\n"), HasSubstr("line 3: value 1 is '1.234', with a decimal point"));
  EXPECT_THAT(csv_refusal("a;b\n0.5;1\n1,234;2\n"), HasSubstr("line 3: value 1 is '1,234'"));
  EXPECT_THAT(csv_refusal("a;b\n1.234,5;1\n"), HasSubstr("between thousands"));
  EXPECT_THAT(csv_refusal("x\n0,5\n"), HasSubstr("value 1 is '0,5', with a decimal comma, or two values"));
  EXPECT_TRUE(parse_csv("sep=;\nx\n0,5\n", "x").equal(table({0.5}, 1))) << "the separator is named";
}

TEST(Csv, ANameMayHoldBlanks) {
  EXPECT_TRUE(parse_csv("photon energy\n1\n2\n", "x", {"photon energy"}).equal(table({1, 2}, 2).reshape({2, 1})));
  EXPECT_TRUE(parse_csv("a b\n1 2\n", "x", {"b"}).equal(table({2}, 1)));
  EXPECT_EQ(parse_csv("energy [GeV]\n1\n", "x").size(1), 1);
}

TEST(Csv, BlankLinesAndCommentsThatMayBeRowsAreReported) {
  const TemporaryFolder folder;
  write_file(folder / "x.csv", "x\n1\n\n2\n#3\n\n");
  const CsvTable read = read_csv_table(folder / "x.csv", {"x"});
  EXPECT_TRUE(read.rows.equal(table({1, 2}, 1)));
  ASSERT_EQ(read.warnings.size(), 2u);
  EXPECT_THAT(read.warnings[0], HasSubstr("a blank line stands between rows, the first is line 3"));
  EXPECT_THAT(read.warnings[1], HasSubstr("1 line that begins with '#' looks like a row"));
}

TEST(Csv, RowsMayGoOnBehindLineEndsInQuotes) {
  EXPECT_TRUE(parse_csv("x,c,y\n1,\"two\nlines, \"\"x\"\"\",2\n3,\"a\r\n\r\nb\",4\n", "x", {"x", "y"})
                  .equal(table({1, 2, 3, 4}, 2)));
  EXPECT_TRUE(parse_csv("x,\"c\nd\"\n1,5\" long\n3,\n", "x", {"x"}).equal(table({1, 3}, 1)));
  EXPECT_THAT(message_of([] { (void)parse_csv("x,c\n1,\"a\n2,b\n", "x", {"x"}); }),
              HasSubstr("line 2: a quote is opened and not closed"));
}

TEST(Csv, WhatRAndExcelAndFortranWrite) {
  const torch::Tensor rows = table({1.5, 2, 3.5, 4}, 2);
  for (const char* text :
       {"sep=;\nx;y\n1.5;2\n3.5;4\n", "\"sep=,\"\r\nx,y\r\n1.5,2\r\n3.5,4\r\n", "sep=\t\nx\ty\n1.5\t2\n3.5\t4\n",
        "\"x\" \"y\"\n\"1\" 1.5 2\n\"2\" 3.5 4\n", "\"x\",\"y\"\n\"a\",1.5,2\n\"b\",3.5,4\n", "x;y;\n1.5;2;\n3.5;4;\n",
        "x;y\n1.5;2;\n3.5;4;\n", "% made\n! by\n# x y\n1.5 2\n3.5 4\n", "x y\n1.5D0 2\n0.35d+01 4\n",
        "# y x\nx y\n1.5 2\n3.5 4\n"})
    EXPECT_TRUE(parse_csv(text, "x", {"x", "y"}).equal(rows)) << text;
  EXPECT_TRUE(parse_csv("# y,x\n2,1.5\n4,3.5\n", "x", {"x", "y"}).equal(rows)) << "a comment names the columns";
  const auto refused = [](const std::string& text) {
    return message_of([&] { (void)parse_csv(text, "data.csv", {"x", "y"}); });
  };
  EXPECT_THAT(refused("# first y, then x\n2.5,1.5\n"), HasSubstr("line 1: the comment names y, x in this order"));
  EXPECT_THAT(refused("# x z\n2.5 1.5\n"), HasSubstr("names the columns x, z, but x, y are needed"));
  EXPECT_THAT(refused("x,y\nm,GeV\n2.5,1.5\n"), HasSubstr("units"));
  EXPECT_THAT(refused("x y\n1 1.5 2\n2 3.5 4\n"), HasSubstr("lack the name of a column"));
  EXPECT_THAT(refused("x y\n1 1.5 2\n7 3.5 4\n"), HasSubstr("does not count the rows"));
  EXPECT_THAT(refused("x,y\n7,1.5,2\n"), HasSubstr("3 values where the first line has 2"));
}

TEST(Csv, CommentsThatNameColumnsInAnotherOrderAreRefused) {
  const auto refused = [](const std::string& text) {
    return message_of([&] { parse_csv(text, "data.csv", {"x1", "x2"}); });
  };
  for (const char* comment : {"# X2 X1", "# x_2 x_1", "# $x_2$, $x_1$", "% X2;X1"})
    EXPECT_THAT(refused(std::string(comment) + "\n1 2\n3 4\n"), HasSubstr("in another order than x1, x2")) << comment;
  EXPECT_TRUE(parse_csv("# X1 X2\n1 2\n", "x", {"x1", "x2"}).equal(table({1, 2}, 2)));
  EXPECT_TRUE(parse_csv("# x2 x1\n1 2\n", "x", {"x1", "x2"}).equal(table({2, 1}, 2)));
  for (const char* text :
       {"1 2\n# x2 x1\n3 4\n", "1 2\n3 4\n# x2 x1\n", "# x1 x2\n1 2\n# x2 x1\n4 3\n", "x2 x1\n1 2\n# X1 X2\n4 3\n"})
    EXPECT_THAT(refused(text), HasSubstr("a comment below the first row names the columns")) << text;
  EXPECT_TRUE(parse_csv("# x1 x2\n1 2\n# x1 x2\n3 4\n", "x", {"x1", "x2"}).equal(table({1, 2, 3, 4}, 2)));
  EXPECT_TRUE(parse_csv("x2 x1\n1 2\n# x2 x1\n3 4\n# of x2\n", "x", {"x1", "x2"}).equal(table({2, 1, 4, 3}, 2)));
}

TEST(Csv, ValuesOfOldLibrariesAreNoComments) {
  for (const char* value : {"1.#INF", "-1.#IND", "1.#QNAN", "-1.#INF00", "1.#SNAN"}) {
    EXPECT_THAT(csv_refusal(std::string("x,y\n1,2\n3,") + value + "\n"), HasSubstr("line 3: value 2")) << value;
    EXPECT_THAT(csv_refusal(std::string("x\n1\n") + value + "\n"), HasSubstr("line 3: value 1")) << value;
    EXPECT_TRUE(is_missing_cell(value)) << value;
  }
  EXPECT_TRUE(parse_csv("x,y\n1,2.5# note\n", "x").equal(table({1, 2.5}, 2)));
  EXPECT_FALSE(is_missing_cell("1.5"));
}

TEST(Csv, AQuoteThatIsOpenedByMistakeSwallowsNoRows) {
  EXPECT_THAT(csv_refusal("c,x,y\n5,1,2\n\"5,3,4\n5,5,6\n5,7,8\n\"5,9,1\n"), HasSubstr("close the quote"));
  EXPECT_TRUE(parse_csv("note,x\n\"two\nlines, a comma\",2\n", "x", {"x"}).equal(table({2}, 1)));
}

TEST(Csv, ReadsFiles) {
  const TemporaryFolder folder;
  write_file(folder / "x.csv", "1,2\n");
  EXPECT_TRUE(read_csv(folder / "x.csv").equal(table({1, 2}, 2)));
  write_file(folder / "x.csv", "1,b\n");
  EXPECT_THAT(message_of([&] { read_csv(folder / "x.csv"); }), HasSubstr((folder / "x.csv").string() + ", line 1"));
}

}  // namespace
}  // namespace pairs
