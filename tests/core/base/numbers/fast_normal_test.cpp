#include "core/base/numbers/fast_normal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "core/base/text/error.h"

namespace pairs {
namespace {

constexpr std::uint64_t key = 0x123456789abcdefull;

// Box and Muller in float64 from the words of a Stream.
std::vector<double> reference(std::uint64_t set, std::uint64_t item, int count) {
  Stream stream(key, set, item);
  std::vector<double> out;
  while (static_cast<int>(out.size()) < count) {
    const double u = static_cast<double>(stream.bits() >> 1) * 0x1p-31 + 0x1p-32;
    const double v = stream.bits() * (2.0 * std::numbers::pi * 0x1p-32), r = std::sqrt(-2.0 * std::log(u));
    out.push_back(r * std::cos(v));
    out.push_back(r * std::sin(v));
  }
  out.resize(static_cast<std::size_t>(count));
  return out;
}

TEST(FastNormal, MatchesFloat64) {
  for (const int per_item : {1, 2, 3, 4, 7, 784}) {
    std::vector<float> out(static_cast<std::size_t>(5 * per_item));
    fill_normals(key, 9, (1ull << 33) + 1, 5, per_item, out.data());
    for (int i = 0; i < 5; ++i) {
      const std::vector<double> expected = reference(9, (1ull << 33) + 1 + static_cast<std::uint64_t>(i), per_item);
      for (int j = 0; j < per_item; ++j)
        EXPECT_NEAR(out[static_cast<std::size_t>(i * per_item + j)], expected[static_cast<std::size_t>(j)], 1e-6);
    }
  }
}

TEST(FastNormal, CountersGiveTheSameNormalsAsRanges) {
  ItemCounters items;
  items.append(7, 0xfffffffeull, 4);  // crosses the low word
  items.append((1ull << 40) + 3, 11, 37);
  items.append(8, 5, 0);
  ASSERT_EQ(items.count(), 41);
  std::vector<float> got(82), expected(82), normal(41), uniform(41);
  fill_normal_pairs(key, items, got.data());
  fill_normals(key, 7, 0xfffffffeull, 4, 2, expected.data());
  fill_normals(key, (1ull << 40) + 3, 11, 37, 2, expected.data() + 8);
  EXPECT_EQ(got, expected);
  fill_normal_uniform(key, items, normal.data(), uniform.data());
  for (std::size_t i = 0; i < 41; ++i) EXPECT_EQ(normal[i], expected[2 * i]);
  Stream stream(key, 7, 0xfffffffeull);
  stream.bits64();
  EXPECT_EQ(uniform[0], stream.uniform());
  EXPECT_THROW(items.append(0, 0, ItemCounters::capacity - 40), Error);
}

TEST(FastNormal, TransformIsAccurateAtItsEdges) {
  for (const std::uint32_t r : {0u, 1u, 2u, 3u, 0x7fffffffu, 0xb504f333u, 0xb504f3ffu, 0xfffffffeu, 0xffffffffu}) {
    for (const std::uint32_t a : {0u, 1u, 0x1fffffffu, 0x20000000u, 0x40000000u, 0x5fffffffu, 0x80000000u, 0xdfffffffu,
                                  0xe0000000u, 0xffffffffu}) {
      const double u = static_cast<double>(r >> 1) * 0x1p-31 + 0x1p-32, radius = std::sqrt(-2.0 * std::log(u));
      const double v = a * (2.0 * std::numbers::pi * 0x1p-32);
      const NormalPair n = box_muller(r, a);
      EXPECT_NEAR(n.first, radius * std::cos(v), 1e-6) << r << " " << a;
      EXPECT_NEAR(n.second, radius * std::sin(v), 1e-6) << r << " " << a;
      EXPECT_TRUE(std::isfinite(n.first) && std::isfinite(n.second));
    }
  }
}

// The whole range of radius words, sampled evenly: no sampling error, so the bias itself is seen.
TEST(FastNormal, MeanAndVarianceAreUnbiased) {
  double radius = 0.0, cosine = 0.0, sine = 0.0;
  const std::uint32_t step = 1024;
  for (std::uint64_t w = step / 2; w < (1ull << 32); w += step) {
    const auto word = static_cast<std::uint32_t>(w);
    const NormalPair n = box_muller(word, 0u);
    radius += static_cast<double>(n.first) * n.first;
    const NormalPair m = box_muller(0x40000000u, word);
    cosine += m.first;
    sine += m.second;
  }
  const double count = 0x1p32 / step;
  EXPECT_NEAR(radius / count, 2.0, 1e-5);  // E r^2 = 2, of which each of the two normals has half
  EXPECT_NEAR(cosine / count, 0.0, 1e-6);
  EXPECT_NEAR(sine / count, 0.0, 1e-6);
}

TEST(FastNormal, FollowsTheNormalDistribution) {
  std::vector<float> x(400000);
  fill_normals(key, 1, 0, 100000, 4, x.data());
  double m = 0, v = 0, k = 0, neighbors = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double z = x[i];
    m += z;
    v += z * z;
    k += z * z * z * z;
    neighbors += z * x[i ^ 1];
  }
  const double n = static_cast<double>(x.size()), root = std::sqrt(n);
  EXPECT_LT(std::abs(m / n), 4.0 / root);
  EXPECT_LT(std::abs(v / n - 1.0), 4.0 * std::sqrt(2.0) / root);
  EXPECT_LT(std::abs(k / n - 3.0), 4.0 * std::sqrt(96.0) / root);
  EXPECT_LT(std::abs(neighbors / n), 6.0 / root);
  std::sort(x.begin(), x.end());
  double distance = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i)
    distance =
        std::max(distance, std::abs(0.5 * std::erfc(-x[i] / std::numbers::sqrt2) - (static_cast<double>(i) + 0.5) / n));
  EXPECT_LT(distance * root, 1.95);
}

}  // namespace
}  // namespace pairs
