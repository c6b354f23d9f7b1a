#include "core/eval/calibration/two_sample.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "core/base/text/error.h"
#include "tests/core/eval/exact_normals.h"

namespace pairs {
namespace {

constexpr std::int64_t kSamples = 120;

TwoSample of(const NormalSets& sets) {
  TwoSample test;
  test.add(sets.samples, sets.truth, sets.aggregates);
  return test;
}

// Fresh sets by the same posterior, but for that at one aggregate; its samples [S, d] and aggregate [d].
struct Observed {
  torch::Tensor samples, aggregate;
};
Observed observed_at(double aggregate, std::int64_t targets, std::uint64_t seed, WrongPosterior wrong = {}) {
  const NormalSets one = normal_sets(1, kSamples, targets, seed, wrong);
  return {one.samples[0] - 0.8 * one.aggregates[0] + 0.8 * aggregate,
          torch::full({targets}, aggregate, torch::kFloat64)};
}

// The best classifier of z ~ N(0, 1) and N(0, 0.85²) orders them by |z|: P(|z₁| > |z₂|) = 2/π atan(1 / 0.85).
TEST(TwoSampleTest, ReachesTheAccuracyOfTheBestClassifier) {
  const TwoSampleTest narrow = of(normal_sets(12000, kSamples, 1, 1, {0, 0.85})).global();
  const double best = 2 / std::numbers::pi * std::atan(1 / 0.85);
  EXPECT_NEAR(narrow.accuracy, best, 0.01);
  // For two normals 0.3 sd apart the best accuracy is Φ(0.3 / √2).
  const TwoSampleTest moved = of(normal_sets(12000, kSamples, 1, 2, {0.3, 1})).global();
  EXPECT_NEAR(moved.accuracy, 0.5 * std::erfc(-0.3 / 2), 0.01);
  EXPECT_NEAR(moved.se, std::sqrt(22.0 / 240 / 9600), 1e-12);
}

TEST(TwoSampleTest, RejectsExactPosteriorsAtItsRate) {
  constexpr int repeats = 200;
  for (const std::int64_t targets : {1, 2}) {
    double rejected = 0, tenth = 0, sum = 0;
    for (std::uint64_t r = 0; r < repeats; ++r) {
      const TwoSampleTest test = of(normal_sets(200, kSamples, targets, 100 + r)).global();
      rejected += test.p_value < 0.05;
      tenth += test.p_value < 0.1;
      sum += test.accuracy / repeats;
    }
    EXPECT_TRUE(is_share(rejected / repeats, 0.05, repeats)) << rejected;
    EXPECT_TRUE(is_share(tenth / repeats, 0.1, repeats)) << tenth;
    EXPECT_NEAR(sum, 0.5, 4 * std::sqrt(22.0 / 240 / 160 / repeats));
  }
}

TEST(TwoSampleTest, RejectsPosteriorsFifteenPerCentTooNarrowAndShiftedOnes) {
  int narrow = 0, shifted = 0;
  for (int r = 0; r < power_repeats(); ++r) {
    const auto seed = static_cast<std::uint64_t>(r);
    narrow += of(normal_sets(900, kSamples, 1, 300 + seed, {0, 0.85})).global().p_value < 0.05;
    shifted += of(normal_sets(900, kSamples, 1, 600 + seed, {0.2, 1})).global().p_value < 0.05;
  }
  EXPECT_TRUE(has_power(narrow)) << narrow;
  EXPECT_TRUE(has_power(shifted)) << shifted;
}

// The prior has the right ranks and the right distances from random points; it fails only when the set is taken into
// account.
TEST(TwoSampleTest, RejectsThePriorInPlaceOfThePosterior) {
  NormalSets sets = normal_sets(1000, kSamples, 1, 7);
  for (std::int64_t i = 0; i < sets.samples.numel(); ++i) {
    Stream stream(stream_key(8, Purpose::check), static_cast<std::uint64_t>(i));
    sets.samples.data_ptr<double>()[i] = stream.normal64();
  }
  const TwoSample test = of(sets);
  EXPECT_LT(test.global().p_value, 1e-6);
  const Observed observed = observed_at(1, 1, 9);
  const LocalTest local = test.local(sets.samples[0], observed.aggregate, 1);
  EXPECT_LT(local.p_value, 0.01);
  EXPECT_GT(local.shift[0], 0.2);  // truly 0.8
  EXPECT_LT(local.spread[0], 0.95);
}

TEST(TwoSampleTest, RejectsAWrongShape) {
  NormalSets sets = normal_sets(2000, kSamples, 1, 12);
  // Skewed, with the right mean and sd: (χ²(2) - 2) / 2 in place of a normal.
  for (std::int64_t i = 0; i < sets.truth.numel(); ++i)
    for (std::int64_t s = 0; s < kSamples; ++s) {
      Stream stream(stream_key(13, Purpose::check), static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(s));
      sets.samples.data_ptr<double>()[i * kSamples + s] =
          0.8 * sets.aggregates.data_ptr<double>()[i] + std::sqrt(0.2) * (-std::log(1 - stream.uniform64()) - 1);
    }
  EXPECT_LT(of(sets).global().p_value, 0.001);
}

TEST(LocalTest, RejectsExactPosteriorsAtItsRate) {
  constexpr int repeats = 200;
  double rejected = 0, fifth = 0;
  for (std::uint64_t r = 0; r < repeats; ++r) {
    const TwoSample test = of(normal_sets(200, kSamples, 1, 600 + r));
    const Observed observed = observed_at(r % 2 == 0 ? 0.0 : 1.5, 1, 5000 + r);
    const double p = test.local(observed.samples, observed.aggregate, r).p_value;
    rejected += p <= 0.05;
    fifth += p <= 0.2;
  }
  EXPECT_TRUE(is_share(rejected / repeats, 0.05, repeats)) << rejected;
  EXPECT_TRUE(is_share(fifth / repeats, 0.2, repeats)) << fifth;
}

TEST(LocalTest, RejectsPosteriorsFifteenPerCentTooNarrowAndSaysSo) {
  int rejected = 0;
  double spread = 0;
  for (int r = 0; r < power_repeats(); ++r) {
    const auto seed = static_cast<std::uint64_t>(r);
    const TwoSample test = of(normal_sets(2000, kSamples, 1, 900 + seed, {0, 0.85}));
    const Observed observed = observed_at(0.5, 1, 7000 + seed, {0, 0.85});
    const LocalTest local = test.local(observed.samples, observed.aggregate, seed);
    rejected += local.p_value <= 0.05;
    spread += local.spread[0] / power_repeats();
  }
  EXPECT_TRUE(has_power(rejected)) << rejected;
  // 1 / 0.85 = 1.18, drawn towards 1.
  EXPECT_GT(spread, 1.08);
  EXPECT_LT(spread, 1.25);
}

// Posteriors that are shifted where the aggregate is high alone: the test finds it there and not where they are right.
TEST(LocalTest, TellsWhereThePosteriorIsOff) {
  NormalSets sets = normal_sets(3000, kSamples, 1, 15);
  const auto shift = [](double aggregate) { return std::max(0.0, aggregate) * 0.6 * std::sqrt(0.2); };
  for (std::int64_t i = 0; i < sets.truth.numel(); ++i) sets.samples[i] += shift(sets.aggregates.data_ptr<double>()[i]);
  const TwoSample test = of(sets);
  const Observed off = observed_at(1.5, 1, 16);
  const LocalTest there = test.local(off.samples + shift(1.5), off.aggregate, 1);
  EXPECT_LT(there.p_value, 0.01);
  EXPECT_LT(there.shift[0], -0.4);
  const Observed right = observed_at(-0.6, 1, 17);
  EXPECT_GT(std::fabs(there.shift[0]), 4 * std::fabs(test.local(right.samples, right.aggregate, 1).shift[0]));
}

TEST(LocalTest, IsTheSameForTheSameSeed) {
  const TwoSample test = of(normal_sets(150, kSamples, 2, 18));
  const Observed observed = observed_at(0.5, 2, 19);
  const LocalTest a = test.local(observed.samples, observed.aggregate, 3);
  const LocalTest b = test.local(observed.samples, observed.aggregate, 3);
  EXPECT_EQ(a.p_value, b.p_value);
  EXPECT_EQ(a.statistic, b.statistic);
}

TEST(TwoSampleTest, NeedsSetsAndSamples) {
  EXPECT_TRUE(std::isnan(of(normal_sets(99, kSamples, 1, 1)).global().p_value));
  EXPECT_THROW(of(normal_sets(99, kSamples, 1, 1))
                   .local(torch::zeros({9, 1}, torch::kFloat64), torch::zeros({1}, torch::kFloat64), 1),
               Error);
  EXPECT_THROW(of(normal_sets(5, 40, 1, 1)), Error);
  NormalSets bad = normal_sets(5, kSamples, 1, 1);
  bad.samples[2][50][0] = NAN;
  EXPECT_THROW(of(bad), Error);
}

// A target that never varies has a singular covariance, which has no Cholesky factor.
TEST(TwoSampleTest, BearsConstantSamples) {
  NormalSets sets = normal_sets(120, kSamples, 2, 20);
  sets.samples.select(2, 1).fill_(0.5);
  EXPECT_TRUE(std::isfinite(of(sets).global().p_value));
}

}  // namespace
}  // namespace pairs
