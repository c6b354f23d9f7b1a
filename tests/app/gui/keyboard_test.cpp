// The way through the window without a mouse.
#include "app/gui/widgets/keyboard.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include <cmath>
#include <fstream>
#include <set>

#include "app/gui/widgets/ui.h"
#include "core/train/run/shipped.h"
#include "tasks/registry.h"
#include "tests/app/gui/driver.h"
#include "tests/long_tests.h"

namespace pairs::gui {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

const Item* focused_item() {
  for (const Item& item : recorder().items())
    if (item.focused) return &item;
  return nullptr;
}

std::string focused_name() {
  const Item* item = focused_item();
  return item ? item->name : "";
}

// What Tab must reach: every control that can be used. A legend's entries are in their plot's menu; the truth and the
// dome of the viewer have sliders beside them; pictures that nothing happens on are no controls.
bool takes_focus(const Item& item) {
  return item.enabled && !item.name.empty() && item.kind != ItemKind::text && item.kind != ItemKind::plot &&
         item.name.find("/legend/") == std::string::npos && item.max.x > item.min.x && item.max.y > item.min.y;
}

class KeyboardTest : public ::testing::Test {
 protected:
  // Presses Tab until it comes round; what had the focus, and what there was to be reached.
  struct Round {
    std::set<std::string> reached, there;
    std::vector<std::string> hidden;  // had the focus where it cannot be seen
    int presses = 0;
  };
  static Round go_round(Driver& d, bool back = false) {
    Round round;
    std::string first;
    for (; round.presses < 600; ++round.presses) {
      for (const Item& item : recorder().items())
        if (takes_focus(item)) round.there.insert(item.name);
      d.screen.input.press(key::left_shift, back);
      d.screen.input.press(key::tab, true);
      d.frames(1);
      d.screen.input.press(key::tab, false);
      d.frames(1);
      const Item* item = focused_item();
      if (!item) continue;
      if (item->name == first) break;
      if (first.empty()) first = item->name;
      round.reached.insert(item->name);
      // Something of it is in sight.
      const bool seen = item->max.x > item->clip_min.x && item->min.x < item->clip_max.x &&
                        item->max.y > item->clip_min.y && item->min.y < item->clip_max.y;
      if (!seen) round.hidden.push_back(item->name);
    }
    d.screen.input.press(key::left_shift, false);
    d.frames();
    return round;
  }
  static std::set<std::string> missed(const Round& round) {
    std::set<std::string> names;
    for (const std::string& name : round.there)
      if (!round.reached.contains(name)) names.insert(name);
    return names;
  }

  TemporaryFolder folder_;
};

TEST_F(KeyboardTest, TabReachesEveryControlOfEveryTab) {
  for (const auto& [width, height] : {std::pair{1440.f, 900.f}, {1024.f, 700.f}}) {
    Driver d(settings_in(folder_.path()), width, height);
    d.studio.viewer.set_samples(1);
    d.studio.settings.log_open = true;
    // Narrow windows have their own arrangement, whatever the task: of a set, and of views.
    const bool all = width > 1200 || long_tests();
    for (const std::string& task : all ? tasks_by_kind() : std::vector<std::string>{"bump-hunt", "novel-view"})
      for (int tab = 0; tab < model::tab_count; ++tab) {
        // Training, evaluation and comparison have the same controls for each kind of task.
        const auto shown = static_cast<model::Tab>(tab);
        const bool kind = task == "bump-hunt" || task == "gaussian" || task == "novel-view";
        if (shown != model::Tab::task && shown != model::Tab::posterior && !kind && !long_tests()) continue;
        d.studio.open_task(task);
        d.studio.set_tab(shown);
        d.frames(3);
        ASSERT_TRUE(d.rest(60)) << task << " " << tab << " " << d.studio.activity();
        d.frames(3);
        const std::string where = fmt::format("{} {} {}", task, model::entry(d.studio.tab()).name, width);
        const Round round = go_round(d);
        EXPECT_LT(round.presses, 600) << where << ": it never comes round";
        EXPECT_GT(round.reached.size(), 12u) << where;
        EXPECT_THAT(missed(round), IsEmpty()) << where;
        EXPECT_THAT(round.hidden, IsEmpty()) << where;
      }
  }
}

TEST_F(KeyboardTest, TabReachesEveryControlOfTheSettings) {
  for (const auto& [width, height] : {std::pair{1440.f, 900.f}, {800.f, 560.f}}) {
    Driver d(settings_in(folder_.path()), width, height);
    ASSERT_TRUE(d.rest());
    d.key(',', true);
    ASSERT_TRUE(d.until([&] { return d.studio.page.survey() != nullptr; }));
    d.frames(3);
    const Round round = go_round(d);
    EXPECT_GT(round.reached.size(), 12u) << width;
    EXPECT_THAT(missed(round), IsEmpty()) << width;
    EXPECT_THAT(round.hidden, IsEmpty()) << width;
  }
}

TEST_F(KeyboardTest, ShiftTabGoesBack) {
  Driver d(settings_in(folder_.path()));
  ASSERT_TRUE(d.rest());
  std::vector<std::string> forth, back;
  for (int i = 0; i < 12; ++i) {
    d.key(key::tab);
    forth.push_back(focused_name());
  }
  for (int i = 0; i < 11; ++i) {
    d.key(key::tab, false, true);
    back.push_back(focused_name());
  }
  forth.pop_back();
  EXPECT_THAT(back, ::testing::ElementsAreArray(forth.rbegin(), forth.rend()));
  EXPECT_EQ(std::set<std::string>(forth.begin(), forth.end()).size(), forth.size());
}

// Presses Tab until this has the focus.
void tab_to(Driver& d, const std::string& name) {
  for (int i = 0; i < 300 && focused_name() != name; ++i) d.key(key::tab);
  ASSERT_EQ(focused_name(), name);
}

TEST_F(KeyboardTest, EnterAndSpacePressWhatHasTheFocusAndNothingElse) {
  Driver d(settings_in(folder_.path()));
  ASSERT_TRUE(d.rest());
  d.studio.posterior.set_n(1);
  d.key(key::space);
  EXPECT_TRUE(d.studio.posterior.playing()) << "without a focus, Space plays";
  d.key(key::space);
  EXPECT_FALSE(d.studio.posterior.playing());
  tab_to(d, "posterior/loop");
  const bool loop = d.studio.posterior.loop();
  d.key(key::space);
  EXPECT_NE(d.studio.posterior.loop(), loop);
  EXPECT_FALSE(d.studio.posterior.playing());
  tab_to(d, "posterior/play");
  d.key(key::space);
  EXPECT_TRUE(d.studio.posterior.playing()) << "once, not twice";
  d.key(key::enter);
  EXPECT_FALSE(d.studio.posterior.playing());
  tab_to(d, "tab/train");
  d.key(key::enter);
  EXPECT_EQ(d.studio.tab(), model::Tab::train);
  tab_to(d, "sidebar/task/gaussian");
  d.key(key::enter);
  EXPECT_EQ(d.studio.task(), "gaussian");
}

// Which object or molecule it is: a whole number, however it is moved.
TEST_F(KeyboardTest, ItemsAreNumberedByWholeNumbers) {
  for (const std::string& task : tasks_by_kind()) {
    const std::string subject = built_in_tasks()->make(task)->info().subject;
    if (subject.empty() || !has_shipped_weights(built_in_tasks(), task)) continue;
    Driver d(settings_in(folder_.path(), task));
    ASSERT_TRUE(d.rest());
    const auto number = [&] { return d.studio.posterior.scene()->parameters.back().value; };
    d.drag("posterior/" + subject, 0.2, 0.33, 2);
    ASSERT_TRUE(d.rest());
    const double before = number();
    EXPECT_EQ(before, std::round(before)) << task;
    tab_to(d, "posterior/" + subject);
    d.key(key::right);
    ASSERT_TRUE(d.rest());
    EXPECT_GT(number(), before) << task;
    EXPECT_EQ(number(), std::round(number())) << task;
    EXPECT_EQ(d.item("posterior/" + subject).text, fmt::format("{:.0f}", number())) << task;
  }
}

TEST_F(KeyboardTest, ArrowsDoOneItem) {
  Driver d(settings_in(folder_.path()));
  ASSERT_TRUE(d.rest());
  const auto psi = [&] { return d.studio.posterior.scene()->parameters[1].value; };
  d.studio.posterior.set_n(20);
  d.frames(2);
  // Without a focus they move N.
  d.key(key::right);
  EXPECT_EQ(d.studio.posterior.n(), 21);
  EXPECT_EQ(focused_name(), "");
  // With a button's, too, and the focus stays.
  tab_to(d, "posterior/new");
  d.key(key::left);
  EXPECT_EQ(d.studio.posterior.n(), 20);
  EXPECT_EQ(focused_name(), "posterior/new");
  // On the slider of N by one.
  tab_to(d, "posterior/n");
  d.key(key::right);
  EXPECT_EQ(d.studio.posterior.n(), 21);
  d.key(key::right, false, true);
  EXPECT_EQ(d.studio.posterior.n(), 31) << "ten with Shift";
  // On another slider that alone.
  tab_to(d, "posterior/psi");
  const double before = psi();
  d.key(key::right);
  ASSERT_TRUE(d.rest());
  EXPECT_EQ(d.studio.posterior.n(), 31);
  EXPECT_NEAR(psi(), before + 0.1, 1e-9) << "a hundredth of its range";
  EXPECT_EQ(focused_name(), "posterior/psi");
  // In a text they move the caret.
  tab_to(d, "posterior/n-text");
  d.key(key::left);
  EXPECT_EQ(d.studio.posterior.n(), 31);
  // The mouse takes the focus away, and then they are of N again.
  d.click("posterior/loop");
  EXPECT_EQ(focused_name(), "");
  d.key(key::left);
  EXPECT_EQ(d.studio.posterior.n(), 30);
}

TEST_F(KeyboardTest, TypesAndLeavesAText) {
  Driver d(settings_in(folder_.path()));
  ASSERT_TRUE(d.rest());
  tab_to(d, "posterior/n-text");
  for (const char c : std::string("42")) d.screen.input.character(static_cast<unsigned char>(c));
  d.frames(3);
  d.key(key::tab);
  EXPECT_EQ(d.studio.posterior.n(), 42);
  EXPECT_EQ(focused_name(), "posterior/n");
}

TEST_F(KeyboardTest, ChoosesFromAMenuAndAListAndAPlot) {
  Driver d(settings_in(folder_.path(), "bump-hunt", "train"));
  ASSERT_TRUE(d.rest());
  tab_to(d, "train/strategy");
  const std::string before = d.item("train/strategy").text;
  d.key(key::enter);
  ASSERT_TRUE(d.find("train/strategy/1"));
  d.key(key::down);
  d.key(key::down);
  EXPECT_EQ(focused_name(), "train/strategy/1");
  d.key(key::enter);
  EXPECT_FALSE(d.find("train/strategy/1"));
  EXPECT_NE(d.item("train/strategy").text, before);
  EXPECT_EQ(focused_name(), "train/strategy") << "the focus comes back";

  d.studio.set_tab(model::Tab::posterior);
  ASSERT_TRUE(d.rest());
  tab_to(d, "posterior/density/0");
  d.key(key::enter);
  ASSERT_TRUE(d.find("posterior/density/menu/log-y"));
  ASSERT_TRUE(d.find("posterior/density/menu/series/0")) << "what the legend's entries do";
  d.key(key::down);
  EXPECT_THAT(focused_name(), HasSubstr("posterior/density/menu/"));
  d.key(key::escape);
  EXPECT_FALSE(d.find("posterior/density/menu/log-y"));
  EXPECT_EQ(focused_name(), "posterior/density/0");
}

TEST_F(KeyboardTest, EnterEndsADialogAndEscapeCancelsIt) {
  Driver d(settings_in(folder_.path()));
  ASSERT_TRUE(d.rest());
  // Its text has the keys; there is nothing to open yet.
  d.key('O', true);
  ASSERT_TRUE(d.find("sidebar/open/path"));
  d.key(key::enter);
  d.key(key::enter);
  EXPECT_TRUE(d.find("sidebar/open/path"));
  d.key(key::escape);
  d.key(key::escape);
  EXPECT_FALSE(d.find("sidebar/open/path"));
  // Dialogs without a text.
  d.key(key::f1);
  ASSERT_TRUE(d.find("shortcuts/close"));
  d.key(key::enter);
  EXPECT_FALSE(d.find("shortcuts/close"));
  d.click("header/about");
  ASSERT_TRUE(d.find("about/close"));
  // A focus goes before.
  tab_to(d, "about/copy");
  d.key(key::enter);
  EXPECT_TRUE(d.find("about/close"));
  EXPECT_EQ(d.item("toast").text, "Copied to the clipboard");
  const Round round = go_round(d);
  EXPECT_EQ(round.reached, (std::set<std::string>{"about/copy", "about/close"})) << "Tab stays in the dialog";
  d.key(key::escape);
  EXPECT_FALSE(d.find("about/close"));
}

TEST_F(KeyboardTest, SavingSaysWhereItWent) {
  const auto here = std::filesystem::current_path();
  std::filesystem::current_path(folder_.path());
  {
    Driver d(settings_in(folder_.path()));
    ASSERT_TRUE(d.rest());
    d.key('S', true);
    ASSERT_TRUE(d.find("posterior/density/save/path"));
    d.type("posterior/density/save/path", "picture.svg");
    EXPECT_FALSE(d.find("posterior/density/save/path"));
    const std::string file = std::filesystem::canonical(folder_.path() / "picture.svg").string();
    EXPECT_EQ(d.item("saved/0").text, "Saved picture.svg");
    EXPECT_EQ(d.studio.hub.messages.all().back().text, "Saved " + file);
    // A second time it asks; Enter in the text is no answer, Enter on the dialog is.
    const auto first = std::filesystem::last_write_time(file);
    d.key('S', true);
    d.type("posterior/density/save/path", "picture.svg");
    EXPECT_EQ(d.item("posterior/density/save/write").text, "Replace");
    EXPECT_EQ(std::filesystem::last_write_time(file), first);
    d.key(key::enter);
    EXPECT_FALSE(d.find("posterior/density/save/path"));
    EXPECT_GT(std::filesystem::last_write_time(file), first);
  }
  std::filesystem::current_path(here);
}

TEST_F(KeyboardTest, SavingScoresSaysWhereTheyWent) {
  Driver d(settings_in(folder_.path(), "bump-hunt", "evaluate"));
  ASSERT_TRUE(d.rest());
  d.studio.evaluation.form.set(model::EvaluationField::sizes, "1");
  d.studio.evaluation.form.set(model::EvaluationField::sets, "20");
  d.click("evaluate/start");
  ASSERT_TRUE(d.until([&] { return d.find("evaluate/save") != nullptr; }));
  ASSERT_TRUE(d.rest());
  d.click("evaluate/save");
  const auto file = folder_.path() / "scores.json";
  d.type("evaluate/file", file.string());
  const auto reported = [&] { return d.find("saved/0") ? d.item("saved/0").text : ""; };
  ASSERT_TRUE(d.until([&] { return reported() == "Saved scores.json"; })) << reported();
  EXPECT_TRUE(std::filesystem::exists(file));
  EXPECT_EQ(d.studio.hub.messages.all().back().text, "Saved " + file.string());
  EXPECT_FALSE(d.find("evaluate/file"));
}

// Windows of one frame each: nothing of the first is left in the second, though both are in their first frame.
TEST(Keyboard, ForgetsEverythingWithItsScreen) {
  for (int time = 0; time < 2; ++time) {
    NullScreen screen(400, 300);
    screen.frame([&] {
      keyboard::begin_frame();
      EXPECT_FALSE(keyboard::place_of("one")) << time;
      ImGui::Begin("window");
      ui::button("one", "One");
      ImGui::End();
      EXPECT_TRUE(keyboard::place_of("one"));
    });
  }
}

}  // namespace
}  // namespace pairs::gui
