#include "app/queue/queue.h"

#include <gmock/gmock.h>

#include <cmath>
#include <ctime>

#include "app/queue/queue_end.h"
#include "app/queue/queue_progress.h"
#include "core/base/error.h"
#include "core/train/events.h"
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
  EXPECT_EQ(view.items[1].reason, "Its folder is gone");
  EXPECT_THAT(view.items[2].reason, HasSubstr("damaged"));
  EXPECT_THAT(view.items[3].reason, HasSubstr("damaged"));
  queue_.remove("x");
  queue_.remove("y");
  EXPECT_EQ(queue_.read().items.size(), 2u);
}

TEST_F(QueueTest, IsPaused) {
  EXPECT_FALSE(queue_.read().paused);
  queue_.pause(true);
  EXPECT_TRUE(Queue(runs_).read().paused) << "whoever reads it sees it";
  queue_.pause(false);
  queue_.pause(false);
  EXPECT_FALSE(queue_.read().paused);
}

TEST_F(QueueTest, TellsHowLongItTakes) {
  const Catalogue tasks = built_in_tasks();
  QueueItem item = item_of(run("a"));
  EXPECT_TRUE(std::isnan(queue_progress(tasks, item).left)) << "nothing was measured";
  item.seconds = {10, 20, 30};
  EXPECT_DOUBLE_EQ(queue_progress(tasks, item).left, 60);
  EXPECT_EQ(queue_progress(tasks, item).text, "");
  write_file(runs_ / "a" / run_file::pretrained, "weights");
  EXPECT_DOUBLE_EQ(queue_progress(tasks, item).left, 50);

  QueueItem study = item_of(this->study("s"));
  study.seconds = {40};
  EXPECT_DOUBLE_EQ(queue_progress(tasks, study).left, 40);
  EXPECT_EQ(queue_progress(tasks, study).text, "0 of 2 runs done");
  std::filesystem::create_directories(runs_ / "s" / "bump-hunt-n1-s1");
  write_file(runs_ / "s" / "bump-hunt-n1-s1" / run_file::estimator, "x");
  write_file(runs_ / "s" / "bump-hunt-n1-s1" / run_file::metrics, "x");
  EXPECT_DOUBLE_EQ(queue_progress(tasks, study).left, 20);
  EXPECT_EQ(queue_progress(tasks, study).text, "1 of 2 runs done");

  QueueView view;
  view.items = {item, study};
  EXPECT_DOUBLE_EQ(seconds_left(view, {queue_progress(tasks, item), queue_progress(tasks, study)}), 70);
  view.items[0].state = QueueState::failed;
  EXPECT_DOUBLE_EQ(seconds_left(view, {{"", NAN}, {"", 20}}), 20);
  view.items[0].state = QueueState::waiting;
  EXPECT_TRUE(std::isnan(seconds_left(view, {{"", NAN}, {"", 20}})));
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
  EXPECT_EQ(queue_line(view, 0, noon), "The queue is empty");
  view.items.resize(3);
  EXPECT_EQ(queue_line(view, 9000, noon), "3 to go, nothing works on it; 2 h 30 min of work");
  view.working = true;
  EXPECT_EQ(queue_line(view, 9000, noon), "3 to go, expected end 14:30");
  EXPECT_EQ(queue_line(view, NAN, noon), "3 to go, expected end not known");
  view.paused = true;
  EXPECT_EQ(queue_line(view, NAN, noon), "3 to go, pausing");
  for (QueueItem& item : view.items) item.state = QueueState::failed;
  EXPECT_EQ(queue_line(view, 0, noon), "Nothing waits; what failed can be tried again");
  EXPECT_EQ(queue_end_text(2, {}), "2 done");
  EXPECT_EQ(queue_end_text(2, {"a", "b"}), "2 done; 2 failed: a, b");
}

}  // namespace
}  // namespace pairs
