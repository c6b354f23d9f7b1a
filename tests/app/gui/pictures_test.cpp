// The real panels drawn by OpenGL without a display: every tab of every task in both themes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>
#include <unordered_map>

#include "app/gui/offscreen_window.h"
#include "app/gui/platform/recorder.h"
#include "app/gui/platform/theme.h"
#include "tasks/registry.h"
#include "tests/app/gui/driver.h"
#include "tests/long_tests.h"

namespace pairs::gui {
namespace {

constexpr int kWide = 1280, kHigh = 800;

std::uint32_t color_at(const std::vector<std::uint8_t>& rgb, int x, int y) {
  const std::uint8_t* p = &rgb[static_cast<std::size_t>(3 * (y * kWide + x))];
  return static_cast<std::uint32_t>(p[0] | p[1] << 8 | p[2] << 16);
}

// The share of pixels in a rectangle that differ from its most frequent color.
double drawn_share(const std::vector<std::uint8_t>& rgb, int x0, int y0, int x1, int y1) {
  std::unordered_map<std::uint32_t, int> colors;
  for (int y = y0; y < y1; ++y)
    for (int x = x0; x < x1; ++x) ++colors[color_at(rgb, x, y)];
  int most = 0;
  for (const auto& [color, count] : colors) most = std::max(most, count);
  return 1 - static_cast<double>(most) / ((x1 - x0) * (y1 - y0));
}

TEST(Pictures, ShowEveryTabOfEachKindOfTaskInBothThemes) {
  TemporaryFolder folder;
  OffscreenWindow window(built_in_tasks(), settings_in(folder.path()), kWide, kHigh);
  window.studio().viewer.set_samples(1);  // drawing samples takes long where a sanitizer watches
  recorder().turn(true);
  std::set<std::vector<std::uint8_t>> seen;
  for (const std::string theme : {"dark", "light"})
    for (const std::string& task :
         theme == "dark" || long_tests() ? tasks_by_kind() : std::vector<std::string>{"bump-hunt"})
      for (int tab = 0; tab < model::tab_count; ++tab) {
        model::Studio& studio = window.studio();
        studio.settings.theme = theme;
        studio.open_task(task);
        studio.set_tab(static_cast<model::Tab>(tab));
        const std::string where = fmt::format("{} {} {}", task, model::entry(studio.tab()).name, theme);
        ASSERT_TRUE(window.settle(60)) << where << ": " << studio.activity();
        const std::vector<std::uint8_t> rgb = window.pixels();
        EXPECT_GT(drawn_share(rgb, 0, 0, 248, kHigh - 28), 0.02) << where << ": the sidebar is blank";
        EXPECT_GT(drawn_share(rgb, 248, 48, kWide, kHigh - 28), 0.005) << where << ": the panel is blank";
        EXPECT_GT(drawn_share(rgb, 0, kHigh - 28, kWide, kHigh), 0.005) << where << ": the status bar is blank";
        EXPECT_TRUE(seen.insert(rgb).second) << where << " looks like another one";
        // Surfaces have the theme's colors, and every text is there: some pixel of its rectangle differs from its
        // paper.
        EXPECT_EQ(color_at(rgb, 2, kHigh - 40), palette().panel & 0xFFFFFF) << where;
        for (const Item& item : recorder().items()) {
          if (item.kind != ItemKind::text || item.text.empty() || item.layer != 0) continue;
          const int x0 = static_cast<int>(std::max({item.min.x, item.clip_min.x, 0.0f}));
          const int y0 = static_cast<int>(std::max({item.min.y, item.clip_min.y, 0.0f}));
          const int x1 = static_cast<int>(std::min({item.max.x, item.clip_max.x, static_cast<float>(kWide)}));
          const int y1 = static_cast<int>(std::min({item.max.y, item.clip_max.y, static_cast<float>(kHigh)}));
          if (x1 - x0 < 4 || y1 - y0 < 9) continue;
          EXPECT_GT(drawn_share(rgb, x0, y0, x1, y1), 0) << where << ": not drawn: " << item.text;
        }
      }
  recorder().turn(false);
}

TEST(Pictures, AreSharpAtTwiceTheScale) {
  TemporaryFolder folder;
  OffscreenWindow window(built_in_tasks(), settings_in(folder.path()), 2560, 1600, 2);
  ASSERT_TRUE(window.settle(60));
  EXPECT_EQ(window.pixels().size(), 3u * 2560 * 1600);
  EXPECT_EQ(fonts().body->FontSize, 30);
}

}  // namespace
}  // namespace pairs::gui
