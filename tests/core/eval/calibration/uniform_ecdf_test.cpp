#include "core/eval/calibration/uniform_ecdf.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "core/base/numbers/random.h"
#include "core/base/text/error.h"
#include "tests/core/eval/exact_normals.h"
#include "tests/long_tests.h"

namespace pairs {
namespace {

// Ranks k / samples of k = floor(u^power (samples + 1)) from the generator of tests/reference/posterior_tests.py.
std::vector<double> written_ranks(std::int64_t sets, std::int64_t samples, double power) {
  std::uint64_t state = 12345;
  std::vector<double> ranks;
  for (std::int64_t i = 0; i < sets; ++i) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    const double u = static_cast<double>(state >> 11) * 0x1p-53;
    ranks.push_back(std::floor(std::pow(u, power) * static_cast<double>(samples + 1)) / static_cast<double>(samples));
  }
  return ranks;
}

std::vector<double> uniform_draws(std::int64_t sets, std::int64_t samples, std::uint64_t repeat) {
  std::vector<double> ranks;
  Stream stream(stream_key(10, Purpose::check), repeat, static_cast<std::uint64_t>(sets));
  for (std::int64_t i = 0; i < sets; ++i)
    ranks.push_back(static_cast<double>(stream.below(static_cast<std::uint64_t>(samples) + 1)) /
                    static_cast<double>(samples));
  return ranks;
}

// Ranks of truths from N(0, 1) among samples of N(0, wide²).
std::vector<double> drawn_ranks(std::int64_t sets, std::int64_t samples, std::uint64_t repeat, double wide) {
  std::vector<double> ranks;
  Stream stream(stream_key(11, Purpose::check), repeat, static_cast<std::uint64_t>(sets));
  for (std::int64_t i = 0; i < sets; ++i) {
    const double place = 0.5 * std::erfc(-stream.normal64() / wide / std::sqrt(2.0));
    std::int64_t below = 0;
    for (std::int64_t s = 0; s < samples; ++s) below += stream.uniform64() < place;
    ranks.push_back(static_cast<double>(below) / static_cast<double>(samples));
  }
  return ranks;
}

TEST(UniformEcdf, GivesTheProbabilitiesOfAnotherImplementation) {
  std::ifstream file(PAIRS_SOURCE_DIR "/tests/reference/ecdf_bands.csv");
  std::string line;
  std::getline(file, line);
  int cases = 0;
  while (std::getline(file, line)) {
    std::int64_t sets = 0, samples = 0;
    double power = 0, inside = 0;
    char comma = 0;
    std::istringstream(line) >> sets >> comma >> samples >> comma >> power >> comma >> inside;
    const UniformEcdf ecdf(sets, samples);
    EXPECT_NEAR(ecdf.p_value(ecdf.shares(written_ranks(sets, samples, power))), 1 - inside, 2e-7) << line;
    ++cases;
  }
  EXPECT_EQ(cases, 6);
}

// One cut: the share below it is binomial, here of 3 sets with probability 1/2, and a count of 0 is touched by 1/4.
TEST(UniformEcdf, IsABinomialTestOfOneCut) {
  const UniformEcdf ecdf(3, 1);
  ASSERT_EQ(ecdf.expected(), std::vector<double>{0.5});
  EXPECT_NEAR(ecdf.p_value(std::vector<double>{0.0}), 0.25, 1e-12);
  EXPECT_NEAR(ecdf.p_value(std::vector<double>{2.0 / 3}), 1, 1e-12);
  EXPECT_NEAR(ecdf.deviation(std::vector<double>{0.0}), 0.5, 1e-12);
}

TEST(UniformEcdf, RejectsUniformRanksAtItsRate) {
  const int repeats = long_tests() ? 4000 : 600;
  for (const auto& [sets, samples] : {std::pair<std::int64_t, std::int64_t>{60, 19}, {300, 99}}) {
    const UniformEcdf ecdf(sets, samples);
    const UniformEcdf::Band band = ecdf.band(0.95);
    const double limit = ecdf.deviation_limit(0.95);
    double low = 0, outside = 0, far = 0;
    for (int r = 0; r < repeats; ++r) {
      const std::vector<double> shares = ecdf.shares(uniform_draws(sets, samples, static_cast<std::uint64_t>(r)));
      low += ecdf.p_value(shares) <= 0.05;
      far += ecdf.deviation(shares) > limit + 1e-12;
      bool left = false;
      for (std::size_t c = 0; c < shares.size(); ++c)
        left |= shares[c] < band.low[c] - 1e-12 || shares[c] > band.high[c] + 1e-12;
      outside += left;
    }
    // Counts are whole: no more than the stated share, and not much less.
    for (const double count : {low, outside, far}) {
      EXPECT_LT(count / repeats, 0.05 + 4 * std::sqrt(0.05 * 0.95 / repeats)) << sets;
      EXPECT_GT(count / repeats, 0.015) << sets;
    }
  }
}

TEST(UniformEcdf, RejectsPosteriorsFifteenPerCentTooNarrow) {
  const UniformEcdf ecdf(600, 499);
  int rejected = 0;
  for (int r = 0; r < power_repeats(); ++r)
    rejected += ecdf.p_value(ecdf.shares(drawn_ranks(600, 499, static_cast<std::uint64_t>(r), 0.85))) < 0.05;
  EXPECT_TRUE(has_power(rejected)) << rejected;
}

// Kolmogorov's limit, 1.358 / √n, is approached from below: there are fewer places to be far off at.
TEST(UniformEcdf, KeepsDeviationsNearKolmogorovsLimit) {
  const double limit = UniformEcdf(4000, 999).deviation_limit(0.95);
  EXPECT_LT(limit, 1.358 / std::sqrt(4000.0));
  EXPECT_GT(limit, 1.25 / std::sqrt(4000.0));
}

TEST(UniformEcdf, BoundsWhatIsHardlyPossible) {
  const UniformEcdf ecdf(500, 99);
  const double p = ecdf.p_value(ecdf.shares(std::vector<double>(500, 0.0)));
  EXPECT_GE(p, 0);
  EXPECT_LT(p, 1e-100);
}

TEST(UniformEcdf, RefusesWhatIsNoRank) {
  EXPECT_THROW(UniformEcdf(0, 9), Error);
  EXPECT_THROW(UniformEcdf(9, 0), Error);
  const UniformEcdf ecdf(2, 9);
  EXPECT_THROW(ecdf.shares(std::vector<double>{0.5}), Error);
  EXPECT_THROW(ecdf.shares(std::vector<double>{0.5, NAN}), Error);
  EXPECT_THROW(ecdf.band(1), Error);
}

}  // namespace
}  // namespace pairs
