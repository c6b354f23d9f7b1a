// The queue from the window: put in, ordered, paused, taken out; and a study of a setting's values.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include "app/queue/queue.h"
#include "core/base/files/files.h"
#include "core/train/run/run.h"
#include "tests/app/gui/driver.h"
#include "tests/app/gui/tiny_draft.h"

namespace pairs::gui {
namespace {

using ::testing::HasSubstr;

class QueuePanelTest : public ::testing::Test {
 protected:
  QueuePanelTest() : settings_(settings_in(folder_.path(), "bump-hunt", "train")) {
    // In place of the program: only that it was called is wanted.
    write_file(folder_ / "program", "#!/bin/sh\ntouch \"$(dirname \"$0\")/called\"\n");
    ::chmod((folder_ / "program").c_str(), 0755);
    std::filesystem::create_directories(folder_ / "runs");
  }
  void add(const std::string& name) {
    RunConfig config;
    config.tasks = built_in_tasks();
    config.task = "bump-hunt";
    QueueItem item = item_of(create_run(config, folder_ / "runs" / name));
    item.seconds = {60, 60, 60, 0};
    Queue(folder_ / "runs").add(item);
  }
  static std::vector<std::string> names(Driver& d) {
    std::vector<std::string> all;
    if (const auto shown = d.studio.queue.shown())
      for (const QueueItem& item : shown->view.items) all.push_back(item.name());
    return all;
  }
  using Names = std::vector<std::string>;
  TemporaryFolder folder_;
  model::Settings settings_;
};

TEST_F(QueuePanelTest, ADraftIsPutIn) {
  Driver d(settings_);
  d.studio.queue.program = folder_ / "program";
  make_draft_tiny(d.studio);
  ASSERT_TRUE(d.until([&] { return d.find("train/queue") && d.item("train/queue").enabled; }));
  EXPECT_FALSE(d.find("queue/pause"));
  d.click("train/queue");
  ASSERT_TRUE(d.until([&] { return names(d).size() == 1; }));
  const std::string name = names(d)[0];
  EXPECT_TRUE(d.until([&] { return d.find("queue/" + name + "/state") != nullptr; }));
  EXPECT_TRUE(std::filesystem::exists(d.studio.hub.runs_folder / name / run_file::config));
  EXPECT_EQ(d.item("queue/" + name + "/name").text, d.studio.queue.shown()->view.items[0].title());
  EXPECT_THAT(d.item("queue/" + name + "/name").text, HasSubstr("bump-hunt quick #1 · pairs"));
  EXPECT_TRUE(d.until([&] { return d.studio.training.drafts.shown().name() != name; })) << "the next one has its own";
  EXPECT_TRUE(d.until([&] { return std::filesystem::exists(folder_ / "called"); })) << "a process works on it";
  d.click("queue/pause");
  ASSERT_TRUE(d.until([&] { return d.find("queue/go-on") != nullptr; }));
  EXPECT_TRUE(Queue(folder_ / "runs").read().paused);
  d.click("queue/" + name + "/remove");
  EXPECT_TRUE(d.until([&] { return !d.find("queue/go-on"); }));
  EXPECT_TRUE(std::filesystem::exists(d.studio.hub.runs_folder / name)) << "the run stays";
}

TEST_F(QueuePanelTest, RowsAreOrdered) {
  for (const char* name : {"a", "b", "c"}) add(name);
  Driver d(settings_);
  d.studio.queue.program = folder_ / "program";
  ASSERT_TRUE(d.until([&] { return d.find("queue/c") != nullptr; }));
  d.click("queue/b/up");
  EXPECT_TRUE(d.until([&] { return names(d) == Names{"b", "a", "c"}; }));
  d.frames(2);
  EXPECT_FALSE(d.item("queue/b/up").enabled);
  EXPECT_FALSE(d.item("queue/c/down").enabled);
  d.click("queue/b/down");
  EXPECT_TRUE(d.until([&] { return names(d) == Names{"a", "b", "c"}; }));
  d.frames(2);
  // Dragged from the first place to the last.
  const ImVec2 from = {d.item("queue/a").min.x + 20, d.item("queue/a").middle().y}, to = d.item("queue/c").middle();
  d.move(from);
  d.screen.input.button(0, true);
  d.frames(2);
  for (int k = 1; k <= 4; ++k) d.move({from.x, from.y + (to.y - from.y) * static_cast<float>(k) / 4});
  d.screen.input.button(0, false);
  d.frames(3);
  EXPECT_TRUE(d.until([&] { return names(d) == Names{"b", "c", "a"}; }));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "called")) << "nothing begins by itself";
  d.click("queue/go-on");
  EXPECT_TRUE(d.until([&] { return std::filesystem::exists(folder_ / "called"); }));
}

TEST_F(QueuePanelTest, KeepingOnIsRemembered) {
  add("a");
  model::Settings kept;
  {
    Driver d(settings_);
    ASSERT_TRUE(d.until([&] { return d.find("queue/keep") != nullptr; }));
    EXPECT_FALSE(d.studio.settings.keep_training);
    d.click("queue/keep");
    d.frames(2);
    kept = d.studio.settings;
  }
  EXPECT_TRUE(kept.keep_training);
  const Driver later(kept);
  EXPECT_TRUE(later.studio.queue.keep);
}

TEST_F(QueuePanelTest, NotificationsAreTurnedOffOnTheSettingsPage) {
  Driver d(settings_);
  EXPECT_TRUE(d.studio.hub.notifier->on);
  d.studio.open_settings(model::SettingsSection::looks);
  d.frames(3);
  d.click("settings/notifications");
  d.frames(2);
  EXPECT_FALSE(d.studio.settings.notifications);
  EXPECT_FALSE(d.studio.hub.notifier->on);
}

TEST_F(QueuePanelTest, WhatFailedSaysWhy) {
  add("a");
  const Queue queue(folder_ / "runs");
  queue.fail(queue.read().items[0].id, "No room");
  Driver d(settings_);
  d.studio.queue.program = folder_ / "program";
  ASSERT_TRUE(d.until([&] { return d.find("queue/a/retry") != nullptr; }));
  EXPECT_THAT(d.item("queue/a/state").text, HasSubstr("No room"));
  EXPECT_FALSE(d.item("queue/go-on").enabled);
  d.click("queue/a/retry");
  EXPECT_TRUE(d.until([&] { return std::filesystem::exists(folder_ / "called"); }));
}

TEST_F(QueuePanelTest, ClosingOverATrainingHandsItOver) {
  add("a");
  Driver d(settings_);
  d.studio.queue.program = folder_ / "program";
  make_draft_tiny(d.studio);
  d.studio.training.drafts.shown().set("pretrain.epochs", "2000");
  ASSERT_TRUE(d.until([&] { return d.find("train/start") && d.item("train/start").enabled; }));
  d.click("train/start");
  ASSERT_TRUE(d.until([&] { return d.studio.training.card(0).done > 0; }));
  d.shell.ask_to_close();
  d.frames(3);
  d.click("close/keep");
  EXPECT_EQ(d.item("close/confirm").text, "Save and keep training");
  d.click("close/confirm");
  ASSERT_TRUE(d.until([&] { return d.shell.wants_quit(); }));
  const QueueView view = Queue(folder_ / "runs").read();
  ASSERT_EQ(view.items.size(), 2u);
  EXPECT_EQ(view.items[0].folder, d.studio.training.session.folder());
  EXPECT_EQ(view.items[1].name(), "a");
  EXPECT_TRUE(std::filesystem::exists(view.items[0].folder / run_file::resume));
  EXPECT_EQ(view.items[0].seconds.size(), 4u) << "how long it takes is known";
  EXPECT_TRUE(d.until([&] { return std::filesystem::exists(folder_ / "called"); }));
}

TEST_F(QueuePanelTest, ARunThatTheQueueTrainsLeadsToIt) {
  add("a");
  const std::filesystem::path folder = folder_ / "runs" / "a";
  const Queue queue(folder_ / "runs");
  const FolderLock works(queue.folder()), trains(folder);
  queue.report_work(queue.read().items[0].id, false);
  Driver d(settings_);
  d.studio.open_run(folder.string());
  d.studio.set_tab(model::Tab::train);
  ASSERT_TRUE(d.until([&] { return d.find("train/show-queue") != nullptr; }));
  d.click("train/show-queue");
  EXPECT_TRUE(d.until([&] { return d.find("queue/a/state") != nullptr; }));
}

TEST_F(QueuePanelTest, AStudyIsPutInWithItsTime) {
  Driver d(settings_);
  d.studio.queue.program = folder_ / "program";
  make_draft_tiny(d.studio);
  ASSERT_TRUE(d.until([&] { return d.find("train/study") && d.item("train/study").enabled; }));
  d.click("train/study");
  ASSERT_TRUE(d.find("study/expected"));
  EXPECT_THAT(d.item("study/expected").text, HasSubstr("Measuring"));
  ASSERT_TRUE(d.until([&] { return d.item("study/expected").text.starts_with("Expected: "); }, 120));
  d.type("study/name", "sizes");
  d.click("study/queue");
  EXPECT_FALSE(d.find("study/start"));
  ASSERT_TRUE(d.until([&] { return names(d) == Names{"sizes"}; }));
  EXPECT_EQ(d.studio.queue.shown()->view.items[0].kind, QueueKind::study);
  EXPECT_GT(d.studio.queue.shown()->left.seconds, 0);
}

TEST_F(QueuePanelTest, SeveralValuesInAFieldOfferAStudyOfThem) {
  Driver d(settings_);
  make_draft_tiny(d.studio);
  d.frames(3);
  d.type("train/set/embedder.size", "4, 16, 64");
  ASSERT_TRUE(d.until([&] { return d.find("train/sweep/embedder.size") != nullptr; }));
  EXPECT_FALSE(d.item("train/start").enabled);
  EXPECT_TRUE(d.item("train/study").enabled);
  EXPECT_THAT(d.item("train/several/embedder.size").text, HasSubstr("one run per value"));
  d.click("train/sweep/embedder.size");
  ASSERT_TRUE(d.until([&] { return d.find("study/start") != nullptr; }));
  EXPECT_EQ(d.item("study/values").text, "4, 16, 64");
  EXPECT_TRUE(d.item("study/start").enabled);
  EXPECT_EQ(d.item("study/seeds").text, "1") << "with the draft's seed alone";
  // What was typed is not lost where the dialog is left.
  d.click("study/cancel");
  EXPECT_EQ(d.studio.training.drafts.shown().setting("embedder.size").value, "4, 16, 64");
  d.studio.training.drafts.shown().set("finetune.rate", "0.001, 0.002");
  d.frames(2);
  d.studio.queue.program = d.studio.studies.program = folder_ / "program";
  d.click("train/study");
  ASSERT_TRUE(d.until([&] { return d.find("study/values/2") != nullptr; })) << "both fields are taken over";
  d.click("study/start");
  EXPECT_EQ(d.studio.training.drafts.shown().setting("embedder.size").error, "") << "the field has its value again";
  EXPECT_EQ(d.studio.training.drafts.shown().setting("finetune.rate").error, "");
}

}  // namespace
}  // namespace pairs::gui
