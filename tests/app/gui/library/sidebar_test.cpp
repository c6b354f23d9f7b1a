#include "app/gui/library/sidebar.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "app/gui/widgets/ui.h"
#include "core/base/files/files.h"
#include "core/train/run/run.h"
#include "core/train/settings/config.h"
#include "tasks/registry.h"
#include "tests/app/gui/driver.h"

namespace pairs::gui {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class SidebarTest : public testing::Test {
 protected:
  SidebarTest() { settings_ = settings_in(folder_.path(), "bump-hunt", "task"); }

  fs::path put_run(const std::string& name, const std::string& task = "bump-hunt") {
    RunConfig config;
    config.tasks = built_in_tasks();
    config.task = task;
    const fs::path run = folder_ / "runs" / name;
    fs::create_directories(run);
    write_file(run / run_file::config, write_run_toml(config, "cpu"));
    return run;
  }
  Driver& window() {
    if (!driver_) {
      driver_ = std::make_unique<Driver>(settings_);
      driver_->until([&] { return driver_->studio.library.listed(); });
      driver_->frames(2);
    }
    return *driver_;
  }
  // Whether a text with this part in it is shown.
  bool says(const std::string& part) {
    return std::any_of(recorder().items().begin(), recorder().items().end(),
                       [&](const Item& item) { return item.text.find(part) != std::string::npos; });
  }
  void menu(const std::string& run, const std::string& what) {
    window().click("sidebar/run/" + run + "/menu");
    window().click("sidebar/menu/" + what);
  }

  TemporaryFolder folder_;
  model::Settings settings_;
  std::unique_ptr<Driver> driver_;
};

TEST_F(SidebarTest, ATaskIsOneClickAway) {
  window().click("sidebar/task/gaussian");
  EXPECT_EQ(window().studio.task(), "gaussian");
  window().click("sidebar/task/digits");
  EXPECT_EQ(window().studio.task(), "digits");
}

TEST_F(SidebarTest, RunsOfTheTaskOrOfAll) {
  put_run("mine");
  put_run("other", "gaussian");
  EXPECT_NE(window().find("sidebar/run/mine"), nullptr);
  EXPECT_EQ(window().find("sidebar/run/other"), nullptr);
  EXPECT_FALSE(says("No runs yet"));
  window().click("sidebar/all-tasks");
  EXPECT_NE(window().find("sidebar/run/other"), nullptr);
  window().click("sidebar/this-task");
  EXPECT_EQ(window().find("sidebar/run/other"), nullptr);
  window().click("sidebar/task/digits");
  EXPECT_TRUE(says("No runs yet"));
}

TEST_F(SidebarTest, AggregatesAreDroppedAfterAQuestion) {
  const fs::path run = put_run("kept");
  write_file(run / run_file::cache, std::string(3 << 20, 'x'));
  write_file(run / run_file::estimator, "weights");
  menu("kept", "aggregates");
  EXPECT_THAT(window().item("sidebar/aggregates/what").text, HasSubstr("kept keeps 3.0 MiB of aggregates"));
  window().click("sidebar/aggregates/cancel");
  EXPECT_TRUE(fs::exists(run / run_file::cache));
  menu("kept", "aggregates");
  window().click("sidebar/aggregates/confirm");
  EXPECT_TRUE(window().until([&] { return !fs::exists(run / run_file::cache); }));
  EXPECT_TRUE(fs::exists(run / run_file::estimator));
}

TEST_F(SidebarTest, AClickOpensARun) {
  const fs::path run = put_run("mine");
  window().click("sidebar/run/mine");
  EXPECT_EQ(window().studio.run(), run.string());
  window().click("sidebar/run/bump-hunt");
  EXPECT_EQ(window().studio.run(), "bump-hunt");
}

TEST_F(SidebarTest, TheBoxComparesAndTheMenuToo) {
  const fs::path run = put_run("mine");
  window().click("sidebar/run/mine/compare");
  EXPECT_TRUE(window().studio.comparison.holds(run.string()));
  EXPECT_NE(window().studio.run(), run.string());
  menu("mine", "compare");
  EXPECT_FALSE(window().studio.comparison.holds(run.string()));
}

// Names that differ in their middle alone, too long for the list and the table: what is left of them differs, and a tip
// has the whole.
TEST_F(SidebarTest, LongNamesThatDifferInTheirMiddleStayApart) {
  const std::string before = "bump-hunt-of-the-second-week-with-all-of-the-settings-",
                    after = "-and-the-same-end-as-all-others-have-it";
  const std::vector<std::string> names = {before + "alpha" + after, before + "omega" + after};
  for (const std::string& name : names) put_run(name);
  settings_.tab = "compare";
  Driver& d = window();
  ASSERT_TRUE(d.rest());
  const auto hovered = [&](ImVec2 at) {
    d.screen.input.move(at.x, at.y);
    for (int k = 0; k < 4; ++k) d.screen.frame([&] { d.shell.frame(60); }, 0.25);
    return d.find("tip") ? d.item("tip").text : "";
  };
  for (const std::string list : {"sidebar/run/", "compare/row/"}) {
    std::set<std::string> shown;
    for (const std::string& name : names) {
      const std::string row = list == "sidebar/run/" ? list + name : list + (folder_ / "runs" / name).string();
      ASSERT_TRUE(d.until([&] { return d.find(row) != nullptr; })) << row;
      const Item item = d.item(row);
      for (const Item& one : recorder().items())
        if (one.kind == ItemKind::text && one.text.find("…") != std::string::npos && one.min.x >= item.min.x &&
            one.max.x <= item.max.x && one.min.y >= item.min.y && one.max.y <= item.max.y)
          shown.insert(one.text);
      EXPECT_THAT(hovered({item.min.x + 0.6f * (item.max.x - item.min.x), item.min.y + 12}), HasSubstr(name)) << row;
    }
    EXPECT_EQ(shown.size(), 2u) << list << ": " << testing::PrintToString(shown);
  }
  // The window's head, where the open run is named.
  d.studio.open_run((folder_ / "runs" / names[0]).string());
  ASSERT_TRUE(d.rest());
  ASSERT_TRUE(d.find("header/shown"));
  EXPECT_THAT(hovered(d.item("header/shown").middle()), HasSubstr(names[0]));
}

TEST_F(SidebarTest, RenamesAndNotes) {
  put_run("mine");
  menu("mine", "rename");
  window().type("sidebar/rename/name", "best");
  ASSERT_TRUE(window().until([&] { return window().find("sidebar/run/best") != nullptr; }));
  EXPECT_EQ(window().find("sidebar/rename/name"), nullptr);
  menu("best", "note");
  window().type("sidebar/note/text", "with dropout");
  EXPECT_TRUE(window().until([&] { return says("with dropout"); }));
}

TEST_F(SidebarTest, DeletesOnlyWhenTold) {
  const fs::path run = put_run("mine");
  menu("mine", "delete");
  window().click("sidebar/delete/cancel");
  EXPECT_EQ(window().find("sidebar/delete/confirm"), nullptr);
  EXPECT_TRUE(fs::exists(run));
  menu("mine", "delete");
  window().click("sidebar/delete/confirm");
  EXPECT_TRUE(window().until([&] { return window().find("sidebar/run/mine") == nullptr; }));
  EXPECT_FALSE(fs::exists(run));
  EXPECT_TRUE(fs::exists(folder_ / "data/Trash/files/mine/run.toml"));
}

TEST_F(SidebarTest, ARunBeingTrainedCanNeitherBeDeletedNorResumed) {
  const fs::path run = put_run("mine");
  const FolderLock lock(run);
  window().click("sidebar/run/mine/menu");
  EXPECT_FALSE(window().item("sidebar/menu/delete").enabled);
  EXPECT_FALSE(window().item("sidebar/menu/resume").enabled);
  EXPECT_TRUE(window().item("sidebar/menu/open").enabled);
}

TEST_F(SidebarTest, ResumesTraining) {
  const fs::path run = put_run("mine");
  menu("mine", "resume");
  EXPECT_EQ(window().studio.tab(), model::Tab::train);
  EXPECT_TRUE(window().until([&] { return window().studio.training.session.active(); }));
  EXPECT_EQ(window().studio.training.session.folder(), run);
}

TEST_F(SidebarTest, CopiesTheCommand) {
  const fs::path run = put_run("mine");
  menu("mine", "copy");
  EXPECT_EQ(std::string(ImGui::GetClipboardText()), "pairs --batch run --resume " + run.string());
}

TEST_F(SidebarTest, TheOpenDialogSaysWhatIsWrongAndOpensWhatIsRight) {
  RunConfig config;
  config.tasks = built_in_tasks();
  config.task = "gaussian";
  const fs::path run = folder_ / "elsewhere/mine";
  fs::create_directories(run);
  write_file(run / run_file::config, write_run_toml(config, "cpu"));
  window().click("sidebar/open");
  window().type("sidebar/open/path", (folder_ / "gone").string());
  EXPECT_TRUE(says("no folder"));
  window().type("sidebar/open/path", run.string());
  EXPECT_EQ(window().find("sidebar/open/path"), nullptr);
  EXPECT_TRUE(window().until([&] { return window().studio.run() == run.string(); }));
  EXPECT_THAT(window().studio.settings.run_folders, testing::Contains(run.string()));
  EXPECT_TRUE(window().until([&] { return window().find("sidebar/run/mine") != nullptr; }));
}

TEST_F(SidebarTest, ADeletedOpenRunIsShownAsSuch) {
  const fs::path run = put_run("mine");
  window().click("sidebar/run/mine");
  fs::remove_all(run);
  window().studio.library.refresh();
  EXPECT_TRUE(window().until([&] { return says("deleted"); }));
  window().click("sidebar/run/mine/menu");
  for (const char* name : {"open", "resume", "rename", "note", "reveal", "delete"})
    EXPECT_FALSE(window().item(std::string("sidebar/menu/") + name).enabled) << name;
}

TEST_F(SidebarTest, NoTextsOverlapHoweverNarrowItIs) {
  put_run("a run with a name that is far too long for the row it stands in");
  put_run("short");
  settings_.sidebar = 200;
  window().studio.library.annotate((folder_ / "runs/short").string(), "a note that is too long for its row as well");
  window().until([&] { return says("a note"); });
  window().click("sidebar/all-tasks");
  // Excludes the status bar, which shows the work in progress below the end of the list.
  const float bottom = window().item("status/log").min.y;
  std::vector<const Item*> texts;
  for (const Item& item : recorder().items())
    if (item.max.x <= 236 && item.min.y < bottom && (item.kind == ItemKind::text || item.kind == ItemKind::button) &&
        !item.text.empty())
      texts.push_back(&item);
  EXPECT_GT(texts.size(), 10u);
  for (const Item* a : texts) {
    EXPECT_FALSE(a->clipped) << a->text;
    for (const Item* b : texts)
      if (a < b) {
        EXPECT_FALSE(a->min.x < b->max.x && b->min.x < a->max.x && a->min.y < b->max.y - 1 && b->min.y < a->max.y - 1)
            << a->text << " | " << b->text;
      }
  }
}

}  // namespace
}  // namespace pairs::gui
