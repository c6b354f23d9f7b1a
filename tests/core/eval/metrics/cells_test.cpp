#include "core/eval/metrics/cells.h"

#include <gmock/gmock.h>

#include <cmath>
#include <functional>
#include <vector>

#include "core/base/numbers/random.h"

namespace pairs {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;

double bell(double x, double at, double sd) {
  return std::exp(-0.5 * (x - at) * (x - at) / (sd * sd)) / sd;
}

std::vector<double> peaks_of(const std::function<double(double)>& density) {
  const Cells cells{-8, 8, 400};
  std::vector<double> values;
  for (const double x : cells.middles()) values.push_back(density(x));
  return peaks(cells, values);
}

TEST(Peaks, AreThoseThatStandApart) {
  EXPECT_THAT(peaks_of([](double x) { return bell(x, 1, 1); }), ElementsAre(DoubleNear(1, 0.04)));
  EXPECT_THAT(peaks_of([](double x) { return bell(x, -3, 1) + 0.4 * bell(x, 3, 1); }),
              ElementsAre(DoubleNear(-3, 0.04), DoubleNear(3, 0.04)));
  EXPECT_THAT(peaks_of([](double x) { return 0.3 * bell(x, -5, 0.5) + bell(x, 0, 0.5) + 0.5 * bell(x, 4, 1); }),
              ElementsAre(DoubleNear(-5, 0.04), DoubleNear(0, 0.04), DoubleNear(4, 0.04)));
  EXPECT_EQ(peaks_of([](double x) { return x > 0 ? std::exp(-x) : 0; }).size(), 1u) << "at the end of the support";
  EXPECT_EQ(peaks_of([](double) { return 1; }).size(), 1u);
  EXPECT_TRUE(peaks_of([](double) { return 0; }).empty());
  EXPECT_TRUE(peaks_of([](double) { return NAN; }).empty());
}

// Two normals of sd 1 a distance a apart: between them the density is 2 exp(-a²/8) of that of one alone, so that it
// falls to half of the peaks, which are 1 + exp(-a²/2) high, from a = 3.33 on.
TEST(Peaks, AShoulderOrAFaintOneIsNone) {
  const auto apart = [](double a) {
    return peaks_of([a](double x) { return bell(x, -a / 2, 1) + bell(x, a / 2, 1); });
  };
  EXPECT_EQ(apart(3.2).size(), 1u);
  EXPECT_EQ(apart(3.45).size(), 2u);
  EXPECT_EQ(peaks_of([](double x) { return bell(x, -3, 0.5) + 0.04 * bell(x, 3, 0.5); }).size(), 1u) << "a 26th";
  EXPECT_EQ(peaks_of([](double x) { return bell(x, -3, 0.5) + 0.07 * bell(x, 3, 0.5); }).size(), 2u);
}

TEST(Peaks, NoiseOfDrawsMakesNone) {
  Stream stream(3, 1);
  EXPECT_EQ(peaks_of([&](double x) { return bell(x, 0, 2) * (1 + 0.2 * (stream.uniform64() - 0.5)); }).size(), 1u);
}

}  // namespace
}  // namespace pairs
