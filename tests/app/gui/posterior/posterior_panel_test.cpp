// The Posterior tab, driven by name.
#include <algorithm>
#include <fstream>

#include "core/base/files/files.h"
#include "tests/app/batch/pebble_task.h"
#include "tests/app/gui/driver.h"
#include "tests/app/model/small_run.h"

namespace pairs::gui {
namespace {

class PosteriorPanelTest : public ::testing::Test {
 protected:
  Driver& window(float width = 1280, float height = 800) {
    if (!driver_) {
      driver_ = std::make_unique<Driver>(settings_in(folder_.path()), width, height);
      EXPECT_TRUE(driver_->rest());
      driver_->frames(3);
    }
    return *driver_;
  }
  model::Posterior& posterior() { return driver_->studio.posterior; }
  bool says(const std::string& part) {
    return std::any_of(recorder().items().begin(), recorder().items().end(),
                       [&](const Item& item) { return item.text.find(part) != std::string::npos; });
  }
  // Into whatever has the keyboard.
  void write(const std::string& text) {
    for (const char c : text) window().screen.input.character(static_cast<unsigned char>(c));
    window().frames(3);
    window().key(key::enter);
  }

  TemporaryFolder folder_;
  std::unique_ptr<Driver> driver_;
};

TEST_F(PosteriorPanelTest, NCanBeTyped) {
  window().type("posterior/n-text", "17");
  EXPECT_EQ(posterior().n(), 17);
  for (const char* wrong : {"many", "0", "-3", "2.5", ""}) {
    window().type("posterior/n-text", wrong);
    EXPECT_EQ(posterior().n(), 17) << wrong;
    EXPECT_EQ(window().item("posterior/n-text").text, "17") << wrong;
  }
  window().type("posterior/n-text", "1,000,000");
  EXPECT_EQ(posterior().n(), posterior().most());
}

TEST_F(PosteriorPanelTest, ANewSetIsAlwaysAtHand) {
  window();
  const auto index = posterior().set.index();
  window().click("posterior/new");
  EXPECT_EQ(posterior().set.index(), index + 1);
}

TEST_F(PosteriorPanelTest, ThePosteriorUnderAnotherPriorIsDrawn) {
  Driver& d = window();
  d.type("posterior/prior/text", "beta(4, 4)");
  d.click("posterior/prior/show");
  ASSERT_TRUE(d.until([&] { return d.find("posterior/prior/answer") != nullptr; }));
  EXPECT_THAT(d.item("posterior/prior/answer").text, testing::HasSubstr("Under the prior θ ~ beta(4, 4)"));
  ASSERT_TRUE(d.until([&] { return d.find("posterior/prior/plot/0") != nullptr; }));
  d.click("posterior/prior/text");
  d.key('A', true);
  d.key(key::backspace);
  d.click("posterior/prior/show");
  d.frames(3);
  EXPECT_EQ(d.find("posterior/prior/plot/0"), nullptr) << "an empty one takes the answer away";
}

// A click adds the learned product where the run has one; other runs do not offer it.
TEST_F(PosteriorPanelTest, TheLearnedProductIsAskedForByAClick) {
  Driver& d = window();
  d.studio.open_task("bump-hunt");
  ASSERT_TRUE(d.rest(60));
  d.frames(3);
  d.click("posterior/product");
  EXPECT_TRUE(posterior().options.learned_product());
  ASSERT_TRUE(d.rest(60));
  const auto& series = posterior().shown()->series;
  EXPECT_TRUE(std::any_of(series.begin(), series.end(), [](const auto& one) { return one.name == "learned product"; }));
  d.click("posterior/source");
  d.click("posterior/source/3");
  EXPECT_EQ(posterior().options.source(), SourceWish::both);
  ASSERT_TRUE(d.rest(60));
  const auto& more = posterior().shown()->series;
  EXPECT_TRUE(std::any_of(more.begin(), more.end(), [](const auto& one) { return one.name == "refined"; }));
  d.studio.open_task("digits");
  ASSERT_TRUE(d.rest(60));
  d.frames(3);
  EXPECT_EQ(d.find("posterior/source"), nullptr);
  EXPECT_FALSE(d.find("posterior/product"));
}

TEST_F(PosteriorPanelTest, TheFileDialogTakesTheKeyboardAndSaysWhatIsWrong) {
  std::ofstream(folder_ / "mine.csv") << "x\n0.5\n1.25\n2\n";
  window().click("posterior/open-file");
  write((folder_ / "gone.csv").string());
  ASSERT_TRUE(window().until([&] { return says("gone.csv") && !posterior().busy(); }));
  window().frames(3);
  ASSERT_TRUE(window().find("posterior/file/path"));
  EXPECT_TRUE(posterior().scene()->simulated);
  EXPECT_FALSE(window().find("posterior/set-failure")) << "it is said once, in the dialog";

  const std::string home = getenv("HOME") ? getenv("HOME") : "/";
  setenv("HOME", folder_.path().c_str(), 1);
  window().type("posterior/file/path", "~/mine.csv");
  setenv("HOME", home.c_str(), 1);
  EXPECT_TRUE(window().until([&] { return !window().find("posterior/file/path"); }));
  EXPECT_FALSE(posterior().scene()->simulated);
  EXPECT_EQ(posterior().scene()->set_size, 3);
  EXPECT_TRUE(says("mine.csv"));
}

// The words of a task that makes observations of things are typed where paths are.
TEST_F(PosteriorPanelTest, AItemIsOpenedByItsWords) {
  driver_ = std::make_unique<Driver>(settings_in(folder_.path()), 1280.0f, 800.0f, 1.0f, pebbles());
  ASSERT_TRUE(window().rest(60));
  EXPECT_EQ(window().item("posterior/open-file").text, "Open file…");
  const std::string run =
      model::small_run(folder_.path(), "pebbles", "gaussian", 1, "pairs", {}, window().studio.hub.tasks);
  window().studio.open_run(run);
  ASSERT_TRUE(window().rest(60));
  window().frames(5);
  EXPECT_EQ(window().item("posterior/open-file").text, "Open pebble…");
  window().click("posterior/open-file");
  EXPECT_TRUE(says("Open a pebble"));
  EXPECT_TRUE(says("Give pebble:NUMBER, or a file of one (.pebble), or an NPZ file"));
  write("pebble:soft");
  ASSERT_TRUE(window().until([&] { return says("is no pebble") && !posterior().busy(); }));
  window().type("posterior/file/path", " pebble:1.5 ");
  EXPECT_TRUE(window().until([&] { return !window().find("posterior/file/path"); }));
  EXPECT_EQ(posterior().scene()->set_name, "pebble 1.5");
  EXPECT_TRUE(says("By the pebble itself: θ = 1.50"));

  // One that is dropped.
  std::ofstream(folder_ / "round.pebble") << "0.25";
  window().studio.open_path(folder_ / "round.pebble");
  ASSERT_TRUE(window().rest(60));
  EXPECT_EQ(posterior().scene()->set_name, "round.pebble");
}

TEST_F(PosteriorPanelTest, TheButtonsOfTheSetStayInView) {
  Driver& d = window(1024, 700);
  for (const char* task : {"bump-hunt", "gaussian", "digits", "circle"}) {
    d.studio.open_task(task);
    ASSERT_TRUE(d.rest(60));
    d.frames(5);
    ASSERT_TRUE(d.find("tour/skip"));
    for (const char* name : {"posterior/new", "posterior/open-file", "posterior/command"}) {
      const Item item = d.item(name);
      EXPECT_GE(item.min.y, item.clip_min.y) << task << " " << name;
      EXPECT_LE(item.max.y, item.clip_max.y) << task << " " << name;
    }
  }
}

// Single observations that the model does not make are named, marked in the picture of the data, and judged with the
// rest.
TEST_F(PosteriorPanelTest, SingleObservationsAreTested) {
  Driver& d = window(1440, 900);
  std::string text = "x\n";
  for (int i = 0; i < 40; ++i) text += std::to_string(i == 7 ? 25 : -2 + 0.1 * i) + "\n";
  write_file(folder_ / "x.csv", text);
  d.studio.open_task("gaussian");
  ASSERT_TRUE(d.rest(60));
  EXPECT_FALSE(d.item("posterior/observations").enabled) << "its run has no learned likelihood";
  d.studio.open_task("digits");
  ASSERT_TRUE(d.rest(60));
  EXPECT_FALSE(d.find("posterior/observations")) << "images have none";
  d.studio.open_task("bump-hunt");
  ASSERT_TRUE(d.rest(60));
  posterior().set.open_file((folder_ / "x.csv").string());
  ASSERT_TRUE(d.rest(60));
  EXPECT_FALSE(d.find("posterior/observed/0"));
  d.click("posterior/observations");
  ASSERT_TRUE(d.until([&] { return d.find("posterior/observed/0") != nullptr; }));
  d.frames(5);
  EXPECT_TRUE(says("1 of 40 observations is foreign to the model"));
  EXPECT_TRUE(says("single observations p"));
}

// A long answer makes the column of numbers longer than the plots; at the end of the page these still stand next to it.
TEST_F(PosteriorPanelTest, PlotsStayInViewNextToLongAnswers) {
  for (const auto& [width, height] : std::vector<std::pair<float, float>>{{1024, 700}, {1280, 800}, {1440, 900}}) {
    driver_.reset();
    Driver& d = window(width, height);
    d.type("posterior/prior/text", "beta(4, 4)");
    d.click("posterior/prior/show");
    ASSERT_TRUE(d.until([&] { return d.find("posterior/prior/plot/0") != nullptr; }));
    d.click("posterior/local-test");
    ASSERT_TRUE(d.rest(60));
    d.frames(5);
    const Item before = d.item("posterior/density/0");
    const Item pointed = d.item("posterior/command");
    d.move(pointed.middle());
    for (int k = 0; k < 60; ++k) {
      d.screen.input.wheel(0, -1.0f);
      d.frames(2);
    }
    float plots = 0, last = 0;
    for (const Item& item : recorder().items())
      if (item.name.starts_with("posterior/") && item.min.y < item.max.y) {
        const bool left = item.max.x <= before.max.x + 1;
        (left ? plots : last) = std::max(left ? plots : last, item.max.y);
      }
    EXPECT_LE(last - plots, 40) << width << " × " << height;
    EXPECT_GE(d.item("posterior/density/0").max.y, d.item("posterior/density/0").clip_min.y + 100);
  }
}

// Where ψ can be drawn given θ and X, the place of the likelihood is described in words, and ψ has a posterior of its
// own.
TEST_F(PosteriorPanelTest, TheCheckSaysWhereTheLikelihoodLiesAndWhereTheBumpIs) {
  for (const auto& [width, height] : std::vector<std::pair<float, float>>{{1024, 700}, {1440, 900}}) {
    driver_.reset();
    Driver& d = window(width, height);
    for (const char* task : {"bump-hunt", "gaussian", "digits", "circle"}) {
      d.studio.open_task(task);
      ASSERT_TRUE(d.rest(60));
      d.frames(5);
      const bool known = task == std::string("bump-hunt") || task == std::string("gaussian");
      EXPECT_EQ(d.find("posterior/check/0") != nullptr, known) << task;
      EXPECT_EQ(d.find("posterior/nuisance/0") != nullptr, known) << task;
      EXPECT_EQ(d.find("posterior/observed/0") != nullptr, !known) << task;
      EXPECT_FALSE(says("drawn from its prior"));
      if (!known) continue;
      for (const std::string& line : {posterior().check()->line, posterior().nuisance()->line})
        EXPECT_TRUE(says(line)) << task << " at " << width << ": " << line;
    }
  }
}

}  // namespace
}  // namespace pairs::gui
