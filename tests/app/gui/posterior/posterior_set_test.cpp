// What the Posterior tab does with the observed set: subsets, saved samples, files that are followed, and what is kept.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>

#include "app/gui/widgets/ui.h"
#include "app/model/posterior/work/sample_saving.h"
#include "app/model/posterior/work/set_table.h"
#include "core/base/files/files.h"
#include "core/base/files/npz.h"
#include "tests/app/gui/driver.h"

namespace pairs::gui {
namespace {

class PosteriorSetTest : public ::testing::Test {
 protected:
  Driver& window(const std::string& task = "bump-hunt") {
    if (!driver_) {
      driver_ = std::make_unique<Driver>(settings_in(folder_.path(), task), 1280, 800);
      EXPECT_TRUE(driver_->rest());
      driver_->frames(3);
    }
    return *driver_;
  }
  model::Posterior& posterior() { return driver_->studio.posterior; }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  bool says(const std::string& part) {
    return std::any_of(recorder().items().begin(), recorder().items().end(),
                       [&](const Item& item) { return item.text.find(part) != std::string::npos; });
  }
  std::string numbers(int count) const {
    std::string text;
    for (int i = 0; i < count; ++i) text += fmt::format("{:.2f}\n", 0.1 * (i % 97));
    return text;
  }
  void open_events(int count) {
    write_file(path("events.csv"), "x\n" + numbers(count));
    open("events.csv");
  }
  // Opens a file. If it has more rows than the task allows, accepts the first ones in the dialog.
  void open(const std::string& name) {
    posterior().set.open_file(path(name));
    ASSERT_TRUE(window().rest(60));
    window().frames(3);
    if (!window().find("posterior/large/open")) return;
    window().click("posterior/large/open");
    ASSERT_TRUE(window().rest(60));
    window().frames(3);
  }

  TemporaryFolder folder_;
  std::unique_ptr<Driver> driver_;
};

TEST_F(PosteriorSetTest, ARandomSubsetOfAFileIsAPressAway) {
  window();
  EXPECT_FALSE(window().find("posterior/subset/random")) << "a simulated set has no others";
  open_events(400);
  EXPECT_FALSE(window().find("posterior/subset/seed"));
  window().click("posterior/subset/random");
  ASSERT_TRUE(window().rest(60));
  window().frames(3);
  EXPECT_EQ(posterior().scene()->choice.random, 1u);
  EXPECT_TRUE(says("the random 100 of 400 observations"));
  window().click("posterior/subset/again");
  ASSERT_TRUE(window().rest(60));
  EXPECT_EQ(posterior().scene()->choice.random, 2u);
  window().type("posterior/subset/seed", "77");
  ASSERT_TRUE(window().rest(60));
  EXPECT_EQ(posterior().scene()->choice.random, 77u);
  window().type("posterior/subset/seed", "many");
  ASSERT_TRUE(window().rest(60));
  EXPECT_EQ(posterior().scene()->choice.random, 77u);
  EXPECT_EQ(window().item("posterior/subset/seed").text, "77");
  window().click("posterior/subset/first");
  ASSERT_TRUE(window().rest(60));
  EXPECT_FALSE(posterior().scene()->choice.random);
}

// As infer does, the window asks which observations of a large file are meant before it answers.
TEST_F(PosteriorSetTest, OfALargeFileAPersonChoosesThePart) {
  window();
  write_file(
      path("large.csv"), "run,x\n" + [&] {
        std::string rows;
        for (int i = 0; i < 300; ++i) rows += fmt::format("{},{:.2f}\n", i / 50, 0.1 * (i % 97));
        return rows;
      }());
  const auto ask = [&] {
    posterior().set.open_file(path("large.csv"));
    ASSERT_TRUE(window().until([&] { return window().find("posterior/large/open") != nullptr; }, 60));
  };
  ask();
  EXPECT_TRUE(posterior().scene()->simulated) << "nothing is answered before";
  EXPECT_THAT(window().item("posterior/large/why").text,
              testing::HasSubstr("300 observations of " + path("large.csv") + " are asked for"));
  window().click("posterior/large/cancel");
  window().frames(3);
  EXPECT_TRUE(posterior().scene()->simulated);
  EXPECT_FALSE(window().find("posterior/large/open"));
  ask();
  window().click("posterior/large/random");
  window().click("posterior/large/open");
  ASSERT_TRUE(window().rest(60));
  window().frames(3);
  EXPECT_EQ(posterior().scene()->choice.random, 1u);
  EXPECT_TRUE(says("the random 100 of 300 observations"));
  ask();
  window().click("posterior/large/open");
  ASSERT_TRUE(window().rest(60));
  window().frames(3);
  EXPECT_FALSE(posterior().scene()->choice.random);
  EXPECT_TRUE(says("the first 100 of 300 observations"));
  ask();
  window().click("posterior/large/sets");
  window().click("posterior/large/open");
  ASSERT_TRUE(window().until([&] { return posterior().sets.table().is_open(); }, 60));
  EXPECT_EQ(posterior().sets.table().sets().question.set.group, "run");
}

TEST_F(PosteriorSetTest, SamplesAreSaved) {
  window();
  posterior().set_n(20);
  ASSERT_TRUE(window().rest());
  ui::take_saved();
  window().click("posterior/save");
  EXPECT_TRUE(window().item("posterior/save/path").text.ends_with("-n-20-samples.npz"));
  window().type("posterior/save/path", path("mine.txt"));
  window().frames(2);
  EXPECT_FALSE(window().item("posterior/save/write").enabled);
  EXPECT_TRUE(says("must end in .npz or .csv"));
  window().type("posterior/save/count", "50");
  window().type("posterior/save/seed", "3");
  window().type("posterior/save/path", path("mine.csv"));
  EXPECT_TRUE(window().until([&] { return !window().find("posterior/save/path"); }, 60));
  ASSERT_TRUE(std::filesystem::exists(path("mine.csv")));
  EXPECT_EQ(read_csv(path("mine.csv")).sizes(), (std::vector<std::int64_t>{50, 1}));
  const std::string before = read_file(path("mine.csv"));

  // An existing file is replaced only by the button that offers it.
  window().click("posterior/save");
  window().type("posterior/save/path", path("mine.csv"));
  window().type("posterior/save/count", "60");
  ASSERT_TRUE(window().rest());
  EXPECT_TRUE(window().find("posterior/save/path"));
  EXPECT_TRUE(says("There is a file of this name already. Replace it?"));
  EXPECT_TRUE(read_file(path("mine.csv")) == before);
  EXPECT_EQ(window().item("posterior/save/write").text, "Replace");
  window().click("posterior/save/write");
  EXPECT_TRUE(window().until([&] { return !window().find("posterior/save/path"); }, 60));
  EXPECT_EQ(read_csv(path("mine.csv")).size(0), 60);

  // The dialog shows the error.
  window().click("posterior/save");
  window().type("posterior/save/path", path("gone/mine.npz"));
  ASSERT_TRUE(window().until([&] { return says("gone") && !posterior().files.samples().job().busy(); }, 60));
  window().frames(3);
  EXPECT_TRUE(window().find("posterior/save/path"));
  window().key(key::escape);
  EXPECT_FALSE(window().find("posterior/save/path"));
}

TEST_F(PosteriorSetTest, AReportIsWritten) {
  window();
  EXPECT_FALSE(window().item("posterior/report").enabled) << "nobody observed a simulated set";
  open_events(30);
  window().click("posterior/report");
  EXPECT_TRUE(window().item("posterior/report/path").text.ends_with("-report.html"));
  window().type("posterior/report/path", path("report.txt"));
  window().frames(2);
  EXPECT_TRUE(says("must end in .html or .pdf"));
  EXPECT_FALSE(std::filesystem::exists(path("report.txt")));
  window().type("posterior/report/path", path("report.html"));
  EXPECT_TRUE(window().until([&] { return window().find("posterior/report/stop"); }, 60));
  EXPECT_TRUE(says("Report: "));
  window().click("posterior/report/stop");
  EXPECT_TRUE(window().until([&] { return !posterior().busy(); }, 60));
  EXPECT_FALSE(std::filesystem::exists(path("report.html"))) << "it was stopped";
}

TEST_F(PosteriorSetTest, PosteriorsArePinnedNamedAndTakenAway) {
  window();
  posterior().set_n(10);
  ASSERT_TRUE(window().rest());
  window().click("posterior/pin");
  posterior().set_n(70);
  ASSERT_TRUE(window().rest());
  window().click("posterior/pin");
  ASSERT_TRUE(window().rest());
  window().frames(3);
  const std::string first = fmt::format("N = 10, set {}", posterior().set.index());
  EXPECT_EQ(window().item("posterior/pins/1/name").text, first);
  EXPECT_TRUE(says(first)) << "in the legend and in the table";
  window().type("posterior/pins/1/name", "few events");
  ASSERT_TRUE(window().rest());
  window().frames(3);
  EXPECT_TRUE(says("few events"));
  EXPECT_FALSE(says(first));
  window().click("sidebar/task/gaussian");
  ASSERT_TRUE(window().rest());
  EXPECT_FALSE(window().find("posterior/pins/1/name"));
  window().click("sidebar/task/bump-hunt");
  ASSERT_TRUE(window().rest());
  window().frames(3);
  EXPECT_EQ(window().item("posterior/pins/1/name").text, "few events");
  window().click("posterior/pins/1/unpin");
  window().click("posterior/pins/1/unpin");
  ASSERT_TRUE(window().rest());
  window().frames(3);
  EXPECT_FALSE(window().find("posterior/pins/1/name"));
  EXPECT_FALSE(says("few events"));
}

TEST_F(PosteriorSetTest, ColumnsOfATableAreSaidAndChosen) {
  std::string table = "id,energy,x\n";
  for (int k = 0; k < 500; ++k) table += fmt::format("{},{:.2f},{:.2f}\n", k, 0.01 * k, 0.02 * (k % 300));
  write_file(path("three.csv"), table);
  window();
  open("three.csv");
  ASSERT_TRUE(window().rest(60));
  window().frames(3);
  EXPECT_EQ(window().item("posterior/set/columns").text, "Using column x of id, energy, x");
  EXPECT_THAT(window().item("posterior/set/used").text, testing::HasSubstr("the first 100 of 500 observations"));
  const double mean = posterior().shown()->series.front().targets[0].mean;
  window().click("posterior/choose-columns");
  window().click("posterior/columns/x");
  window().click("posterior/columns/x/1");
  window().click("posterior/columns/use");
  ASSERT_TRUE(window().rest(60));
  window().frames(3);
  EXPECT_EQ(window().item("posterior/set/columns").text, "Using column energy of id, energy, x");
  EXPECT_NE(posterior().shown()->series.front().targets[0].mean, mean);
  EXPECT_THAT(posterior().batch_command(), testing::HasSubstr("--columns=energy"));
  window().click("posterior/subset/random");
  ASSERT_TRUE(window().rest(60));
  window().frames(3);
  EXPECT_THAT(window().item("posterior/set/used").text, testing::HasSubstr("the random 100 of 500 observations"));
  EXPECT_EQ(window().item("posterior/set/columns").text, "Using column energy of id, energy, x") << "stays chosen";

  // A table without the task's column asks which it is.
  write_file(path("other.csv"), "t,energy\n1,0.5\n2,0.7\n");
  posterior().set.open_file(path("other.csv"));
  ASSERT_TRUE(window().until([&] { return window().find("posterior/columns/use") != nullptr; }));
  EXPECT_THAT(window().item("posterior/columns/why").text, testing::HasSubstr("names its columns t, energy"));
  window().click("posterior/columns/x");
  window().click("posterior/columns/x/1");
  window().click("posterior/columns/use");
  ASSERT_TRUE(window().rest(60));
  EXPECT_EQ(posterior().scene()->set_size, 2);
  EXPECT_EQ(posterior().scene()->taken, std::vector<std::string>{"energy"});
  EXPECT_EQ(posterior().set.failure(), "");
}

// The marginals stand on the joint's axes, and zooming one zooms all that share an axis.
TEST_F(PosteriorSetTest, TwoUnknownsShareTheirAxes) {
  Driver& d = window("gaussian");
  const Item above = d.item("posterior/density/0"), joint = d.item("posterior/density/2"),
             right = d.item("posterior/density/3");
  EXPECT_FALSE(d.find("posterior/density/1"));
  EXPECT_FLOAT_EQ(above.min.x, joint.min.x);
  EXPECT_FLOAT_EQ(above.max.x, joint.max.x);
  EXPECT_FLOAT_EQ(right.min.y, joint.min.y);
  EXPECT_FLOAT_EQ(right.max.y, joint.max.y);
  EXPECT_LT(above.max.y, joint.min.y);
  EXPECT_GT(right.min.x, joint.max.x);
  const auto texts_below = [&] {
    std::vector<std::string> all;
    for (const Item& item : recorder().items())
      if (item.plotted && item.min.y > joint.max.y && item.min.x < joint.max.x && item.max.x > joint.min.x)
        all.push_back(item.text);
    return all;
  };
  const auto before = texts_below();
  ASSERT_FALSE(before.empty());
  // A box in the marginal above zooms the joint.
  d.move({above.min.x + 0.3f * (above.max.x - above.min.x), (above.min.y + above.max.y) / 2});
  d.screen.input.button(0, true);
  d.frames(2);
  d.move({above.min.x + 0.6f * (above.max.x - above.min.x), (above.min.y + above.max.y) / 2});
  d.screen.input.button(0, false);
  d.frames(3);
  EXPECT_NE(texts_below(), before);
  d.move(above.middle());
  for (int k = 0; k < 2; ++k) {
    d.screen.input.button(0, true);
    d.screen.input.button(0, false);
  }
  d.frames(4);
  EXPECT_EQ(texts_below(), before) << "a double click resets them all";
}

TEST_F(PosteriorSetTest, AFileIsFollowedWhileItGrows) {
  Driver& d = window();
  d.click("posterior/follow-file");
  d.type("posterior/follow/path", path("gone.csv"));
  ASSERT_TRUE(d.until([&] { return says("gone.csv cannot be opened"); }));
  EXPECT_TRUE(d.find("posterior/follow/path"));
  EXPECT_FALSE(posterior().follow.state());
  write_file(path("events.csv"), "x\n" + numbers(30));
  d.type("posterior/follow/path", path("events.csv"));
  ASSERT_TRUE(d.until([&] { return !d.find("posterior/follow/path") && says("following events.csv: N = 30"); }));
  EXPECT_FALSE(d.item("posterior/play").enabled);
  EXPECT_FALSE(d.item("posterior/save").enabled);
  std::ofstream(path("events.csv"), std::ios::app) << numbers(12);
  ASSERT_TRUE(d.until([&] { return says("following events.csv: N = 42"); }));
  ASSERT_TRUE(d.until([&] { return posterior().shown() && posterior().shown()->n == 42; }));
  ASSERT_TRUE(d.until([&] { return says("N = 42, waiting for more"); }));
  EXPECT_FALSE(d.studio.busy());
  ASSERT_TRUE(d.rest());
  d.click("posterior/follow/stop");
  ASSERT_TRUE(d.until([&] { return says("followed events.csv: N = 42, stopped"); }));
  EXPECT_FALSE(d.find("posterior/follow/stop"));
  ASSERT_TRUE(d.rest()) << "what there is of the file is read as a set";
  d.click("posterior/simulate");
  ASSERT_TRUE(d.rest());
  EXPECT_FALSE(posterior().follow.state());
  EXPECT_TRUE(posterior().scene()->simulated);
}

TEST_F(PosteriorSetTest, OnlyPointsAreFollowed) {
  window("digits");
  EXPECT_TRUE(window().find("posterior/open-file"));
  EXPECT_FALSE(window().find("posterior/follow-file"));
}

}  // namespace
}  // namespace pairs::gui
