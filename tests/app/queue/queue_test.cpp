#include "app/queue/queue.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <ctime>
#include <fstream>

#include "app/queue/queue_end.h"
#include "app/queue/queue_progress.h"
#include "app/runs/run_about.h"
#include "core/base/system/presence.h"
#include "core/base/system/process_identity.h"
#include "core/base/text/error.h"
#include "core/train/events/events.h"
#include "tests/app/queue/queued_folders.h"

namespace pairs {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

class QueueTest : public QueuedFolders {};

TEST_F(QueueTest, KeepsItemsInOrder) {
  EXPECT_THAT(names(), IsEmpty());
  EXPECT_FALSE(std::filesystem::exists(queue_.folder())) << "a look makes nothing";
  add(run("a"));
  const std::string b = add(run("b"));
  add(study("c"));
  EXPECT_THAT(names(), ElementsAre("a", "b", "c"));
  EXPECT_EQ(queue_.read().items[0].kind, QueueKind::run);
  EXPECT_EQ(queue_.read().items[2].kind, QueueKind::study);
  queue_.move(b, 0);
  EXPECT_THAT(names(), ElementsAre("b", "a", "c"));
  queue_.move(b, 99);
  EXPECT_THAT(names(), ElementsAre("a", "c", "b"));
  add(run("d"));
  EXPECT_THAT(names(), ElementsAre("a", "c", "b", "d")) << "what the order does not name stands behind";
  queue_.remove(b);
  queue_.move(b, 0);
  EXPECT_THAT(names(), ElementsAre("a", "c", "d"));
  EXPECT_EQ(queue_.read().left(), 3u);
}

TEST_F(QueueTest, KeepsWhatAnItemSays) {
  QueueItem item = item_of(study("mine"));
  item.seconds = {12.5};
  item.processes = 3;
  item.data = "/data";
  queue_.add(item);
  const QueueItem read = queue_.read().items.at(0);
  EXPECT_EQ(read.folder, runs_ / "mine");
  EXPECT_THAT(read.seconds, ElementsAre(12.5));
  EXPECT_EQ(read.processes, 3);
  EXPECT_EQ(read.data, "/data");
  // A folder of runs may be moved with its queue.
  std::filesystem::rename(runs_, folder_ / "elsewhere");
  const QueueView moved = Queue(folder_ / "elsewhere").read();
  EXPECT_EQ(moved.items.at(0).folder, folder_ / "elsewhere" / "mine");
  EXPECT_EQ(moved.items.at(0).state, QueueState::waiting);
}

TEST_F(QueueTest, RefusesWhatCannotBeTrained) {
  const auto refused = [](auto&& act, const char* why) {
    EXPECT_THAT(act, ThrowsMessage<Error>(HasSubstr(why))) << why;
  };
  add(run("a"));
  refused([&] { add(runs_ / "a"); }, "in the queue already");
  refused([&] { add(runs_ / "." / "a" / ""); }, "in the queue already");
  refused([&] { item_of(runs_ / "none"); }, "neither the folder of a run nor of a study");
  refused([&] { item_of(assets_folder() / "weights" / "bump-hunt"); }, "came with the program");
  write_file(run("b") / run_file::estimator, "weights");
  refused([&] { item_of(runs_ / "b"); }, "is finished");
  EXPECT_THAT(names(), ElementsAre("a"));
}

TEST_F(QueueTest, MarksWhatFailed) {
  const std::string a = add(run("a"));
  add(run("b"));
  queue_.fail(a, "No room");
  QueueView view = queue_.read();
  EXPECT_EQ(view.items[0].state, QueueState::failed);
  EXPECT_EQ(view.items[0].reason, "No room");
  EXPECT_EQ(view.left(), 1u);
  queue_.retry(a);
  EXPECT_EQ(queue_.read().items[0].state, QueueState::waiting);
  queue_.fail(a, "No room");
  add(runs_ / "a");
  EXPECT_THAT(names(), ElementsAre("b", "a")) << "added anew it waits at the end";
  EXPECT_EQ(queue_.read().left(), 2u);
  queue_.fail(a, "late");
  EXPECT_EQ(queue_.read().left(), 2u) << "of one that was removed nothing is kept";
}

TEST_F(QueueTest, DamagedFilesAndVanishedFoldersAreToldAndStopNothing) {
  add(run("a"));
  const std::string b = add(run("b"));
  std::filesystem::remove_all(runs_ / "a");
  write_file(queue_.folder() / "x.item", "{\"kind\": \"run\"");
  write_file(queue_.folder() / "y.item",
             R"({"kind": "cake", "folder": "b", "seconds": [], "processes": 1, "data": ""})");
  write_file(queue_.folder() / "order", std::string("\xff\n\n") + b + "\n");
  const QueueView view = queue_.read();
  ASSERT_EQ(view.items.size(), 4u);
  EXPECT_EQ(view.items[0].id, b);
  EXPECT_EQ(view.items[0].state, QueueState::waiting);
  EXPECT_EQ(view.items[1].reason, "Its folder is missing");
  EXPECT_THAT(view.items[2].reason, HasSubstr("damaged"));
  EXPECT_THAT(view.items[3].reason, HasSubstr("damaged"));
  queue_.remove("x");
  queue_.remove("y");
  EXPECT_EQ(queue_.read().items.size(), 2u);
}

TEST_F(QueueTest, AChangedItemIsDamaged) {
  add(run("a"));
  const std::string id = queue_.read().items.at(0).id;
  queue_.expect(id, {3, 2, 1});
  EXPECT_EQ(queue_.read().items.at(0).seconds, (std::vector<double>{3, 2, 1}));
  const auto file = queue_.folder() / (id + ".item");
  const std::string text = read_file(file);
  std::string changed = text;
  changed.replace(changed.find("3.0"), 1, "9");
  write_file(file, changed);
  EXPECT_EQ(queue_.read().items.at(0).state, QueueState::failed);
  write_file(file, text);
  EXPECT_EQ(queue_.read().items.at(0).state, QueueState::waiting);
}

TEST_F(QueueTest, IsPaused) {
  EXPECT_FALSE(queue_.read().paused);
  queue_.pause(true);
  EXPECT_TRUE(Queue(runs_).read().paused) << "whoever reads it sees it";
  queue_.pause(false);
  queue_.pause(false);
  EXPECT_FALSE(queue_.read().paused);
}

TEST_F(QueueTest, KnowsAFolderHoweverItIsWritten) {
  add(run("a"));
  std::filesystem::create_directory_symlink(runs_ / "a", folder_ / "link");
  std::filesystem::create_directory_symlink(runs_, folder_ / "runs-link");
  for (const std::filesystem::path& same : {folder_ / "link", folder_ / "runs-link" / "a"}) {
    EXPECT_THROW(add(same), Error) << same;
    ASSERT_TRUE(queue_.read().find(same)) << same;
    EXPECT_EQ(queue_.read().find(same)->folder, runs_ / "a") << "as it was written first";
  }
}

TEST_F(QueueTest, TellsWhoTrainsWhatWaits) {
  add(run("a"));
  add(run("b"));
  EXPECT_TRUE(queue_.read().items[0].ready());
  const FolderLock held(runs_ / "a");
  const QueueView view = queue_.read();
  EXPECT_EQ(view.items[0].state, QueueState::waiting);
  EXPECT_EQ(view.items[0].in_use, fmt::format("process {}", ::getpid()));
  EXPECT_FALSE(view.items[0].ready());
  EXPECT_TRUE(view.items[1].ready());
}

TEST_F(QueueTest, CallsItemsAsPeopleDo) {
  add(run("a"));
  EXPECT_EQ(queue_.read().items[0].title(), "a");
  RunAbout about;
  about.name = "gaussian quick #5";
  write_about(runs_ / "a", about);
  EXPECT_EQ(queue_.read().items[0].title(), "gaussian quick #5");
  EXPECT_EQ(queue_.read().items[0].name(), "a");
}

TEST_F(QueueTest, KnowsItsWindowsAndForgetsTheDead) {
  EXPECT_FALSE(queue_.kept());
  queue_.keep(true);
  queue_.keep(true);
  EXPECT_TRUE(Queue(runs_).kept());
  queue_.keep(false);
  queue_.keep(false);
  EXPECT_FALSE(queue_.kept());
  EXPECT_FALSE(queue_.read().held);
  const Presence window(queue_.windows()), trains(queue_.windows_training());
  EXPECT_TRUE(queue_.read().held);
  // One that died: of this machine, with a start that no process has.
  nlohmann::json dead = process_identity();
  dead["started"] = "1";
  write_file(queue_.windows() / "dead.process", dead.dump());
  write_file(queue_.windows_training() / "dead.process", dead.dump());
  queue_.tidy();
  const auto count = [](const std::filesystem::path& folder) {
    return std::distance(std::filesystem::directory_iterator(folder), {});
  };
  EXPECT_EQ(count(queue_.windows()), 1) << "the living stay";
  EXPECT_EQ(count(queue_.windows_training()), 1);
}

TEST_F(QueueTest, TellsHowLongItTakes) {
  const Catalog tasks = built_in_tasks();
  const auto progress = [&](const QueueItem& item) { return queue_progress(tasks, item, 0); };
  QueueItem item = item_of(run("a"));
  EXPECT_TRUE(std::isnan(progress(item).left)) << "nothing was measured";
  item.seconds = {10, 20, 30, 0};
  EXPECT_DOUBLE_EQ(progress(item).left, 60);
  EXPECT_EQ(progress(item).text, "");
  write_file(runs_ / "a" / run_file::pretrained, "weights");
  EXPECT_DOUBLE_EQ(progress(item).left, 50);

  QueueItem study = item_of(this->study("s"));
  study.seconds = {40};
  EXPECT_DOUBLE_EQ(progress(study).left, 40);
  EXPECT_EQ(progress(study).text, "0 of 2 runs done");
  std::filesystem::create_directories(runs_ / "s" / "bump-hunt-n1-s1");
  write_file(runs_ / "s" / "bump-hunt-n1-s1" / run_file::estimator, "x");
  write_file(runs_ / "s" / "bump-hunt-n1-s1" / run_file::metrics, "x");
  EXPECT_DOUBLE_EQ(progress(study).left, 20);
  EXPECT_EQ(progress(study).text, "1 of 2 runs done");

  QueueView view;
  view.items = {item, study};
  EXPECT_DOUBLE_EQ(time_left(view, queue_progress(tasks, view, 0)).seconds, 70);
  EXPECT_TRUE(time_left(view, queue_progress(tasks, view, 0)).whole);
  view.items[0].state = QueueState::failed;
  EXPECT_DOUBLE_EQ(time_left(view, {{"", NAN}, {"", 20}}).seconds, 20);
  EXPECT_TRUE(time_left(view, {{"", NAN}, {"", 20}}).whole);
  view.items[0].state = QueueState::waiting;
  EXPECT_DOUBLE_EQ(time_left(view, {{"", NAN}, {"", 20}}).seconds, 20);
  EXPECT_FALSE(time_left(view, {{"", NAN}, {"", 20}}).whole);
  EXPECT_TRUE(std::isnan(time_left(view, {{"", NAN}, {"", NAN}}).seconds));
}

// A run of 10 epochs in stage 1 that takes four times as long as was expected.
class QueuePace : public QueuedFolders {
 protected:
  static constexpr double kNow = 1'700'000'000;
  QueuePace() {
    add(run("a"));
    item_ = item_of(runs_ / "a");
    item_.seconds = {100, 20, 30, 0};
    item_.state = QueueState::working;
    item_.since = kNow - 1000;
    print({.type = EventType::stage_started, .values = {{"epochs", 10}, {"steps", 5}}}, 1000);
  }
  // Appends an event that was written so many seconds ago.
  void print(const Event& event, double ago) {
    const std::filesystem::path log = runs_ / "a" / run_file::events;
    std::ofstream(log, std::ios::app) << log_line(event) << "\n";
    const auto time = std::chrono::sys_time<std::chrono::nanoseconds>(
        std::chrono::nanoseconds(static_cast<std::int64_t>((kNow - ago) * 1e9)));
    std::filesystem::last_write_time(log, std::filesystem::file_time_type::clock::from_sys(time));
  }
  void loss(std::int64_t epoch, double seconds, double ago) {
    print({.type = EventType::loss,
           .step = 5 * (epoch + 1),
           .epoch = epoch,
           .seconds = seconds,
           .values = {{"train", 1.0}, {"validation", 1.0}}},
          ago);
  }
  QueueProgress progress() const { return queue_progress(built_in_tasks(), item_, kNow); }
  QueueItem item_;
};

TEST_F(QueuePace, FollowsWhatTheItemAtWorkTells) {
  loss(0, 45, 0);
  loss(1, 85, 0);
  loss(2, 125, 0);
  // 40 s an epoch, 7 left, and the other stages four times as long, too.
  EXPECT_NEAR(progress().left, 7 * 40 + 4 * 50, 1e-6);
  EXPECT_NEAR(progress().pace, 4, 1e-6);
  // Time that passes within an epoch counts: the end stays where it is.
  loss(2, 125, 15);
  EXPECT_NEAR(progress().left, 7 * 40 - 15 + 4 * 50, 1e-6);
  // One that waits behind is expected to go so, too; what cannot be known stays so.
  QueueView view;
  view.items = {item_, item_of(run("b")), item_of(run("c"))};
  view.items[1].seconds = {10, 10, 10, 0};
  const std::vector<QueueProgress> all = queue_progress(built_in_tasks(), view, kNow);
  EXPECT_NEAR(all[1].left, 120, 1e-6);
  EXPECT_TRUE(std::isnan(all[2].left));
  const QueueTime time = time_left(view, all);
  EXPECT_NEAR(time.seconds, 465 + 120, 1e-6);
  EXPECT_FALSE(time.whole);
  EXPECT_TRUE(time.measured);
}

TEST_F(QueuePace, AnEpochThatDoesNotEndTellsThatItIsSlow) {
  EXPECT_NEAR(progress().left, 10 * 1000 - 1000 + 100 * 50, 1e-6) << "100 times as long as expected";
  item_.since = kNow - 5;
  EXPECT_NEAR(progress().left, 150, 1e-6) << "what was told before it was gone on with says nothing of now";
  EXPECT_TRUE(std::isnan(progress().pace));
}

TEST_F(QueuePace, WhatWaitsIsAsExpected) {
  loss(0, 45, 0);
  item_.state = QueueState::waiting;
  EXPECT_NEAR(progress().left, 90 + 20 + 30, 1e-6);
  item_.seconds.clear();
  item_.state = QueueState::working;
  EXPECT_TRUE(std::isnan(progress().left)) << "of later stages nothing is known";
}

TEST_F(QueuePace, LaterStagesGoAsFirstOnesDid) {
  print({.type = EventType::stage_done, .seconds = 250}, 0);
  write_file(runs_ / "a" / run_file::pretrained, "weights");
  print({.type = EventType::stage_started, .stage = Stage::cache}, 8);
  EXPECT_NEAR(progress().left, 2.5 * 20 - 8 + 2.5 * 30, 1e-6);
}

TEST_F(QueuePace, AStudyFollowsItsRuns) {
  QueueItem study = item_of(this->study("s"));
  study.seconds = {40};
  study.state = QueueState::working;
  study.since = kNow - 100;
  const auto left = [&] { return queue_progress(built_in_tasks(), study, kNow); };
  // 100 s without a run done, where one was expected to take 20.
  EXPECT_NEAR(left().left, 100 * 2 - 100, 1e-6);
  EXPECT_NEAR(left().pace, 5, 1e-6);
  const std::filesystem::path run = runs_ / "s" / "bump-hunt-n1-s1";
  std::filesystem::create_directories(run);
  for (const char* file : {run_file::estimator, run_file::metrics}) {
    write_file(run / file, "x");
    const auto time = std::chrono::sys_seconds(std::chrono::seconds(static_cast<std::int64_t>(kNow) - 30));
    std::filesystem::last_write_time(run / file, std::filesystem::file_time_type::clock::from_sys(time));
  }
  EXPECT_NEAR(left().left, 70 - 30, 1e-6);
  EXPECT_NEAR(left().pace, 3.5, 1e-6);
}

TEST_F(QueueTest, TellsItsEndAsAClockDoes) {
  ::setenv("TZ", "UTC", 1);
  ::tzset();
  const std::int64_t noon = 1'700'049'600;  // Wed 15 Nov 2023, 12:00
  EXPECT_EQ(end_text(noon, 2.5 * 3600), "14:30");
  EXPECT_EQ(end_text(noon, 20 * 3600), "Thu 08:00");
  EXPECT_EQ(end_text(noon, 20 * 86400), "5 Dec 12:00");
  EXPECT_EQ(end_text(noon, NAN), "–");

  QueueView view;
  EXPECT_EQ(queue_line(view, {0}, noon), "The queue is empty");
  view.paused = true;
  EXPECT_THAT(queue_line(view, {0}, noon), HasSubstr("empty, and paused"));
  view.paused = false;
  view.items.resize(3);
  EXPECT_EQ(queue_line(view, {9000}, noon), "3 to go, nothing works on it; 2 h 30 min of work");
  EXPECT_EQ(queue_line(view, {9000, false}, noon), "3 to go, nothing works on it; at least 2 h 30 min of work");
  view.working = true;
  EXPECT_EQ(queue_line(view, {9000}, noon), "3 to go, expected end 14:30");
  EXPECT_EQ(queue_line(view, {9000, false}, noon), "3 to go, expected end 14:30 at the earliest");
  EXPECT_EQ(queue_line(view, {9000, true, true}, noon), "3 to go, expected end 14:30 at the current speed");
  EXPECT_EQ(queue_line(view, {NAN}, noon), "3 to go, expected end not known");
  view.held = true;
  EXPECT_EQ(queue_line(view, {9000}, noon), "3 to go, after the run that a window trains; 2 h 30 min of work");
  view.held = false;
  view.paused = true;
  EXPECT_EQ(queue_line(view, {NAN}, noon), "3 to go, pausing");
  for (QueueItem& item : view.items) item.state = QueueState::failed;
  EXPECT_EQ(queue_line(view, {0}, noon), "Nothing waits; what failed can be tried again");
  EXPECT_EQ(queue_end_text(2, {}), "2 done");
  EXPECT_EQ(queue_end_text(2, {"a", "b"}), "2 done; 2 failed: a, b");
}

}  // namespace
}  // namespace pairs
