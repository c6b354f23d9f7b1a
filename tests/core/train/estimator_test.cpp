#include "core/estimator.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <functional>

#include "core/aggregate_distance.h"
#include "core/base/fields/face.h"
#include "core/base/numbers/random.h"
#include "core/base/text/error.h"
#include "core/heads/mass.h"
#include "core/heads/spline_head.h"
#include "core/train/cache/cache_statistics.h"
#include "tests/core/base/temporary_folder.h"
#include "tests/core/train/toy_task.h"

namespace pairs {
namespace {

AggregateStatistics toy_statistics() {
  const torch::Tensor mean = torch::linspace(-1, 1, 6, torch::kFloat64);
  return {mean, torch::eye(6, torch::kFloat64) * 0.04, torch::eye(6, torch::kFloat64) * 0.3,
          torch::linspace(0, 5, 101, torch::kFloat64)};
}

// Weights away from their near-identity start, so that tests see every layer.
void shake(Estimator& estimator) {
  torch::NoGradGuard no_grad;
  torch::manual_seed(11);
  for (auto& [name, tensor] : estimator.head_parameters()) tensor.add_(torch::randn_like(tensor) * 0.1);
}

TEST(Estimator, DensityInOriginalUnitsIntegratesToOne) {
  Estimator estimator(std::make_shared<ToyTask>(), toy_estimator(), 1);
  shake(estimator);
  estimator.train(false);
  const torch::Tensor grid = torch::linspace(-60, 60, 60001, torch::kFloat64).view({1, -1, 1});
  const torch::Tensor density =
      estimator.log_prob_grid(grid, torch::randn({1, 6}), torch::full({1}, 3, torch::kInt64)).exp();
  EXPECT_NEAR(density.sum().item<double>() * 120 / 60000, 1.0, 1e-4);
}

TEST(Estimator, FoldedStandardizerKeepsTheOutputAtItsSize) {
  Estimator estimator(std::make_shared<ToyTask>(), toy_estimator(), 1);
  shake(estimator);
  estimator.train(false);
  const torch::Tensor aggregates = torch::randn({32, 6}), theta = torch::randn({32, 1}, torch::kFloat64);
  const torch::Tensor n = torch::full({32}, 2, torch::kInt64);
  const torch::Tensor before = estimator.log_prob(theta, aggregates, n);
  estimator.set_statistics(toy_statistics(), true, 2);
  EXPECT_LT((estimator.log_prob(theta, aggregates, n) - before).abs().max().item<double>(), 2e-4);
  const torch::Tensor other = torch::full({32}, 500, torch::kInt64);
  EXPECT_GT((estimator.log_prob(theta, aggregates, other) - before).abs().max().item<double>(), 1e-3);
  // Also when another takes its place.
  AggregateStatistics moved = toy_statistics();
  moved.mean = moved.mean + 0.7;
  moved.between = moved.between * 1.8;
  estimator.set_statistics(moved, true, 2);
  EXPECT_LT((estimator.log_prob(theta, aggregates, n) - before).abs().max().item<double>(), 4e-4);
}

TEST(Estimator, LocationMapShiftsTheDensity) {
  Estimator estimator(std::make_shared<ToyTask>(), toy_estimator(), 1);
  estimator.train(false);
  const torch::Tensor aggregates = torch::randn({8, 6}, torch::kFloat64), n = torch::ones({8}, torch::kInt64);
  const torch::Tensor theta = torch::randn({8, 1}, torch::kFloat64);
  const torch::Tensor before = estimator.log_prob(theta, aggregates, n);
  const torch::Tensor weight = torch::randn({1, 6}, torch::kFloat64), bias = torch::tensor({0.7}, torch::kFloat64);
  estimator.set_location(0, weight, bias);
  const torch::Tensor shift = (aggregates.mm(weight.t()) + bias) * 2.0;  // the toy's scale
  EXPECT_LT((estimator.log_prob(theta + shift, aggregates, n) - before).abs().max().item<double>(), 1e-5);
  const torch::Tensor samples = estimator.sample(aggregates, n, 4000, 3);
  const torch::Tensor centered = samples.squeeze(2) - shift;
  Estimator plain(std::make_shared<ToyTask>(), toy_estimator(), 1);
  plain.train(false);
  EXPECT_LT((centered - plain.sample(aggregates, n, 4000, 3).squeeze(2)).abs().max().item<double>(), 1e-4);
}

TEST(Estimator, BoxSupportIsADensityOnTheTargetsRange) {
  EstimatorConfig config = toy_estimator();
  config.head.of<SplineHead::Settings>().support = "box";
  Estimator estimator(std::make_shared<BoundedToyTask>(), config, 1);
  shake(estimator);
  estimator.train(false);
  const torch::Tensor aggregate = torch::randn({1, 6}), n = torch::full({1}, 3, torch::kInt64);
  // Midpoints: the density may be steep at the ends of the range.
  constexpr std::int64_t cells = 80000;
  const torch::Tensor grid =
      (torch::arange(cells, torch::kFloat64) + 0.5).view({1, -1, 1}) * (8.0 / static_cast<double>(cells)) - 3;
  const torch::Tensor density = estimator.log_prob_grid(grid, aggregate, n).exp();
  EXPECT_NEAR(density.sum().item<double>() * 8 / static_cast<double>(cells), 1.0, 1e-4);
  const torch::Tensor ends = torch::tensor({-3.0, 5.0}, torch::kFloat64).view({1, 2, 1});
  EXPECT_TRUE(estimator.log_prob_grid(ends, aggregate, n).isfinite().all().item<bool>());
  const torch::Tensor outside = torch::tensor({-3.1, 5.1}, torch::kFloat64).view({1, 2, 1});
  EXPECT_TRUE(estimator.log_prob_grid(outside, aggregate, n).isneginf().all().item<bool>());
  const torch::Tensor samples = estimator.sample(aggregate, n, 20000, 3);
  EXPECT_GE(samples.min().item<double>(), -3);
  EXPECT_LE(samples.max().item<double>(), 5);
  const double mean = (density * grid.squeeze(2)).sum().item<double>() / density.sum().item<double>();
  EXPECT_NEAR(samples.mean().item<double>(), mean, 5 * samples.std().item<double>() / std::sqrt(20000.0));
  EXPECT_LT((estimator.restore(estimator.standardize(grid)) - grid).abs().max().item<double>(), 1e-12);
}

TEST(Estimator, LossIsTheNegativeLogDensityPerUnitOfScaleWhateverTheSupport) {
  for (const std::string support : {"real", "box"}) {
    EstimatorConfig config = toy_estimator();
    config.head.of<SplineHead::Settings>().support = support;
    config.head.of<SupportSettings>().restrict = false;  // the loss is that of the head alone
    Estimator estimator(std::make_shared<BoundedToyTask>(), config, 1);
    shake(estimator);
    estimator.train(false);
    const torch::Tensor aggregates = torch::randn({32, 6}), theta = torch::rand({32, 1}, torch::kFloat64) * 7 - 2.5;
    const torch::Tensor n = torch::ones({32}, torch::kInt64);
    const double scale = support == "real" ? 2.0 : 8.0;
    EXPECT_NEAR(estimator.loss(0, theta, aggregates, n).value.item<double>(),
                -estimator.log_prob(theta, aggregates, n).mean().item<double>() - std::log(scale), 1e-5)
        << support;
  }
}

TEST(Estimator, BoundedSupportNeedsABoundedTarget) {
  EstimatorConfig config = toy_estimator();
  config.head.of<SplineHead::Settings>().support = "box";
  EXPECT_THROW(Estimator(std::make_shared<ToyTask>(), config, 1), Error);
}

// A file holds what its kinds read, and a regression reads no support: nothing of it may depend on one.
TEST(Estimator, ARegressionIsTheSameOnceLoadedWhateverTheSupportOfADensity) {
  const TemporaryFolder folder;
  const auto file = folder / "regression.safetensors";
  const auto task = std::make_shared<BoundedToyTask>();
  EstimatorConfig config = toy_estimator();
  config.head.kind = "gaussian";
  set_fields(config, {"head.support=box", "head.bins=9"});
  Estimator estimator(task, config, 1);
  shake(estimator);
  face<ResidualSpread>(estimator.head(0))->set_sigma(torch::tensor({std::int64_t{1}}), torch::full({1, 1}, 0.5));
  estimator.train(false);
  estimator.save(file);
  Estimator loaded = Estimator::load(file, task);
  const torch::Tensor theta = torch::rand({16, 1}, torch::kFloat64) * 7 - 2.5, aggregates = torch::randn({16, 6});
  const torch::Tensor n = torch::ones({16}, torch::kInt64);
  EXPECT_TRUE(loaded.standardize(theta).equal(estimator.standardize(theta)));
  EXPECT_TRUE(loaded.log_prob(theta, aggregates, n).equal(estimator.log_prob(theta, aggregates, n)));
  // A density in its place has the range of its own settings.
  config.head.kind = "spline";
  loaded.reset_heads(2, config.head);
  EXPECT_EQ(loaded.config().head.of<SplineHead::Settings>().bins, 9);
  const torch::Tensor ends = torch::tensor({-3.1, 5.1}, torch::kFloat64).view({2, 1});
  EXPECT_TRUE(loaded.log_prob(ends, aggregates.slice(0, 0, 2), n.slice(0, 0, 2)).isneginf().all().item<bool>());
  EXPECT_TRUE(loaded.log_prob(theta, aggregates, n).isfinite().all().item<bool>());
}

TEST(Estimator, SavesAndLoadsExactly) {
  const auto file = std::filesystem::temp_directory_path() / fmt::format("pairs-estimator-{}.safetensors", ::getpid());
  Estimator estimator(std::make_shared<ToyTask>(), toy_estimator(), 1);
  shake(estimator);
  estimator.split_heads({2, 50});
  estimator.set_statistics(toy_statistics(), true, 2);
  estimator.set_location(50, torch::randn({1, 6}, torch::kFloat64), torch::zeros({1}, torch::kFloat64));
  estimator.set_max_n(50);
  estimator.train(false);
  estimator.save(file, {{"note", "x"}});
  Estimator loaded = Estimator::load(file, std::make_shared<ToyTask>());
  EXPECT_EQ(loaded.max_n(), 50);
  EXPECT_EQ(loaded.sizes(), (std::vector<std::int64_t>{2, 50}));
  const torch::Tensor aggregates = torch::randn({4, 6}, torch::kFloat64), theta = torch::randn({4, 1}, torch::kFloat64);
  const torch::Tensor n = torch::tensor({2, 50, 2, 50}, torch::kInt64);
  EXPECT_TRUE(estimator.log_prob(theta, aggregates, n).equal(loaded.log_prob(theta, aggregates, n)));
  EXPECT_TRUE(estimator.log_prob(theta, aggregates, n).equal(estimator.clone().log_prob(theta, aggregates, n)));
  EXPECT_THROW(loaded.log_prob(theta, aggregates, torch::full({4}, 7, torch::kInt64)), Error);
  std::filesystem::remove(file);
}

TEST(Estimator, TypicalityIsTheMahalanobisDistance) {
  Estimator estimator(std::make_shared<ToyTask>(), toy_estimator(), 1);
  EXPECT_THROW(estimator.typicality(torch::zeros({1, 6}), torch::ones({1}, torch::kInt64)), Error);
  estimator.set_statistics(toy_statistics(), false, 0);
  const torch::Tensor at =
      toy_statistics().mean.unsqueeze(0) + torch::tensor({{0.6, 0.0, 0.0, 0.0, 0.0, 0.0}}, torch::kFloat64);
  const auto result = estimator.typicality(at, torch::full({1}, 3, torch::kInt64));
  const double expected = 0.6 / std::sqrt(0.04 + 0.1);
  EXPECT_NEAR(result.distance.item<double>(), expected, 1e-4);
  EXPECT_NEAR(result.percentile.item<double>(), expected / 5 * 100, 1e-2);
}

// 4,096 draws of a distribution by its quantile function, as the 101 percentiles that a run keeps.
torch::Tensor percentiles_of(const std::function<double(double)>& quantile, std::uint64_t seed) {
  Stream stream(stream_key(seed, Purpose::test), 0);
  std::vector<double> draws;
  for (int i = 0; i < 4096; ++i) draws.push_back(quantile(stream.uniform64()));
  return at::quantile(torch::tensor(draws, torch::kFloat64), at::linspace(0, 1, 101, torch::kFloat64));
}

// For exponential, Rayleigh and heavy tails the alarm at the 99.9th percentile rings for about one set in a thousand.
// Interpolation between the 99th percentile and the largest draw gave three in ten thousand.
TEST(DistanceRecord, HoldsTheLevelOfItsTail) {
  const auto exponential = [](double u) { return -std::log1p(-u); };
  const std::vector<std::pair<std::string, std::function<double(double)>>> all = {
      {"exponential", exponential},
      {"rayleigh", [&](double u) { return std::sqrt(2 * exponential(u)); }},
      {"heavy", [](double u) { return std::pow(1 - u, -0.5); }},
      {"heavier", [](double u) { return 3 + std::pow(1 - u, -0.8); }}};
  // The fitted tail rings for 1.1 to 1.3 in a thousand; of a Rayleigh law, which falls off faster, for 1.6.
  constexpr int kRepeats = 200;
  for (const auto& [name, quantile] : all)
    for (const double level : {99.0, 99.9}) {
      double share = 0;
      for (int k = 0; k < kRepeats; ++k) {
        const DistanceRecord record(percentiles_of(quantile, static_cast<std::uint64_t>(k)));
        // The share beyond the distance at which the record first answers this percentile.
        double low = 0, high = 1;
        for (int step = 0; step < 50; ++step) {
          const double middle = (low + high) / 2;
          (record.percentile(quantile(middle)) < level ? low : high) = middle;
        }
        share += (1 - high) / kRepeats;
      }
      RecordProperty(fmt::format("{} {}", name, level), fmt::format("{:.5f}", share));
      EXPECT_NEAR(share / (1 - level / 100), 1.2, 0.45) << name << " beyond " << level;
    }
}

TEST(DistanceRecord, RisesWithTheDistanceToBeyondTheLargestDraw) {
  const DistanceRecord record(percentiles_of([](double u) { return std::pow(1 - u, -0.5); }, 1));
  double before = -1;
  for (double distance = 0; distance < 1000; distance += 0.25) {
    const double percentile = record.percentile(distance);
    EXPECT_GE(percentile, before) << distance;
    EXPECT_LT(percentile, 100) << distance;
    before = percentile;
  }
  EXPECT_GT(before, 99.99);
  const DistanceRecord same(torch::full({101}, 2.0, torch::kFloat64));
  EXPECT_EQ(same.percentile(1), 0);
  EXPECT_EQ(same.percentile(3), 100);
  EXPECT_THROW(DistanceRecord(torch::zeros({7}, torch::kFloat64)), Error);
}

// How many threads share the sums decides nothing.
TEST(Statistics, AreTheSameForAnyNumberOfThreads) {
  const auto task = std::make_shared<ToyTask>();
  EstimatorConfig config = toy_estimator();
  set_fields(config, {"embedder.size=48", "embedder.layers=48"});
  Estimator estimator(task, config, 1);
  const int threads = at::get_num_threads();
  std::vector<std::vector<double>> all;
  std::vector<torch::Tensor> distances;
  for (const int count : {1, 2, 3}) {
    at::set_num_threads(count);
    all.push_back(measure_statistics(estimator, 1, [] { return false; }));
    estimator.set_statistics(unpack_statistics(all.front(), 48), false, 0);
    torch::manual_seed(1);
    distances.push_back(
        estimator.typicality(torch::randn({600, 48}, torch::kFloat64), torch::full({600}, 7, torch::kInt64)).distance);
  }
  at::set_num_threads(threads);
  EXPECT_EQ(all[0], all[1]);
  EXPECT_EQ(all[0], all[2]);
  EXPECT_TRUE(distances[0].equal(distances[1]));
}

}  // namespace
}  // namespace pairs
