// The table of many sets next to the posterior.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "app/gui/widgets/ui.h"
#include "app/model/posterior/work/set_table.h"
#include "core/base/files/files.h"
#include "tests/app/gui/driver.h"

namespace pairs::gui {
namespace {

class SetListTest : public ::testing::Test {
 protected:
  Driver& window() {
    if (!driver_) {
      driver_ = std::make_unique<Driver>(settings_in(folder_.path()), 1440, 900);
      EXPECT_TRUE(driver_->rest(60));
      driver_->frames(3);
    }
    return *driver_;
  }
  model::Posterior& posterior() { return driver_->studio.posterior; }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  // A table of `count` sets of three events.
  std::string sets(int count) const {
    std::string text = "event,run,x\n";
    for (int set = 0; set < count; ++set)
      for (int row = 0; row < 3; ++row)
        text += fmt::format("{},run {},{:.3f}\n", row, set + 1, 2 * std::sin(1.7 * set + 2.3 * row));
    write_file(path("sets.csv"), text);
    return path("sets.csv");
  }
  void rest() {
    ASSERT_TRUE(window().rest(120));
    window().frames(3);
  }
  bool says(const std::string& part) const {
    const auto& items = recorder().items();
    return std::any_of(items.begin(), items.end(),
                       [&](const Item& item) { return item.text.find(part) != std::string::npos; });
  }
  void open(int count) {
    window();
    posterior().set.open_file(sets(count));
    rest();
    if (window().find("posterior/large/open")) {  // more rows than one set may have
      window().click("posterior/large/sets");
      window().click("posterior/large/by");
      window().click("posterior/large/by/1");
      window().click("posterior/large/open");
      return rest();
    }
    // Selects the second of the columns that are not part of x.
    window().click("posterior/sets/by");
    window().click("posterior/sets/by/2");
    rest();
  }

  TemporaryFolder folder_;
  std::unique_ptr<Driver> driver_;
};

TEST_F(SetListTest, ATableWithAWrongRowIsOfferedAsSets) {
  window();
  write_file(path("faulty.csv"), "run,x\na,0.1\na,0.4\nb,oops\nc,1.5\n");
  window().studio.open_path(path("faulty.csv"));
  ASSERT_TRUE(window().until([&] { return window().find("posterior/broken/open") != nullptr; }, 60));
  EXPECT_TRUE(says("oops"));
  window().click("posterior/broken/open");
  rest();
  EXPECT_EQ(posterior().sets.table().rows(), 3u);
  EXPECT_TRUE(says("not answered"));
  window().studio.open_path(path("faulty.csv"));
  ASSERT_TRUE(window().until([&] { return window().find("posterior/broken/cancel") != nullptr; }, 60));
  window().click("posterior/broken/cancel");
  rest();
  EXPECT_FALSE(window().find("posterior/broken/open"));
}

TEST_F(SetListTest, ExactPosteriorsAreAskedForByAButton) {
  open(3);
  EXPECT_FALSE(says("exact mean"));
  window().click("posterior/sets/exact");
  rest();
  EXPECT_TRUE(says("exact mean"));
  EXPECT_TRUE(says("KL / nat"));
  EXPECT_TRUE(posterior().sets.table().sets().exact);
}

TEST_F(SetListTest, AColumnMakesSetsOfAFile) {
  open(12);
  Driver& d = window();
  EXPECT_EQ(d.item("posterior/sets/progress").text, "12 sets");
  EXPECT_EQ(posterior().scene()->set_name, "run 1");
  d.click("posterior/sets/row/run 5");
  rest();
  EXPECT_EQ(posterior().scene()->set_name, "run 5");
  d.screen.input.press(key::left_control, true);
  d.click("posterior/sets/row/run 7");
  d.screen.input.press(key::left_control, false);
  rest();
  EXPECT_EQ(posterior().sets.table().chosen(), (std::vector<std::size_t>{4, 6}));
  EXPECT_EQ(posterior().scene()->set_name, "run 5");

  d.click("posterior/sets/sort/2");
  d.click("posterior/sets/sort/2");
  EXPECT_EQ(posterior().sets.table().sorted(), 2u);
  EXPECT_TRUE(posterior().sets.table().down());

  d.click("posterior/sets/forest");
  d.frames(3);
  EXPECT_TRUE(d.find("posterior/sets/plot/0"));
  EXPECT_FALSE(d.find("posterior/density/0"));
  d.click("posterior/sets/posterior");
  d.frames(3);
  EXPECT_TRUE(d.find("posterior/density/0"));

  ui::take_saved();
  d.click("posterior/sets/export");
  d.type("posterior/sets/path", path("answers.xlsx"));
  EXPECT_TRUE(says("must end in .csv, .json, .npz or .tex")) << "in the dialog";
  d.type("posterior/sets/path", path("answers.csv"));
  EXPECT_TRUE(d.until([&] { return !d.find("posterior/sets/path"); }, 60));
  EXPECT_EQ(read_file(path("answers.csv")).substr(0, 6), "set,n,");

  d.click("posterior/sets/close");
  rest();
  EXPECT_FALSE(d.find("posterior/sets/progress"));
  EXPECT_EQ(posterior().scene()->set_size, 36);
  EXPECT_TRUE(d.find("posterior/sets/by"));
}

// An older failure that nobody dismissed does not hold the dialog up.
TEST_F(SetListTest, OpeningManySetsClosesTheDialog) {
  std::filesystem::create_directories(folder_ / "many");
  for (int set = 0; set < 3; ++set) write_file(folder_ / fmt::format("many/{}.csv", set), "0.5\n1.2\n");
  write_file(path("bad.csv"), "0.5\nnonsense\n");
  Driver& d = window();
  posterior().set.open_file(path("bad.csv"));
  rest();
  ASSERT_TRUE(d.find("posterior/set-failure"));
  d.click("posterior/open-file");
  d.type("posterior/file/path", path("many") + "/");
  EXPECT_TRUE(d.until([&] { return !d.find("posterior/file/path"); }));
  rest();
  EXPECT_FALSE(d.find("posterior/set-failure"));
  EXPECT_EQ(d.item("posterior/sets/progress").text, "3 sets");
}

// Only what is seen of a long table is drawn, and a frame takes no longer for what is not.
TEST_F(SetListTest, ALongTableDrawsWhatIsSeen) {
  open(600);
  Driver& d = window();
  std::size_t drawn = 0;
  for (const Item& item : recorder().items()) drawn += item.name.starts_with("posterior/sets/row/") ? 1 : 0;
  EXPECT_GT(drawn, 5u);
  EXPECT_LT(drawn, 40u);
  EXPECT_EQ(posterior().sets.table().rows(), 600u);
  EXPECT_TRUE(d.find("posterior/sets/row/run 1"));
  EXPECT_FALSE(d.find("posterior/sets/row/run 400"));
}

}  // namespace
}  // namespace pairs::gui
