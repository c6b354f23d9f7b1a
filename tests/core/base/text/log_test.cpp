#include "core/base/text/log.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <string>

#include "tests/core/base/message.h"

namespace pairs {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// What the default logger sends to stderr and stdout at this level.
std::pair<std::string, std::string> output(const char* level) {
  if (level)
    ::setenv("PAIRS_LOG", level, 1);
  else
    ::unsetenv("PAIRS_LOG");
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  init_log();
  spdlog::debug("one {}", 1);
  spdlog::info("two");
  spdlog::warn("three");
  spdlog::error("four");
  return {testing::internal::GetCapturedStderr(), testing::internal::GetCapturedStdout()};
}

TEST(Log, LevelsGoToStderrAlone) {
  EXPECT_THAT(output("debug").first, HasSubstr("debug one 1"));
  EXPECT_THAT(output(nullptr).first, testing::AllOf(HasSubstr("info two"), Not(HasSubstr("one 1"))));
  EXPECT_THAT(output("warn").first, testing::AllOf(HasSubstr("warning three"), Not(HasSubstr("two"))));
  EXPECT_THAT(output("error").first, testing::AllOf(HasSubstr("error four"), Not(HasSubstr("three"))));
  EXPECT_EQ(output("debug").second, "");
}

TEST(Log, AnUnknownLevelIsAUsageError) {
  ::setenv("PAIRS_LOG", "loud", 1);
  ErrorKind kind = ErrorKind::failed;
  EXPECT_THAT(message_of([] { init_log(); }, &kind), HasSubstr("PAIRS_LOG is 'loud'"));
  EXPECT_EQ(kind, ErrorKind::usage);
  ::unsetenv("PAIRS_LOG");
}

}  // namespace
}  // namespace pairs
