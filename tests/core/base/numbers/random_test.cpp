#include "core/base/numbers/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <tuple>
#include <vector>

namespace pairs {
namespace {

std::array<std::uint32_t, 4> words(const PhiloxBlock& block) {
  return {block.v[0], block.v[1], block.v[2], block.v[3]};
}

// Known answers of the Random123 distribution (kat_vectors, philox4x32 with 10 rounds).
TEST(Philox, KnownAnswers) {
  EXPECT_EQ(words(philox(0, 0, 0, 0, 0)),
            (std::array<std::uint32_t, 4>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(words(philox(~0ull, ~0u, ~0u, ~0u, ~0u)),
            (std::array<std::uint32_t, 4>{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(words(philox(0x299f31d0a4093822ull, 0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344)),
            (std::array<std::uint32_t, 4>{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

// The published first outputs of splitmix64 for the seed 1234567, whose state advances as purposes do.
TEST(StreamKey, IsSplitmix64) {
  EXPECT_EQ(stream_key(1234567, static_cast<Purpose>(0)), 6457827717110365317ull);
  EXPECT_EQ(stream_key(1234567, static_cast<Purpose>(1)), 3203168211198807973ull);
  EXPECT_EQ(stream_key(1234567, static_cast<Purpose>(2)), 9817491932198370423ull);
}

TEST(Stream, ReadsPhiloxBlocksInOrder) {
  const std::uint64_t key = stream_key(7, Purpose::check), index = 0x0000123456789abcull, item = 0x0000fedc0badf00dull;
  Stream stream(key, index, item);
  for (std::uint32_t block = 0; block < 3; ++block)
    for (const std::uint32_t word : words(philox(key, block, 0x0badf00d, 0x56789abc, 0x1234fedc)))
      ASSERT_EQ(stream.bits(), word);
}

// Distinct (index, item) below 2^48 must reach distinct counters, also where only high bits differ.
TEST(Stream, PacksIndexAndItemInjectively) {
  std::vector<std::uint64_t> values = {0, 1, 0xffffffffull, 0x100000000ull, (1ull << 48) - 1};
  for (int bit = 1; bit < 48; ++bit) values.push_back(1ull << bit);
  std::set<std::tuple<std::uint64_t, std::uint64_t>> seen;
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  for (const std::uint64_t index : values)
    for (const std::uint64_t item : values) {
      Stream stream(42, index, item);
      const std::uint64_t a = stream.bits64(), b = stream.bits64();
      ASSERT_TRUE(seen.emplace(a, b).second) << index << " " << item;
    }
}

TEST(Stream, CopiesContinueIndependently) {
  Stream stream(1, 2, 3);
  (void)stream.bits();
  Stream copy = stream;
  std::vector<std::uint32_t> first, second;
  for (int i = 0; i < 10; ++i) first.push_back(stream.bits());
  for (int i = 0; i < 10; ++i) second.push_back(copy.bits());
  EXPECT_EQ(first, second);
}

// A longer reading starts with the shorter one, and items do not depend on how many others are read.
TEST(Stream, PrefixProperty) {
  const auto read = [](std::uint64_t items, int words_each) {
    std::vector<std::vector<std::uint32_t>> all;
    for (std::uint64_t item = 0; item < items; ++item) {
      Stream stream(stream_key(3, Purpose::test), 17, item);
      auto& row = all.emplace_back();
      for (int i = 0; i < words_each; ++i) row.push_back(stream.bits());
    }
    return all;
  };
  const auto small = read(5, 6), large = read(9, 11);
  for (std::size_t item = 0; item < small.size(); ++item)
    EXPECT_TRUE(std::equal(small[item].begin(), small[item].end(), large[item].begin()));
}

TEST(Stream, UnitFloatsStayInside) {
  EXPECT_EQ(unit_float(0), 0.0f);
  EXPECT_EQ(unit_float(~0u), 1.0f - 0x1p-24f);
  EXPECT_EQ(unit_float_open(0), 0x1p-24f);
  EXPECT_EQ(unit_float_open(~0u), 1.0f);
}

constexpr int draws = 200000;

// z of a sample mean against its expectation.
template <class Draw>
double mean_score(Draw&& draw, double mean, double variance) {
  double sum = 0;
  for (int i = 0; i < draws; ++i) sum += draw();
  return (sum / draws - mean) / std::sqrt(variance / draws);
}

TEST(Stream, UniformMomentsAndCells) {
  Stream stream(stream_key(1, Purpose::check), 0);
  EXPECT_LT(std::abs(mean_score([&] { return stream.uniform(); }, 0.5, 1.0 / 12)), 4);
  EXPECT_LT(std::abs(mean_score([&] { return stream.uniform64(); }, 0.5, 1.0 / 12)), 4);
  EXPECT_LT(std::abs(mean_score([&] { return std::pow(stream.uniform64(), 3); }, 0.25, 1.0 / 7 - 1.0 / 16)), 4);
  std::array<int, 64> cells{};
  for (int i = 0; i < draws; ++i) ++cells[static_cast<std::size_t>(stream.uniform() * 64)];
  double chi2 = 0;
  for (const int count : cells) chi2 += std::pow(count - draws / 64.0, 2) / (draws / 64.0);
  EXPECT_LT(std::abs(chi2 - 63) / std::sqrt(2 * 63.0), 4);
}

TEST(Stream, BelowIsUniformForSmallAndLargeRanges) {
  Stream stream(stream_key(2, Purpose::check), 0);
  std::array<int, 7> cells{};
  for (int i = 0; i < draws; ++i) {
    const std::uint64_t value = stream.below(7);
    ASSERT_LT(value, 7u);
    ++cells[value];
  }
  double chi2 = 0;
  for (const int count : cells) chi2 += std::pow(count - draws / 7.0, 2) / (draws / 7.0);
  EXPECT_LT(std::abs(chi2 - 6) / std::sqrt(12.0), 4);
  EXPECT_EQ(stream.below(1), 0u);
  const std::uint64_t large = 1ull << 40;
  EXPECT_LT(std::abs(mean_score([&] { return static_cast<double>(stream.below(large)); }, 0x1p39, 0x1p80 / 12)), 4);
  // The multiply-high form against 128-bit arithmetic.
  for (const std::uint64_t n : {2ull, 3ull, 1000003ull, 0xffffffffull}) {
    Stream one(9, n), two(9, n);
    for (int i = 0; i < 100; ++i)
      ASSERT_EQ(one.below(n), static_cast<std::uint64_t>(static_cast<unsigned __int128>(two.bits64()) * n >> 64));
  }
}

TEST(Stream, NormalMoments) {
  Stream stream(stream_key(3, Purpose::check), 0);
  EXPECT_LT(std::abs(mean_score([&] { return stream.normal64(); }, 0, 1)), 4);
  EXPECT_LT(std::abs(mean_score([&] { return std::pow(stream.normal64(), 2); }, 1, 2)), 4);
  EXPECT_LT(std::abs(mean_score([&] { return std::pow(stream.normal64(), 4); }, 3, 96)), 4);
  const double tail = std::erfc(2 / std::sqrt(2.0)) / 2;
  EXPECT_LT(std::abs(mean_score([&] { return stream.normal64() > 2 ? 1.0 : 0.0; }, tail, tail * (1 - tail))), 4);
}

TEST(Stream, GammaMoments) {
  for (const double shape : {0.125, 0.5, 1.0, 2.5, 40.0}) {
    Stream stream(stream_key(4, Purpose::check), static_cast<std::uint64_t>(shape * 8));
    EXPECT_LT(std::abs(mean_score([&] { return stream.gamma64(shape); }, shape, shape)), 4) << shape;
    // E x^2 = k(k+1); E x^4 = k(k+1)(k+2)(k+3).
    const double second = shape * (shape + 1), fourth = second * (shape + 2) * (shape + 3);
    EXPECT_LT(
        std::abs(mean_score([&] { return std::pow(stream.gamma64(shape), 2); }, second, fourth - second * second)), 4)
        << shape;
  }
  // Shape 1 is the exponential distribution.
  Stream stream(stream_key(5, Purpose::check), 0);
  const double tail = std::exp(-3.0);
  EXPECT_LT(std::abs(mean_score([&] { return stream.gamma64(1) > 3 ? 1.0 : 0.0; }, tail, tail * (1 - tail))), 4);
}

// Correlations between streams that differ in one of seed, purpose, index and item by one.
TEST(Stream, NeighborsAreIndependent) {
  const auto score = [](auto&& left, auto&& right) {
    double sum = 0;
    for (std::uint64_t i = 0; i < draws; ++i) sum += (left(i) - 0.5) * (right(i) - 0.5);
    return sum * 12 / std::sqrt(draws);
  };
  const auto uniform = [](std::uint64_t seed, Purpose purpose, std::uint64_t index, std::uint64_t item) {
    return Stream(stream_key(seed, purpose), index, item).uniform64();
  };
  const auto base = [&](std::uint64_t i) { return uniform(1, Purpose::test, i, 0); };
  EXPECT_LT(std::abs(score(base, [&](std::uint64_t i) { return uniform(2, Purpose::test, i, 0); })), 4);
  EXPECT_LT(std::abs(score(base, [&](std::uint64_t i) { return uniform(1, Purpose::order, i, 0); })), 4);
  EXPECT_LT(std::abs(score(base, [&](std::uint64_t i) { return uniform(1, Purpose::test, i + 1, 0); })), 4);
  EXPECT_LT(std::abs(score(base, [&](std::uint64_t i) { return uniform(1, Purpose::test, i, 1); })), 4);
}

}  // namespace
}  // namespace pairs
