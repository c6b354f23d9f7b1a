#include "core/eval/evaluate/pool.h"

#include <ATen/Functions.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/base/text/error.h"
#include "core/eval/evaluate/evaluate.h"
#include "tests/core/train/toy_task.h"

namespace pairs {
namespace {

// Sets of N numbers θ + z + e, where z is drawn from a pool of M standard normals and e is fresh noise, under a flat
// prior: the posterior is N(mean, (1 + noise²) / N), so the rank of θ is a function of the mean of z + e.
struct World {
  std::int64_t pool = 400, sets = 400, n = 50, strata = 1;
  double noise = 0;
  bool endless = false;  // every observation its own member
};

struct Measured {
  double mean_rank, sd;
};

Measured measure(const World& world, std::uint64_t seed, std::int64_t replicates) {
  Stream members(stream_key(seed, Purpose::check), 1);
  std::vector<double> z(static_cast<std::size_t>(world.pool));
  for (double& one : z) one = members.normal64();
  PoolBootstrap bootstrap(std::max<std::int64_t>(2, replicates), seed + 1);
  bootstrap.begin(world.sets);
  torch::Tensor plain = torch::zeros({world.sets, 1}, torch::kFloat64);
  const std::int64_t of_stratum = world.pool / world.strata;
  for (std::int64_t s = 0; s < world.sets; ++s) {
    Stream stream(stream_key(seed, Purpose::check), 2, static_cast<std::uint64_t>(s));
    const double first = stream.uniform64();  // share of the first stratum
    std::vector<double> x;
    std::vector<std::int64_t> member, stratum;
    for (std::int64_t j = 0; j < world.n; ++j) {
      const std::int64_t k = world.strata == 1 || stream.uniform64() < first ? 0 : 1;
      const auto m = static_cast<std::int64_t>(stream.below(static_cast<std::uint64_t>(of_stratum))) + k * of_stratum;
      const double value = world.endless ? stream.normal64() : z[static_cast<std::size_t>(m)];
      x.push_back(value + world.noise * stream.normal64() + 3 * static_cast<double>(k));
      member.push_back(world.endless ? s * world.n + j : m);
      stratum.push_back(k);
    }
    const torch::Tensor e = torch::tensor(x, torch::kFloat64).unsqueeze(1);
    double classes = 0;  // 3 a member of the second stratum, as an estimator that knows the classes would take out
    for (const std::int64_t k : stratum) classes += 3 * static_cast<double>(k) / static_cast<double>(world.n);
    plain[s] = e.mean(0) - classes;
    if (replicates > 0) {
      const PoolDraws draws{torch::tensor(member, torch::kInt64), torch::tensor(stratum, torch::kInt64), world.pool};
      // In two parts, as a stream gives them.
      const std::int64_t half = world.n / 2;
      const torch::Tensor owner = at::full({world.n}, s, torch::kInt64);
      for (const auto& [begin, end] : {std::pair(std::int64_t{0}, half), std::pair(half, world.n)})
        if (end > begin)
          bootstrap.add(e.slice(0, begin, end), owner.slice(0, begin, end),
                        {draws.member.slice(0, begin, end).contiguous(),
                         draws.stratum.slice(0, begin, end).contiguous(), world.pool});
    }
  }
  const double precision = std::sqrt(static_cast<double>(world.n) / (1 + world.noise * world.noise));
  const auto rank = [&](const torch::Tensor& mean) { return 0.5 * at::erfc(mean * (precision / std::sqrt(2.0))); };
  Measured out{rank(plain).mean().item<double>(), NAN};
  if (replicates > 0) out.sd = pool_location_sd(rank(bootstrap.aggregates(plain).squeeze(2)));
  return out;
}

// Over many pools: the sd of the mean rank, less what so few sets add, against the root mean square of its estimates.
void expect_right(const World& world, const char* what) {
  constexpr int pools = 300, estimates = 20;
  double mean = 0, square = 0, estimated = 0;
  for (int p = 0; p < pools; ++p) {
    const double rank = measure(world, 1000 + 3 * static_cast<std::uint64_t>(p), 0).mean_rank;
    mean += rank / pools;
    square += rank * rank / pools;
  }
  for (int p = 0; p < estimates; ++p)
    estimated += std::pow(measure(world, 1000 + 3 * static_cast<std::uint64_t>(p), 100).sd, 2) / estimates;
  const double sets = std::pow(mean_rank_se(world.sets, 1 << 20), 2);
  const double truth = std::sqrt((square - mean * mean) * pools / (pools - 1) - sets);
  EXPECT_NEAR(std::sqrt(estimated) / truth, 1, 0.15) << what << ": " << std::sqrt(estimated) << " for " << truth;
}

TEST(PoolBootstrap, GivesTheSpreadOfTheMeanRankOverPools) {
  expect_right({.pool = 400, .sets = 400, .n = 50}, "one class");
}

TEST(PoolBootstrap, TakesOutWhatTheObservationsAddToTheirMembers) {
  expect_right({.pool = 200, .sets = 400, .n = 40, .strata = 2, .noise = 1.5}, "two classes and noise");
}

TEST(PoolBootstrap, HoldsForSmallSets) {
  expect_right({.pool = 60, .sets = 600, .n = 5}, "five observations");
}

TEST(PoolBootstrap, FindsNothingWhereObservationsNeverRepeat) {
  const World world{.pool = 1 << 20, .sets = 400, .n = 30, .endless = true};
  double square = 0;
  for (std::uint64_t p = 0; p < 10; ++p) square += std::pow(measure(world, 50 + p, 100).sd, 2) / 10;
  EXPECT_LT(std::sqrt(square), 0.5 * mean_rank_se(world.sets, 299));
}

TEST(PoolBootstrap, LeavesSingleObservationsAndSharesOfStrataAlone) {
  PoolBootstrap bootstrap(8, 3);
  bootstrap.begin(2);
  // Set 0: one observation each of two strata. Set 1: two of one stratum, one of another.
  const torch::Tensor e = torch::tensor({{1.0}, {5.0}, {1.0}, {3.0}, {100.0}}, torch::kFloat64);
  bootstrap.add(e, torch::tensor({0, 0, 1, 1, 1}, torch::kInt64),
                {torch::tensor({0, 1, 2, 3, 4}, torch::kInt64), torch::tensor({0, 1, 0, 0, 1}, torch::kInt64), 5});
  const torch::Tensor plain = torch::tensor({{3.0}, {104.0 / 3}}, torch::kFloat64);
  const torch::Tensor out = bootstrap.aggregates(plain);
  EXPECT_TRUE(torch::equal(out[0], plain[0].expand({8, 1})));
  for (std::int64_t b = 0; b < 8; ++b) {
    // The pair moves together or apart: by (±m)(-1) + (±m)(1) about its mean 2, doubled, over three observations.
    const double shift = std::fabs(out[1][b][0].item<double>() - plain[1][0].item<double>());
    EXPECT_TRUE(shift < 1e-12 || std::fabs(shift - PoolBootstrap::kMove * 4 / 3) < 1e-12) << shift;
  }
  EXPECT_THROW(bootstrap.add(e, torch::tensor({0, 0, 1, 1, 2}, torch::kInt64),
                             {torch::tensor({0, 1, 2, 3, 4}, torch::kInt64), torch::zeros({5}, torch::kInt64), 5}),
               Error);
}

TEST(PoolSets, AreFewWhereSetsAreLarge) {
  EXPECT_EQ(pool_sets(5000, 1000, 10000), 500);
  EXPECT_EQ(pool_sets(5000, 50, 10000), 2000);
  EXPECT_EQ(pool_sets(5000, 1, 10000), 4000);
  EXPECT_EQ(pool_sets(40, 1000, 10000), 40);
}

// The toy's observations, their noise taken from a pool of ten numbers.
class PooledToy : public ToyTask {
 public:
  static constexpr std::int64_t kPool = 10;
  Observations observe(const Latents& latents, std::uint64_t seed, Purpose purpose, std::span<const SetRange> ranges,
                       const torch::Device& device) const override {
    const PoolDraws draws = pool_draws(latents, seed, purpose, ranges);
    torch::Tensor x = torch::empty({draws.member.size(0), 1});
    std::int64_t row = 0;
    for (std::size_t k = 0; k < ranges.size(); ++k)
      for (std::int64_t j = 0; j < ranges[k].count; ++j, ++row) {
        const auto set = static_cast<std::int64_t>(k);
        Stream member(99, static_cast<std::uint64_t>(draws.member[row].item<std::int64_t>()));
        x[row][0] = latents.theta[set][0].item<double>() + latents.psi[set][0].item<double>() + member.normal64();
      }
    return x.to(device);
  }
  PoolDraws pool_draws(const Latents&, std::uint64_t seed, Purpose purpose,
                       std::span<const SetRange> ranges) const override {
    std::vector<std::int64_t> member;
    for (const SetRange& range : ranges)
      for (std::int64_t j = 0; j < range.count; ++j)
        member.push_back(
            static_cast<std::int64_t>(Stream(stream_key(seed, purpose), static_cast<std::uint64_t>(range.index),
                                             static_cast<std::uint64_t>(range.first + j))
                                          .below(kPool)));
    const auto count = static_cast<std::int64_t>(member.size());
    return {torch::tensor(member, torch::kInt64), torch::zeros({count}, torch::kInt64), kPool, trained};
  }
  std::int64_t trained = 0;
};

TEST(EvaluatePool, TellsWhatThePoolExplainsAndNothingWithoutOne) {
  EvaluationOptions options;
  options.sizes = {1, 50};
  options.sets = {60};
  options.samples = 19;
  Estimator pooled(std::make_shared<PooledToy>(), toy_estimator(), 1);
  const std::vector<EvaluationRow> rows = evaluate(pooled, options);
  for (const EvaluationRow& row : rows) {
    EXPECT_EQ(row.pool, PooledToy::kPool);
    ASSERT_EQ(row.pool_location_sd.size(), 1u);
    ASSERT_EQ(row.pool_location_z.size(), 1u);
    const double se = mean_rank_se(60, 19);
    EXPECT_NEAR(row.pool_location_z[0], row.rank_tests.at(0).location_z * se / std::hypot(se, row.pool_location_sd[0]),
                1e-12);
  }
  EXPECT_EQ(rows[0].pool_location_sd[0], 0) << "single observations have nothing to weigh";
  Estimator endless(std::make_shared<ToyTask>(), toy_estimator(), 1);
  const EvaluationRow plain = evaluate(endless, options).at(1);
  EXPECT_EQ(plain.pool, 0);
  EXPECT_TRUE(plain.pool_location_z.empty());
  ASSERT_EQ(plain.rank_tests.size(), 1u);
  EXPECT_FALSE(std::isnan(plain.rank_tests[0].rank_p));
}

TEST(EvaluatePool, CountsThePoolThatTrainingDrewFrom) {
  EXPECT_EQ(both_pools(10, 0), 1);
  // A mean of 10,000 less one of 30,000: variances add.
  EXPECT_DOUBLE_EQ(both_pools(10000, 30000), std::sqrt((1.0 / 10000 + 1.0 / 30000) / (1.0 / 10000)));
  EvaluationOptions options;
  options.sizes = {50};
  options.sets = {60};
  options.samples = 19;
  const auto toy = std::make_shared<PooledToy>();
  toy->trained = 4;
  Estimator estimator(toy, toy_estimator(), 1);
  EXPECT_EQ(evaluate(estimator, options).at(0).pool_trained, 4);
}

TEST(Evaluate, RefusesWeightsThatAreNotNumbers) {
  Estimator estimator(std::make_shared<ToyTask>(), toy_estimator(), 1);
  {
    torch::NoGradGuard no_grad;
    for (auto& [name, weight] : estimator.head_parameters()) weight.fill_(NAN);
  }
  EvaluationOptions options;
  options.sizes = {2};
  options.sets = {4};
  options.samples = 0;
  EXPECT_THROW(evaluate(estimator, options), Error);
}

}  // namespace
}  // namespace pairs
