#include <gmock/gmock.h>

#include "core/base/csv_line.h"
#include "core/base/csv_table.h"
#include "core/base/files.h"
#include "core/base/npz.h"
#include "tests/core/base/message.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

torch::Tensor table(std::vector<double> values, std::int64_t columns) {
  return torch::tensor(values, torch::kDouble).reshape({-1, columns});
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
  EXPECT_THAT(csv_refusal("1,5;2,5\n"), HasSubstr("'1,5'"));
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
  for (const char* names : {",x", "\u03b8,_b", "Energy (GeV),when", "nanometre,information"})
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

TEST(Csv, ReadsFiles) {
  const TemporaryFolder folder;
  write_file(folder / "x.csv", "1,2\n");
  EXPECT_TRUE(read_csv(folder / "x.csv").equal(table({1, 2}, 2)));
  write_file(folder / "x.csv", "1,b\n");
  EXPECT_THAT(message_of([&] { read_csv(folder / "x.csv"); }), HasSubstr((folder / "x.csv").string() + ", line 1"));
}

}  // namespace
}  // namespace pairs
