// A file that is followed while another program appends to it.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <thread>

#include "app/model/posterior/posterior.h"
#include "app/model/posterior/work/sample_saving.h"
#include "core/base/files/files.h"
#include "core/base/threads/clock.h"
#include "tasks/registry.h"
#include "tests/app/batch/program.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs::model {
namespace {

using testing::HasSubstr;

class FollowedFile : public testing::Test {
 protected:
  FollowedFile() : posterior_(hub_) {}

  std::filesystem::path file() const { return folder_ / "events.csv"; }
  void append(const std::string& text) const { std::ofstream(file(), std::ios::app) << text; }
  static std::string numbers(int from, int to) {
    std::string text;
    for (int i = from; i < to; ++i) text += fmt::format("{:.2f}\n", 0.1 * (i % 97));
    return text;
  }
  bool until(const std::function<bool()>& done, double seconds = 60) {
    for (const Stopwatch watch; !done();) {
      if (watch.seconds() > seconds) return false;
      posterior_.poll();
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return true;
  }
  // The posterior of so many is there.
  bool shows(std::int64_t seen, std::int64_t used) {
    return until([&] {
      const auto state = posterior_.follow.state();
      const auto shown = posterior_.shown();
      return state && state->seen == seen && shown && shown->n == used;
    });
  }
  void open(const std::string& task) {
    posterior_.open(task);
    ASSERT_TRUE(posterior_.wait(60));
    ASSERT_EQ(posterior_.failure(), "");
  }

  Hub hub_{built_in_tasks()};
  TemporaryFolder folder_;
  Posterior posterior_;
};

TEST_F(FollowedFile, SharpensAsLinesArriveAndIsWhatInferSaysOfTheWholeFile) {
  open("bump-hunt");
  append("x\n" + numbers(0, 10) + "0.");
  posterior_.follow.start(file());
  ASSERT_TRUE(shows(10, 10)) << "the line that is not whole waits";
  EXPECT_FALSE(posterior_.scene()->simulated);
  EXPECT_EQ(posterior_.scene()->set_name, "events.csv");
  const double before = posterior_.shown()->series.front().targets[0].sd;
  append("5\n");
  ASSERT_TRUE(shows(11, 11));
  for (int k = 11; k < 60; k += 7) append(numbers(k, std::min(k + 7, 60)));
  ASSERT_TRUE(shows(60, 60));
  const PosteriorNumbers numbers = posterior_.shown()->series.front();
  EXPECT_LT(numbers.targets[0].sd, before);
  EXPECT_TRUE(posterior_.width());
  EXPECT_FALSE(posterior_.busy()) << "waiting for lines keeps nobody waiting";
  const std::string samples = (folder_ / "s.npz").string();
  const batch::Answer answer = batch::run_words(
      {"infer", "bump-hunt", "--data", file().string(), "--samples", "200000", "--out", samples, "--json"});
  ASSERT_EQ(answer.code, 0) << answer.err;
  const nlohmann::json whole = nlohmann::json::parse(answer.out);
  EXPECT_EQ(whole.at("n"), 60);
  EXPECT_NEAR(posterior_.shown()->typicality.distance, whole.at("distance").get<double>(), 1e-5);
  const double sd = whole.at("sd")[0].get<double>();
  EXPECT_NEAR(numbers.targets[0].mean, whole.at("mean")[0].get<double>(), 1e-3 * sd);
  EXPECT_NEAR(numbers.targets[0].sd, sd, 1e-3 * sd);
  EXPECT_EQ(posterior_.batch_command(),
            fmt::format("pairs --batch infer bump-hunt --data {} --follow", file().string()));
}

TEST_F(FollowedFile, BeyondTrainingARandomSubsetOfItsSizeIsUsed) {
  open("bump-hunt");
  append(numbers(0, 300));
  posterior_.follow.start(file());
  ASSERT_TRUE(shows(300, 100));
  ASSERT_FALSE(posterior_.shown()->warnings.empty());
  EXPECT_THAT(posterior_.shown()->warnings.front().text, HasSubstr("a random subset of that size is used"));
  append(numbers(300, 2000));
  ASSERT_TRUE(shows(2000, 100));
}

// What was followed is a file like any other: as much of it as there is by then, with N, play and samples.
TEST_F(FollowedFile, AfterStopItIsAnOrdinaryFile) {
  open("bump-hunt");
  append(numbers(0, 20));
  posterior_.follow.start(file());
  ASSERT_TRUE(shows(20, 20));
  posterior_.set_n(3);
  EXPECT_EQ(posterior_.shown()->n, 20) << "N grows by itself";
  append(numbers(20, 60));
  ASSERT_TRUE(shows(60, 60));
  const double followed = posterior_.shown()->series.front().targets[0].mean;
  posterior_.follow.stop();
  ASSERT_TRUE(until([&] {
    EXPECT_EQ(posterior_.shown()->n, 60) << "nothing else is shown in between";
    return !posterior_.follow.state();
  }));
  ASSERT_TRUE(posterior_.wait(60));
  EXPECT_EQ(posterior_.scene()->set_source, file().string());
  EXPECT_EQ(posterior_.scene()->set_size, 60);
  EXPECT_EQ(posterior_.n(), 60);
  EXPECT_NEAR(posterior_.shown()->series.front().targets[0].mean, followed, 1e-4);
  EXPECT_TRUE(posterior_.files.samples_asked().has_value());
  EXPECT_THAT(posterior_.batch_command(), HasSubstr("--data " + file().string()));
  posterior_.set_n(3);
  ASSERT_TRUE(posterior_.wait(60));
  EXPECT_EQ(posterior_.shown()->n, 3);
  posterior_.toggle_play();
  EXPECT_TRUE(posterior_.playing());
  posterior_.set.simulate();
  ASSERT_TRUE(posterior_.wait(60));
  EXPECT_TRUE(posterior_.scene()->simulated);
}

TEST_F(FollowedFile, BeyondTrainingARandomSubsetStaysOne) {
  open("bump-hunt");
  append(numbers(0, 300));
  posterior_.follow.start(file());
  ASSERT_TRUE(shows(300, 100));
  posterior_.follow.stop();
  ASSERT_TRUE(until([&] { return !posterior_.follow.state(); }));
  ASSERT_TRUE(posterior_.wait(60));
  EXPECT_EQ(posterior_.n(), 100);
  EXPECT_EQ(posterior_.scene()->choice.random, 1u);
}

// Another task, and the way back: all that came is there, though the file was opened with less before.
TEST_F(FollowedFile, AnotherTaskLeavesItsFileBehind) {
  open("bump-hunt");
  append(numbers(0, 10));
  posterior_.set.open_file(file());
  ASSERT_TRUE(posterior_.wait(60));
  EXPECT_EQ(posterior_.n(), 10);
  append(numbers(10, 60));
  posterior_.follow.start(file());
  ASSERT_TRUE(shows(60, 60));
  open("gaussian");
  EXPECT_FALSE(posterior_.follow.state());
  EXPECT_TRUE(posterior_.scene()->simulated);
  open("bump-hunt");
  ASSERT_TRUE(posterior_.wait(60));
  EXPECT_EQ(posterior_.scene()->set_source, file().string());
  EXPECT_EQ(posterior_.scene()->set_size, 60);
  EXPECT_EQ(posterior_.n(), 60);
  EXPECT_EQ(posterior_.shown()->n, 60);
}

TEST_F(FollowedFile, WhatNothingCameOfIsForgotten) {
  open("bump-hunt");
  const auto set = posterior_.scene()->set;
  append("");
  std::ofstream(file()) << "x\n";
  posterior_.follow.start(file());
  ASSERT_TRUE(until([&] { return posterior_.follow.state() && posterior_.follow.state()->opened; }));
  posterior_.follow.stop();
  EXPECT_FALSE(posterior_.follow.state());
  EXPECT_EQ(posterior_.scene()->set, set);
  // Another set ends it.
  append(numbers(0, 5));
  posterior_.follow.start(file());
  ASSERT_TRUE(shows(5, 5));
  posterior_.new_set();
  EXPECT_FALSE(posterior_.follow.state());
}

TEST_F(FollowedFile, TellsOfABadLineAndKeepsWhatCameBefore) {
  open("bump-hunt");
  append("x\n1\n2\n3\nabc\n4\n");
  posterior_.follow.start(file());
  ASSERT_TRUE(shows(3, 3));
  ASSERT_TRUE(until([&] { return !posterior_.follow.state()->running; }));
  EXPECT_THAT(posterior_.follow.state()->failure, HasSubstr("events.csv, line 5: value 1 is 'abc', not a number"));
}

TEST_F(FollowedFile, TellsOfAFileThatIsGoneOrWrittenAnew) {
  open("bump-hunt");
  posterior_.follow.start(folder_ / "none.csv");
  ASSERT_TRUE(until([&] { return !posterior_.follow.state()->running; }));
  EXPECT_THAT(posterior_.follow.state()->failure, HasSubstr("none.csv cannot be opened"));
  EXPECT_FALSE(posterior_.follow.state()->opened);
  append(numbers(0, 9));
  posterior_.follow.start(file());
  ASSERT_TRUE(shows(9, 9));
  std::ofstream(file()) << "1\n";
  ASSERT_TRUE(until([&] { return !posterior_.follow.state()->running; }));
  EXPECT_THAT(posterior_.follow.state()->failure, HasSubstr("was cut short or written anew"));
  EXPECT_EQ(posterior_.shown()->n, 9);
}

TEST_F(FollowedFile, APinnedPosteriorStandsBehindIt) {
  open("bump-hunt");
  posterior_.set_n(10);
  ASSERT_TRUE(posterior_.wait(60));
  posterior_.pins.add();
  append(numbers(0, 20));
  posterior_.follow.start(file());
  ASSERT_TRUE(shows(20, 20));
  const auto ghosts = [&] {
    const auto& lines = posterior_.shown()->density->plots.front().lines;
    return std::count_if(lines.begin(), lines.end(), [](const Line& line) { return line.role == SeriesRole::ghost; });
  };
  EXPECT_EQ(ghosts(), 1);
  posterior_.pins.remove(posterior_.pins.shown().at(0).id);
  EXPECT_TRUE(until([&] { return ghosts() == 0; }));
}

}  // namespace
}  // namespace pairs::model
