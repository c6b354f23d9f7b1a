// Tips appear next to what they explain.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <set>

#include "app/gui/widgets/ui_parts.h"
#include "tests/app/gui/driver.h"

namespace pairs::gui {
namespace {

bool meet(ImVec2 min, ImVec2 max, ImVec2 other_min, ImVec2 other_max) {
  return min.x < other_max.x && other_min.x < max.x && min.y < other_max.y && other_min.y < max.y;
}

TEST(Tips, CoverNothingOfWhatTheyExplain) {
  NullScreen screen(400, 300);
  screen.frame([&] {
    ImGui::GetIO().MousePos = {200, 150};
    for (const auto& [min, max] : {std::pair{ImVec2{10, 10}, ImVec2{390, 30}},
                                   {{10, 250}, {390, 295}},
                                   {{150, 10}, {250, 290}},
                                   {{300, 140}, {399, 160}},
                                   {{1, 140}, {60, 160}}})
      for (const bool extra : {false, true}) {
        const ImVec2 size = {120, 60}, at = ui::tip_place(size, min, max, extra);
        EXPECT_FALSE(meet(at, {at.x + size.x, at.y + size.y}, min, max)) << min.x << " " << min.y << " " << extra;
        EXPECT_TRUE(at.x >= 0 && at.y >= 0 && at.x + size.x <= 400 && at.y + size.y <= 300) << at.x << " " << at.y;
      }
  });
}

class TipsTest : public ::testing::Test {
 protected:
  TemporaryFolder folder_;
};

// Whatever has a tip, on every tab, in a large window and in a small one with large texts.
TEST_F(TipsTest, StandBesideEachControl) {
  int seen = 0;
  for (const auto& [width, height, size] : {std::tuple{1440.f, 900.f, 1.f}, {1024.f, 700.f, 1.5f}}) {
    Driver d(settings_in(folder_.path()), width, height, size);
    d.studio.settings.dismiss("welcome");
    for (int tab = 0; tab < model::tab_count; ++tab) {
      d.studio.set_tab(static_cast<model::Tab>(tab));
      ASSERT_TRUE(d.rest());
      d.frames(3);
      const std::vector<Item> items = recorder().items();
      for (const Item& item : items) {
        const bool small = item.max.y - item.min.y < 80 * size;
        if (item.name.empty() || item.kind == ItemKind::plot || !small || !item.reachable()) continue;
        d.screen.input.move(item.middle().x, item.middle().y);
        for (int k = 0; k < 4; ++k) d.screen.frame([&] { d.shell.frame(60); }, 0.25);
        if (!d.find("tip") || !d.find(item.name)) continue;
        const Item tip = d.item("tip"), now = d.item(item.name);
        const float x = ui::kTipAcross * size, y = ui::kTipDown * size;
        EXPECT_FALSE(meet({tip.min.x - x, tip.min.y - y}, {tip.max.x + x, tip.max.y + y}, now.min, now.max))
            << fmt::format("{} on {} at {} x {}: {}", item.name, model::entry(d.studio.tab()).name, width, height,
                           tip.text);
        EXPECT_TRUE(tip.min.x >= 0 && tip.min.y >= 0 && tip.max.x <= width && tip.max.y <= height) << item.name;
        ++seen;
      }
    }
  }
  EXPECT_GT(seen, 80);
}

// What a plot reads under the mouse is not covered by the reading.
TEST_F(TipsTest, ReadingsStandBesideThePoints) {
  Driver d(settings_in(folder_.path()), 1440, 900);
  d.studio.settings.dismiss("welcome");
  ASSERT_TRUE(d.rest());
  const Item plot = d.item("posterior/density/0");
  for (const float share : {0.1f, 0.5f, 0.97f}) {
    const ImVec2 at = {plot.min.x + share * (plot.max.x - plot.min.x), plot.middle().y};
    d.move(at);
    d.frames(3);
    const Item tip = d.item("posterior/density/tip");
    // The crosshair stands at the mouse, and the readings on it.
    EXPECT_TRUE(tip.min.x > at.x || tip.max.x < at.x) << share;
    EXPECT_TRUE(tip.min.x >= 0 && tip.max.x <= 1440 && tip.min.y >= 0 && tip.max.y <= 900) << share;
  }
}

}  // namespace
}  // namespace pairs::gui
