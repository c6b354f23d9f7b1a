#include "core/base/threads/wait_policy.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "core/base/files/files.h"

namespace pairs {
namespace {

// What the process began with.
std::string beginning(const char* variable) {
  const std::string all = '\0' + read_file("/proc/self/environ"), name = '\0' + std::string(variable) + '=';
  const auto at = all.find(name);
  return at == std::string::npos ? "unset" : all.c_str() + at + 1;
}

TEST(WaitPolicy, DISABLED_Tells) {
  fmt::print("told {} {}\n", beginning("GOMP_SPINCOUNT"), beginning("OMP_WAIT_POLICY"));
}

// The output of this program, started anew with `environment`.
std::string reported(const std::string& environment) {
  const std::string command = fmt::format(
      "exec env -u GOMP_SPINCOUNT -u OMP_WAIT_POLICY {} {}/base_tests --gtest_also_run_disabled_tests "
      "--gtest_filter=WaitPolicy.DISABLED_Tells",
      environment, program_folder().string());
  std::string out;
  FILE* pipe = ::popen(command.c_str(), "r");
  char line[1000];
  while (std::fgets(line, sizeof line, pipe) != nullptr) out += line;
  EXPECT_EQ(::pclose(pipe), 0) << out;
  return out;
}

TEST(WaitPolicy, EveryProgramStartsWithABoundUnlessToldOtherwise) {
  EXPECT_THAT(reported(""), ::testing::HasSubstr(fmt::format("told {} unset\n", kSpinCount)));
  EXPECT_THAT(reported("GOMP_SPINCOUNT=7"), ::testing::HasSubstr("told GOMP_SPINCOUNT=7 unset\n"));
  EXPECT_THAT(reported("OMP_WAIT_POLICY=active"), ::testing::HasSubstr("told unset OMP_WAIT_POLICY=active\n"));
}

}  // namespace
}  // namespace pairs
