// A study from the window: configured, started, displayed, stopped and resumed without a file written by hand.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include "app/studies/study_runs.h"
#include "app/studies/study_worker.h"
#include "core/base/files/files.h"
#include "core/base/system/presence.h"
#include "tasks/registry.h"
#include "tests/app/gui/driver.h"
#include "tests/app/gui/tiny_draft.h"

namespace pairs::gui {
namespace {

using ::testing::HasSubstr;

class StudyDialogTest : public ::testing::Test {
 protected:
  StudyDialogTest() {
    // In place of the program: only that it was called is wanted.
    write_file(folder_ / "program", "#!/bin/sh\ntouch \"$(dirname \"$0\")/called\"\n");
    ::chmod((folder_ / "program").c_str(), 0755);
  }
  // Replaces the program by one that starts slowly.
  void slow_program() {
    write_file(folder_ / "program", "#!/bin/sh\ntouch \"$(dirname \"$0\")/called\"\nsleep 5\n");
    ::chmod((folder_ / "program").c_str(), 0755);
  }
  void open(Driver& d) {
    d.studio.studies.program = folder_ / "program";
    d.click("tab/train");
    make_draft_tiny(d.studio);
    ASSERT_TRUE(d.until([&] { return d.find("train/study") && d.item("train/study").enabled; }));
    d.click("train/study");
    ASSERT_TRUE(d.find("study/start"));
  }
  TemporaryFolder folder_;
};

TEST_F(StudyDialogTest, AStudyIsChosenAndStarted) {
  slow_program();
  Driver d(settings_in(folder_.path(), "bump-hunt", "train"));
  open(d);
  d.click("study/strategy/n1-10");
  d.type("study/seeds", "2");
  d.type("study/name", "sizes");
  EXPECT_TRUE(d.item("study/start").enabled);
  d.click("study/start");
  EXPECT_FALSE(d.find("study/start"));
  ASSERT_TRUE(d.until([&] { return d.find("study/sizes/starting") != nullptr; })) << "that it starts is seen at once";
  ASSERT_TRUE(d.until([&] { return std::filesystem::exists(folder_ / "called"); }));
  const std::filesystem::path study = d.studio.hub.runs_folder / "sizes";
  const std::vector<StudyRun> runs = study_runs(built_in_tasks(), read_study(study / "sizes.toml"), {});
  EXPECT_EQ(runs.size(), 6u);  // pairs, n1, n1-10, two seeds each
  EXPECT_EQ(runs.front().config.pretrain.steps, 40);
  // It stands there, to be gone on with.
  ASSERT_TRUE(d.until([&] { return d.find("study/sizes/go-on") != nullptr; }));
  std::filesystem::remove(folder_ / "called");
  d.click("study/sizes/go-on");
  EXPECT_TRUE(d.until([&] { return std::filesystem::exists(folder_ / "called"); }));
  // While a process works on it, it can be stopped.
  const Presence here(workers_folder(study));
  d.studio.studies.look();
  EXPECT_TRUE(d.until([&] { return d.find("study/sizes/stop") != nullptr; }));
}

TEST_F(StudyDialogTest, WhatIsWrongIsSaidAndNothingStarts) {
  Driver d(settings_in(folder_.path(), "bump-hunt", "train"));
  open(d);
  const ImVec2 start = d.item("study/start").min;
  d.type("study/name", "Not a name");
  ASSERT_TRUE(d.find("study/problem"));
  d.frames(2);
  EXPECT_EQ(d.item("study/start").min.y, start.y) << "nothing moves where something is wrong";
  EXPECT_FALSE(d.item("study/start").enabled);
  d.type("study/name", "name");
  EXPECT_TRUE(d.item("study/start").enabled);
  d.type("study/seeds", "many");
  EXPECT_FALSE(d.item("study/start").enabled);
  d.click("study/cancel");
  EXPECT_FALSE(d.find("study/start"));
  EXPECT_FALSE(std::filesystem::exists(d.studio.hub.runs_folder / "name"));
}

}  // namespace
}  // namespace pairs::gui
