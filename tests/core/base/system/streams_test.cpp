#include "core/base/system/streams.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "core/base/files/files.h"
#include "core/base/threads/stop.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs {
namespace {

// How `action` ends in a process of its own: its exit code, or 1000 + the signal that killed it.
template <class Action>
int ending_of(Action&& action) {
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(20);
    action();
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

TEST(StandardStreams, ClosedOnesAreNotTheNextFile) {
  const TemporaryFolder folder;
  const std::string name = (folder / "x").string();
  EXPECT_EQ(ending_of([&] {
              ::close(STDIN_FILENO);
              ::close(STDOUT_FILENO);
              ::close(STDERR_FILENO);
              open_standard_streams();
              const int file = ::open(name.c_str(), O_RDWR | O_CREAT, 0600);
              print("a message\n");
              if (file <= STDERR_FILENO || ::lseek(file, 0, SEEK_END) != 0) ::_exit(1);
              if (answer("results\n")) ::_exit(2);
            }),
            0);
  EXPECT_EQ(read_file(name), "");
}

TEST(StandardStreams, ControlCharactersAreShown) {
  const TemporaryFolder folder;
  const std::string name = (folder / "x").string();
  EXPECT_EQ(ending_of([&] {
              const int file = ::open(name.c_str(), O_RDWR | O_CREAT, 0600);
              ::dup2(file, STDERR_FILENO);
              ::dup2(file, STDOUT_FILENO);
              print(std::string(kClearLine) +
                    "run \x1b[2J\r a\xc2\x9b"
                    "b\tc\xc3\xa9\n");
              if (!answer("\x1b]0;title\x07\n")) ::_exit(1);
              answer_at_once("ended\n");
            }),
            0);
  EXPECT_EQ(read_file(name), std::string(kClearLine) +
                                 "run \\x1b[2J\\x0d a\\xc2\\x9b"
                                 "b\tc\xc3\xa9\n\\x1b]0;title\\x07\nended\n");
}

// A process that ends by a signal waits for nobody.
TEST(StandardStreams, AFullPipeLosesWhatIsAnsweredAtOnce) {
  EXPECT_EQ(ending_of([&] {
              int ends[2];
              if (::pipe(ends) != 0) ::_exit(1);
              ::fcntl(ends[1], F_SETFL, O_NONBLOCK);
              while (::write(ends[1], "x", 1) == 1) {
              }
              ::fcntl(ends[1], F_SETFL, 0);
              ::dup2(ends[1], STDOUT_FILENO);
              ::alarm(5);
              answer_at_once("lost\n");
              ::_exit(7);
            }),
            7);
}

TEST(StandardStreams, OpenOnesStayAsTheyAre) {
  const TemporaryFolder folder;
  const std::string name = (folder / "x").string();
  EXPECT_EQ(ending_of([&] {
              ::dup2(::open(name.c_str(), O_RDWR | O_CREAT, 0600), STDERR_FILENO);
              open_standard_streams();
              print("one ");
              print(std::string(100000, 'x'));
            }),
            0);
  EXPECT_EQ(read_file(name), "one " + std::string(100000, 'x'));
}

TEST(StandardStreams, AMessageThatNobodyCanHaveIsLost) {
  EXPECT_EQ(ending_of([] {
              ::dup2(::open("/dev/full", O_WRONLY), STDERR_FILENO);
              print("lost\n");
            }),
            0);
  EXPECT_EQ(ending_of([] {
              ::signal(SIGPIPE, SIG_IGN);
              int ends[2];
              if (::pipe(ends) != 0) ::_exit(1);
              ::dup2(ends[1], STDERR_FILENO);
              ::close(ends[0]);
              print("lost\n");
            }),
            0);
}

TEST(StandardStreams, ResultsThatCannotBeWrittenAreToldSo) {
  EXPECT_EQ(ending_of([] {
              ::dup2(::open("/dev/full", O_WRONLY), STDOUT_FILENO);
              ::_exit(answer("results\n") ? 1 : 5);
            }),
            5);
  EXPECT_EQ(ending_of([] {
              ::dup2(::open("/dev/null", O_WRONLY), STDOUT_FILENO);
              ::_exit(answer("results\n") ? 5 : 1);
            }),
            5);
}

TEST(StandardStreams, AReaderWhoSleepsIsWaitedForUntilASignal) {
  EXPECT_EQ(ending_of([] {
              install_signal_handlers();
              int ends[2];
              if (::pipe(ends) != 0) ::_exit(1);
              ::dup2(ends[1], STDERR_FILENO);
              const pid_t sender = ::fork();
              if (sender == 0) {
                ::usleep(300000);
                ::kill(::getppid(), SIGTERM);
                ::_exit(0);
              }
              print(std::string(1 << 20, 'x'));  // more than any pipe holds
              ::_exit(last_signal());
            }),
            SIGTERM);
}

}  // namespace
}  // namespace pairs
