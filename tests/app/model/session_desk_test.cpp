#include "app/model/session_desk.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "app/model/posterior/work/set_table.h"
#include "app/model/studio.h"
#include "core/base/files/files.h"
#include "core/base/threads/clock.h"
#include "tests/app/model/environment.h"
#include "tests/app/model/small_run.h"

namespace pairs::model {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class SessionDeskTest : public ::testing::Test {
 protected:
  SessionDeskTest() {
    fs::create_directories(home_ / "runs");
    write_file(home_ / "events.csv", "x\n0.31\n-1.2\n2.25\n0.17\n0.4\n1.1\n");
  }
  Settings settings() const {
    Settings s;
    s.runs_folder = (scratch_ / "new-runs").string();
    return s;
  }
  static void settle(Studio& studio) {
    const Stopwatch watch;
    for (int rested = 0; rested < 5 && watch.seconds() < 60;) {
      studio.poll();
      rested = studio.busy() ? 0 : rested + 1;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
  static bool says(const Studio& studio, const std::string& part) {
    return std::ranges::any_of(studio.hub.messages.all(),
                               [&](const Message& one) { return one.text.find(part) != std::string::npos; });
  }
  // Numbers of everything that is drawn, ours and what is pinned.
  static std::vector<std::pair<std::string, double>> numbers(const Studio& studio) {
    std::vector<std::pair<std::string, double>> all;
    for (const PosteriorNumbers& one : studio.posterior.shown()->series)
      for (const TargetNumbers& target : one.targets) {
        all.emplace_back(one.name, target.mean);
        all.emplace_back(one.name, target.sd);
      }
    for (const DerivedNumbers& one : studio.posterior.shown()->derived) all.emplace_back(one.name, one.numbers.mean);
    return all;
  }

  TemporaryFolder scratch_;
  fs::path home_ = scratch_ / "home";
  Environment config_{"XDG_CONFIG_HOME", scratch_.path().string()}, data_{"XDG_DATA_HOME", scratch_.path().string()};
};

TEST_F(SessionDeskTest, OpenedElsewhereItShowsTheSameToTheBit) {
  const std::string run = small_run(home_ / "runs", "a", "bump-hunt");
  std::vector<std::pair<std::string, double>> before;
  {
    Studio studio(built_in_tasks(), settings());
    studio.open_run(run);
    studio.posterior.set.open_file(home_ / "events.csv");
    settle(studio);
    studio.posterior.set_n(4);
    studio.posterior.set.choose_random(11);
    studio.posterior.options.set_interval(IntervalKind::highest_density);
    EXPECT_EQ(studio.posterior.options.add_derived("twice = 2*theta"), "");
    settle(studio);
    studio.posterior.pins.add();
    const auto pins = studio.posterior.pins.shown();
    ASSERT_EQ(pins.size(), 1u);
    studio.posterior.pins.rename(pins[0].id, "four of them");
    studio.posterior.set_n(6);
    studio.comparison.clear();
    studio.comparison.toggle(run);
    studio.session.set_note("what\nwas seen");
    studio.session.set_data_note("of a Friday");
    EXPECT_TRUE(studio.session.unsaved());
    settle(studio);
    before = numbers(studio);
    EXPECT_EQ(studio.session.save(home_ / "work.txt"), "The file's name must end in .pairs");
    EXPECT_EQ(studio.session.save(home_ / "work.pairs"), "");
    settle(studio);
    EXPECT_FALSE(studio.session.unsaved());
    EXPECT_EQ(studio.session.file(), home_ / "work.pairs");
    EXPECT_EQ(studio.session.save(scratch_ / "packed", true), "");
    settle(studio);
    EXPECT_EQ(studio.session.file(), home_ / "work.pairs");
  }
  fs::rename(home_, scratch_ / "moved");
  for (const fs::path& place : {scratch_ / "moved/work.pairs", scratch_ / "packed"}) {
    Studio studio(built_in_tasks(), settings());
    studio.open_path(place);
    settle(studio);
    const fs::path folder = fs::is_directory(place) ? place : place.parent_path();
    EXPECT_EQ(studio.run(), (folder / "runs/a").string());
    EXPECT_NE(studio.library.find(studio.run()), nullptr) << "in the list, so that it can be annotated";
    EXPECT_EQ(studio.posterior.n(), 6);
    EXPECT_EQ(studio.posterior.options.interval(), IntervalKind::highest_density);
    ASSERT_EQ(studio.posterior.pins.shown().size(), 1u);
    EXPECT_EQ(studio.posterior.pins.shown()[0].name, "four of them");
    EXPECT_EQ(studio.session.note(), "what\nwas seen");
    EXPECT_EQ(studio.session.data_note(), "of a Friday");
    EXPECT_THAT(studio.session.report_notes(), ElementsAre("what\nwas seen", "of a Friday"));
    ASSERT_EQ(studio.comparison.entries().size(), 1u);
    ASSERT_TRUE(studio.posterior.shown());
    EXPECT_EQ(numbers(studio), before);
    EXPECT_FALSE(says(studio, "missing"));
  }
}

// What a plain start shows again, without a session: pins, derived quantities, another prior and tests, too.
TEST_F(SessionDeskTest, ALaterStartShowsAllThatWasAsked) {
  const std::string run = small_run(home_ / "runs", "a", "bump-hunt");
  Settings kept = settings();
  Question asked;
  std::string predictive, prior;
  std::vector<std::pair<std::string, double>> before;
  const auto answers = [](Studio& studio) {
    SetInquiries& all = studio.posterior.inquiries();
    const std::string key = studio.posterior.inquiry_key();
    return all.predictive.answer(all.predictive_key(key));
  };
  {
    Studio studio(built_in_tasks(), kept);
    studio.open_run(small_run(home_ / "runs", "b", "gaussian"));
    settle(studio);
    EXPECT_EQ(studio.posterior.options.add_derived("sum = theta1 + theta2"), "");
    studio.open_run(run);
    studio.posterior.set.open_file(home_ / "events.csv");
    settle(studio);
    studio.posterior.set_n(4);
    studio.posterior.options.set_interval(IntervalKind::upper_limit);
    EXPECT_EQ(studio.posterior.options.add_derived("twice = 2*theta"), "");
    settle(studio);
    studio.posterior.pins.add();
    studio.posterior.set_n(5);
    settle(studio);
    SetInquiries& all = studio.posterior.inquiries();
    all.prior = "beta(2, 8)";
    all.predictive_seed = 7;
    all.ask("predictive", studio.posterior.inquiry_key(), *studio.posterior.files.samples_asked());
    settle(studio);
    ASSERT_TRUE(answers(studio));
    predictive = answers(studio)->text;
    before = numbers(studio);
    asked = studio.question();
    EXPECT_EQ(asked.tests, std::vector<std::string>{"predictive"});
    EXPECT_EQ(asked.pinned.size(), 1u);
    EXPECT_EQ(asked.other_derived.size(), 1u) << "of the other task";
    studio.poll();
    kept = studio.settings;
  }
  SettingsFile(scratch_ / "settings.toml").save(kept);
  SettingsFile file(scratch_ / "settings.toml");
  Studio studio(built_in_tasks(), file.load());
  EXPECT_EQ(file.problem(), "");
  EXPECT_EQ(studio.question().pinned, asked.pinned) << "nothing is lost where the window is closed at once";
  EXPECT_EQ(studio.question().tests, asked.tests);
  EXPECT_EQ(studio.question().derived, asked.derived);
  settle(studio);
  EXPECT_EQ(studio.question(), asked);
  EXPECT_EQ(numbers(studio), before);
  ASSERT_EQ(studio.posterior.pins.shown().size(), 1u);
  ASSERT_TRUE(answers(studio));
  EXPECT_EQ(answers(studio)->text, predictive);
  ASSERT_TRUE(studio.posterior.shown());
  EXPECT_FALSE(studio.posterior.shown()->derived.empty());
}

TEST_F(SessionDeskTest, ASimulatedSetWithValuesByHandComesBack) {
  double mean = 0;
  {
    Studio studio(built_in_tasks(), settings());
    settle(studio);
    studio.posterior.set.choose_index(3);
    settle(studio);
    studio.posterior.set.set_parameter(0, 0.25);
    settle(studio);
    mean = studio.posterior.shown()->series.front().targets.front().mean;
    EXPECT_EQ(studio.session.save(scratch_ / "s.pairs"), "");
    settle(studio);
  }
  Studio studio(built_in_tasks(), settings());
  settle(studio);
  studio.open_path(scratch_ / "s.pairs");
  settle(studio);
  EXPECT_EQ(studio.posterior.set.index(), 3);
  EXPECT_EQ(studio.posterior.scene()->parameters.front().value, 0.25);
  EXPECT_EQ(studio.posterior.shown()->series.front().targets.front().mean, mean);
}

TEST_F(SessionDeskTest, OneOfManySetsComesBack) {
  write_file(home_ / "sets.csv", "run,x\na,0.1\na,0.7\nb,1.5\nb,0.2\nc,0.9\nc,-0.4\n");
  double mean = 0;
  {
    Studio studio(built_in_tasks(), settings());
    settle(studio);
    studio.posterior.sets.open(home_ / "sets.csv", "run");
    settle(studio);
    studio.posterior.sets.choose(1, SetClick::alone);
    settle(studio);
    ASSERT_EQ(studio.posterior.scene()->choice.member, "b");
    mean = studio.posterior.shown()->series.front().targets.front().mean;
    SetInquiries& all = studio.posterior.inquiries();
    all.ask("predictive", studio.posterior.inquiry_key(), *studio.posterior.files.samples_asked());
    settle(studio);
    EXPECT_EQ(studio.question().tests, std::vector<std::string>{"predictive"});
    EXPECT_TRUE(studio.settings.question.tests.empty()) << "a plain start shows the first set, which nobody tested";
    EXPECT_EQ(studio.session.save(home_ / "s.pairs"), "");
    settle(studio);
  }
  Studio studio(built_in_tasks(), settings());
  studio.open_path(home_ / "s.pairs");
  settle(studio);
  EXPECT_EQ(studio.posterior.scene()->choice.member, "b");
  EXPECT_EQ(studio.question().tests, std::vector<std::string>{"predictive"}) << "of the set that was tested";
  EXPECT_EQ(studio.posterior.sets.table().rows(), 3u);
  EXPECT_EQ(studio.posterior.shown()->series.front().targets.front().mean, mean);
}

TEST_F(SessionDeskTest, WhatIsMissingGetsASentenceAndTheRestOpens) {
  SavedSession session;
  session.task = "bump-hunt";
  session.question.run = (home_ / "runs/gone").string();
  session.question.set.file = home_ / "gone.csv";
  session.note = "still here";
  session.question.n = 7;
  session.tab = "task";
  session.question.pinned = {{"lost", (home_ / "runs/gone").string(), {.index = 1}, 5},
                             {"kept", "bump-hunt", {.index = 1}, 5}};
  write_session(home_ / "s.pairs", session);
  Studio studio(built_in_tasks(), settings());
  studio.open_path(home_ / "s.pairs");
  settle(studio);
  EXPECT_TRUE(says(studio, "runs/gone is missing"));
  EXPECT_TRUE(says(studio, "gone.csv are missing"));
  EXPECT_TRUE(says(studio, "lost is not pinned again"));
  EXPECT_EQ(studio.task(), "bump-hunt");
  EXPECT_EQ(studio.tab(), Tab::task);
  EXPECT_EQ(studio.posterior.n(), 7);
  EXPECT_EQ(studio.session.note(), "still here");
  ASSERT_EQ(studio.posterior.pins.shown().size(), 1u);
  EXPECT_EQ(studio.posterior.pins.shown()[0].name, "kept");
  ASSERT_TRUE(studio.posterior.shown());
}

TEST_F(SessionDeskTest, ADamagedOneChangesNothing) {
  write_file(home_ / "s.pairs", "session = 1\ntask = ");
  Studio studio(built_in_tasks(), settings());
  settle(studio);
  studio.session.set_note("mine");
  studio.session.answer(true);  // nothing was asked
  studio.open_path(home_ / "s.pairs");
  EXPECT_TRUE(studio.session.asking()) << "notes would be lost";
  studio.session.answer(true);
  settle(studio);
  EXPECT_TRUE(says(studio, "s.pairs, line 2"));
  EXPECT_EQ(studio.session.note(), "mine");
  EXPECT_EQ(studio.task(), "bump-hunt");
}

TEST_F(SessionDeskTest, NotesStayFromStartToStart) {
  Settings kept;
  {
    Studio studio(built_in_tasks(), settings());
    studio.posterior.set.open_file(home_ / "events.csv");
    settle(studio);
    studio.session.set_note("of mine");
    studio.session.set_data_note("of the data");
    studio.poll();
    kept = studio.settings;
  }
  Studio studio(built_in_tasks(), kept);
  settle(studio);
  EXPECT_EQ(studio.session.note(), "of mine");
  EXPECT_EQ(studio.session.data_note(), "of the data");
  SavedSession other;
  other.task = "circle";
  write_session(home_ / "other.pairs", other);
  studio.session.open(home_ / "other.pairs");
  studio.session.answer(false);
  EXPECT_EQ(studio.session.note(), "of mine") << "a person said no";
}

}  // namespace
}  // namespace pairs::model
