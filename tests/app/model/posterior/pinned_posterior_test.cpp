// What is pinned stands as a ghost behind what follows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "app/model/posterior/posterior.h"
#include "tasks/registry.h"
#include "tests/app/model/small_run.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs::model {
namespace {

class PinnedPosteriorTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { register_tasks(); }
  PinnedPosteriorTest() : posterior_(hub_) {}
  void settle() { ASSERT_TRUE(posterior_.wait(120)) << posterior_.activity(); }
  // The ghost's curve in the figure of the screen; nullptr where there is none.
  const Line* ghost() const {
    for (const Plot& plot : posterior_.shown()->density->plots)
      for (const Line& line : plot.lines)
        if (line.role == SeriesRole::ghost) return &line;
    return nullptr;
  }
  std::vector<double> curve() const {
    const Plot& plot = posterior_.shown()->density->plots.front();
    for (const Line& line : plot.lines)
      if (line.name == posterior_.shown()->series.front().name) return line.y;
    return {};
  }

  Hub hub_;
  Posterior posterior_;
};

TEST_F(PinnedPosteriorTest, StaysBehindAnotherNAndAnotherSet) {
  posterior_.open("bump-hunt");
  posterior_.set_n(10);
  settle();
  EXPECT_EQ(posterior_.pinned(), "");
  EXPECT_FALSE(ghost());
  const std::vector<double> before = curve();
  ASSERT_FALSE(before.empty());
  const std::string command = posterior_.batch_command();
  posterior_.pin();
  EXPECT_EQ(posterior_.pinned(), "pinned: N = 10, set 0");
  EXPECT_EQ(posterior_.batch_command(), command) << "a command knows nothing of it";
  settle();
  ASSERT_TRUE(ghost()) << "at once";
  posterior_.set_n(80);
  settle();
  ASSERT_TRUE(ghost());
  EXPECT_EQ(ghost()->name, "pinned: N = 10, set 0");
  EXPECT_EQ(ghost()->y, before);
  EXPECT_NE(curve(), before);
  EXPECT_EQ(&posterior_.shown()->density->plots.front().lines[2], ghost()) << "behind all curves";
  for (const PosteriorNumbers& one : posterior_.shown()->series) EXPECT_NE(one.role, SeriesRole::ghost);
  posterior_.new_set();
  settle();
  ASSERT_TRUE(ghost());
  EXPECT_EQ(ghost()->y, before);
  posterior_.unpin();
  EXPECT_EQ(posterior_.pinned(), "");
  settle();
  EXPECT_FALSE(ghost());
}

TEST_F(PinnedPosteriorTest, StaysBehindAnotherRunAndGoesWithTheTask) {
  const TemporaryFolder folder;
  const std::string run = small_run(folder.path(), "other", "gaussian");
  posterior_.open("gaussian");
  posterior_.set_n(10);
  settle();
  posterior_.pin();
  posterior_.open(run);
  settle();
  ASSERT_TRUE(ghost());
  const auto& joint = posterior_.shown()->density->plots[2].contours;
  EXPECT_TRUE(std::any_of(joint.begin(), joint.end(),
                          [](const Contour& contour) { return contour.role == SeriesRole::ghost; }));
  posterior_.open("bump-hunt");
  settle();
  EXPECT_EQ(posterior_.pinned(), "");
  EXPECT_FALSE(ghost());
  posterior_.open("gaussian");
  settle();
  EXPECT_FALSE(ghost());
}

}  // namespace
}  // namespace pairs::model
