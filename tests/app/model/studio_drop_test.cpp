// What is dropped on the window is looked at and opened on another thread.
#include <gmock/gmock.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "app/model/posterior/work/set_table.h"
#include "app/model/studio.h"
#include "core/base/files/files.h"
#include "core/base/threads/clock.h"
#include "tasks/registry.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs::model {
namespace {

namespace fs = std::filesystem;

bool wait_until(Studio& studio, const std::function<bool()>& done) {
  for (const Stopwatch watch; watch.seconds() < 90;) {
    studio.poll();
    if (done()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

// tests/scripts/slow_drop.sh names a folder whose files it watches: $SLOW_FOLDER. It holds events.csv and, in sets, two
// files of sets.
TEST(StudioDrop, OpensASetAndManySetsOnAnotherThread) {
  TemporaryFolder scratch;
  const char* const slow = std::getenv("SLOW_FOLDER");
  const fs::path folder = slow ? fs::path(slow) : scratch.path();
  if (!slow) {
    write_file(folder / "events.csv", "x\n0.1\n0.2\n5.5\n1.25\n");
    fs::create_directories(folder / "sets");
    for (const char* name : {"a.csv", "b.csv"}) write_file(folder / "sets" / name, "x\n0.1\n0.2\n5.5\n");
  }
  Settings settings;
  settings.task = "bump-hunt";
  settings.runs_folder = scratch.path().string();
  settings.device = "cpu";
  settings.threads = 1;
  Studio studio(built_in_tasks(), settings);
  ASSERT_TRUE(wait_until(studio, [&] { return studio.posterior.shown() && !studio.busy(); }));
  studio.look_and_open(folder / "events.csv");
  EXPECT_TRUE(studio.busy());
  ASSERT_TRUE(wait_until(studio, [&] { return !studio.busy(); }));
  EXPECT_EQ(studio.posterior.set.failure(), "");
  EXPECT_EQ(studio.posterior.scene()->set_source, (folder / "events.csv").string());
  EXPECT_EQ(studio.posterior.shown()->n, 4);
  // Two paths at once are opened in their order.
  studio.look_and_open(folder / "events.csv");
  studio.look_and_open(folder / "sets");
  ASSERT_TRUE(wait_until(studio, [&] { return !studio.busy() && studio.posterior.sets.table().is_open(); }));
  ASSERT_TRUE(wait_until(studio, [&] { return !studio.busy(); }));
  EXPECT_EQ(studio.posterior.sets.table().rows(), 2u);
  EXPECT_EQ(studio.posterior.scene()->choice.member, "a.csv");
}

TEST(StudioDrop, WhatCannotBeOpenedIsReported) {
  TemporaryFolder scratch;
  write_file(scratch / "notes.md", "nothing");
  Settings settings;
  settings.runs_folder = scratch.path().string();
  Studio studio(built_in_tasks(), settings);
  studio.look_and_open(scratch / "notes.md");
  ASSERT_TRUE(wait_until(studio, [&] { return studio.settings.log_open; }));
  EXPECT_THAT(studio.hub.messages.all().back().text, testing::HasSubstr("cannot be opened here"));
}

}  // namespace
}  // namespace pairs::model
