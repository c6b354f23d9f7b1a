#include "core/base/text/error.h"

#include <ATen/Functions.h>
#include <gmock/gmock.h>

#include <cmath>
#include <new>

namespace pairs {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Sentence, OfMemoryThatRanOutSaysHowMuchWasNeededAndWhatToLower) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers end a program that asks for too much";
#endif
  try {
    at::empty({std::int64_t{1} << 60}, torch::kUInt8);
    FAIL() << "an exbibyte was there";
  } catch (const std::exception& error) {
    EXPECT_THAT(sentence(error), AllOf(HasSubstr("not enough memory for 1.0 EiB more at once"),
                                       HasSubstr("fewer samples"), Not(HasSubstr("Allocator"))));
  }
  const std::runtime_error cuda("CUDA out of memory. Tried to allocate 2.50 GiB. GPU 0 has a total capacity of 1 GiB");
  EXPECT_THAT(sentence(cuda), HasSubstr("not enough memory on the GPU for 2.50 GiB more at once"));
  EXPECT_THAT(sentence(std::bad_alloc()), HasSubstr("not enough memory; use smaller batches"));
  EXPECT_THAT(sentence(std::runtime_error("odd\nstack")), ::testing::StrEq("Unexpected failure: odd"));
}

template <class Action>
std::string sentence_of(Action&& action) {
  try {
    action();
  } catch (const std::exception& error) {
    return sentence(error);
  }
  return "";
}

TEST(Sentence, OfTheLibrarysErrorsSaysWhatToDo) {
  EXPECT_THAT(sentence_of([] { at::linalg_cholesky(at::full({2, 2}, -1.0)); }), HasSubstr("with a lower rate"));
  EXPECT_THAT(sentence_of([] { at::empty({2}).add_(at::empty({3})); }), HasSubstr("Unexpected failure: "));
  EXPECT_EQ(sentence_of([] { fail("Plain {}", "words"); }), "Plain words");
}

TEST(Error, KnowsItsPlaceAndTheSettingsThatItNames) {
  try {
    fail_usage(ErrorPlace{"run.toml", 7}, "{} = {} needs {}", "cache.mode"_key, "fixed",
               SettingKey{"finetune.size_distribution"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "run.toml, line 7: cache.mode = fixed needs finetune.size_distribution");
    EXPECT_EQ(error.text(), "cache.mode = fixed needs finetune.size_distribution");
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_EQ(error.place().file, "run.toml");
    EXPECT_EQ(error.place().line, 7);
    EXPECT_TRUE(error.is_about("cache.mode") && error.is_about("finetune.size_distribution"));
    EXPECT_FALSE(error.is_about("cache"));
    const Error outer = prefixed("runs/a", error);
    EXPECT_STREQ(outer.what(), "runs/a: run.toml, line 7: cache.mode = fixed needs finetune.size_distribution");
    EXPECT_TRUE(outer.is_about("cache.mode"));
    EXPECT_EQ(outer.kind(), ErrorKind::usage);
  }
  try {
    PAIRS_CHECK(1 > 2, ErrorPlace{"setting 'x'"}, "{} is less", 1);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "setting 'x': 1 is less");
    EXPECT_EQ(error.place().line, 0);
    EXPECT_EQ(error.kind(), ErrorKind::failed);
  }
}

}  // namespace
}  // namespace pairs
