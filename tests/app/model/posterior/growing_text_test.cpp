#include "app/posterior/files/growing_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "core/base/text/error.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class GrowingTextTest : public testing::Test {
 protected:
  std::string file() const { return (folder_ / "events.csv").string(); }
  void append(const std::string& text) const { std::ofstream(file(), std::ios::app) << text; }
  // All lines that have come.
  static std::vector<std::string> lines(GrowingText& text) {
    std::vector<std::string> all;
    while (text.read([&](std::string_view line) { all.emplace_back(line); }) == GrowingText::Came::lines) {
    }
    return all;
  }
  static std::string complaint(GrowingText& text) {
    try {
      lines(text);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  TemporaryFolder folder_;
};

TEST_F(GrowingTextTest, HandsOnWholeLinesAsTheyCome) {
  append("x\n1\n2");
  GrowingText text(file(), "events.csv");
  EXPECT_THAT(lines(text), ElementsAre("x", "1"));
  EXPECT_THAT(lines(text), ElementsAre());
  append("5");
  EXPECT_THAT(lines(text), ElementsAre()) << "the line is not whole yet";
  append("\n\n3\n");
  EXPECT_THAT(lines(text), ElementsAre("25", "", "3"));
}

TEST_F(GrowingTextTest, NoticesAFileThatIsCutShort) {
  append("1\n2\n3\n");
  GrowingText text(file(), "events.csv");
  lines(text);
  std::filesystem::resize_file(file(), 2);
  EXPECT_THAT(complaint(text), HasSubstr("events.csv was cut short or written anew"));
}

TEST_F(GrowingTextTest, NoticesAFileThatIsWrittenAnewAndLonger) {
  append("1\n2\n3\n");
  GrowingText text(file(), "events.csv");
  lines(text);
  std::ofstream(file()) << "7\n8\n9\n10\n11\n";
  EXPECT_THAT(complaint(text), HasSubstr("was cut short or written anew"));
}

TEST_F(GrowingTextTest, NoticesAFileThatIsReplacedOrRemovedAfterAllThatItHeld) {
  append("1\n");
  GrowingText text(file(), "events.csv");
  lines(text);
  append("2\n");
  std::ofstream(folder_ / "new.csv") << "1\n2\n";
  std::filesystem::rename(folder_ / "new.csv", file());
  std::vector<std::string> all;
  EXPECT_EQ(text.read([&](std::string_view line) { all.emplace_back(line); }), GrowingText::Came::lines);
  EXPECT_THAT(all, ElementsAre("2"));
  EXPECT_THAT(complaint(text), HasSubstr("was replaced by another file"));
  GrowingText again(file(), "events.csv");
  lines(again);
  std::filesystem::remove(file());
  EXPECT_THAT(complaint(again), HasSubstr("was moved or removed"));
}

TEST_F(GrowingTextTest, RefusesWhatCannotBeRead) {
  EXPECT_THROW(GrowingText(file(), "events.csv"), Error);
  append(std::string(100000, '1'));
  GrowingText text(file(), "events.csv");
  EXPECT_THAT(complaint(text), HasSubstr("a line of more than"));
}

}  // namespace
}  // namespace pairs
