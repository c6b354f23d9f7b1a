#include "core/train/stages/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/text/error.h"
#include "core/stored_sets.h"
#include "core/train/cache/cache_groups.h"
#include "core/train/stages/expected_time.h"

namespace pairs {
namespace {

// Stored sets of one size, and an endless supply of smaller ones.
class OneSize final : public StoredSets {
 public:
  explicit OneSize(std::int64_t n) : n_(n) {}
  std::shared_ptr<const Task> serving(std::span<const SetDemand>) const override { return nullptr; }
  std::vector<SetService> service(std::span<const SetDemand>) const override { return {}; }
  std::int64_t sets(Purpose, std::int64_t n) const override { return n <= n_ ? 1000 : 0; }
  std::int64_t held(std::uint64_t, Purpose, std::int64_t) const override { return n_; }
  std::int64_t largest_n() const override { return n_; }
  std::int64_t observations(std::int64_t n, std::int64_t wanted) const override {
    return n > n_ ? 0 : std::min(n_, wanted);
  }
  bool in_order() const override { return false; }
  std::vector<StoredState> state() const override { return {}; }
  std::vector<std::string> notes() const override { return {}; }

 private:
  std::int64_t n_;
};

TEST(PlanGroups, CachedSetsHoldNoMoreThanStoredOnesDo) {
  CacheConfig cache;
  cache.sizes = {10, 100};
  cache.sets = {50};
  for (const bool list : {false, true})
    for (const std::int64_t held : {100, 104, 130, 199, 200, 1000}) {
      cache.pieces = list ? 5 : 8;
      const OneSize stored(held);
      const auto groups = plan_groups(cache, list, &stored), free = plan_groups(cache, list);
      for (std::size_t g = 0; g < 2; ++g) {
        EXPECT_LE(groups[g].observations(), held);
        EXPECT_LE(groups[g].observations(), free[g].observations());
        EXPECT_GE(groups[g].observations(), groups[g].n);
        if (held >= free[g].observations()) {
          EXPECT_EQ(groups[g].blocks, free[g].blocks);
        }
        if (held >= 2 * groups[g].n) {
          EXPECT_GT(groups[g].observations(), 1.8 * static_cast<double>(groups[g].n));
        }
      }
    }
  const OneSize small(99);
  try {
    plan_groups(cache, false, &small);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_THAT(error.what(),
                testing::HasSubstr("N = 100, but no stored sets of every split hold so many observations; "
                                   "stop at N = 99"));
  }
}

TEST(ExpectedTime, IsARange) {
  ExpectedCost alone;
  alone.cores = 2;
  ExpectedCost busy = alone;
  busy.others = 2;
  const TimeRange quiet = expected_range(alone, 600, 2), slow = expected_range(busy, 600, 2);
  EXPECT_EQ(quiet.least, slow.least) << "with the machine to itself again";
  EXPECT_LT(quiet.most, 1.5 * 600);
  EXPECT_EQ(slow.most, 2 * quiet.most) << "two threads beside two others on two cores";
  busy.cores = 64;
  EXPECT_EQ(expected_range(busy, 600, 2).most, quiet.most) << "there are cores enough";
}

TEST(ExpectedTime, IsToldInTwoFigures) {
  EXPECT_EQ(range_text({0.1, 0.5}), "under a second");
  EXPECT_EQ(range_text({8, 12.4}), "8 to 12 seconds");
  EXPECT_EQ(range_text({0.2, 2}), "up to 2 seconds");
  EXPECT_EQ(range_text({480, 750}), "8 to 13 minutes");
  EXPECT_EQ(range_text({3000, 3100}), "about 50 minutes");
  EXPECT_EQ(range_text({3000, 7200}), "1 to 2 hours");
  EXPECT_EQ(range_text({72000, 180000}), "1 to 2 days");
  EXPECT_EQ(range_text({60, 60}), "about 60 seconds");
}

}  // namespace
}  // namespace pairs
