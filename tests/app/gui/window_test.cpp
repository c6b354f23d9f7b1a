// The real panels on a screen without a renderer, driven by name as a person would.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <imgui_internal.h>

#include <fstream>
#include <set>

#include "tests/app/gui/driver.h"
#include "tests/app/gui/tiny_draft.h"

namespace pairs::gui {
namespace {

using ::testing::HasSubstr;

class WindowTest : public ::testing::Test {
 protected:
  void make_tiny(Driver& d, const std::vector<std::pair<std::string, std::string>>& more = {}) {
    make_draft_tiny(d.studio);
    for (const auto& [key, value] : more) d.studio.training.drafts.shown().set(key, value);
    d.frames(3);
  }
  // A run of many epochs that is being trained.
  void start_long(Driver& d) {
    d.click("tab/train");
    make_tiny(d, {{"pretrain.epochs", "2000"}});
    ASSERT_TRUE(d.until([&] { return d.find("train/start") && d.item("train/start").enabled; })) << "never ready";
    d.click("train/start");
    ASSERT_TRUE(d.until([&] { return d.studio.training.state() == model::Activity::running; }));
    ASSERT_TRUE(d.until([&] { return d.studio.training.card(0).done > 0; }));
  }

  TemporaryFolder folder_;
};

TEST_F(WindowTest, OpensOnThePosteriorOfTheBumpHunt) {
  Driver d(settings_in(folder_.path()));
  EXPECT_EQ(d.studio.task(), "bump-hunt");
  EXPECT_EQ(d.studio.tab(), model::Tab::posterior);
  ASSERT_TRUE(d.until([&] { return d.studio.posterior.shown() != nullptr; }));
  const auto before = d.studio.posterior.n();
  d.drag("posterior/n", 0.9, 0.3);
  EXPECT_LT(d.studio.posterior.n(), before);
  ASSERT_TRUE(d.until([&] { return d.studio.posterior.shown()->n == d.studio.posterior.n(); }));
  EXPECT_THAT(d.studio.posterior.batch_command(), HasSubstr("pairs --batch"));
}

TEST_F(WindowTest, TabsTasksAndKeysLeadWhereTheySay) {
  Driver d(settings_in(folder_.path()));
  for (int tab = 0; tab < model::tab_count; ++tab) {
    d.click(std::string("tab/") + model::entry(static_cast<model::Tab>(tab)).name);
    EXPECT_EQ(static_cast<int>(d.studio.tab()), tab);
    d.key('1' + model::tab_count - 1 - tab, true);
    EXPECT_EQ(static_cast<int>(d.studio.tab()), model::tab_count - 1 - tab);
  }
  d.click("sidebar/task/gaussian");
  EXPECT_EQ(d.studio.task(), "gaussian");
  d.key('T', true);
  EXPECT_EQ(d.shell.wanted_theme(), ThemeKind::light);
  d.key('L', true);
  EXPECT_TRUE(d.studio.settings.log_open);
  EXPECT_TRUE(d.find("log/filter"));
  d.key('L', true);
  d.key('K', true);
  ASSERT_TRUE(d.find("palette/query"));
  d.type("palette/query", "bump");
  EXPECT_EQ(d.studio.task(), "bump-hunt");
  EXPECT_FALSE(d.find("palette/query"));
  d.key(key::f1);
  d.key(key::escape);
  d.key('Q', true);
  EXPECT_TRUE(d.shell.wants_quit());
}

TEST_F(WindowTest, TrainsARunThroughItsThreeStages) {
  Driver d(settings_in(folder_.path(), "bump-hunt", "train"));
  d.click("tab/train");
  make_tiny(d);
  EXPECT_THAT(d.studio.training.batch_command(), HasSubstr("pairs --batch run bump-hunt"));
  ASSERT_TRUE(d.until([&] { return d.item("train/start").enabled; }));
  d.click("train/start");
  ASSERT_TRUE(d.until([&] { return d.studio.training.finished(); }, 90)) << d.studio.training.problem();
  const auto run = d.studio.training.folder();
  EXPECT_TRUE(std::filesystem::exists(run / "estimator.safetensors"));
  EXPECT_NE(d.studio.training.losses(0), nullptr);
  ASSERT_TRUE(d.until([&] { return d.studio.run() == run.string(); })) << "its posterior is not shown";
  d.click("tab/posterior");
  ASSERT_TRUE(d.until([&] { return d.studio.posterior.shown() && d.studio.posterior.run() == run.string(); }));
}

TEST_F(WindowTest, PausesResumesAndStops) {
  Driver d(settings_in(folder_.path(), "bump-hunt", "train"));
  start_long(d);
  d.click("train/pretrain/pause");
  ASSERT_TRUE(d.until([&] { return d.studio.training.state() == model::Activity::paused; }));
  const auto at = d.studio.training.card(0).done;
  d.frames(50);
  EXPECT_EQ(d.studio.training.card(0).done, at);
  d.click("train/pretrain/resume");
  ASSERT_TRUE(d.until([&] { return d.studio.training.card(0).done > at; }));
  const Stopwatch watch;
  d.click("train/pretrain/stop");
  ASSERT_TRUE(d.until([&] { return d.studio.training.state() == model::Activity::rest; }));
  EXPECT_LT(watch.seconds(), 20) << "it waits for the stage, not for the step";
  EXPECT_TRUE(std::filesystem::exists(d.studio.training.folder() / "resume.safetensors"));
  // And on from there.
  ASSERT_TRUE(d.until([&] { return d.item("train/start").enabled; }));
  d.click("train/start");
  ASSERT_TRUE(d.until([&] { return d.studio.training.state() == model::Activity::running; }));
  d.click("train/pretrain/stop");
  ASSERT_TRUE(d.until([&] { return d.studio.training.state() == model::Activity::rest; }));
}

TEST_F(WindowTest, ButtonsFollowTheLifecycle) {
  using model::Action;
  Driver d(settings_in(folder_.path(), "bump-hunt", "train"));
  const model::Training& training = d.studio.training;
  // Each button of the first stage that is drawn is enabled exactly when its action is allowed.
  const auto check = [&](const char* state, std::set<std::string> expected) {
    d.frames(3);
    std::set<std::string> enabled;
    for (const auto& [name, action] : {std::pair{"start", Action::start},
                                       {"pause", Action::pause},
                                       {"resume", Action::resume},
                                       {"stop", Action::stop}})
      if (const Item* item = d.find(std::string("train/pretrain/") + name)) {
        if (item->enabled) enabled.insert(name);
        EXPECT_EQ(item->enabled, training.blocked(action, 0).empty()) << state << ": " << name;
      }
    EXPECT_EQ(enabled, expected) << state;
  };
  d.click("tab/train");
  make_tiny(d);
  check("draft", {"start"});
  start_long(d);
  check("running", {"pause", "stop"});
  d.click("train/pretrain/pause");
  ASSERT_TRUE(d.until([&] { return training.state() == model::Activity::paused; }));
  check("paused", {"resume", "stop"});
  d.click("train/pretrain/stop");
  ASSERT_TRUE(d.until([&] { return training.state() == model::Activity::rest; }));
  ASSERT_TRUE(d.until([&] { return training.blocked(Action::start, 0).empty(); }));
  check("stopped", {"start"});
}

TEST_F(WindowTest, LetsOneLookElsewhereWhileItTrains) {
  Driver d(settings_in(folder_.path(), "bump-hunt", "train"));
  start_long(d);
  const auto run = d.studio.training.session.folder();
  for (int round = 0; round < 2; ++round)
    for (const char* task : {"gaussian", "bump-hunt"})
      for (int tab = 0; tab < model::tab_count; ++tab) {
        d.click(std::string("sidebar/task/") + task);
        d.click(std::string("tab/") + model::entry(static_cast<model::Tab>(tab)).name);
        d.frames(3);
      }
  EXPECT_TRUE(d.studio.training.session.active());
  d.click("sidebar/task/bump-hunt");
  d.click("tab/train");
  EXPECT_EQ(d.studio.training.folder(), run) << "the run in training is shown again";
}

TEST_F(WindowTest, ShowsARunWhoseFolderVanishes) {
  Driver d(settings_in(folder_.path(), "bump-hunt", "train"));
  start_long(d);
  std::filesystem::rename(d.studio.training.session.folder(), folder_ / "elsewhere");
  ASSERT_TRUE(d.until([&] { return d.studio.training.state() == model::Activity::failed; }, 60));
  EXPECT_FALSE(d.studio.training.problem().empty());
  ASSERT_TRUE(d.find("train/problem"));
  d.click("train/problem/button");
  EXPECT_NE(d.studio.training.state(), model::Activity::failed);
}

}  // namespace
}  // namespace pairs::gui
