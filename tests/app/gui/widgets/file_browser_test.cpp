#include "app/gui/widgets/file_browser.h"

#include <gmock/gmock.h>

#include <fstream>

#include "app/gui/widgets/path_dialog.h"
#include "app/gui/widgets/save_dialog.h"
#include "tests/app/gui/widgets/file_screen.h"
#include "tests/app/model/environment.h"

namespace pairs::gui {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

class OpenFileTest : public FileScreen {
 protected:
  OpenFileTest() {
    fs::create_directories(folder_ / "plans");
    std::ofstream(folder_ / "plans" / "inner.csv") << "x\n1\n";
    std::ofstream(folder_ / "plot-1.csv") << "x\n1\n2\n";
    std::ofstream(folder_ / "plot-2.csv") << "x\n1\n";
    std::ofstream(folder_ / "readme.txt") << "hello\n";
    std::ofstream(folder_ / ".secret.csv") << "x\n1\n";
  }
  void draw() override {
    if (const auto path = dialog_.draw("open", texts_)) opened_ = *path;
  }
  // Opens the dialog, which shows the folder.
  void ask() {
    opened_.clear();
    dialog_.ask();
    frames();
    type((folder_ / "").string());
    ASSERT_TRUE(until([&] { return find("open/entry/plans") != nullptr; }));
  }
  std::string text() const { return text_of("open/path"); }

  PathDialog dialog_;
  PathDialog::Texts texts_{"Open", "Something.", "Path", {{"Tables", {".csv"}}}};
  fs::path opened_;
};

TEST_F(OpenFileTest, ListsAFolderTellsOfAFileAndOpensIt) {
  ask();
  EXPECT_TRUE(find("open/entry/plot-1.csv"));
  EXPECT_FALSE(find("open/entry/readme.txt")) << "no table";
  EXPECT_FALSE(find("open/entry/.secret.csv"));
  click("open/entry/plot-1.csv");
  EXPECT_EQ(text(), (folder_ / "plot-1.csv").string());
  ASSERT_TRUE(until([&] { return find("open/preview") != nullptr; }));
  EXPECT_EQ(text_of("open/preview"), "Table");
  EXPECT_EQ(text_of("open/preview/Rows"), "2");
  EXPECT_TRUE(find("open/entry/plot-2.csv")) << "what is clicked does not hide the others";
  EXPECT_TRUE(opened_.empty());
  click("open/confirm");
  EXPECT_EQ(opened_, folder_ / "plot-1.csv");
  EXPECT_TRUE(dialog_.is_open()) << "until it is told that the file is right";
  dialog_.fail("It is wrong");
  frames();
  EXPECT_TRUE(says("It is wrong"));
  write("x");
  EXPECT_FALSE(says("It is wrong")) << "of another path";
  EXPECT_THAT(settings_.recent_files, ElementsAre());
  press(key::backspace);
  press(key::enter);
  dialog_.close();
  frames();
  EXPECT_FALSE(find("open/path"));
  EXPECT_THAT(settings_.recent_files, ElementsAre((folder_ / "plot-1.csv").string()));
}

TEST_F(OpenFileTest, TwoClicksGoIntoAFolderAndOpenAFile) {
  ask();
  click("open/entry/plans", 2);
  EXPECT_EQ(text(), (folder_ / "plans" / "").string());
  ASSERT_TRUE(until([&] { return find("open/entry/inner.csv") != nullptr; }));
  click("open/up");
  EXPECT_EQ(text(), (folder_ / "").string());
  click("open/entry/plans");
  EXPECT_EQ(text(), (folder_ / "plans").string()) << "one click chooses it";
  EXPECT_TRUE(opened_.empty());
  click("open/entry/plot-2.csv", 2);
  EXPECT_EQ(opened_, folder_ / "plot-2.csv");
}

TEST_F(OpenFileTest, AFolderWithNothingToOpenIsLookedInto) {
  fs::create_directories(folder_ / "plots");
  std::ofstream(folder_ / "plots" / "a.png") << "x";
  ask();
  click("open/entry/plans");
  ASSERT_TRUE(until([&] { return find("open/preview") != nullptr; }));
  click("open/confirm");
  EXPECT_EQ(text(), (folder_ / "plans" / "").string());
  EXPECT_TRUE(opened_.empty());
  ASSERT_TRUE(until([&] { return find("open/entry/inner.csv") != nullptr; }));
  click("open/up");
  click("open/entry/plots");
  ASSERT_TRUE(until([&] { return find("open/preview/Pictures") != nullptr; }));
  click("open/confirm");
  EXPECT_EQ(opened_, folder_ / "plots") << "a set of pictures";
}

TEST_F(OpenFileTest, TabCompletesWhatIsTyped) {
  ask();
  write("pl");
  EXPECT_FALSE(find("open/entry/readme.txt"));
  write("o");
  EXPECT_FALSE(find("open/entry/plans")) << "what is listed begins with it";
  press(key::tab);
  EXPECT_EQ(text(), (folder_ / "plot-").string()) << "as far as it is clear";
  write("2");
  press(key::tab);
  EXPECT_EQ(text(), (folder_ / "plot-2.csv").string());
  press(key::backspace);
  type((folder_ / "pla").string());
  press(key::tab);
  EXPECT_EQ(text(), (folder_ / "plans" / "").string());
  ASSERT_TRUE(until([&] { return find("open/entry/inner.csv") != nullptr; }));
  write("i");
  press(key::tab);
  EXPECT_EQ(text(), (folder_ / "plans" / "inner.csv").string());
  press(key::enter);
  EXPECT_EQ(opened_, folder_ / "plans" / "inner.csv");
}

TEST_F(OpenFileTest, TabGoesOnWhereThereIsNothingToComplete) {
  ask();
  press(key::tab);
  EXPECT_EQ(text(), (folder_ / "").string());
  const Item* field = find("open/path");
  ASSERT_TRUE(field);
  EXPECT_FALSE(field->focused);
  bool other = false;
  for (const Item& item : recorder().items()) other = other || (item.focused && item.name != "open/path");
  EXPECT_TRUE(other);
}

TEST_F(OpenFileTest, ArrowsChooseAndEnterOpens) {
  ask();
  press(key::down);
  EXPECT_EQ(text(), (folder_ / "plans").string());
  press(key::down);
  press(key::down);
  EXPECT_EQ(text(), (folder_ / "plot-2.csv").string());
  press(key::down);
  press(key::up);
  EXPECT_EQ(text(), (folder_ / "plot-1.csv").string()) << "the last is the last";
  EXPECT_TRUE(find("open/entry/plans"));
  press(key::up);
  press(key::tab);
  EXPECT_EQ(text(), (folder_ / "plans" / "").string()) << "Tab goes into the folder that is chosen";
  ASSERT_TRUE(until([&] { return find("open/entry/inner.csv") != nullptr; }));
  press(key::down);
  press(key::enter);
  EXPECT_EQ(opened_, folder_ / "plans" / "inner.csv");
}

TEST_F(OpenFileTest, FiltersSortsAndShowsHiddenFiles) {
  ask();
  click("open/hidden");
  EXPECT_TRUE(find("open/entry/.secret.csv"));
  click("open/filter");
  click("open/filter/1");
  EXPECT_TRUE(find("open/entry/readme.txt"));
  const auto above = [&](const char* one, const char* other) {
    return find(std::string("open/entry/") + one)->min.y < find(std::string("open/entry/") + other)->min.y;
  };
  EXPECT_TRUE(above("plot-1.csv", "readme.txt"));
  click("open/sort/size");
  EXPECT_TRUE(above("plot-1.csv", "plot-2.csv")) << "the largest first";
  click("open/sort/size");
  EXPECT_TRUE(above("plot-2.csv", "plot-1.csv"));
  EXPECT_TRUE(above("plans", ".secret.csv")) << "folders first";
}

TEST_F(OpenFileTest, GoesToPlacesAndRecentFiles) {
  const model::Environment home("HOME", (folder_ / "plans").string());
  file_desk().runs_folder = folder_.path();
  settings_.recent_files = {(folder_ / "plot-2.csv").string()};
  dialog_.ask();
  frames();
  ASSERT_TRUE(until([&] { return find("open/entry/plot-1.csv") != nullptr; })) << "beside what was opened last";
  click("open/place/home");
  EXPECT_EQ(text(), (folder_ / "plans" / "").string());
  ASSERT_TRUE(until([&] { return find("open/entry/inner.csv") != nullptr; }));
  click("open/place/runs");
  EXPECT_EQ(text(), (folder_ / "").string());
  click("open/recent/0");
  EXPECT_EQ(text(), (folder_ / "plot-2.csv").string());
  click("open/confirm");
  EXPECT_EQ(opened_, folder_ / "plot-2.csv");
}

TEST_F(OpenFileTest, WordsAreTypedLikePaths) {
  dialog_.ask();
  frames();
  type(" CC(=O)O ");
  press(key::enter);
  EXPECT_EQ(opened_, "CC(=O)O");
  dialog_.close();
  EXPECT_THAT(settings_.recent_files, ElementsAre()) << "no file";
}

TEST_F(OpenFileTest, SaysWhatIsWrongWithAFolder) {
  dialog_.ask();
  frames();
  type((folder_ / "gone" / "").string());
  EXPECT_TRUE(until([&] { return says("There is no folder"); }));
}

TEST_F(OpenFileTest, EverythingIsInReachInASmallWindow) {
  for (const auto& [width, height, size] :
       {std::tuple{800.0f, 560.0f, 1.0f}, {1600.0f, 1120.0f, 2.0f}, {900.0f, 600.0f, 1.0f}}) {
    screen_.resize(width, height);
    screen_.restyle(ThemeKind::light, size);
    dialog_.ask();
    frames(6);
    for (const char* name :
         {"open/path", "open/filter", "open/hidden", "open/confirm", "open/cancel", "open/place/here"}) {
      const Item* item = find(name);
      ASSERT_TRUE(item) << name;
      EXPECT_TRUE(item->reachable()) << name << " at " << width;
      EXPECT_LE(item->max.y, height) << name;
    }
    press(key::escape);
    press(key::escape);
    frames();
  }
}

class SaveFileTest : public FileScreen {
 protected:
  void draw() override {
    if (const auto path = dialog_.draw({"save", "save/path", "save/write", "save/cancel"}, texts_)) {
      written_ = *path;
      std::ofstream(*path) << "new";
      dialog_.close();
    }
  }
  std::string text() const { return text_of("save/path"); }

  SaveDialog dialog_;
  SaveDialog::Texts texts_{"Save", "Something.", "Path", {{"Plots", {".svg"}}}, ".svg"};
  fs::path written_;
};

TEST_F(SaveFileTest, BeginsInTheLastFolderAndKeepsTheNameOnTheWay) {
  fs::create_directories(folder_ / "figures" / "deep");
  settings_.save_folder = (folder_ / "figures").string();
  dialog_.ask("plot.svg");
  frames();
  EXPECT_EQ(text(), (folder_ / "figures" / "plot.svg").string());
  click("save/entry/deep");
  EXPECT_EQ(text(), (folder_ / "figures" / "deep" / "plot.svg").string()) << "one click goes into a folder";
  click("save/up");
  click("save/up");
  EXPECT_EQ(text(), (folder_ / "plot.svg").string());
  click("save/write");
  EXPECT_EQ(written_, folder_ / "plot.svg");
  EXPECT_FALSE(find("save/path"));
  settings_.save_folder = (folder_ / "gone").string();
  dialog_.ask("plot.svg");
  frames();
  EXPECT_EQ(text(), (fs::current_path() / "plot.svg").string());
}

TEST_F(SaveFileTest, AFolderIsEnteredAndAWrongEndingRefused) {
  fs::create_directories(folder_ / "figures");
  dialog_.ask("plot.svg");
  frames();
  type((folder_ / "figures").string());
  EXPECT_FALSE(find("save/write")->enabled);
  press(key::enter);
  EXPECT_EQ(text(), (folder_ / "figures" / "plot.svg").string());
  press(key::backspace);
  EXPECT_FALSE(find("save/write")->enabled) << text();
  EXPECT_TRUE(says("must end in .svg"));
  press(key::enter);
  EXPECT_TRUE(written_.empty());
}

TEST_F(SaveFileTest, AFileThatIsClickedIsReplacedOnlyByTheButton) {
  std::ofstream(folder_ / "old.svg") << "old";
  settings_.save_folder = folder_.path().string();
  dialog_.ask("plot.svg");
  frames();
  click("save/entry/old.svg", 2);
  EXPECT_EQ(text(), (folder_ / "old.svg").string());
  EXPECT_TRUE(written_.empty());
  EXPECT_EQ(text_of("save/write"), "Replace");
  click("save/write");
  EXPECT_EQ(written_, folder_ / "old.svg");
}

}  // namespace
}  // namespace pairs::gui
