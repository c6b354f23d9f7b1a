#include "app/gui/plot/figure_saver.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "app/gui/platform/input.h"
#include "app/gui/platform/recorder.h"
#include "tests/app/gui/platform/null_screen.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs::gui {
namespace {

namespace fs = std::filesystem;

class FigureSaverTest : public ::testing::Test {
 protected:
  FigureSaverTest() {
    figure_.title = "Some lines";
    figure_.plots.resize(1);
    figure_.plots[0].lines.resize(1);
    figure_.plots[0].lines[0].x = {1, 2};
    figure_.plots[0].lines[0].y = {3, 4};
  }
  void frames(int count = 4) {
    for (int i = 0; i < count; ++i) screen_.frame([&] { saver_.draw("plot", [&] { return figure_; }); });
  }
  // Opens the dialog and types a path over the one that is offered.
  void ask(const fs::path& path) {
    saver_.ask(figure_, ".csv");
    frames();
    press(key::left_control, 'A');
    for (const char c : path.string()) screen_.input.character(static_cast<unsigned char>(c));
    frames();
  }
  void press(int code, int with = 0) {
    screen_.input.press(code, true);
    if (with) screen_.input.press(with, true);
    frames();
    if (with) screen_.input.press(with, false);
    screen_.input.press(code, false);
    frames();
  }
  void click(const std::string& name) {
    const Item* found = recorder().find(name);
    ASSERT_TRUE(found) << name;
    screen_.input.move(found->middle().x, found->middle().y);
    screen_.input.button(0, true);
    screen_.input.button(0, false);
    frames(6);
  }
  std::string label() const {
    const Item* found = recorder().find("plot/save/write");
    return found ? found->text : "";
  }
  static std::string content(const fs::path& path) {
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }

  TemporaryFolder folder_;
  NullScreen screen_{800, 600};
  FigureSaver saver_;
  Figure figure_;
};

TEST_F(FigureSaverTest, EnterSavesANewFile) {
  ask(folder_ / "new.csv");
  EXPECT_EQ(label(), "Save");
  press(key::enter);
  EXPECT_EQ(content(folder_ / "new.csv"), figure_csv(figure_));
  EXPECT_EQ(label(), "");
}

TEST_F(FigureSaverTest, OnlyTheButtonReplacesAFile) {
  const fs::path file = folder_ / "old.csv";
  std::ofstream(file) << "old";
  ask(file);
  EXPECT_EQ(label(), "Replace");
  press(key::enter);
  EXPECT_EQ(content(file), "old");
  click("plot/save/cancel");
  EXPECT_EQ(content(file), "old");
  ask(file);
  click("plot/save/write");
  EXPECT_EQ(content(file), figure_csv(figure_));
}

TEST_F(FigureSaverTest, AsksAboutAFileThatCameMeanwhile) {
  const fs::path file = folder_ / "late.csv";
  ask(file);
  std::ofstream(file) << "late";
  click("plot/save/write");
  EXPECT_EQ(content(file), "late");
  EXPECT_EQ(label(), "Replace");
  click("plot/save/write");
  EXPECT_EQ(content(file), figure_csv(figure_));
}

TEST_F(FigureSaverTest, TheHomeFolderHasAShortName) {
  const std::string home = getenv("HOME") ? getenv("HOME") : "/";
  setenv("HOME", folder_.path().c_str(), 1);
  ask("~/mine.csv");
  press(key::enter);
  setenv("HOME", home.c_str(), 1);
  EXPECT_TRUE(fs::exists(folder_ / "mine.csv"));
}

}  // namespace
}  // namespace pairs::gui
