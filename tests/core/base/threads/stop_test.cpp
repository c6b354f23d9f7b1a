#include "core/base/threads/stop.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <thread>

namespace pairs {
namespace {

void wait_for_stop() {
  for (int i = 0; i < 1000 && !signal_stop_token().stop_requested(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
}

// Each case runs in a process of its own.
class StopDeathTest : public testing::Test {
 protected:
  StopDeathTest() { testing::FLAGS_gtest_death_test_style = "threadsafe"; }
};

void stop_once(int signal) {
  install_signal_handlers();
  if (signal_stop_token().stop_requested() || last_signal() != 0) std::_Exit(90);
  std::atomic<bool> called{false};
  const std::stop_callback callback(signal_stop_token(), [&] { called = true; });
  ::raise(signal);
  wait_for_stop();
  for (int i = 0; i < 1000 && !called; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  std::_Exit(called && signal_stop_token().stop_requested() ? last_signal() : 91);
}

TEST_F(StopDeathTest, TheFirstSignalRequestsAStop) {
  EXPECT_EXIT(stop_once(SIGINT), testing::ExitedWithCode(SIGINT), "");
  EXPECT_EXIT(stop_once(SIGTERM), testing::ExitedWithCode(SIGTERM), "");
}

TEST_F(StopDeathTest, TheSecondSignalEndsTheProcess) {
  EXPECT_EXIT(
      {
        install_signal_handlers();
        install_signal_handlers();
        ::raise(SIGINT);
        wait_for_stop();
        ::raise(SIGTERM);
        std::_Exit(0);
      },
      testing::ExitedWithCode(128 + SIGTERM), "");
}

TEST_F(StopDeathTest, AClosedPipeIsAnError) {
  EXPECT_EXIT(
      {
        install_signal_handlers();
        int ends[2];
        if (::pipe(ends) != 0) std::_Exit(90);
        ::close(ends[0]);
        std::_Exit(::write(ends[1], "x", 1) < 0 && errno == EPIPE ? 5 : 91);
      },
      testing::ExitedWithCode(5), "");
}

}  // namespace
}  // namespace pairs
