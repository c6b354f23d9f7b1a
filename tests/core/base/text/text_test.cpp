#include "core/base/text/text.h"

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

// A terminal, a table or a page shows other words than are there where a text turns its direction or hides in no width.
TEST(Printable, EscapesWhatDoesNotShow) {
  EXPECT_EQ(printable("rm \u202ehs.etalumis\u202c"), "rm \\u202ehs.etalumis\\u202c");
  EXPECT_EQ(printable("a\u200bb\u200fc\u2066d\u2069\ufeff"), "a\\u200bb\\u200fc\\u2066d\\u2069\\ufeff");
  EXPECT_EQ(printable("\u009b31m"), "\\u009b31m") << "a terminal takes it for ESC [";
  EXPECT_EQ(printable("\U000e0041"), "\\U000e0041");
  EXPECT_EQ(printable("\u2010\u2030\u2065\u2070"), "\u2010\u2030\\u2065\u2070") << "their neighbors are text";
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
  EXPECT_EQ(shell_word("a\u202eb"), "$'a\\342\\200\\256b'");
  EXPECT_EQ(shell_word("caf\xe9 \u00e9"), "$'caf\\351 \u00e9'") << "what is no text can be given again";
  EXPECT_EQ(shell_word("a\x1b[31m'\\\n"), "$'a\\033[31m\\'\\\\\\012'") << "a terminal must only print it";
}

}  // namespace
}  // namespace pairs
