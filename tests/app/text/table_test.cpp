#include "app/text/table.h"

#include <gtest/gtest.h>

#include "core/base/text/error.h"

namespace pairs {
namespace {

TEST(Table, AlignsNumbersRightAndWordsLeft) {
  Table table({{"run", false}, {"N"}});
  table.add({"a", "1"});
  table.add({"θθ", "1,000"});
  EXPECT_EQ(table.text(),
            "run      N\n"
            "───  ─────\n"
            "a        1\n"
            "θθ   1,000\n");
}

TEST(Table, IndentsAndLeavesNoTrailingBlanks) {
  Table table({{"n"}, {"text", false}});
  table.add({"1", ""});
  EXPECT_EQ(table.text(2), "  n  text\n  ─  ────\n  1\n");
}

TEST(Table, RefusesRowsOfAnotherLength) {
  Table table({{"a"}, {"b"}});
  EXPECT_THROW(table.add({"1"}), Error);
}

TEST(DisplayWidth, CountsCodePointsNotBytes) {
  EXPECT_EQ(display_width("θ₁ ± σ"), 6);
  EXPECT_EQ(display_width("e\xcc\x81"), 1);
}

TEST(Table, ShowsWhatItsCellsHold) {
  Table table({{"run", false}});
  table.add({"a\x1b[31m\u202eb\xff"});
  EXPECT_NE(table.text().find("a\\x1b[31m\\u202eb\\xff"), std::string::npos) << table.text();
}

}  // namespace
}  // namespace pairs
