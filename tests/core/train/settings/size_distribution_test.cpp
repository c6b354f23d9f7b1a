#include "core/train/settings/size_distribution.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/base/text/error.h"

namespace pairs {
namespace {

class OfDistribution : public testing::TestWithParam<SizeDistribution> {};

TEST_P(OfDistribution, QuantilesAgreeWithProbabilities) {
  constexpr std::int64_t kMost = 100;
  EXPECT_EQ(size_at(GetParam(), 0, kMost), 1);
  EXPECT_EQ(size_at(GetParam(), std::nextafter(1.0, 0.0), kMost), kMost);
  double sum = 0;
  for (std::int64_t n = 1; n <= kMost; ++n) {
    const double p = size_probability(GetParam(), n, n + 1, kMost);
    EXPECT_EQ(size_at(GetParam(), sum + p / 2, kMost), n);
    sum += p;
  }
  EXPECT_NEAR(sum, 1, 1e-12);
}

INSTANTIATE_TEST_SUITE_P(, OfDistribution,
                         testing::Values(SizeDistribution::log_uniform, SizeDistribution::root_uniform,
                                         SizeDistribution::uniform));

TEST(SizeDistribution, HasItsMedianWhereTheHeaderSays) {
  EXPECT_EQ(size_at(SizeDistribution::log_uniform, 0.5, 10000), 100);
  EXPECT_NEAR(static_cast<double>(size_at(SizeDistribution::root_uniform, 0.5, 10000)), 2550, 1);
  EXPECT_EQ(size_at(SizeDistribution::uniform, 0.5, 10000), 5001);
  EXPECT_EQ(size_distribution("root-uniform"), SizeDistribution::root_uniform);
  EXPECT_EQ(size_distribution("uniform"), SizeDistribution::uniform);
  EXPECT_THROW(size_distribution("square"), Error);
}

}  // namespace
}  // namespace pairs
