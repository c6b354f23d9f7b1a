#include "core/base/files/line_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs {
namespace {

std::vector<std::string> lines_of(LineReader& reader) {
  std::vector<std::string> lines;
  std::string_view line;
  while (reader.next(line)) {
    lines.emplace_back(line);
    EXPECT_EQ(reader.number(), static_cast<std::int64_t>(lines.size()));
  }
  return lines;
}

std::vector<std::string> lines_of_text(const std::string& text) {
  const TemporaryFolder folder;
  write_file(folder / "a.txt", text);
  LineReader reader(folder / "a.txt");
  return lines_of(reader);
}

TEST(LineReader, HandsOutEveryLineOnce) {
  using Lines = std::vector<std::string>;
  EXPECT_EQ(lines_of_text(""), Lines());
  EXPECT_EQ(lines_of_text("a"), Lines({"a"}));
  EXPECT_EQ(lines_of_text("a\n"), Lines({"a"}));
  EXPECT_EQ(lines_of_text("\n\na\n\nb"), Lines({"", "", "a", "", "b"}));
  EXPECT_EQ(lines_of_text("a\r\nb\r\n"), Lines({"a\r", "b\r"}));
  EXPECT_EQ(lines_of_text("a\rb\r"), Lines({"a", "b"}));
}

// Lines of 0 to 700,000 bytes, so that chunks of the reader end in all places.
TEST(LineReader, PutsLinesTogetherThatAreReadInPieces) {
  const TemporaryFolder folder;
  std::vector<std::string> lines;
  std::string text;
  std::uint32_t state = 1;
  while (text.size() < (5u << 20)) {
    state = state * 1664525 + 1013904223;
    const std::size_t length = (state >> 8) % (state % 7 == 0 ? 700000 : 400);
    lines.push_back(std::string(length, static_cast<char>('a' + state % 26)));
    text += lines.back() + "\n";
  }
  write_file(folder / "a.txt", text);
  LineReader reader(folder / "a.txt");
  EXPECT_EQ(lines_of(reader), lines);
  reader.rewind();
  EXPECT_EQ(lines_of(reader), lines);
}

TEST(LineReader, RefusesWhatIsNoText) {
  const TemporaryFolder folder;
  EXPECT_THROW(LineReader(folder / "absent.txt"), Error);
  write_file(folder / "wide.txt", std::string("\xff\xfe"
                                              "a\0b\0",
                                              6));
  EXPECT_THROW(LineReader(folder / "wide.txt"), Error);
  write_file(folder / "long.txt", std::string(66 << 20, 'x'));
  LineReader reader(folder / "long.txt");
  std::string_view line;
  EXPECT_THROW(reader.next(line), Error);
}

}  // namespace
}  // namespace pairs
