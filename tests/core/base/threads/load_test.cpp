#include "core/base/threads/load.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <ctime>
#include <vector>

#include "core/base/threads/clock.h"

namespace pairs {
namespace {

void spin(double seconds) {
  const Stopwatch watch;
  while (watch.seconds() < seconds) {
  }
}

TEST(Load, OurOwnWorkIsNotOthers) {
  const LoadMeter meter;
  const Stopwatch watch;
  EXPECT_GE(meter.cores(), 1);
  const std::clock_t begin = std::clock();
  spin(0.5);
  const double own = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC / watch.seconds();
  EXPECT_LE(meter.others(), meter.cores() - own + 0.1);
}

TEST(Load, AnotherProcessIs) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    spin(30);
    ::_exit(0);
  }
  const LoadMeter meter;
  ::usleep(1000000);
  const double others = meter.others();
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  if (others == 0) GTEST_SKIP() << "this system does not tell how busy it is";
  EXPECT_GT(others, 0.3);
}

TEST(Load, CountsThreadsOfOthersThatRunOrWait) {
  const auto counted = [] {
    double sum = 0;
    for (int k = 0; k < 40; ++k) {
      sum += LoadMeter::runnable_others() / 40;
      ::usleep(10000);
    }
    return sum;
  };
  const double before = counted();
  if (std::isinf(before)) GTEST_SKIP() << "this system does not tell what runs";
  constexpr int kChildren = 8;
  std::vector<pid_t> children;
  for (int k = 0; k < kChildren; ++k) {
    children.push_back(::fork());
    ASSERT_GE(children.back(), 0);
    if (children.back() == 0) {
      spin(30);
      ::_exit(0);
    }
  }
  const double extra = counted();
  for (const pid_t child : children) {
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
  }
  EXPECT_GT(extra, 0.7 * kChildren) << "before: " << before;
}

TEST(Load, ASentenceWhereTheMachineIsBusy) {
  EXPECT_EQ(busy_sentence(0, 2, 2), "");
  EXPECT_EQ(busy_sentence(40, 64, 2), "") << "there are cores enough";
  EXPECT_THAT(busy_sentence(1.8, 2, 2), testing::HasSubstr("1.8 of 2 cores"));
  EXPECT_THAT(busy_sentence(1.8, 2, 2), testing::HasSubstr("up to 1.9 times as long"));
  EXPECT_THAT(busy_sentence(1.8, 2, 1), testing::HasSubstr("busy"));
}

}  // namespace
}  // namespace pairs
