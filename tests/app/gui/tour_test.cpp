// The three steps at the first start, and that everything in sight has a name.
#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>

#include "app/scores/glossary.h"
#include "tests/app/gui/driver.h"

namespace pairs::gui {
namespace {

using ::testing::HasSubstr;

class TourTest : public ::testing::Test {
 protected:
  static bool says(const std::string& part) {
    for (const Item& item : recorder().items())
      if (item.text.find(part) != std::string::npos) return true;
    return false;
  }
  // Rests the mouse on it until its tip appears.
  static std::string tip_at(Driver& d, ImVec2 at) {
    d.move({at.x - 40, at.y});
    d.move(at);
    d.frames(40);
    return d.find("tip") ? d.item("tip").text : "";
  }
  static const Item* text_item(const std::string& text) {
    for (const Item& item : recorder().items())
      if (item.kind == ItemKind::text && item.text == text) return &item;
    return nullptr;
  }

  TemporaryFolder folder_;
};

TEST_F(TourTest, GoesOnAsTheItemsAreDone) {
  Driver d(settings_in(folder_.path()));
  ASSERT_TRUE(d.rest());
  ASSERT_TRUE(d.find("tour/skip"));
  EXPECT_TRUE(says("1 of 3"));
  EXPECT_TRUE(says("Drag N"));
  EXPECT_TRUE(says("θ (signal fraction)"));
  EXPECT_TRUE(says("ψ (bump position)"));
  EXPECT_FALSE(d.item("tour/back").enabled);
  d.drag("posterior/n", 0.5, 0.3);
  EXPECT_TRUE(says("2 of 3"));
  const auto file = folder_.path() / "mine.csv";
  std::ofstream(file) << "x\n0.1\n0.2\n1.1\n";
  d.studio.posterior.set.open_file(file);
  ASSERT_TRUE(d.until([&] { return says("3 of 3"); }));
  d.click("tab/train");
  EXPECT_TRUE(d.studio.settings.dismissed_before("welcome"));
  d.click("tab/posterior");
  EXPECT_FALSE(d.find("tour/skip")) << "it is over";
}

TEST_F(TourTest, IsSteppedThroughWithTheKeysAndSkippedForGood) {
  Driver d(settings_in(folder_.path()));
  ASSERT_TRUE(d.rest());
  for (int i = 0; i < 200 && !(d.find("tour/next") && d.item("tour/next").focused); ++i) d.key(key::tab);
  ASSERT_TRUE(d.item("tour/next").focused);
  d.key(key::enter);
  EXPECT_TRUE(says("2 of 3"));
  d.key(key::enter);
  EXPECT_TRUE(says("3 of 3"));
  d.click("tour/back");
  EXPECT_TRUE(says("2 of 3"));
  d.click("tour/skip");
  EXPECT_FALSE(d.find("tour/next"));
  EXPECT_TRUE(d.studio.settings.dismissed_before("welcome"));
  // And again from the help.
  d.key(key::f1);
  d.click("shortcuts/tour");
  EXPECT_FALSE(d.find("shortcuts/close"));
  EXPECT_TRUE(says("1 of 3"));
  d.click("tour/skip");
  // And by its name, from where there is none.
  d.click("sidebar/task/novel-view");
  d.key('K', true);
  d.type("palette/query", "show the tour again");
  EXPECT_EQ(d.studio.task(), "bump-hunt");
  ASSERT_TRUE(d.rest());
  EXPECT_TRUE(says("1 of 3"));
}

TEST_F(TourTest, NothingMovesWhileItSpeaksAndNIsDragged) {
  for (const auto& [width, height] : {std::pair{1440.f, 900.f}, {1024.f, 700.f}}) {
    Driver d(settings_in(folder_.path()), width, height);
    ASSERT_TRUE(d.rest());
    const Item slider = d.item("posterior/n");
    const ImVec2 next = d.item("tour/next").min, set = d.item("posterior/open-file").min;
    for (const double share : {0.9, 0.5, 0.05}) {
      d.move({slider.min.x + static_cast<float>(share) * (slider.max.x - slider.min.x), slider.middle().y});
      d.screen.input.button(0, true);
      d.frames(2);
      EXPECT_EQ(d.item("tour/next").min.y, next.y);
      EXPECT_EQ(d.item("posterior/open-file").min.y, set.y);
    }
    d.screen.input.button(0, false);
    ASSERT_TRUE(d.rest());
    EXPECT_TRUE(says("2 of 3"));
    EXPECT_EQ(d.item("tour/next").min.y, next.y) << "its steps are equally high";
    EXPECT_EQ(d.item("posterior/n").min.y, slider.min.y);
    // It covers neither what it speaks of nor a plot.
    for (const char* name : {"posterior/n", "posterior/open-file", "tab/train", "posterior/density/0"}) {
      const Item item = d.item(name), strip = d.item("tour/next");
      EXPECT_TRUE(item.min.y >= strip.max.y || item.max.y <= strip.min.y) << name;
    }
  }
}

// The arrows of the second and third step touch what they point at, and nothing else, however small the window is.
TEST_F(TourTest, ArrowsPointAtWhatTheyMean) {
  for (const auto& [width, height, size] :
       {std::tuple{1440.f, 900.f, 1.f}, {1024.f, 700.f, 1.f}, {1024.f, 700.f, 1.5f}, {1920.f, 1080.f, 2.f}}) {
    Driver d(settings_in(folder_.path()), width, height, size);
    ASSERT_TRUE(d.rest());
    EXPECT_FALSE(d.find("tour/arrow")) << "the first step speaks of the slider below it";
    for (const char* name : {"posterior/open-file", "tab/train"}) {
      d.click("tour/next");
      d.frames(4);
      ASSERT_TRUE(d.find("tour/arrow")) << name << " at " << width << ", scale " << size;
      const Item arrow = d.item("tour/arrow"), item = d.item(name);
      const float near = 6 * size;
      if (item.reachable())
        EXPECT_TRUE(arrow.max.x > item.min.x - near && arrow.min.x < item.max.x + near &&
                    arrow.max.y > item.min.y - near && arrow.min.y < item.max.y + near)
            << name << " at " << width << ", scale " << size;
      else  // it shows where to scroll: from the words down
        EXPECT_TRUE(item.min.y > arrow.max.y && arrow.min.y >= d.item("tour/next").max.y &&
                    std::fabs(arrow.middle().x - item.middle().x) < item.max.x - item.min.x)
            << name << " at " << width << ", scale " << size;
      for (const Item& other : recorder().items()) {
        if (!other.reachable()) continue;
        const bool word = other.kind == ItemKind::text && !other.text.empty() && other.layer == 0;
        const bool button = other.kind == ItemKind::button || other.kind == ItemKind::input;
        if (other.name == name || (!word && !button)) continue;
        const bool over = arrow.min.x < other.max.x && other.min.x < arrow.max.x && arrow.min.y < other.max.y &&
                          other.min.y < arrow.max.y;
        EXPECT_FALSE(over) << name << " at " << width << ", scale " << size << ": over " << other.name << other.text;
      }
    }
  }
}

TEST_F(TourTest, SaysWhatIsAskedAndNamesWhatIsDrawn) {
  Driver d(settings_in(folder_.path()));
  d.studio.settings.dismiss("welcome");
  ASSERT_TRUE(d.rest());
  d.studio.posterior.set_n(64);
  ASSERT_TRUE(d.rest());
  EXPECT_TRUE(says("Which signal fraction θ do these 64 events share?"));
  EXPECT_TRUE(says("The 90 % interval is "));
  EXPECT_TRUE(text_item("θ, signal fraction")) << "on the axis, and at the slider";
  EXPECT_TRUE(text_item("ψ, bump position"));
  d.studio.posterior.set_n(1);
  ASSERT_TRUE(d.rest());
  EXPECT_TRUE(says("Which signal fraction θ lies behind this event?"));
}

TEST_F(TourTest, TipsHaveTheEquations) {
  Driver d(settings_in(folder_.path()), 1440, 900);
  d.studio.settings.dismiss("welcome");
  ASSERT_TRUE(d.rest());
  const Item* heading = text_item("KL / nat");
  ASSERT_TRUE(heading);
  EXPECT_THAT(tip_at(d, heading->middle()), HasSubstr("KL(p ‖ q) = ∫"));
  // Every entry of the plot's legend has an explanation, but for the runs.
  int entries = 0;
  for (int k = 0; k < 12; ++k) {
    const std::string name = "posterior/density/0/legend/" + std::to_string(k);
    if (!d.find(name)) break;
    const Item entry = d.item(name);
    const auto& runs = d.studio.posterior.scene()->runs;
    if (std::any_of(runs.begin(), runs.end(),
                    [&](const auto& run) { return run.strategy == entry.text || run.name == entry.text; }))
      continue;
    ++entries;
    ASSERT_TRUE(find_term(entry.text)) << entry.text;
    EXPECT_THAT(tip_at(d, entry.middle()), HasSubstr(find_term(entry.text)->sentence));
  }
  EXPECT_GE(entries, 4) << "truth, exact, naive product, per-event classifier";
}

}  // namespace
}  // namespace pairs::gui
