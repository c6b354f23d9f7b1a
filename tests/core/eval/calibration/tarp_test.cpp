#include "core/eval/calibration/tarp.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "core/base/gpu/transfer.h"
#include "core/base/text/error.h"
#include "core/eval/calibration/uniform_ecdf.h"
#include "core/eval/metrics/metrics.h"
#include "tests/core/eval/exact_normals.h"

namespace pairs {
namespace {

const torch::Tensor kUnit = torch::ones({1}, torch::kFloat64);

// From the generator of tests/reference/posterior_tests.py.
TEST(Tarp, GivesTheCoverageOfAnotherImplementation) {
  std::uint64_t state = 12345;
  const auto uniform = [&] {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return static_cast<double>(state >> 11) * 0x1p-53;
  };
  torch::Tensor samples = torch::empty({60, 40, 2}, torch::kFloat64), truth = torch::empty({60, 2}, torch::kFloat64);
  torch::Tensor reference = torch::empty_like(truth);
  for (int i = 0; i < 60; ++i)
    for (int t = 0; t < 2; ++t) {
      truth.data_ptr<double>()[2 * i + t] = uniform();
      reference.data_ptr<double>()[2 * i + t] = uniform();
      for (int s = 0; s < 40; ++s)
        samples.data_ptr<double>()[(i * 40 + s) * 2 + t] = 0.3 * truth.data_ptr<double>()[2 * i + t] + 0.7 * uniform();
    }
  const std::vector<double> ranks =
      doubles(distance_ranks(samples, truth, reference, torch::ones({2}, torch::kFloat64), 1));
  std::ifstream file(PAIRS_SOURCE_DIR "/tests/reference/tarp.csv");
  std::string line;
  std::getline(file, line);
  std::vector<std::pair<double, double>> rows;
  while (std::getline(file, line)) {
    double level = 0, coverage = 0;
    char comma = 0;
    std::istringstream(line) >> level >> comma >> coverage;
    rows.emplace_back(level, coverage);
  }
  ASSERT_EQ(rows.size(), 13u);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    // Its bins leave out their upper edge, but for the last.
    const double edge = rows[k].first + (k + 1 == rows.size() ? 1e-6 : -1e-6);
    double below = 0;
    for (const double rank : ranks) below += rank < edge;
    EXPECT_NEAR(below / 60, rows[k].second, 1e-6) << rows[k].first;
  }
}

// Far below everything the distance orders samples as their values do.
TEST(Tarp, OfOneTargetAndADistantPointIsTheRank) {
  const NormalSets sets = normal_sets(50, 30, 1, 3);
  const torch::Tensor far = torch::full_like(sets.truth, -1000.0);
  EXPECT_TRUE(distance_ranks(sets.samples, sets.truth, far, kUnit, 1)
                  .equal(central_ranks(sets.samples, sets.truth, 1).select(1, 0)));
}

TEST(Tarp, MeasuresInUnitsOfTheScales) {
  const NormalSets sets = normal_sets(50, 30, 2, 4);
  const torch::Tensor factor = torch::tensor({1.0, 1e6}, torch::kFloat64), reference = sets.truth.roll(1, 0);
  EXPECT_TRUE(distance_ranks(sets.samples, sets.truth, reference, torch::ones({2}, torch::kFloat64), 1)
                  .equal(distance_ranks(sets.samples * factor, sets.truth * factor, reference * factor, factor, 1)));
}

// Two targets whose posteriors have the right margins and the wrong correlation: ranks cannot see it, TARP does.
TEST(Tarp, SeesACorrelationThatRanksCannot) {
  constexpr std::int64_t n = 1500;
  NormalSets sets = normal_sets(n, 99, 2, 5);
  const torch::Tensor middle = (0.8 * sets.aggregates).unsqueeze(1), noise = sets.samples - middle;
  // Keeps the margins and correlates them by 0.8.
  const torch::Tensor second = 0.8 * noise.select(2, 0) + 0.6 * noise.select(2, 1);
  sets.samples = middle + torch::stack({noise.select(2, 0), second}, 2);
  const UniformEcdf ecdf(n, 99);
  const torch::Tensor margins = central_ranks(sets.samples, sets.truth, 1);
  for (int t = 0; t < 2; ++t) EXPECT_GT(ecdf.p_value(ecdf.shares(doubles(margins.select(1, t)))), 0.001);
  const torch::Tensor ranks =
      distance_ranks(sets.samples, sets.truth, sets.truth.roll(1, 0), torch::ones({2}, torch::kFloat64), 1);
  EXPECT_LT(ecdf.p_value(ecdf.shares(doubles(ranks))), 0.001);
}

double tarp_p(const NormalSets& sets) {
  const UniformEcdf ecdf(sets.truth.size(0), sets.samples.size(1));
  const torch::Tensor ranks = distance_ranks(sets.samples, sets.truth, sets.truth.roll(1, 0),
                                             torch::ones({sets.truth.size(1)}, torch::kFloat64), 1);
  return ecdf.p_value(ecdf.shares(doubles(ranks)));
}

TEST(Tarp, RejectsExactPosteriorsAtItsRate) {
  constexpr int repeats = 200;
  for (const std::int64_t targets : {1, 3}) {
    double rejected = 0, fifth = 0;
    for (std::uint64_t r = 0; r < repeats; ++r) {
      const double p = tarp_p(normal_sets(200, 49, targets, 40000 + r));
      rejected += p <= 0.05;
      fifth += p <= 0.2;
    }
    EXPECT_TRUE(is_share(rejected / repeats, 0.05, repeats)) << rejected;
    EXPECT_TRUE(is_share(fifth / repeats, 0.2, repeats)) << fifth;
  }
}

TEST(Tarp, RejectsPosteriorsFifteenPerCentTooNarrow) {
  int rejected = 0;
  for (int r = 0; r < power_repeats(); ++r)
    rejected += tarp_p(normal_sets(700, 499, 1, 50000 + static_cast<std::uint64_t>(r), {0, 0.85})) < 0.05;
  EXPECT_TRUE(has_power(rejected)) << rejected;
}

TEST(Tarp, RefusesWhatDoesNotFit) {
  const NormalSets sets = normal_sets(5, 30, 1, 3);
  EXPECT_THROW(distance_ranks(sets.samples, sets.truth, sets.truth.slice(0, 0, 4), kUnit, 1), Error);
  EXPECT_THROW(distance_ranks(sets.samples, sets.truth, sets.truth, torch::zeros({1}, torch::kFloat64), 1), Error);
}

}  // namespace
}  // namespace pairs
