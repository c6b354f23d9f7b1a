#include "app/gui/input.h"

#include <gtest/gtest.h>

#include "app/gui/null_screen.h"
#include "app/gui/palette.h"
#include "app/gui/ui.h"

namespace pairs::gui {
namespace {

void in_window(const std::function<void()>& draw) {
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize({400, 300});
  ImGui::Begin("test", nullptr, ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove);
  draw();
  ImGui::End();
}

TEST(Input, NeverLosesAQuickClick) {
  NullScreen screen(400, 300);
  int pressed = 0;
  const auto draw = [&] {
    in_window([&] {
      if (ui::button("go", "Go")) ++pressed;
    });
  };
  screen.frame(draw);
  screen.frame(draw);
  const Item* item = recorder().find("go");
  ASSERT_TRUE(item);
  const ImVec2 at = item->middle();
  for (int click = 0; click < 3; ++click) {  // all before the next frame
    screen.input.move(at.x, at.y);
    screen.input.button(0, true);
    screen.input.button(0, false);
  }
  for (int frame = 0; frame < 20; ++frame) screen.frame(draw);
  EXPECT_EQ(pressed, 3);
}

TEST(Input, ShowsAPressWhereTheMouseWas) {
  NullScreen screen(400, 300);
  ImGuiIO& io = ImGui::GetIO();
  Input input;
  input.move(10, 10);
  input.button(0, true);
  input.move(200, 200);
  input.button(0, false);
  EXPECT_TRUE(input.apply(io));
  EXPECT_EQ(io.MousePos.x, 10);
  EXPECT_TRUE(io.MouseDown[0]);
  EXPECT_TRUE(input.apply(io));
  EXPECT_EQ(io.MousePos.x, 200);
  EXPECT_FALSE(io.MouseDown[0]);
  EXPECT_FALSE(input.pending());
  EXPECT_FALSE(input.apply(io));
}

TEST(Input, IgnoresCodesThatDoNotExist) {
  NullScreen screen(400, 300);
  Input input;
  input.button(-1, true);
  input.button(77, true);
  input.press(-1, true);
  input.press(5000, true);
  input.press(key::left_control, true);
  while (input.pending()) input.apply(ImGui::GetIO());
  EXPECT_TRUE(ImGui::GetIO().KeyCtrl);
}

TEST(Widgets, GreyButtonsDoNothingAndSayWhy) {
  NullScreen screen(400, 300);
  int pressed = 0;
  const auto draw = [&] {
    in_window([&] {
      if (ui::button("no", "No", ui::Button::primary, "It is raining.")) ++pressed;
    });
  };
  screen.frame(draw);
  screen.frame(draw);
  const Item item = *recorder().find("no");
  EXPECT_FALSE(item.enabled);
  screen.input.move(item.middle().x, item.middle().y);
  screen.input.button(0, true);
  screen.input.button(0, false);
  for (int frame = 0; frame < 60; ++frame) screen.frame(draw);
  EXPECT_EQ(pressed, 0);
}

TEST(Widgets, TextsThatDoNotFitAreCut) {
  NullScreen screen(400, 300);
  const std::string long_text(300, 'w');
  const auto draw = [&] { in_window([&] { ui::text(long_text); }); };
  screen.frame(draw);
  screen.frame(draw);
  ASSERT_EQ(recorder().items().size(), 1u);
  const Item& item = recorder().items()[0];
  EXPECT_LE(item.max.x, 400);
  EXPECT_TRUE(item.text.ends_with("…"));
  EXPECT_LT(item.text.size(), long_text.size());
}

TEST(Widgets, LogSliderGoesFromEndToEnd) {
  NullScreen screen(400, 300);
  std::int64_t n = 10;
  const auto draw = [&] { in_window([&] { ui::log_slider("n", n, 1, 100000); }); };
  screen.frame(draw);
  screen.frame(draw);
  const Item item = *recorder().find("n");
  const auto at = [&](float share) {
    screen.input.move(item.min.x + share * (item.max.x - item.min.x), item.middle().y - 4);
    screen.frame(draw);
    screen.frame(draw);
  };
  at(0.5f);
  screen.input.button(0, true);
  screen.frame(draw);
  screen.frame(draw);
  EXPECT_NEAR(std::log10(static_cast<double>(n)), 2.5, 0.1);
  at(0);
  EXPECT_EQ(n, 1);
  at(1);
  EXPECT_EQ(n, 100000);
}

TEST(CommandPalette, FindsByLettersInOrder) {
  const std::vector<Command> commands = {{"a", "Start training", "", "", [] {}},
                                         {"b", "Switch theme", "", "", [] {}},
                                         {"c", "Save the plot as SVG", "", "", [] {}}};
  EXPECT_EQ(matching(commands, "").size(), 3u);
  ASSERT_EQ(matching(commands, "strt").size(), 1u);
  EXPECT_EQ(matching(commands, "st").front()->name, "a");
  EXPECT_EQ(matching(commands, "SVG").front()->name, "c");
  EXPECT_EQ(matching(commands, "swt").front()->name, "b");
  EXPECT_TRUE(matching(commands, "xyz").empty());
}

}  // namespace
}  // namespace pairs::gui
