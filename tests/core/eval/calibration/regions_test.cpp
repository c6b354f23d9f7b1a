#include "core/eval/calibration/regions.h"

#include <gtest/gtest.h>

#include <boost/math/distributions/binomial.hpp>
#include <cmath>

#include "core/base/gpu/transfer.h"
#include "core/base/numbers/random.h"
#include "core/eval/metrics/metrics.h"
#include "tests/core/eval/exact_normals.h"

namespace pairs {
namespace {

struct RankedSets {
  std::vector<double> means, ranks;
};
RankedSets ranked(const NormalSets& sets) {
  return {doubles(sets.samples.mean(1).select(1, 0)), doubles(central_ranks(sets.samples, sets.truth, 1).select(1, 0))};
}
RegionTest tested(const NormalSets& sets) {
  const RankedSets of = ranked(sets);
  return region_test({regions(of.means, of.ranks, sets.samples.size(1))});
}

TEST(Regions, GiveTheTwoSidedBinomialPValue) {
  const boost::math::binomial law(30, 0.9);
  EXPECT_NEAR(binomial_p(22, 30, 0.9), 2 * boost::math::cdf(law, 22), 1e-12);
  EXPECT_NEAR(binomial_p(30, 30, 0.9), 2 * boost::math::pdf(law, 30), 1e-12);
  EXPECT_EQ(binomial_p(27, 30, 0.9), 1);
  EXPECT_EQ(binomial_p(0, 5, 0.5), 0.0625);
}

TEST(Regions, SortSetsByTheirMeans) {
  RankedSets sets;
  for (int i = 0; i < 205; ++i) {
    sets.means.push_back((i * 83) % 205);
    sets.ranks.push_back(sets.means.back() < 100 ? 0.5 : 0.98);
  }
  const std::vector<Region> all = regions(sets.means, sets.ranks, 99);
  ASSERT_EQ(all.size(), 10u);
  EXPECT_EQ(all.front().low, 0);
  EXPECT_EQ(all.back().high, 204);
  EXPECT_EQ(all.front().inside[0], all.front().sets);
  EXPECT_EQ(all.back().inside[1], 0);
  EXPECT_LT(all.back().p_value[1], 1e-10);
  std::int64_t count = 0;
  for (const Region& one : all) count += one.sets;
  EXPECT_EQ(count, 205);
  EXPECT_EQ(regions(std::vector<double>(70, 1.0), std::vector<double>(70, 0.5), 99).size(), 3u);
  EXPECT_TRUE(regions(std::vector<double>(39, 1.0), std::vector<double>(39, 0.5), 99).empty());
  EXPECT_TRUE(std::isnan(region_test({}).p_value));
}

TEST(Regions, RejectExactPosteriorsAtTheirRate) {
  constexpr int repeats = 200;
  double rejected = 0, off = 0;
  for (std::uint64_t r = 0; r < repeats; ++r) {
    const RegionTest test = tested(normal_sets(400, 99, 1, 50 + r));
    EXPECT_EQ(test.tests, 20);
    rejected += test.p_value < 0.05;
    off += static_cast<double>(test.off) / repeats;
  }
  // Counts in a region are whole, so that fewer than one in twenty are rejected.
  EXPECT_LT(rejected / repeats, 0.05 + 4 * std::sqrt(0.05 * 0.95 / repeats));
  EXPECT_LT(off, 1.0);
}

TEST(Regions, RejectPosteriorsFifteenPerCentTooNarrow) {
  int rejected = 0;
  for (int r = 0; r < power_repeats(); ++r)
    rejected += tested(normal_sets(1300, 99, 1, 60000 + static_cast<std::uint64_t>(r), {0, 0.85})).p_value < 0.05;
  EXPECT_TRUE(has_power(rejected)) << rejected;
}

TEST(Regions, FindTheOneThatIsOff) {
  NormalSets sets = normal_sets(2000, 99, 1, 77);
  for (std::int64_t i = 0; i < 2000; ++i) {
    const double middle = 0.8 * sets.aggregates.data_ptr<double>()[i];
    if (middle > 1) sets.samples[i] = middle + 0.6 * (sets.samples[i] - middle);
  }
  EXPECT_LT(tested(sets).p_value, 1e-4);
  const RankedSets of = ranked(sets);
  const std::vector<Region> all = regions(of.means, of.ranks, 99);
  EXPECT_LT(all.back().p_value[1], 1e-4);
  EXPECT_GT(all[3].p_value[1], 0.001);
}

}  // namespace
}  // namespace pairs
