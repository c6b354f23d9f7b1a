#include "app/gui/platform/input.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "app/gui/command_palette.h"
#include "app/gui/widgets/ui.h"
#include "app/model/shortcuts.h"
#include "tests/app/gui/platform/null_screen.h"

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

TEST(Input, NeverLosesAQuickShortcut) {
  NullScreen screen(400, 300);
  int pressed = 0;
  const auto draw = [&] { pressed += ImGui::IsKeyPressed('T', false) && ImGui::GetIO().KeyCtrl; };
  screen.frame(draw);
  for (int time = 0; time < 2; ++time)  // all before the next frame; Ctrl is let go first
    for (const auto& [code, down] :
         {std::pair{key::left_control, true}, {int{'T'}, true}, {key::left_control, false}, {int{'T'}, false}})
      screen.input.press(code, down);
  for (int frame = 0; frame < 10; ++frame) screen.frame(draw);
  EXPECT_EQ(pressed, 2);
  EXPECT_FALSE(ImGui::GetIO().KeyCtrl);
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

TEST(Widgets, GrayButtonsDoNothingAndSayWhy) {
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

TEST(Widgets, LogSliderNamesItsEnds) {
  NullScreen screen(400, 300);
  const auto numbers = [&](std::int64_t low, std::int64_t high, float width) {
    std::int64_t n = low;
    const auto draw = [&] { in_window([&] { ui::log_slider("n", n, low, high, {}, width); }); };
    screen.frame(draw);
    screen.frame(draw);
    std::vector<Item> texts;
    for (const Item& item : recorder().items())
      if (item.kind == ItemKind::text) texts.push_back(item);
    std::sort(texts.begin(), texts.end(), [](const Item& a, const Item& b) { return a.min.x < b.min.x; });
    std::vector<std::string> found;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      found.push_back(texts[i].text);
      if (i > 0) {
        EXPECT_GE(texts[i].min.x, texts[i - 1].max.x + 4) << texts[i].text;
      }
    }
    return found;
  };
  using Texts = std::vector<std::string>;
  EXPECT_EQ(numbers(1, 1000, 300), (Texts{"1", "10", "100", "1,000"}));
  EXPECT_EQ(numbers(3, 437, 300), (Texts{"3", "10", "100", "437"}));
  EXPECT_EQ(numbers(1, 110, 300), (Texts{"1", "10", "110"})) << "100 has no room beside 110";
  EXPECT_EQ(numbers(1, 100000, 90), (Texts{"1", "100,000"}));
}

TEST(Dialogs, OneEscapeClosesThemFromTheirText) {
  NullScreen screen(800, 600);
  bool open = true, fresh = true;
  std::string text;
  const auto draw = [&] {
    if (!ui::begin_dialog("ask", "Ask", open)) return;
    if (fresh) ImGui::SetKeyboardFocusHere();
    fresh = false;
    ui::input("ask/text", text);
    ui::end_dialog();
  };
  const auto frames = [&] {
    for (int frame = 0; frame < 4; ++frame) screen.frame(draw);
  };
  frames();
  screen.input.character('a');
  frames();
  ASSERT_TRUE(ImGui::GetIO().WantTextInput);
  ASSERT_EQ(text, "a");
  screen.input.press(key::escape, true);
  frames();
  EXPECT_FALSE(open);
  EXPECT_FALSE(recorder().find("ask/text"));
}

TEST(Dialogs, LetOtherWindowsAppearInTheirFirstFrame) {
  NullScreen screen(800, 600);
  bool open = true;
  screen.frame([&] {
    if (ui::begin_dialog("ask", "Ask", open)) {
      ui::button("ask/done", "Done");
      ui::end_dialog();
    }
    ImGui::BeginTooltip();
    ui::text("of what lies under the mouse");
    ImGui::EndTooltip();
  });
  EXPECT_TRUE(recorder().find("ask/done"));
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

TEST(CommandPalette, FindsShortcutsByTheWordsPeopleType) {
  std::vector<Command> commands;
  for (const model::ShortcutEntry& entry : model::shortcuts())
    commands.push_back({entry.keys, entry.description, "", "", [] {}});
  for (const auto& [query, keys] : {std::pair{"theme", "Ctrl+T"},
                                    {"dark", "Ctrl+T"},
                                    {"light", "Ctrl+T"},
                                    {"log", "Ctrl+L"},
                                    {"messages", "Ctrl+L"},
                                    {"save the plot", "Ctrl+S"},
                                    {"export", "Ctrl+S"},
                                    {"new set", "Ctrl+N"},
                                    {"help", "F1"},
                                    {"quit", "Ctrl+Q"}}) {
    const auto found = matching(commands, query);
    ASSERT_FALSE(found.empty()) << query;
    EXPECT_EQ(found.front()->name, keys) << query;
  }
}

}  // namespace
}  // namespace pairs::gui
