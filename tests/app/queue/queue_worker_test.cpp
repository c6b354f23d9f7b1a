#include "app/queue/queue_worker.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <optional>
#include <sstream>
#include <thread>

#include "core/base/system/presence.h"
#include "core/base/text/error.h"
#include "core/base/threads/clock.h"
#include "tests/app/queue/queued_folders.h"

namespace pairs {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using End = QueueWorker::End;

// Writes down how it was called, and fails for what is called "bad".
constexpr const char* kProgram = R"(here=$(dirname "$0")
echo "$@" >>"$here/called"
case "$*" in
  *evaluate*unscored*) echo '{"error": "It cannot be scored"}'; exit 1 ;;
  *bad*) echo '{"error": "It is bad"}'; exit 1 ;;
  *slow*) trap 'echo saved >>"$here/called"; exit 143' TERM; touch "$here/begun"; for k in $(seq 300); do sleep 0.1; done ;;
esac)";

class QueueWorkerTest : public QueuedFolders {
 protected:
  QueueWorkerTest() { program(kProgram); }
  QueueWorker::Outcome work() {
    QueueWorker worker(queue_, folder_ / "program");
    return worker.work([] { return true; }, [this](const std::string& line) { reported_.push_back(line); });
  }
  std::vector<std::string> called() const {
    std::vector<std::string> lines;
    if (!std::filesystem::exists(folder_ / "called")) return lines;
    std::istringstream in(read_file(folder_ / "called"));
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
  }
  std::string call_of(const std::string& name) const {
    return "--batch run --resume " + (runs_ / name).string() + " --json";
  }
  std::string evaluation_of(const std::string& name) const {
    return "--batch evaluate " + (runs_ / name).string() + " --json";
  }
  // Waits until the slow program is at work.
  bool begun() const {
    const Stopwatch watch;
    while (!std::filesystem::exists(folder_ / "begun")) {
      if (watch.seconds() > 20) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return true;
  }
  std::vector<std::string> reported_;
};

TEST_F(QueueWorkerTest, DoesWhatWaitsInOrder) {
  add(run("a"));
  add(run("b"));
  QueueItem item = item_of(study("s"));
  item.processes = 2;
  item.data = "/data";
  queue_.move(queue_.add(item), 0);
  const QueueWorker::Outcome outcome = work();
  EXPECT_EQ(outcome.end, End::empty);
  EXPECT_EQ(outcome.done, 3u);
  EXPECT_THAT(outcome.failed, IsEmpty());
  EXPECT_THAT(called(), ElementsAre("--batch study " + (runs_ / "s" / "s.toml").string() + " --out " +
                                        (runs_ / "s").string() + " --jobs 2 --data /data --json",
                                    call_of("a"), evaluation_of("a"), call_of("b"), evaluation_of("b")));
  EXPECT_THAT(names(), IsEmpty());
  EXPECT_THAT(reported_, ElementsAre("s (3 left)", "a (2 left)", "a is evaluated", "b (1 left)", "b is evaluated"));
  EXPECT_FALSE(queue_.read().working);
}

TEST_F(QueueWorkerTest, WhatFailsIsMarkedAndStopsNothing) {
  add(run("bad"));
  add(run("b"));
  const QueueWorker::Outcome outcome = work();
  EXPECT_EQ(outcome.done, 1u);
  EXPECT_THAT(outcome.failed, ElementsAre("bad"));
  const QueueView view = queue_.read();
  ASSERT_EQ(view.items.size(), 1u);
  EXPECT_EQ(view.items[0].state, QueueState::failed);
  EXPECT_EQ(view.items[0].reason, "It is bad");
  // It is not tried again by itself.
  EXPECT_EQ(work().failed.size(), 0u);
  EXPECT_THAT(called(), ElementsAre(call_of("bad"), call_of("b"), evaluation_of("b")));
}

TEST_F(QueueWorkerTest, ARunThatCannotBeEvaluatedIsTrainedAllTheSame) {
  add(run("unscored"));
  const QueueWorker::Outcome outcome = work();
  EXPECT_EQ(outcome.done, 1u);
  EXPECT_THAT(outcome.failed, IsEmpty());
  EXPECT_THAT(called(), ElementsAre(call_of("unscored"), evaluation_of("unscored")));
  EXPECT_THAT(names(), IsEmpty());
  EXPECT_THAT(reported_.back(), testing::HasSubstr("trained, but not evaluated: It cannot be scored"));
}

TEST_F(QueueWorkerTest, OneWorksOnAQueue) {
  const QueueWorker first(queue_, folder_ / "program");
  EXPECT_TRUE(queue_.read().working);
  EXPECT_EQ(queue_.read().process, ::getpid());
  EXPECT_THROW(QueueWorker(queue_, folder_ / "program"), Error);
}

TEST_F(QueueWorkerTest, SavesWhatIsBegunWhereItIsPaused) {
  add(run("slow"));
  add(run("b"));
  std::jthread other([this] {
    ASSERT_TRUE(begun());
    EXPECT_EQ(queue_.read().items[0].state, QueueState::working);
    queue_.move(queue_.read().items[1].id, 0);
    EXPECT_EQ(queue_.read().items[0].name(), "slow") << "what is at work stays the first";
    queue_.pause(true);
  });
  EXPECT_EQ(work().end, End::paused);
  other.join();
  EXPECT_THAT(called(), ElementsAre(call_of("slow"), "saved"));
  EXPECT_THAT(names(), ElementsAre("b", "slow"));
  EXPECT_EQ(queue_.read().left(), 2u);
  EXPECT_EQ(work().end, End::paused);
  EXPECT_EQ(called().size(), 2u) << "nothing is begun";
}

TEST_F(QueueWorkerTest, SavesWhatIsBegunWhereItIsStopped) {
  add(run("slow"));
  QueueWorker worker(queue_, folder_ / "program");
  const auto outcome = worker.work([this] { return !std::filesystem::exists(folder_ / "begun"); }, [](const auto&) {});
  EXPECT_EQ(outcome.end, End::stopped);
  EXPECT_THAT(called(), ElementsAre(call_of("slow"), "saved"));
  EXPECT_EQ(queue_.read().items.at(0).state, QueueState::waiting);
}

TEST_F(QueueWorkerTest, LeavesWhatIsRemovedAndGoesOn) {
  const std::string slow = add(run("slow"));
  add(run("b"));
  std::jthread other([&] {
    ASSERT_TRUE(begun());
    queue_.remove(slow);
  });
  const QueueWorker::Outcome outcome = work();
  EXPECT_EQ(outcome.end, End::empty);
  EXPECT_EQ(outcome.done, 1u);
  EXPECT_THAT(called(), ElementsAre(call_of("slow"), "saved", call_of("b"), evaluation_of("b")));
}

TEST_F(QueueWorkerTest, DoesWhatIsAddedMeanwhile) {
  program("here=$(dirname \"$0\"); echo \"$@\" >>\"$here/called\"; touch \"$here/begun\"; sleep 0.5");
  add(run("a"));
  run("b");
  std::jthread other([this] {
    ASSERT_TRUE(begun());
    add(runs_ / "b");
  });
  EXPECT_EQ(work().done, 2u);
}

TEST_F(QueueWorkerTest, PassesOverWhatAnotherProcessTrains) {
  add(run("a"));
  add(run("b"));
  add(run("c"));
  {
    const FolderLock a(runs_ / "a"), c(runs_ / "c");
    const QueueWorker::Outcome outcome = work();
    EXPECT_EQ(outcome.end, End::empty);
    EXPECT_EQ(outcome.done, 1u);
    EXPECT_THAT(outcome.failed, IsEmpty());
    EXPECT_THAT(outcome.in_use, ElementsAre(HasSubstr("a (process "), HasSubstr("c (process ")));
    EXPECT_THAT(called(), ElementsAre(call_of("b"), evaluation_of("b")));
    EXPECT_EQ(queue_.read().left(), 2u) << "they wait";
  }
  EXPECT_EQ(work().done, 2u);
}

TEST_F(QueueWorkerTest, WhatIsTakenBetweenTheLookAndTheStartDidNotFail) {
  // In place of the run of another process: one that holds the folder from before its own end on.
  program("here=$(dirname \"$0\"); touch \"$here/begun\"; while [ ! -e \"$here/held\" ]; do sleep 0.05; done; exit 1");
  add(run("a"));
  std::optional<FolderLock> held;
  std::jthread other([&] {
    ASSERT_TRUE(begun());
    held.emplace(runs_ / "a");
    write_file(folder_ / "held", "");
  });
  const QueueWorker::Outcome outcome = work();
  EXPECT_THAT(outcome.failed, IsEmpty());
  EXPECT_EQ(outcome.in_use.size(), 1u);
  EXPECT_EQ(queue_.read().left(), 1u);
}

TEST_F(QueueWorkerTest, WaitsWhileAWindowTrains) {
  add(run("slow"));
  std::jthread window([this] {
    ASSERT_TRUE(begun());
    const Presence trains(queue_.windows_training());
    const Stopwatch watch;
    while (std::ranges::count(called(), "saved") == 0 && watch.seconds() < 20)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    EXPECT_THAT(called(), ElementsAre(call_of("slow"), "saved"));
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    EXPECT_EQ(called().size(), 2u) << "nothing is begun meanwhile";
    EXPECT_TRUE(queue_.read().working);
    EXPECT_FALSE(queue_.read().at_work());
    program("echo \"$@\" >>\"$(dirname \"$0\")/called\"");
  });
  EXPECT_EQ(work().done, 1u);
  EXPECT_THAT(called(), ElementsAre(call_of("slow"), "saved", call_of("slow"), evaluation_of("slow")));
  EXPECT_THAT(reported_, ElementsAre("slow (1 left)", "waiting for the run that a window trains", "slow (1 left)",
                                     "slow is evaluated"));
}

TEST_F(QueueWorkerTest, EndsWithTheWindowsThatItWorksFor) {
  add(run("slow"));
  std::optional<Presence> window(queue_.windows());
  std::jthread killed([&] {
    ASSERT_TRUE(begun());
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));  // it has seen the window
    window.reset();
  });
  QueueWorker worker(queue_, folder_ / "program", true);
  EXPECT_EQ(worker.work([] { return true; }, [](const auto&) {}).end, End::stopped);
  EXPECT_THAT(called(), ElementsAre(call_of("slow"), "saved"));
  EXPECT_EQ(queue_.read().left(), 1u);
}

TEST_F(QueueWorkerTest, GoesOnWithoutWindowsWhereItIsKept) {
  queue_.keep(true);
  add(run("a"));
  QueueWorker worker(queue_, folder_ / "program", true);
  EXPECT_EQ(worker.work([] { return true; }, [](const auto&) {}).done, 1u);
}

TEST_F(QueueWorkerTest, TellsWhatTheProcessSaidLast) {
  program("echo 'before' >&2; echo 'process 12 was ended by signal 9' >&2; exit 1");
  add(run("a"));
  write_file(queue_.folder() / "work.log", "of another\n");
  work();
  EXPECT_THAT(queue_.read().items[0].reason, HasSubstr("wrote last: \"process 12 was ended by signal 9\""));
  program("exit 1");
  queue_.retry(queue_.read().items[0].id);
  work();
  EXPECT_THAT(queue_.read().items[0].reason, HasSubstr("ended with exit code 1; "))
      << "what others said does not count";
}

TEST(FailureOfAnswer, IsASentence) {
  EXPECT_EQ(failure_of_answer(R"({"error": "No room"})", 1), "No room");
  EXPECT_EQ(failure_of_answer(R"({"failed": 2, "runs": [{"name": "a"}, {"name": "b", "reason": "No room"}]})", 1),
            "2 runs failed; the first, b: No room");
  EXPECT_EQ(failure_of_answer("", 137), "Its process was ended by signal 9");
  EXPECT_THAT(failure_of_answer("nonsense", 127), HasSubstr("exit code 127"));
  EXPECT_THAT(failure_of_answer(R"({"error": 3})", 2), HasSubstr("exit code 2"));
  EXPECT_THAT(failure_of_answer("", 1, "one\r40 %\rno room\n \n"), HasSubstr("wrote last: \"no room\""));
  EXPECT_EQ(failure_of_answer(R"({"error": "No room"})", 1, "one\n"), "No room");
}

}  // namespace
}  // namespace pairs
