#include "core/base/system/child_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include <chrono>
#include <thread>

#include "core/base/files/files.h"
#include "core/base/system/presence.h"
#include "core/base/text/error.h"
#include "tests/core/base/message.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs {
namespace {

int wait_for(ChildProcess& child) {
  while (!child.ended()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  return *child.ended();
}

TEST(ChildProcess, TellsHowItEndedAndKeepsWhatItSaid) {
  const TemporaryFolder folder;
  ChildProcess child({"/bin/sh", "-c", "echo out; echo err >&2; exit 3"}, {folder / "out", folder / "err"});
  EXPECT_EQ(wait_for(child), 3);
  EXPECT_EQ(child.ended_by(), 0);
  EXPECT_EQ(read_file(folder / "out"), "out\n");
  EXPECT_EQ(read_file(folder / "err"), "err\n");
  ChildProcess none({(folder / "none").string()}, {folder / "out", folder / "out"});
  EXPECT_EQ(wait_for(none), 127);
  EXPECT_THROW(ChildProcess({"/bin/true"}, {folder / "no" / "out", folder / "err"}), Error);
}

// Opening a pipe that nobody reads waits for ever, whatever signal comes.
TEST(ChildProcess, RefusesAPipeInThePlaceOfItsLog) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "log").c_str(), 0600), 0);
  EXPECT_THAT(message_of([&] {
                ChildProcess({"/bin/true"}, {folder / "out", folder / "log"});
              }),
              ::testing::HasSubstr("it is a folder, a pipe or a device; remove it"));
  EXPECT_THAT(message_of([&] { start_detached({"/bin/true"}, folder / "log"); }), ::testing::HasSubstr("a pipe"));
}

TEST(ChildProcess, IsAskedToStop) {
  const TemporaryFolder folder;
  ChildProcess child({"/bin/sleep", "100"}, {folder / "out", folder / "out"});
  child.stop(SIGTERM);
  EXPECT_EQ(wait_for(child), 128 + SIGTERM);
  EXPECT_EQ(child.ended_by(), SIGTERM);
  pid_t process = 0;
  {
    const ChildProcess left({"/bin/sleep", "100"}, {folder / "out", folder / "out"});
    process = left.process();
    EXPECT_EQ(::kill(process, 0), 0);
  }
  EXPECT_NE(::kill(process, 0), 0) << "it was waited for";
}

TEST(ChildProcess, MayUseSomeCoresAlone) {
  const TemporaryFolder folder;
  cpu_set_t all, one;
  ASSERT_EQ(::sched_getaffinity(0, sizeof all, &all), 0);
  int core = 0;
  while (!CPU_ISSET(core, &all)) ++core;
  CPU_ZERO(&one);
  CPU_SET(core, &one);
  ChildProcess child({"/bin/sh", "-c", "nproc"}, {folder / "out", folder / "err", &one});
  EXPECT_EQ(wait_for(child), 0);
  EXPECT_EQ(read_file(folder / "out"), "1\n");
}

TEST(ChildProcess, DetachedGoesOnByItself) {
  const TemporaryFolder folder;
  start_detached({"/bin/sh", "-c", "echo $$ \"$1\"; sleep 0.1; touch \"$0\"", (folder / "done").string(), "two words"},
                 folder / "log");
  for (int k = 0; k < 1000 && !std::filesystem::exists(folder / "done"); ++k)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_TRUE(std::filesystem::exists(folder / "done"));
  const std::string said = read_file(folder / "log");
  EXPECT_TRUE(said.ends_with(" two words\n")) << said;
  EXPECT_THROW(start_detached({(folder / "none").string()}, folder / "log"), Error);
}

TEST(Presence, LastsAsLongAsItsProcess) {
  const TemporaryFolder folder;
  EXPECT_TRUE(processes_present(folder / "here").empty());
  {
    const Presence here(folder / "here");
    EXPECT_EQ(processes_present(folder / "here"), std::vector<pid_t>{::getpid()});
  }
  EXPECT_TRUE(processes_present(folder / "here").empty());
  // Left behind by one that died, or written by nobody of ours.
  write_file(folder / "here" / "a-1.process", R"({"host": "a", "process": 1, "started": "0", "space": "x"})");
  write_file(folder / "here" / "b-2.process", "not JSON");
  EXPECT_TRUE(processes_present(folder / "here").empty());
}

}  // namespace
}  // namespace pairs
