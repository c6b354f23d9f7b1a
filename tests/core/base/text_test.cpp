#include "core/base/text.h"

#include <gtest/gtest.h>

namespace pairs {
namespace {

TEST(Printable, EscapesControlAndForeignBytes) {
  EXPECT_EQ(printable("plain"), "plain");
  EXPECT_EQ(printable("caf\xc3\xa9 \xf0\x9f\x98\x80"), "caf\xc3\xa9 \xf0\x9f\x98\x80");
  EXPECT_EQ(printable(std::string("a\0\n\x1b[31m\x7f", 9)), "a\\x00\\x0a\\x1b[31m\\x7f");
  // Lone continuation, overlong, surrogate, beyond U+10FFFF, cut short.
  EXPECT_EQ(printable("\x80"), "\\x80");
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");
  EXPECT_EQ(printable("\xe0\x80\xaf"), "\\xe0\\x80\\xaf");
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
  EXPECT_EQ(printable("\xe2\x82"), "\\xe2\\x82");
}

TEST(Printable, CutsLongTexts) {
  EXPECT_EQ(printable("abcdef", 3), "abc...");
  EXPECT_EQ(printable("abc", 3), "abc");
}

TEST(ByteText, PicksTheUnit) {
  EXPECT_EQ(byte_text(0), "0 bytes");
  EXPECT_EQ(byte_text(1), "1 byte");
  EXPECT_EQ(byte_text(1023), "1023 bytes");
  EXPECT_EQ(byte_text(1536), "1.5 KiB");
  EXPECT_EQ(byte_text(3ull << 30), "3.0 GiB");
  EXPECT_EQ(byte_text(~0ull), "16.0 EiB");
}

TEST(ShellWord, IsTakenForTheTextByAShell) {
  EXPECT_EQ(shell_word("runs/a-1"), "runs/a-1");
  EXPECT_EQ(shell_word("two words"), "'two words'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word("a\x1b[31m'\\\n"), "$'a\\033[31m\\'\\\\\\012'") << "a terminal must only print it";
}

}  // namespace
}  // namespace pairs
