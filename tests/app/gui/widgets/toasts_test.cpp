#include "app/gui/widgets/toasts.h"

#include <gtest/gtest.h>

#include "app/gui/widgets/ui.h"
#include "tests/app/gui/widgets/file_screen.h"

namespace pairs::gui {
namespace {

class ToastsTest : public FileScreen {
 protected:
  void draw() override {
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize({500, 300});
    ImGui::Begin("panel");
    ui::input("text", text_);
    ImGui::End();
    if (dialog_ && ui::begin_dialog("dialog", "A dialog", dialog_)) {
      ui::button("dialog/done", "Done");
      ui::end_dialog();
    }
    if (const auto file = toasts_.draw(28)) wanted_ = *file;
    ui::draw_toast();
  }
  void pass(double seconds) {
    for (double passed = 0; passed < seconds; passed += 0.1) frame(0.1);
  }

  Toasts toasts_;
  std::string text_;
  bool dialog_ = false;
  std::filesystem::path wanted_;
};

TEST_F(ToastsTest, NameTheLastThreeFilesWithTheirFolders) {
  EXPECT_FALSE(toasts_.shown());
  for (const char* name : {"/figures/a.svg", "/figures/b.svg", "/figures/c.svg", "/tables/d.csv"}) toasts_.add(name);
  frames();
  EXPECT_EQ(text_of("saved/0"), "Saved d.csv");
  EXPECT_EQ(text_of("saved/2"), "Saved b.svg");
  EXPECT_FALSE(find("saved/3"));
  EXPECT_TRUE(says("in /tables"));
  EXPECT_GT(find("saved/0")->min.y, find("saved/1")->max.y) << "the newest is the lowest";
  EXPECT_GT(find("saved/2")->min.x, 600);
  EXPECT_LT(find("saved/0/show")->max.y, 700 - 28);
  toasts_.add("/figures/c.svg");
  frames();
  EXPECT_EQ(text_of("saved/0"), "Saved c.svg");
  EXPECT_EQ(text_of("saved/1"), "Saved d.csv");
  EXPECT_EQ(text_of("saved/2"), "Saved b.svg") << "none twice";
}

TEST_F(ToastsTest, GoAfterSomeSecondsButNotUnderTheMouse) {
  toasts_.add("/figures/a.svg");
  pass(6);
  EXPECT_TRUE(toasts_.shown());
  screen_.input.move(find("saved/0")->middle().x, find("saved/0")->middle().y);
  pass(10);
  EXPECT_TRUE(toasts_.shown());
  screen_.input.move(5, 5);
  pass(4);
  EXPECT_FALSE(toasts_.shown());
  EXPECT_FALSE(find("saved/0"));
}

TEST_F(ToastsTest, ShowCopyAndDismiss) {
  toasts_.add("/figures/a.svg");
  toasts_.add("/figures/b.svg");
  click("saved/1/show");
  EXPECT_EQ(wanted_, "/figures/a.svg");
  click("saved/1/copy");
  EXPECT_STREQ(ImGui::GetClipboardText(), "/figures/a.svg");
  EXPECT_EQ(text_of("toast"), "Copied to the clipboard");
  click("saved/1/close");
  EXPECT_EQ(text_of("saved/0"), "Saved b.svg");
  EXPECT_FALSE(find("saved/1"));
}

TEST_F(ToastsTest, NeverTakeTheKeyboard) {
  frames();
  click("text");
  write("ab");
  toasts_.add("/figures/a.svg");
  frames();
  write("cd");
  EXPECT_EQ(text_, "abcd");
}

TEST_F(ToastsTest, ADialogIsAboveThem) {
  toasts_.add("/figures/a.svg");
  frames();
  dialog_ = true;
  frames();
  click("saved/0/show");
  EXPECT_TRUE(wanted_.empty());
  EXPECT_TRUE(find("dialog/done")->enabled);
}

}  // namespace
}  // namespace pairs::gui
