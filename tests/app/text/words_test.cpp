#include "app/text/words.h"

#include <gtest/gtest.h>

namespace pairs {
namespace {

TEST(Words, CapitalsOfLatinLettersDoNotCount) {
  EXPECT_EQ(small_letters("NLL Größe Ä"), "nll größe Ä");
  EXPECT_TRUE(same_word("Paper", "pAPER"));
  EXPECT_FALSE(same_word("paper", "papers"));
  EXPECT_TRUE(holds_words("First run of the PAPER", "the pap"));
  EXPECT_TRUE(holds_words("any", ""));
  EXPECT_FALSE(holds_words("paper", "papers"));
}

}  // namespace
}  // namespace pairs
