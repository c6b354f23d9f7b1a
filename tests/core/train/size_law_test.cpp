#include "core/train/size_law.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/base/error.h"

namespace pairs {
namespace {

class OfLaw : public testing::TestWithParam<SizeLaw> {};

TEST_P(OfLaw, QuantilesAgreeWithProbabilities) {
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

INSTANTIATE_TEST_SUITE_P(, OfLaw, testing::Values(SizeLaw::log_uniform, SizeLaw::root_uniform, SizeLaw::uniform));

TEST(SizeLaw, HasItsMedianWhereTheHeaderSays) {
  EXPECT_EQ(size_at(SizeLaw::log_uniform, 0.5, 10000), 100);
  EXPECT_NEAR(static_cast<double>(size_at(SizeLaw::root_uniform, 0.5, 10000)), 2550, 1);
  EXPECT_EQ(size_at(SizeLaw::uniform, 0.5, 10000), 5001);
  EXPECT_EQ(size_law("root-uniform"), SizeLaw::root_uniform);
  EXPECT_EQ(size_law("uniform"), SizeLaw::uniform);
  EXPECT_THROW(size_law("square"), Error);
}

}  // namespace
}  // namespace pairs
