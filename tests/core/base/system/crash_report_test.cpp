#include "core/base/system/crash_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <thread>

#include "core/base/files/files.h"
#include "core/version.h"
#include "tests/core/base/temporary_folder.h"

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

namespace pairs {
namespace {

using testing::HasSubstr;
using testing::Not;

class CrashReport : public testing::Test {
 protected:
  // The signal of which a process of its own died that did this with a report asked for; 0: of none.
  int died_of(const std::function<void()>& how) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::setenv("XDG_STATE_HOME", (folder_ / "state").c_str(), 1);
      const char* const words[] = {"pairs", "--batch", "run", "a task"};
      report_crashes(4, words, kVersion);
      how();
      ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  }
  std::string report() { return read_file(folder_ / kCrashFile); }
  TemporaryFolder folder_;
};

int fall(int depth) {
  if (depth < 0) return 0;
  volatile char room[4096] = {};
  room[0] = static_cast<char>(depth);
  return fall(depth + 1) + room[0];
}

TEST_F(CrashReport, TellsWhatWasAskedAndToldLastBesideTheRun) {
  EXPECT_EQ(crash_text(folder_.path()), "");
  EXPECT_EQ(died_of([&] {
              const CrashPlace place(folder_.path());
              for (int i = 0; i < 30; ++i) note_for_crash("event " + std::to_string(i));
              ::raise(SIGSEGV);
            }),
            SIGSEGV);
  const std::string text = report();
  EXPECT_THAT(text, testing::StartsWith(std::string("Died of SIGSEGV\npairs ") + kVersion + "\n"));
  EXPECT_THAT(text, HasSubstr("\n  pairs --batch run 'a task'\n"));
  EXPECT_THAT(text, Not(HasSubstr("event 9\n")));
  EXPECT_THAT(text, HasSubstr("  event 10\n"));
  EXPECT_THAT(text, HasSubstr("  event 29\n\nStack:\n"));
  EXPECT_THAT(text.substr(text.find("Stack:")), HasSubstr("base_tests"));
  EXPECT_THAT(crash_text(folder_.path()), HasSubstr("died of SIGSEGV"));
  file_crash(folder_.path());
  EXPECT_EQ(crash_text(folder_.path()), "") << "told once";
  EXPECT_EQ(read_file(folder_ / "crash-before.txt"), text);
}

TEST_F(CrashReport, TellsOfExceptionsThatNobodyCatchesAndOfStacksThatOverflow) {
  EXPECT_EQ(died_of([&] {
              const CrashPlace place(folder_.path());
              std::thread([] { throw std::runtime_error("x"); }).join();
            }),
            SIGABRT);
  EXPECT_THAT(report(), testing::StartsWith("Died of SIGABRT\n"));
  EXPECT_EQ(died_of([&] {
              const CrashPlace place(folder_.path());
              std::_Exit(fall(0));
            }),
            SIGSEGV);
  EXPECT_THAT(report(), testing::StartsWith("Died of SIGSEGV\n"));
}

TEST_F(CrashReport, GoesIntoTheFolderOfThePersonWhereNoRunIsAtWork) {
  EXPECT_EQ(died_of([&] {
              { const CrashPlace place(folder_.path()); }
              ::raise(SIGFPE);
            }),
            SIGFPE);
  EXPECT_FALSE(std::filesystem::exists(folder_ / kCrashFile));
  EXPECT_THAT(read_file(folder_ / "state/pairs-studio" / kCrashFile), testing::StartsWith("Died of SIGFPE\n"));
  // The latest place counts, and where nothing can be written there, the person's.
  EXPECT_EQ(died_of([&] {
              const CrashPlace place(folder_.path()), gone(folder_ / "gone");
              ::raise(SIGILL);
            }),
            SIGILL);
  EXPECT_THAT(read_file(folder_ / "state/pairs-studio" / kCrashFile), testing::StartsWith("Died of SIGILL\n"));
}

TEST_F(CrashReport, IsNotWrittenByAProgramThatEnds) {
  EXPECT_EQ(died_of([&] { const CrashPlace place(folder_.path()); }), 0);
  EXPECT_EQ(crash_text(folder_.path()), "");
  write_file(folder_ / kCrashFile, "notes of a person's own\n");
  EXPECT_EQ(crash_text(folder_.path()), "");
}

}  // namespace
}  // namespace pairs

#endif
