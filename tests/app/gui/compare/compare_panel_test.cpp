#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "app/runs/run_about.h"
#include "app/scores/run_evaluation.h"
#include "core/base/files/files.h"
#include "tasks/registry.h"
#include "tests/app/gui/driver.h"
#include "tests/app/model/environment.h"
#include "tests/app/model/small_run.h"

namespace pairs::gui {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

// Two seeds of PAIRS and a run of N = 1, evaluated, in a folder of each test's own.
struct TrainedRuns {
  TemporaryFolder folder;
  TrainedRuns() {
    model::QuietMonitor quiet;
    for (const auto& [name, seed, strategy] :
         {std::tuple("one", 1, "pairs"), std::tuple("two", 2, "pairs"), std::tuple("single", 1, "n1")}) {
      const std::string run = model::small_run(folder.path(), name, "gaussian", seed, strategy);
      const LoadedRun loaded = load_run(built_in_tasks(), run);
      save_metrics(loaded, evaluate_in(quiet, loaded, evaluation_options(loaded)));
    }
  }
};

class ComparePanelTest : public testing::Test {
 protected:
  ComparePanelTest() {
    static const TrainedRuns trained;
    fs::create_directories(folder_ / "runs");
    for (const char* name : {"one", "two", "single"})
      fs::copy(trained.folder / name, folder_ / "runs" / name, fs::copy_options::recursive);
  }
  model::Settings settings() {
    model::Settings settings = settings_in(folder_.path(), "gaussian", "compare");
    settings.dismissed = {"welcome"};
    return settings;
  }
  std::string run(const std::string& name) const { return (folder_ / "runs" / name).string(); }
  // Waits until the table lists these runs and the shipped weights, in any order, and is at rest.
  static bool lists(Driver& d, std::vector<std::string> names) {
    names.push_back("Shipped weights");
    std::sort(names.begin(), names.end());
    return d.until([&] {
      const auto view = d.studio.board.view();
      if (!view || d.studio.board.busy()) return false;
      std::vector<std::string> rows;
      for (const model::TableRow& row : view->rows) rows.push_back(row.name);
      std::sort(rows.begin(), rows.end());
      return rows == names;
    });
  }
  TemporaryFolder folder_;
};

TEST_F(ComparePanelTest, FiltersWhileItIsTypedAndSaysWhatIsWrong) {
  Driver d(settings(), 1440, 900);
  ASSERT_TRUE(lists(d, {"one", "two", "single"}));
  d.type("compare/filter", "strategy=n1");
  ASSERT_TRUE(d.until([&] { return d.studio.board.view()->rows.size() == 1; }));
  d.frames(3);
  EXPECT_TRUE(d.find("compare/row/" + run("single")));
  EXPECT_FALSE(d.find("compare/row/" + run("one")));
  d.type("compare/filter", "strateggy=n1");
  ASSERT_TRUE(d.until([&] { return d.find("compare/filter/problem") != nullptr; }));
  EXPECT_THAT(d.item("compare/filter/problem").text, HasSubstr("did you mean strategy?"));
  EXPECT_TRUE(d.find("compare/row/" + run("one"))) << "all are listed";
}

TEST_F(ComparePanelTest, FoldsSortsAndRemembersIt) {
  model::Settings kept;
  {
    Driver d(settings(), 1440, 900);
    ASSERT_TRUE(lists(d, {"one", "two", "single"}));
    d.click("compare/fold");
    ASSERT_TRUE(d.until([&] { return !d.studio.board.busy() && d.studio.board.view()->rows.size() == 3; }));
    EXPECT_THAT(d.studio.board.view()->sentence, HasSubstr("4 runs in 3 rows"));
    d.click("compare/sort/cost");
    d.click("compare/sort/cost");
    d.click("compare/columns");
    d.click("compare/columns/created");
    ASSERT_TRUE(d.until([&] { return d.find("compare/sort/created") != nullptr; }));
    kept = d.studio.settings;
  }
  EXPECT_TRUE(kept.table_folded);
  EXPECT_EQ(kept.table_sort, "-cost");
  EXPECT_THAT(kept.table_columns, ElementsAre("+created"));
  Driver again(kept, 1440, 900);
  ASSERT_TRUE(again.until([&] { return again.find("compare/sort/created") != nullptr; }));
  EXPECT_TRUE(again.studio.board.choices().fold);
}

TEST_F(ComparePanelTest, ComparesTheRowsThatAreChosen) {
  Driver d(settings(), 1440, 900);
  ASSERT_TRUE(lists(d, {"one", "two", "single"}));
  EXPECT_FALSE(d.item("compare/chosen/compare").enabled);
  d.click("compare/row/" + run("one"));
  d.screen.input.press(key::left_control, true);
  d.click("compare/row/" + run("single"));
  d.screen.input.press(key::left_control, false);
  d.frames(2);
  EXPECT_THAT(d.studio.board.selection.chosen_listed(), UnorderedElementsAre(run("one"), run("single")));
  d.click("compare/chosen/compare");
  EXPECT_TRUE(d.studio.comparison.holds(run("one")) && d.studio.comparison.holds(run("single")));
  EXPECT_EQ(d.studio.comparison.entries().size(), 2u) << "in place of the shipped weights";
  d.click("compare/row/" + run("two") + "/tick");
  EXPECT_TRUE(d.studio.comparison.holds(run("two")));
}

TEST_F(ComparePanelTest, ABaselineGivesPairedDifferences) {
  Driver d(settings(), 1440, 900);
  ASSERT_TRUE(lists(d, {"one", "two", "single"}));
  d.click("compare/row/" + run("one"));
  d.click("compare/chosen/baseline");
  ASSERT_TRUE(d.until([&] { return d.find("compare/sort/difference") != nullptr; }));
  EXPECT_EQ(d.studio.board.view()->baseline_name, "one");
}

TEST_F(ComparePanelTest, TagsArchivesDeletesAndTakesBack) {
  Driver d(settings(), 1440, 900);
  ASSERT_TRUE(lists(d, {"one", "two", "single"}));
  d.click("compare/row/" + run("one"));
  d.click("compare/chosen/tag");
  // Escape keeps what was typed for the next time; Enter adds it.
  d.click("compare/tag/text");
  for (const char c : std::string("paper late")) d.screen.input.character(static_cast<unsigned char>(c));
  d.frames(3);
  d.key(key::escape);
  EXPECT_FALSE(d.find("compare/tag/add"));
  d.click("compare/chosen/tag");
  EXPECT_EQ(d.item("compare/tag/text").text, "paper late");
  EXPECT_TRUE(load_about(run("one")).tags.empty());
  d.click("compare/tag/text");
  d.key(key::enter);
  EXPECT_FALSE(d.find("compare/tag/add")) << "Enter adds, and closes";
  ASSERT_TRUE(d.until([&] { return load_about(run("one")).tags.size() == 2; }));
  d.click("compare/chosen/archive");
  ASSERT_TRUE(lists(d, {"two", "single"}));
  EXPECT_TRUE(load_about(run("one")).archived);
  EXPECT_THAT(d.studio.board.view()->sentence, HasSubstr("1 archived"));
  EXPECT_FALSE(d.find("sidebar/run/one"));
  d.click("compare/undo");
  ASSERT_TRUE(lists(d, {"one", "two", "single"}));
  d.click("compare/row/" + run("two"));
  d.click("compare/chosen/delete");
  d.click("compare/delete/confirm");
  ASSERT_TRUE(lists(d, {"one", "single"}));
  EXPECT_FALSE(fs::exists(run("two")));
  d.click("compare/undo");
  ASSERT_TRUE(lists(d, {"one", "two", "single"}));
  EXPECT_TRUE(fs::exists(run("two")));
}

// A row under the mouse lights its curve, and the curve its row; a click on a curve chooses the row.
TEST_F(ComparePanelTest, RowsAndCurvesAreLinked) {
  Driver d(settings(), 1440, 1400);
  ASSERT_TRUE(lists(d, {"one", "two", "single"}));
  d.type("compare/filter", "strategy=n1");
  ASSERT_TRUE(d.until([&] { return d.studio.board.view()->rows.size() == 1 && !d.studio.board.busy(); }));
  d.frames(3);
  const auto plot = d.studio.board.view()->plot;
  ASSERT_TRUE(plot.figure) << plot.note;
  ASSERT_EQ(plot.figure->plots[0].lines.size(), 1u);
  EXPECT_EQ(plot.figure->plots[0].lines[0].name, "single, no better than the prior") << "a few steps teach nothing";
  d.move(d.item("compare/row/" + run("single")).middle());
  EXPECT_TRUE(d.studio.board.selection.hovered().contains(run("single")));
  // The line has two points and fills its axes: from the corner at the top left to the one at the bottom right.
  const Item area = d.item("compare/plot/0");
  d.move({1, 1});
  d.frames(2);
  EXPECT_TRUE(d.studio.board.selection.hovered().empty());
  bool found = false;
  for (float y = area.min.y + 1; y < area.max.y && !found; y += 3) {
    d.move({(area.min.x + area.max.x) / 2, y});
    found = d.studio.board.selection.hovered().contains(run("single"));
    if (found) d.press_at({(area.min.x + area.max.x) / 2, y});
  }
  ASSERT_TRUE(found);
  EXPECT_THAT(d.studio.board.selection.chosen_listed(), ElementsAre(run("single")));
}

}  // namespace
}  // namespace pairs::gui
