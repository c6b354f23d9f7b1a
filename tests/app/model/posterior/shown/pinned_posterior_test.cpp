// What is pinned stands as a ghost behind what follows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "app/model/posterior/posterior.h"
#include "core/report/shades.h"
#include "tasks/registry.h"
#include "tests/app/model/small_run.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs::model {
namespace {

class PinnedPosteriorTest : public testing::Test {
 protected:
  PinnedPosteriorTest() : posterior_(hub_) {}
  void settle() { ASSERT_TRUE(posterior_.wait(120)) << posterior_.activity(); }
  // The ghost's curve in the figure of the screen; nullptr where there is none.
  const Line* ghost() const {
    for (const Plot& plot : posterior_.shown()->density->plots)
      for (const Line& line : plot.lines)
        if (base_role(line.role) == SeriesRole::ghost) return &line;
    return nullptr;
  }
  // Its row in the table.
  const PosteriorNumbers* row(const std::string& name) const {
    for (const PosteriorNumbers& one : posterior_.shown()->series)
      if (one.name == name) return &one;
    return nullptr;
  }
  std::vector<double> curve() const {
    const Plot& plot = posterior_.shown()->density->plots.front();
    for (const Line& line : plot.lines)
      if (line.name == posterior_.shown()->series.front().name) return line.y;
    return {};
  }

  Hub hub_{built_in_tasks()};
  Posterior posterior_;
};

TEST_F(PinnedPosteriorTest, StaysBehindAnotherNAndAnotherSet) {
  posterior_.open("bump-hunt");
  posterior_.set_n(10);
  settle();
  EXPECT_TRUE(posterior_.pins.shown().empty());
  EXPECT_FALSE(ghost());
  const TargetNumbers numbers = posterior_.shown()->series.front().targets[0];
  const std::vector<double> before = curve();
  ASSERT_FALSE(before.empty());
  const std::string command = posterior_.batch_command();
  posterior_.pins.add();
  ASSERT_EQ(posterior_.pins.shown().size(), 1u);
  EXPECT_EQ(posterior_.pins.shown()[0].name, "N = 10, set 0");
  EXPECT_EQ(posterior_.batch_command(), command) << "a command knows nothing of it";
  settle();
  ASSERT_TRUE(ghost()) << "at once";
  posterior_.set_n(80);
  settle();
  ASSERT_TRUE(ghost());
  EXPECT_EQ(ghost()->name, "N = 10, set 0");
  EXPECT_EQ(ghost()->y, before);
  EXPECT_NE(curve(), before);
  EXPECT_EQ(&posterior_.shown()->density->plots.front().lines[2], ghost()) << "behind all curves";
  ASSERT_TRUE(row("N = 10, set 0")) << "and in the table";
  EXPECT_EQ(row("N = 10, set 0")->targets[0].mean, numbers.mean);
  EXPECT_EQ(row("N = 10, set 0")->targets[0].sd, numbers.sd);
  EXPECT_TRUE(std::isnan(row("N = 10, set 0")->kl)) << "another question's exact answer says nothing of it";
  posterior_.new_set();
  settle();
  ASSERT_TRUE(ghost());
  EXPECT_EQ(ghost()->y, before);
  posterior_.pins.remove(posterior_.pins.shown()[0].id);
  EXPECT_TRUE(posterior_.pins.shown().empty());
  settle();
  EXPECT_FALSE(ghost());
}

TEST_F(PinnedPosteriorTest, SeveralAreKeptUnderNamesAndInColorsOfTheirOwn) {
  posterior_.open("bump-hunt");
  settle();
  std::set<SeriesRole> roles;
  std::set<std::string> names;
  for (int k = 0; k < 7; ++k) {
    posterior_.set_n(k < 2 ? 10 : 10 * k);
    settle();
    posterior_.pins.add();
    settle();
  }
  ASSERT_EQ(posterior_.pins.shown().size(), kMostPins);
  for (const auto& pin : posterior_.pins.shown()) {
    roles.insert(pin.role);
    names.insert(pin.name);
    ASSERT_TRUE(row(pin.name)) << pin.name;
    EXPECT_EQ(row(pin.name)->role, pin.role);
  }
  EXPECT_EQ(roles.size(), kMostPins);
  EXPECT_EQ(names.size(), kMostPins) << "the same N of the same set twice";
  const auto second = posterior_.pins.shown()[1], third = posterior_.pins.shown()[2];
  posterior_.pins.rename(second.id, "before the cut");
  settle();
  EXPECT_EQ(posterior_.pins.shown()[1].name, "before the cut");
  EXPECT_TRUE(row("before the cut"));
  posterior_.pins.rename(third.id, "before the cut");
  posterior_.pins.rename(third.id, "  ");
  EXPECT_EQ(posterior_.pins.shown()[2].name, third.name) << "neither another's name nor none";
  posterior_.pins.remove(second.id);
  settle();
  EXPECT_EQ(posterior_.pins.shown().size(), kMostPins - 1);
  EXPECT_FALSE(row("before the cut"));
  posterior_.pins.add();
  EXPECT_EQ(posterior_.pins.shown().back().role, second.role) << "a color that is free again";
}

// A ghost that is higher than what is shown is not cut.
TEST_F(PinnedPosteriorTest, AreSeenUpToTheirPeaks) {
  posterior_.open("bump-hunt");
  posterior_.set_n(100);
  settle();
  posterior_.pins.add();
  posterior_.set_n(1);
  settle();
  ASSERT_TRUE(ghost());
  const Plot& plot = posterior_.shown()->density->plots.front();
  EXPECT_LT(*std::max_element(ghost()->y.begin(), ghost()->y.end()), plot.y.high);
}

TEST_F(PinnedPosteriorTest, StaysBehindAnotherRunAndWaitsForItsTask) {
  const TemporaryFolder folder;
  const std::string run = small_run(folder.path(), "other", "gaussian");
  posterior_.open("gaussian");
  posterior_.set_n(10);
  settle();
  posterior_.pins.add();
  posterior_.open(run);
  settle();
  ASSERT_TRUE(ghost());
  const auto& joint = posterior_.shown()->density->plots[2].contours;
  EXPECT_TRUE(std::any_of(joint.begin(), joint.end(),
                          [](const Contour& contour) { return base_role(contour.role) == SeriesRole::ghost; }));
  posterior_.open("bump-hunt");
  settle();
  EXPECT_TRUE(posterior_.pins.shown().empty()) << "of another task";
  EXPECT_FALSE(ghost());
  posterior_.pins.add();
  settle();
  EXPECT_EQ(posterior_.pins.shown().size(), 1u);
  posterior_.open("gaussian");
  settle();
  ASSERT_EQ(posterior_.pins.shown().size(), 1u);
  EXPECT_EQ(posterior_.pins.shown()[0].name, "N = 10, set 0");
  EXPECT_TRUE(ghost());
}

}  // namespace
}  // namespace pairs::model
