#include "app/posterior/follow/followed_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/aggregate.h"
#include "core/base/system/memory.h"
#include "core/base/text/error.h"
#include "core/train/run/run.h"
#include "tasks/registry.h"
#include "tests/aggregate_observed.h"

namespace pairs {
namespace {

class FollowedSetTest : public testing::Test {
 protected:
  LoadedRun run_ = load_run(built_in_tasks(), "bump-hunt", "", "cpu");
  torch::Tensor points(std::int64_t count, std::int64_t seed) {
    torch::manual_seed(seed);
    return 10 * torch::rand({count, 1});
  }
  static double distance(const torch::Tensor& a, const torch::Tensor& b) { return (a - b).abs().max().item<double>(); }
};

TEST_F(FollowedSetTest, OneByOneIsTheAggregateOfAll) {
  const torch::Tensor x = points(90, 1);
  FollowedSet set(run_.estimator, 100, 1);
  EXPECT_THROW(set.aggregate(), Error);
  for (std::int64_t i = 0; i < 90; ++i) {
    set.add(x.slice(0, i, i + 1));
    ASSERT_EQ(set.seen(), i + 1);
    ASSERT_LT(distance(set.aggregate(), aggregate_observed(*run_.estimator, x.slice(0, 0, i + 1))), 1e-6) << i;
  }
}

// Beyond its size the set is a subset of what came: its aggregate that of the observations which algorithm R keeps, as
// drawn by the seed, whatever the portions in which they came.
TEST_F(FollowedSetTest, BeyondItsSizeItIsARandomSubset) {
  const torch::Tensor x = points(1000, 2);
  const auto followed = [&](std::uint64_t seed, std::int64_t portion) {
    FollowedSet set(run_.estimator, 50, seed);
    for (std::int64_t i = 0; i < 1000; i += portion) set.add(x.slice(0, i, std::min<std::int64_t>(1000, i + portion)));
    EXPECT_EQ(set.seen(), 1000);
    EXPECT_EQ(set.size(), 50);
    return set.aggregate();
  };
  EXPECT_LT(distance(followed(1, 1), followed(1, 333)), 1e-6);
  EXPECT_GT(distance(followed(1, 50), followed(2, 50)), 1e-4);
}

// Over many seeds the mean of subsets is the mean of all, each early or late observation equally likely: the last
// hundred of 1,000 observations are all large, and make up a tenth of the aggregate.
TEST_F(FollowedSetTest, EachObservationIsEquallyLikely) {
  torch::Tensor x = torch::full({1000, 1}, 2.0);
  x.slice(0, 900) = 7.0;
  const torch::Tensor early = aggregate_observed(*run_.estimator, x.slice(0, 0, 1)),
                      late = aggregate_observed(*run_.estimator, x.slice(0, 999, 1000));
  const std::int64_t at = (late - early).abs().argmax().item<std::int64_t>();
  double share = 0;
  constexpr int seeds = 200, size = 20;
  for (int seed = 0; seed < seeds; ++seed) {
    FollowedSet set(run_.estimator, size, static_cast<std::uint64_t>(seed));
    set.add(x);
    const double value = set.aggregate()[0][at].item<double>();
    share += (value - early[0][at].item<double>()) / (late - early)[0][at].item<double>() / seeds;
  }
  EXPECT_NEAR(share, 0.1, 5 * std::sqrt(0.1 * 0.9 / (seeds * size)));
}

TEST_F(FollowedSetTest, NamesTheObservationThatOverflows) {
  FollowedSet set(run_.estimator, 100, 1);
  set.add(points(3, 3));
  torch::Tensor x = points(4, 4);
  x[2][0] = 1e38;
  x *= 10;
  try {
    set.add(x);
    FAIL() << "nothing overflowed";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("observation 6"));
  }
}

}  // namespace
}  // namespace pairs
