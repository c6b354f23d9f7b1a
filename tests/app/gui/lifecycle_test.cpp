// Starting, watching, closing and coming back, as a person at the window does it.
#include <gmock/gmock.h>

#include <regex>
#include <set>

#include "app/model/library/library.h"
#include "core/train/run/run.h"
#include "tasks/registry.h"
#include "tests/app/gui/driver.h"
#include "tests/app/gui/tiny_draft.h"
#include "tests/app/model/small_run.h"

namespace pairs::gui {
namespace {

using ::testing::HasSubstr;

class LifecycleTest : public ::testing::Test {
 protected:
  // A run of many epochs that is being trained.
  static void start_long(Driver& d) {
    d.click("tab/train");
    make_draft_tiny(d.studio);
    d.studio.training.drafts.shown().set("pretrain.epochs", "2000");
    d.frames(3);
    ASSERT_TRUE(d.until([&] { return d.find("train/start") && d.item("train/start").enabled; })) << "never ready";
    d.click("train/start");
    ASSERT_TRUE(d.until([&] { return d.studio.training.state() == model::Activity::running; }));
    ASSERT_TRUE(d.until([&] { return d.studio.training.card(0).done > 0; }));
  }
  static std::vector<std::string> errors(const Driver& d) {
    std::vector<std::string> texts;
    for (const model::Message* message : d.studio.hub.messages.matching("", model::Level::error))
      texts.push_back(message->text);
    return texts;
  }
  // Every percentage that a frame shows of the run in training.
  static std::set<std::string> percentages() {
    std::set<std::string> found;
    const std::regex number("([0-9]+ %)");
    for (const Item& item : recorder().items()) {
      std::smatch match;
      if (item.kind == ItemKind::text && std::regex_search(item.text, match, number)) found.insert(match[1]);
    }
    return found;
  }

  TemporaryFolder folder_;
};

TEST_F(LifecycleTest, ClosesAtOnceWhereNothingIsTrained) {
  Driver d(settings_in(folder_.path()));
  d.shell.ask_to_close();
  d.frames();
  EXPECT_TRUE(d.shell.wants_quit());
}

TEST_F(LifecycleTest, AsksBeforeItClosesOverATraining) {
  Driver d(settings_in(folder_.path(), "bump-hunt", "train"));
  start_long(d);
  d.key('Q', true);
  ASSERT_TRUE(d.find("close/cancel")) << "it does not ask";
  EXPECT_FALSE(d.shell.wants_quit());
  d.click("close/cancel");
  EXPECT_FALSE(d.find("close/cancel"));
  EXPECT_EQ(d.studio.training.state(), model::Activity::running);
  // From another task's tab too, and by Escape.
  d.click("sidebar/task/gaussian");
  d.shell.ask_to_close();
  d.frames(3);
  ASSERT_TRUE(d.find("close/confirm"));
  d.key(key::escape);
  EXPECT_FALSE(d.find("close/confirm"));
  EXPECT_TRUE(d.studio.training.session.active());
  d.shell.ask_to_close();
  d.frames(3);
  d.click("close/confirm");
  ASSERT_TRUE(d.until([&] { return d.shell.wants_quit(); }));
  EXPECT_FALSE(d.studio.training.session.active());
  EXPECT_TRUE(std::filesystem::exists(d.studio.training.session.folder() / run_file::resume));
}

TEST_F(LifecycleTest, StaysOpenWhereTheRunCouldNotBeSaved) {
  Driver d(settings_in(folder_.path(), "bump-hunt", "train"));
  start_long(d);
  d.shell.ask_to_close();
  d.frames(3);
  std::filesystem::rename(d.studio.training.session.folder(), folder_ / "elsewhere");
  d.click("close/confirm");
  ASSERT_TRUE(d.until([&] { return !d.studio.training.session.active(); }));
  d.frames(3);
  EXPECT_FALSE(d.shell.wants_quit());
  EXPECT_FALSE(d.studio.training.problem().empty());
  d.shell.ask_to_close();
  d.frames(3);
  EXPECT_TRUE(d.shell.wants_quit()) << "asked again, it closes";
}

TEST_F(LifecycleTest, OffersTheStoppedRunAtTheNextStart) {
  model::Settings settings = settings_in(folder_.path(), "bump-hunt", "train");
  std::string run;
  {
    Driver d(settings);
    start_long(d);
    run = d.studio.training.session.folder().string();
    d.shell.ask_to_close();
    d.frames(3);
    d.click("close/confirm");
    ASSERT_TRUE(d.until([&] { return d.shell.wants_quit(); }));
    settings = d.studio.settings;
    EXPECT_EQ(settings.unfinished, run);
  }
  {
    Driver d(settings);
    ASSERT_TRUE(d.until([&] { return d.find("resume/accept") != nullptr; })) << "nothing is offered";
    d.click("resume/decline");
    EXPECT_FALSE(d.find("resume/accept"));
    EXPECT_EQ(d.studio.settings.unfinished, "");
  }
  settings.task = "gaussian";
  settings.run = "";
  settings.tab = "posterior";
  Driver d(settings);
  ASSERT_TRUE(d.until([&] { return d.find("resume/accept") != nullptr; }));
  EXPECT_EQ(errors(d), std::vector<std::string>());
  d.click("resume/accept");
  ASSERT_TRUE(d.until([&] { return d.studio.training.state() == model::Activity::running; }));
  EXPECT_EQ(d.studio.training.session.folder().string(), run);
  EXPECT_EQ(d.studio.task(), "bump-hunt");
  EXPECT_FALSE(d.find("resume/accept"));
}

TEST_F(LifecycleTest, AFinishedRunIsNotOffered) {
  model::Settings settings = settings_in(folder_.path(), "bump-hunt", "train");
  {
    Driver d(settings);
    d.click("tab/train");
    make_draft_tiny(d.studio);
    ASSERT_TRUE(d.until([&] { return d.item("train/start").enabled; }));
    d.click("train/start");
    ASSERT_TRUE(d.until([&] { return d.studio.training.finished() && !d.studio.training.session.active(); }, 90));
    ASSERT_TRUE(d.until([&] { return d.studio.settings.unfinished.empty(); }));
    settings = d.studio.settings;
  }
  Driver d(settings);
  ASSERT_TRUE(d.rest());
  EXPECT_FALSE(d.find("resume/accept"));
}

TEST_F(LifecycleTest, ASecondClickOnStartPressesNothingElse) {
  Driver d(settings_in(folder_.path(), "bump-hunt", "train"));
  d.click("tab/train");
  make_draft_tiny(d.studio);
  d.studio.training.drafts.shown().set("pretrain.epochs", "2000");
  ASSERT_TRUE(d.until([&] { return d.item("train/start").enabled; }));
  const ImVec2 at = d.item("train/start").middle();
  d.press_at(at);
  d.press_at(at);
  ASSERT_TRUE(d.until([&] { return d.studio.training.state() == model::Activity::running; }));
  d.press_at(at);
  d.frames(60);
  d.press_at(at);  // long after: still nothing that this place could mean
  EXPECT_FALSE(d.studio.training.drafting());
  EXPECT_EQ(d.studio.training.state(), model::Activity::running);
  EXPECT_FALSE(d.item("train/start").enabled);
  // Pause turns into Resume under the mouse: two quick clicks pause.
  const ImVec2 pause = d.item("train/pretrain/pause").middle();
  d.press_at(pause);
  d.press_at(pause);
  ASSERT_TRUE(d.until([&] { return d.studio.training.state() == model::Activity::paused; }));
}

TEST_F(LifecycleTest, ARunInTrainingIsChosenWithoutAnError) {
  Driver d(settings_in(folder_.path(), "bump-hunt", "train"));
  start_long(d);
  const std::string run = d.studio.training.session.folder().string();
  // As soon as it is listed it is called "bump-hunt quick #1 · …".
  ASSERT_TRUE(d.until([&] { return d.studio.library.name_of(run).starts_with("bump-hunt quick #1 · "); }));
  const std::string row = "sidebar/run/" + d.studio.library.name_of(run);
  for (const char* tab : {"task", "train", "posterior", "evaluate", "compare"}) {
    d.click("sidebar/task/gaussian");
    d.click("sidebar/task/bump-hunt");
    ASSERT_TRUE(d.until([&] { return d.find(row) != nullptr; })) << "the run is not in the list";
    d.click(std::string("tab/") + tab);
    d.click(row);
    EXPECT_EQ(d.studio.run(), run) << tab;
    d.frames(20);
    d.click("tab/posterior");
    d.frames(5);
    d.click("tab/evaluate");
    d.frames(5);
  }
  EXPECT_EQ(errors(d), std::vector<std::string>());
  EXPECT_TRUE(d.studio.training.session.active());
}

// A run that has no weights yet shows them as soon as there are some.
TEST_F(LifecycleTest, TheFirstWeightsOfAChosenRunAreShown) {
  Driver d(settings_in(folder_.path()));
  std::filesystem::create_directories(folder_ / "runs");
  const auto run = create_run(model::small_config("bump-hunt"), folder_ / "runs/mine");
  d.studio.open_run(run.string());
  d.studio.library.refresh();
  ASSERT_TRUE(d.until([&] { return d.studio.library.find(run.string()) != nullptr; }));
  d.frames(3);
  EXPECT_EQ(d.studio.posterior.run(), "");
  model::QuietMonitor quiet;
  execute_run(built_in_tasks(), run, quiet);
  ASSERT_TRUE(d.until([&] { return d.studio.posterior.run() == run.string() && d.studio.posterior.shown(); }));
  EXPECT_EQ(d.studio.evaluation.run(), run.string());
  EXPECT_EQ(errors(d), std::vector<std::string>());
}

TEST_F(LifecycleTest, ProgressIsOneNumberAndPausedIsCalledPaused) {
  Driver d(settings_in(folder_.path(), "bump-hunt", "train"));
  d.click("tab/train");
  make_draft_tiny(d.studio);
  d.studio.training.drafts.shown().set("pretrain.epochs", "1000");  // longer than it is looked at, on any machine
  ASSERT_TRUE(d.until([&] { return d.item("train/start").enabled; }));
  d.click("train/start");
  ASSERT_TRUE(d.until([&] {
    const std::string row = "sidebar/run/" + d.studio.library.name_of(d.studio.training.session.folder().string());
    return d.find(row) && d.studio.training.card(0).done > 0;
  }));
  int compared = 0;
  ASSERT_TRUE(d.until([&] {
    if (d.studio.training.session.folder().empty() || !d.studio.training.session.active()) return true;
    const std::set<std::string> found = percentages();
    EXPECT_LE(found.size(), 1u) << ::testing::PrintToString(found);
    compared += found.size() == 1;
    return found.size() > 1 || compared > 60;
  }));
  EXPECT_GT(compared, 20);
  ASSERT_TRUE(d.studio.training.session.active()) << "over too soon to be paused";
  const int stage = d.studio.training.card(0).state == model::StageState::running ? 0 : 2;
  d.click(stage == 0 ? "train/pretrain/pause" : "train/finetune/pause");
  ASSERT_TRUE(d.until([&] { return d.studio.training.state() == model::Activity::paused; }));
  d.frames(20);
  int paused = 0;
  for (const Item& item : recorder().items()) {
    if (item.kind != ItemKind::text) continue;
    EXPECT_THAT(item.text, ::testing::Not(HasSubstr("training ·")));
    paused += item.text.starts_with("paused") || item.text.starts_with("Paused");
  }
  EXPECT_GE(paused, 4) << "card, list of runs, status bar and the line above the losses say so";
  EXPECT_EQ(percentages().size(), 1u);
}

}  // namespace
}  // namespace pairs::gui
