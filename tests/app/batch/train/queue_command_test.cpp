#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ctime>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/queue/queue.h"
#include "core/base/files/files.h"
#include "core/train/run/run.h"
#include "tests/app/batch/program.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs::batch {
namespace {

using ::testing::HasSubstr;

class QueueCommand : public ::testing::Test {
 protected:
  QueueCommand() { std::filesystem::create_directories(folder_ / "runs"); }
  std::string run(const std::string& name) {
    RunConfig config;
    config.tasks = built_in_tasks();
    config.task = "bump-hunt";
    config.device = "cpu";
    config.threads = 1;
    return create_run(config, folder_ / "runs" / name).string();
  }
  Answer queue(std::vector<std::string> words) {
    words.insert(words.begin(), "queue");
    words.insert(words.end(), {"--runs", (folder_ / "runs").string()});
    return run_words(words);
  }
  nlohmann::json document(std::vector<std::string> words) {
    words.emplace_back("--json");
    const Answer answer = queue(words);
    EXPECT_EQ(answer.code, 0) << answer.err;
    return nlohmann::json::parse(answer.out);
  }
  TemporaryFolder folder_;
};

TEST_F(QueueCommand, ListsOrdersAndPauses) {
  EXPECT_EQ(queue({}).out, "The queue is empty\n");
  EXPECT_THAT(queue({"pause"}).out, HasSubstr("empty, and paused"));
  EXPECT_EQ(queue({"resume"}).out, "The queue is empty\n");
  const std::string a = run("a"), b = run("b");
  const auto added = document({"add", a, b});
  ASSERT_EQ(added.at("items").size(), 2u);
  double left = 0;
  for (const auto& item : added.at("items")) {
    EXPECT_EQ(item.at("state"), "waiting");
    EXPECT_EQ(item.at("kind"), "run");
    EXPECT_GT(item.at("seconds_left"), 0);
    left += item.at("seconds_left").get<double>();
  }
  EXPECT_NEAR(added.at("seconds_left").get<double>(), left, 1e-6);
  EXPECT_NEAR(added.at("end").get<double>(), static_cast<double>(std::time(nullptr)) + left, 10);
  EXPECT_FALSE(added.at("working"));

  EXPECT_EQ(document({"move", b, "1"}).at("items")[0].at("folder"), b);
  EXPECT_THAT(queue({"list"}).out, HasSubstr("2 to go, nothing works on it"));
  EXPECT_THAT(queue({"pause"}).out, HasSubstr("2 to go, paused"));
  EXPECT_TRUE(document({}).at("paused"));
  EXPECT_TRUE(document({}).at("end").is_null()) << "when it goes on is not known";
  // Paused, nothing is begun.
  EXPECT_EQ(queue({"work"}).code, 0);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "runs" / "b" / run_file::events));
  EXPECT_FALSE(document({"resume"}).at("paused"));
  const auto removed = document({"remove", b});
  ASSERT_EQ(removed.at("items").size(), 1u);
  EXPECT_EQ(removed.at("items")[0].at("name"), "a");
  EXPECT_TRUE(std::filesystem::exists(b)) << "the run stays";
}

TEST_F(QueueCommand, TellsWhatFailed) {
  const std::string a = run("a");
  const Queue queue_of_runs(folder_ / "runs");
  queue_of_runs.fail(queue_of_runs.add(item_of(a)), "No room");
  const Answer reported = queue({});
  EXPECT_THAT(reported.out, HasSubstr("a failed: No room"));
  EXPECT_THAT(reported.out, HasSubstr("Nothing waits; what failed can be tried again"));
  EXPECT_EQ(document({}).at("items")[0].at("reason"), "No room");
  EXPECT_EQ(document({"add", a}).at("left"), 1);
}

TEST_F(QueueCommand, ExitsWithOneWhereAnythingFailed) {
  const std::string gone = run("gone"), failed = run("failed");
  const Queue queue_of_runs(folder_ / "runs");
  queue_of_runs.add(item_of(gone));
  queue_of_runs.fail(queue_of_runs.add(item_of(failed)), "No room");
  write_file(queue_of_runs.folder() / "x.item", "{");
  std::filesystem::remove_all(gone);
  const Answer answer = queue({"work"});
  EXPECT_EQ(answer.code, 1);
  EXPECT_THAT(answer.out, HasSubstr("0 done; 3 failed: gone, failed, x.item"));
  // Each can be taken out by the name that is listed.
  EXPECT_EQ(document({"remove", "x.item", gone, "failed"}).at("items").size(), 0u);
  EXPECT_EQ(queue({"work"}).code, 0);
}

TEST_F(QueueCommand, LeavesWhatAnotherProcessTrains) {
  const std::string a = run("a");
  Queue(folder_ / "runs").add(item_of(a));
  const FolderLock held(a);
  EXPECT_THAT(queue({}).out, HasSubstr("waiting, in use by process "));
  EXPECT_THAT(document({}).at("items")[0].at("in_use").get<std::string>(), HasSubstr("process "));
  const Answer answer = queue({"work"});
  EXPECT_EQ(answer.code, 1);
  EXPECT_THAT(answer.out, HasSubstr("Trained by other processes, and left for later: a (process "));
  EXPECT_EQ(document({}).at("left"), 1);
}

TEST_F(QueueCommand, RefusesWithoutChangingAny) {
  const std::string a = run("a"), b = run("b");
  const auto refused = [&](const std::vector<std::string>& words, const std::string& why) {
    const Answer answer = queue(words);
    EXPECT_EQ(answer.code, 2) << why;
    EXPECT_THAT(answer.err, HasSubstr(why));
  };
  refused({"ad", a}, "did you mean add?");
  refused({"add"}, "takes one folder or more");
  refused({"list", a}, "takes nothing behind it: write pairs --batch queue list\n");
  refused({"move", a}, "the place that it shall have");
  refused({"move", a, "1"}, "is not in the queue");
  refused({"remove", a}, "is not in the queue");
  refused({"add", b, (folder_ / "none").string()}, "neither the folder of a run nor of a study");
  EXPECT_EQ(document({}).at("items").size(), 0u);
  EXPECT_EQ(document({"add", a}).at("items").size(), 1u);
  refused({"add", b, a}, "in the queue already");
  for (const char* place : {"0", "-1", "first", "1.5"}) refused({"move", a, place}, "is no place in the queue");
  EXPECT_EQ(document({}).at("items").size(), 1u);
}

TEST_F(QueueCommand, RefusesWhatIsNoFolderOfRuns) {
  write_file(folder_ / "file", "x");
  for (const char* action : {"list", "work", "pause"}) {
    const Answer file = run_words({"queue", action, "--runs", (folder_ / "file").string()});
    EXPECT_EQ(file.code, 2);
    EXPECT_THAT(file.err, HasSubstr("is no folder"));
    const Answer none = run_words({"queue", action, "--runs", (folder_ / "none").string()});
    EXPECT_EQ(none.code, 2);
    EXPECT_THAT(none.err, HasSubstr("There is no folder"));
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ / "none"));
}

TEST_F(QueueCommand, HelpLeavesOutWhatIsTheWindowsOwn) {
  const Answer help = run_words({"queue", "--help"});
  EXPECT_THAT(help.out, HasSubstr("--notify"));
  EXPECT_THAT(help.out, ::testing::Not(HasSubstr("--of-window")));
}

}  // namespace
}  // namespace pairs::batch
