// Every tab of every task at the sizes that windows have, from what the recorder saw: no word cut, no control too
// small, nothing over anything else, nothing out of reach, no legend over data, edges that are seen.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <imgui_internal.h>

#include <fstream>
#include <functional>
#include <map>
#include <set>

#include "tasks/registry.h"
#include "tests/app/gui/driver.h"
#include "tests/app/gui/tiny_draft.h"
#include "tests/long_tests.h"

namespace pairs::gui {
namespace {

constexpr float kLeastHigh = 20, kLeastSlider = 80;  // of controls, at scale 1

struct WindowSize {
  float width, height, scale;
};

bool is_control(const Item& item) {
  return item.kind != ItemKind::text && item.kind != ItemKind::plot && !item.name.empty();
}

// Legends and splitters are parts of what they stand on, and thin by design.
bool is_part(const Item& item) {
  return item.name.find("/legend/") != std::string::npos || item.name.starts_with("shell/");
}

ImRect seen(const Item& item) {
  return {std::max(item.min.x, item.clip_min.x), std::max(item.min.y, item.clip_min.y),
          std::min(item.max.x, item.clip_max.x), std::min(item.max.y, item.clip_max.y)};
}

bool overlap(const Item& a, const Item& b, float slack) {
  const ImRect one = seen(a), other = seen(b);
  const float across = std::min(one.Max.x, other.Max.x) - std::max(one.Min.x, other.Min.x);
  const float down = std::min(one.Max.y, other.Max.y) - std::max(one.Min.y, other.Min.y);
  return across > 2 * slack && down > 4 * slack;
}

std::string called(const Item& item) {
  return item.name.empty() ? "“" + item.text.substr(0, 60) + "”" : item.name + " “" + item.text.substr(0, 40) + "”";
}

std::set<std::string> complaints_about(const std::vector<Item>& items, float scale) {
  std::set<std::string> all;
  for (const Item& item : items) {
    const ImVec2 size = {item.max.x - item.min.x, item.max.y - item.min.y};
    if (item.clipped) all.insert("cut: " + called(item));
    // What scrolls in a dialog lies within its frame.
    if (item.lost && item.name != "dialog") all.insert("out of reach: " + called(item));
    if (item.covers) all.insert("legend over data: " + called(item));
    if (item.ink && item.paper && contrast(item.ink, item.paper) < 4.5) all.insert("contrast: " + called(item));
    if (item.edge && contrast(item.edge, item.behind) < 3) all.insert("edge hard to see: " + called(item));
    const bool field = item.kind == ItemKind::input || item.kind == ItemKind::combo || item.kind == ItemKind::toggle ||
                       item.kind == ItemKind::slider;
    if (field && !is_part(item) && item.enabled && !item.edge) all.insert("no edge: " + called(item));
    if (is_control(item) && !is_part(item)) {
      const float least = item.kind == ItemKind::slider ? kLeastSlider : kLeastHigh;
      if (size.y < kLeastHigh * scale - 0.5f) all.insert(fmt::format("{} px high: {}", size.y, called(item)));
      if (size.x < least * scale - 0.5f) all.insert(fmt::format("{} px wide: {}", size.x, called(item)));
    }
    const bool sideways = item.max.x > item.clip_max.x + 1.5f || item.min.x < item.clip_min.x - 1.5f;
    const bool shown = item.max.y > item.clip_min.y && item.min.y < item.clip_max.y;
    const bool tip = item.layer == 2;  // drawn once before it has its size
    if (item.kind == ItemKind::text && !item.text.empty() && sideways && shown && !tip)
      all.insert("cut at the side: " + called(item));
  }
  for (std::size_t i = 0; i < items.size(); ++i)
    for (std::size_t j = i + 1; j < items.size(); ++j) {
      const Item &a = items[i], &b = items[j];
      if (a.layer != b.layer) continue;
      const bool texts = a.kind == ItemKind::text && b.kind == ItemKind::text && a.text != b.text;
      const auto solid = [](const Item& item) {
        return is_control(item) && !is_part(item) && item.kind != ItemKind::row && item.kind != ItemKind::tab;
      };
      const bool controls = solid(a) && solid(b);
      // A text recorded apart from the control that it is the label of lies inside it.
      const auto on = [&](const Item& text, const Item& control) {
        if (text.kind != ItemKind::text || !solid(control) || control.kind == ItemKind::slider) return false;
        const ImRect outer = seen(control);
        return !(text.min.x >= outer.Min.x - 1 && text.max.x <= outer.Max.x + 1);
      };
      if ((texts || controls || on(a, b) || on(b, a)) && overlap(a, b, scale))
        all.insert("overlap: " + called(a) + " | " + called(b));
    }
  return all;
}

TEST(Sizes, ComplaintsSeeWhatIsWrong) {
  Item good;
  good.name = "a/slider";
  good.kind = ItemKind::slider;
  good.min = {10, 10};
  good.max = {110, 34};
  good.clip_min = {0, 0};
  good.clip_max = {500, 500};
  good.edge = IM_COL32_WHITE;
  good.behind = IM_COL32_BLACK;
  EXPECT_TRUE(complaints_about({good}, 1).empty());
  const auto complains = [&](auto change) {
    Item bad = good;
    change(bad);
    return complaints_about({bad}, 1).size();
  };
  EXPECT_EQ(complains([](Item& i) { i.clipped = true; }), 1u);
  EXPECT_EQ(complains([](Item& i) { i.lost = true; }), 1u);
  EXPECT_EQ(complains([](Item& i) { i.covers = true; }), 1u);
  EXPECT_EQ(complains([](Item& i) { i.max.y = 24; }), 1u);
  EXPECT_EQ(complains([](Item& i) { i.max.x = 80; }), 1u);
  EXPECT_EQ(complains([](Item& i) { i.edge = 0; }), 1u);
  EXPECT_EQ(complains([](Item& i) { i.behind = IM_COL32(0xDD, 0xDD, 0xDD, 255); }), 1u);
  Item second = good;
  second.name = "another";
  EXPECT_EQ(complaints_about({good, second}, 1).size(), 1u);
}

class WindowSizes : public ::testing::Test {
 protected:
  // Looks at what is shown, at all sizes and in both themes (the second at the first size alone, unless tests are long:
  // it changes colors, not places); `prepare` is called at each size.
  void look(
      Driver& d, const std::string& what, const std::function<void()>& prepare = [] {}) {
    for (const WindowSize& size : {WindowSize{1440, 900, 1}, {1024, 700, 1}, {1024, 700, 1.5f}, {1920, 1080, 2}}) {
      d.screen.resize(size.width, size.height);
      d.screen.restyle(d.shell.wanted_theme(), size.scale);
      d.frames(3);
      prepare();
      for (const char* theme : {"dark", "light"}) {
        if (theme == std::string_view("light") && size.width != 1440 && !long_tests()) continue;
        d.studio.settings.theme = theme;
        d.frames(3);
        if (!d.studio.training.session.active()) {
          ASSERT_TRUE(d.rest(60)) << what << " " << d.studio.activity();
        }
        d.frames(3);
        const std::string where = fmt::format("{} {}x{}", what, size.width, size.height);
        // In the smallest window large texts may be shortened, with the full text under the mouse; nothing overlaps.
        const bool tight = size.width < 1024 * size.scale;
        for (const std::string& one : complaints_about(recorder().items(), size.scale))
          if (!tight || one.starts_with("overlap") || one.starts_with("cut at the side"))
            complaints_[one].insert(where);
      }
    }
  }
  void TearDown() override {
    for (const auto& [complaint, where] : complaints_)
      ADD_FAILURE() << complaint << "  at  " << testing::PrintToString(where);
  }

  TemporaryFolder folder_;
  std::map<std::string, std::set<std::string>> complaints_;  // and where
};

class SizesTest : public WindowSizes, public ::testing::WithParamInterface<std::string> {};

TEST_P(SizesTest, KeepWordsControlsAndData) {
  Driver d(settings_in(folder_.path(), GetParam()), 1440, 900, 1);
  d.studio.viewer.set_samples(1);
  d.studio.comparison.toggle(GetParam());
  for (int tab = 0; tab < model::tab_count; ++tab) {
    d.studio.set_tab(static_cast<model::Tab>(tab));
    look(d, model::entry(d.studio.tab()).name);
  }
}

TEST_P(SizesTest, KeepThemInWhatIsOpenedToo) {
  Driver d(settings_in(folder_.path(), GetParam()), 1440, 900, 1);
  d.studio.viewer.set_samples(1);
  d.studio.set_tab(model::Tab::train);
  ASSERT_TRUE(d.rest(60));
  d.click("train/all");
  look(d, "all settings");
  d.studio.set_tab(model::Tab::posterior);
  // The sidebar of narrow windows, above the panel.
  look(d, "sidebar", [&] {
    if (d.find("sidebar/unfold")) d.click("sidebar/unfold");
    EXPECT_TRUE(d.find("sidebar/run/" + std::string(GetParam())));
  });
  d.key(key::escape);
  d.key('K', true);
  look(d, "commands");
  d.key(key::escape);
  d.key(key::f1);
  look(d, "shortcuts");
  d.key(key::escape);
  d.click("header/about");
  look(d, "about");
  d.key(key::escape);
  d.key(',', true);
  look(d, "settings");
  d.key(key::escape);
  d.key('L', true);
  look(d, "log");
}

TEST_F(WindowSizes, KeepThemInDialogsAboutFiles) {
  const std::filesystem::path mine = folder_ / "a folder";
  std::filesystem::create_directories(mine / "deeper");
  for (int k = 0; k < 40; ++k)
    std::ofstream(mine / fmt::format("measured {} at a place with a long name.csv", k)) << "energy,angle\n1,2\n3,4\n";
  model::Settings settings = settings_in(folder_.path());
  settings.recent_files = {(mine / "measured 3 at a place with a long name.csv").string(), mine.string()};
  settings.remember_saved(mine / "figure.svg", "bump-hunt");
  Driver d(settings, 1440, 900, 1);
  ASSERT_TRUE(d.rest(60));
  d.key('O', true);
  const std::string entry = "sidebar/open/entry/measured 0 at a place with a long name.csv";
  ASSERT_TRUE(d.until([&] { return d.find(entry) != nullptr; }));
  d.click(entry);
  ASSERT_TRUE(d.until([&] { return d.find("sidebar/open/preview") != nullptr; }));
  look(d, "open");
  d.key(key::escape);
  d.key('S', true);
  ASSERT_TRUE(d.until([&] { return d.find("posterior/density/save/entry/deeper") != nullptr; }));
  look(d, "save");
  d.click("posterior/density/save/write");
  ASSERT_TRUE(d.until([&] { return d.find("saved/0") != nullptr; }));
}

TEST_F(WindowSizes, KeepThemWhileARunIsTrainedAndCompared) {
  using model::Activity;
  Driver d(settings_in(folder_.path(), "bump-hunt", "train"), 1440, 900, 1);
  model::Training& training = d.studio.training;
  const auto start = [&](const char* epochs) {
    make_draft_tiny(d.studio);
    training.drafts.shown().set("pretrain.epochs", epochs);
    ASSERT_TRUE(d.until([&] { return d.find("train/start") && d.item("train/start").enabled; }));
    d.click("train/start");
    ASSERT_TRUE(d.until([&] { return training.state() == Activity::running; }));
  };
  start("2000");
  ASSERT_TRUE(d.until([&] { return training.card(0).done > 0; }));
  look(d, "running");
  training.pause();
  ASSERT_TRUE(d.until([&] { return training.state() == Activity::paused; }));
  look(d, "paused");
  training.stop();
  ASSERT_TRUE(d.until([&] { return training.state() == Activity::rest; }));
  look(d, "stopped");
  d.click("train/new");
  start("4");
  ASSERT_TRUE(d.until([&] { return training.finished(); }, 90)) << training.problem();
  d.studio.comparison.toggle("bump-hunt");
  d.studio.comparison.toggle(training.folder().string());
  for (int tab = 1; tab < model::tab_count; ++tab) {
    d.studio.set_tab(static_cast<model::Tab>(tab));
    look(d, std::string("finished ") + model::entry(d.studio.tab()).name);
  }
}

INSTANTIATE_TEST_SUITE_P(Tasks, SizesTest, ::testing::ValuesIn(tasks_by_kind()), [](const auto& one) {
  std::string name = one.param;
  std::erase(name, '-');
  return name;
});

}  // namespace
}  // namespace pairs::gui
