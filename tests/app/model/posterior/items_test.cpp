// Things that people have, opened in the window.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "app/model/files/look_at_path.h"
#include "app/model/posterior/posterior.h"
#include "app/model/posterior/work/set_table.h"
#include "core/base/files/files.h"
#include "tests/app/batch/action.h"
#include "tests/app/batch/pebble_task.h"
#include "tests/app/model/small_run.h"

namespace pairs::model {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr double kItemPatience = 60;

class OpenedItems : public ::testing::Test {
 protected:
  OpenedItems() : posterior_(hub_) {
    run_ = small_run(folder_.path(), "run", "gaussian", 1, "pairs", {}, hub_.tasks);
    posterior_.open(run_);
    settle();
  }

  void settle() {
    ASSERT_TRUE(posterior_.wait(kItemPatience)) << posterior_.activity();
    ASSERT_EQ(posterior_.failure(), "");
  }
  bool logged(const std::string& part) {
    for (const auto& message : hub_.messages.all())
      if (message.text.find(part) != std::string::npos) return true;
    return false;
  }

  Hub hub_{pebbles()};
  TemporaryFolder folder_;
  std::string run_;
  Posterior posterior_;
};

TEST_F(OpenedItems, TheSceneTellsWhatMayBeOpened) {
  const auto scene = posterior_.scene();
  ASSERT_TRUE(scene);
  EXPECT_EQ(scene->item, "pebble");
  EXPECT_THAT(scene->item_help, HasSubstr("pebble:NUMBER"));
  const auto looked = [&](const char* text) { return look_at_path(text, *hub_.tasks, posterior_.data_task()); };
  EXPECT_TRUE(looked("pebble:2").page_item);
  EXPECT_FALSE(looked("events.csv").page_item);
  EXPECT_EQ(scene->set_own, "");
  EXPECT_FALSE(scene->parameters.empty());
}

TEST_F(OpenedItems, WordsAreASetWithItsOwnTheta) {
  posterior_.set.open_file("pebble:4.25");
  settle();
  ASSERT_EQ(posterior_.set.failure(), "");
  const auto scene = posterior_.scene();
  EXPECT_FALSE(scene->simulated);
  EXPECT_EQ(scene->set_name, "pebble 4.25");
  EXPECT_EQ(scene->set_source, "pebble:4.25");
  EXPECT_EQ(scene->set_own, "By the pebble itself: θ = 4.25");
  EXPECT_EQ(scene->set_size, kPebbles);
  EXPECT_TRUE(scene->parameters.empty()) << "nothing of it can be dragged";
  EXPECT_EQ(posterior_.n(), 10) << "as many as the run saw in training";
  ASSERT_EQ(posterior_.shown()->density->plots[0].rules.size(), 1u);
  EXPECT_EQ(posterior_.shown()->density->plots[0].rules[0].x, 4.25);
  EXPECT_TRUE(logged("pebble 4.25 is a heavy one"));
  bool warned = false;
  for (const PosteriorWarning& warning : posterior_.shown()->warnings)
    warned |= warning.text.find("heavy") != std::string::npos;
  EXPECT_TRUE(warned);
  posterior_.set.simulate();
  settle();
  EXPECT_TRUE(posterior_.scene()->simulated);
  EXPECT_EQ(posterior_.scene()->set_own, "");
  EXPECT_FALSE(posterior_.scene()->parameters.empty());
}

TEST_F(OpenedItems, TheCopiedCommandDrawsTheSame) {
  std::ofstream(folder_ / "a b.pebble") << "-0.5";
  for (const std::string& item : {std::string("pebble:1.5"), (folder_ / "a b.pebble").string()}) {
    posterior_.set.open_file(item);
    settle();
    ASSERT_EQ(posterior_.set.failure(), "");
    posterior_.set_n(7);
    settle();
    const std::string command = posterior_.batch_command();
    EXPECT_THAT(command, HasSubstr(item == "pebble:1.5" ? "--data pebble:1.5" : "--data '" + item + "'"));
    const std::string file = (folder_ / "figure.csv").string();
    std::vector<std::string> words = {"posterior", run_, "--data", item, "--n", "7", "--out", file};
    if (const auto& axes = posterior_.shown()->kept_axes) {
      words.push_back(fmt::format("--range={},{}", axes->ranges[0].first, axes->ranges[0].second));
      words.push_back(fmt::format("--height={}", axes->heights[0]));
    }
    const batch::Acted drawn = batch::act(batch::add_figure, words, hub_.tasks);
    ASSERT_EQ(drawn.code, 0) << drawn.err;
    Figure screen = *posterior_.shown()->density;
    screen.plots.front().title = "N = 7";
    EXPECT_EQ(read_file(file), figure_csv(screen));
  }
}

TEST_F(OpenedItems, AListIsATable) {
  std::ofstream(folder_ / "list.txt") << "pebble:1.5\npebble:soft\npebble:2\n";
  ASSERT_EQ(posterior_.open_data(look_at_path(folder_ / "list.txt", *hub_.tasks, posterior_.data_task())), "");
  settle();
  ASSERT_TRUE(posterior_.sets.table().is_open());
  ASSERT_EQ(posterior_.sets.table().rows(), 3u);
  EXPECT_EQ(posterior_.scene()->set_name, "pebble:1.5") << "the first is shown";
  EXPECT_EQ(posterior_.scene()->set_own, "By the pebble itself: θ = 1.50");
  posterior_.sets.choose(2, SetClick::alone);
  settle();
  EXPECT_EQ(posterior_.scene()->set_name, "pebble:2");
  EXPECT_EQ(posterior_.sets.table().chosen(), (std::vector<std::size_t>{2}));
  EXPECT_THAT(posterior_.sets.table().row(1).problem, HasSubstr("pebble:soft is no pebble"));
  const std::string command = posterior_.batch_command();
  EXPECT_THAT(command, AllOf(HasSubstr("list.txt"), HasSubstr("--member pebble:2")));
  posterior_.sets.close();
  settle();
  EXPECT_TRUE(posterior_.scene()->simulated);
}

TEST_F(OpenedItems, BadOnesLeaveTheSetBefore) {
  const std::uint64_t set = posterior_.scene()->set;
  posterior_.set.open_file("pebble:soft");
  settle();
  EXPECT_THAT(posterior_.set.failure(), HasSubstr("pebble:soft is no pebble"));
  EXPECT_EQ(posterior_.scene()->set, set);
  EXPECT_TRUE(posterior_.scene()->simulated);
  posterior_.set.open_file((folder_ / "gone.pebble").string());
  settle();
  EXPECT_THAT(posterior_.set.failure(), HasSubstr("gone.pebble"));
}

}  // namespace
}  // namespace pairs::model
