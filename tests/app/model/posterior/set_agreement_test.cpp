// After every choice that a person makes about the set, all that names it names the same one: the screen, the copied
// command, saved samples, the report, the session and the settings.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "app/model/hub/settings.h"
#include "app/model/posterior/posterior.h"
#include "app/model/posterior/work/report_saving.h"
#include "app/model/posterior/work/sample_saving.h"
#include "app/posterior/question/set_arguments.h"
#include "app/posterior/question/set_fields.h"
#include "app/session/session.h"
#include "core/base/files/files.h"
#include "tests/app/batch/action.h"
#include "tests/app/batch/pebble_task.h"
#include "tests/app/model/small_run.h"

namespace pairs::model {
namespace {

using ::testing::HasSubstr;

class OneSetEverywhere : public ::testing::Test {
 protected:
  OneSetEverywhere() : posterior_(hub_) {
    run_ = small_run(folder_.path(), "run", "gaussian", 1, "pairs", {}, hub_.tasks);
    posterior_.open(run_);
    settle();
  }

  void settle() {
    ASSERT_TRUE(posterior_.wait(60)) << posterior_.activity();
    ASSERT_EQ(posterior_.failure(), "");
    ASSERT_EQ(posterior_.set.failure(), "");
  }

  // `field`: that was chosen, which must be named.
  void expect_one_set(const std::string& field) {
    SCOPED_TRACE(field);
    settle();
    const auto samples = posterior_.files.samples_asked();
    ASSERT_TRUE(samples);
    const SetChoice& set = samples->question.set;
    if (!field.empty()) {
      EXPECT_TRUE(field_words(set_field(field), set)) << "the choice has an effect";
    }
    const auto scene = posterior_.scene();
    SetChoice shown = scene->choice;
    EXPECT_EQ(shown.up, set.up);
    EXPECT_TRUE(shown.random == set.random);
    EXPECT_EQ(shown.missing, set.missing);
    EXPECT_EQ(shown.file, set.file);
    EXPECT_EQ(shown.columns, set.columns);
    const std::string words = set_arguments(set, SetCommand::figure);
    EXPECT_THAT(posterior_.batch_command() + " ", HasSubstr(words + " --n "));
    EXPECT_TRUE(posterior_.question().set == set);
    posterior_.pins.add();
    ASSERT_FALSE(posterior_.pins.questions().empty());
    EXPECT_TRUE(posterior_.pins.questions().back().set == set);
    posterior_.pins.remove(posterior_.pins.shown().back().id);
    settle();
    if (const auto report = posterior_.files.report_asked()) {
      EXPECT_TRUE(report->question.asked.set == set);
    } else {
      EXPECT_TRUE(set.file.empty());
    }
    // What is drawn by the copied words is what is on the screen.
    const std::string file = (folder_ / "figure.csv").string();
    std::istringstream split(words);
    std::vector<std::string> drawn = {"posterior", run_};
    for (std::string word; split >> word;) drawn.push_back(word);
    drawn.insert(drawn.end(), {"--n", std::to_string(posterior_.n()), "--out", file});
    if (const auto& axes = posterior_.shown()->kept_axes) {
      drawn.push_back(fmt::format("--range={},{}", axes->ranges[0].first, axes->ranges[0].second));
      drawn.push_back(fmt::format("--height={}", axes->heights[0]));
    }
    const batch::Acted answer = batch::act(batch::add_figure, drawn, hub_.tasks);
    ASSERT_EQ(answer.code, 0) << answer.err;
    Figure screen = *posterior_.shown()->density;
    screen.plots.front().title = fmt::format("N = {}", posterior_.n());
    EXPECT_EQ(read_file(file), figure_csv(screen));
    // A later start and a session show it again.
    SavedSession session;
    session.task = "gaussian";
    session.question = posterior_.question();
    session.question.pinned = {{"pin", run_, set, 1}};
    write_session(folder_ / "kept.pairs", session);
    EXPECT_EQ(read_session(folder_ / "kept.pairs").question, session.question);
    Settings settings;
    settings.question = session.question;
    SettingsFile(folder_ / "settings.toml").save(settings);
    SettingsFile again(folder_ / "settings.toml");
    EXPECT_EQ(again.load().question, session.question);
    EXPECT_EQ(again.problem(), "");
  }

  Hub hub_{pebbles()};
  TemporaryFolder folder_;
  std::string run_;
  Posterior posterior_;
};

TEST_F(OneSetEverywhere, WhateverIsChosen) {
  expect_one_set("");
  posterior_.set.choose_index(4);
  expect_one_set("index");
  posterior_.set.set_parameter(0, 0.5);
  expect_one_set("theta");
  posterior_.set.open_file("pebble:1.5");
  settle();
  posterior_.set_n(7);
  expect_one_set("data");
  posterior_.set.set_up("y");
  expect_one_set("up");
  EXPECT_THAT(posterior_.scene()->set_read_as, HasSubstr("y-up"));
  EXPECT_THAT(posterior_.batch_command(), HasSubstr("--up y"));
}

TEST_F(OneSetEverywhere, OfAFileToo) {
  {
    std::ofstream rows(folder_ / "rows.csv");
    rows << "u,v\n";
    for (int i = 0; i < 40; ++i) rows << (i == 5 ? "NA" : std::to_string(0.1 * (i % 9))) << "," << i << "\n";
  }
  posterior_.set.set_missing(Missing::drop);
  posterior_.set.open_file(folder_ / "rows.csv", {"u"});
  ASSERT_TRUE(posterior_.wait(60));
  // More than training saw.
  const auto large = posterior_.set.take_large_set();
  ASSERT_TRUE(large);
  EXPECT_EQ(large->choice.missing, Missing::drop);
  posterior_.set.open_part(large->choice, {});
  settle();
  EXPECT_EQ(posterior_.scene()->dropped, 1);
  EXPECT_EQ(posterior_.scene()->set_size, 39);
  expect_one_set("missing");
  expect_one_set("columns");
  posterior_.set.choose_random(3);
  expect_one_set("random");
  // The other way round it cannot be read: the set before it stays.
  posterior_.set.set_missing(Missing::refuse);
  ASSERT_TRUE(posterior_.wait(60));
  EXPECT_THAT(posterior_.set.failure(), HasSubstr("--missing drop"));
  EXPECT_EQ(posterior_.scene()->dropped, 1);
  posterior_.set.set_missing(Missing::drop);
  expect_one_set("random");
}

}  // namespace
}  // namespace pairs::model
