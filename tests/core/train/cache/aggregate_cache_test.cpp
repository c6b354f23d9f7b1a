#include "core/train/cache/aggregate_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "core/aggregate.h"
#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "core/train/stages/cache_writer.h"
#include "tests/core/train/toy_task.h"
#include "tests/scaled_pool.h"

namespace pairs {
namespace {

class CacheTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / fmt::format("pairs-cache-{}", ::getpid());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  static CacheConfig blocks() {
    CacheConfig config;
    config.sizes = {10, 100};
    config.sets = {60, 20};
    config.copies = 2;
    return config;
  }
  void write(const std::vector<CacheGroup>& groups, const std::string& name, std::int64_t chunk = 64) {
    write_cache(folder_ / name, estimator_, groups, 9, 0, chunk, [] { return false; }, {});
  }

  std::filesystem::path folder_;
  Estimator estimator_{std::make_shared<ToyTask>(), toy_estimator(), 4};
};

TEST_F(CacheTest, BlocksHoldTheMeansOfConsecutiveObservations) {
  const auto groups = plan_groups(blocks(), false);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_GE(groups[1].observations(), 200);
  write(groups, "a.cache");
  const AggregateCache cache(folder_ / "a.cache", estimator_, 9, 0);
  // The whole set's mean, weighted over its blocks, against embedding the same observations at once.
  const std::vector<std::int64_t> index = {0, 1, 2};
  const Latents latents = estimator_.task().latents(9, Purpose::finetune, index);
  const std::int64_t n = groups[0].observations();
  const torch::Tensor direct = aggregate_sets(estimator_, latents, 9, Purpose::finetune, index, n);
  for (std::int64_t s = 0; s < 3; ++s) {
    EXPECT_EQ(cache.theta(0, s)[0], latents.theta[s][0].item<double>());
    for (std::int64_t j = 0; j < 6; ++j) {
      double mean = 0;
      for (std::size_t b = 0; b < groups[0].blocks.size(); ++b)
        mean += static_cast<double>(groups[0].blocks[b]) *
                static_cast<double>(cache.blocks(0, s)[static_cast<std::int64_t>(b) * 6 + j]);
      EXPECT_NEAR(mean / static_cast<double>(n), direct[s][j].item<double>(), 1e-6);
    }
  }
}

// The blocks, and the unions that are drawn of them, are aggregates of the estimator's pool.
TEST_F(CacheTest, BlocksAndUnionsAreMadeByThePool) {
  const auto groups = plan_groups(blocks(), false);
  write(groups, "mean.cache");
  estimator_.set_pool(std::make_shared<ScaledPool>());
  write(groups, "scaled.cache");
  const AggregateCache mean(folder_ / "mean.cache", estimator_, 9, 0),
      scaled(folder_ / "scaled.cache", estimator_, 9, 0);
  const AggregateSampler sampler(groups, SizeDistribution::log_uniform, 0, 5, estimator_.pool_pointer());
  const AggregateBatch a = sampler.draw(mean, false, 3, 64), b = sampler.draw(scaled, false, 3, 64);
  EXPECT_TRUE(at::allclose(a.aggregates * ScaledPool::factor, b.aggregates, 1e-5, 1e-6));
  EXPECT_FALSE(at::allclose(a.aggregates, b.aggregates));
  EXPECT_TRUE(at::allclose(mean.statistics().mean * ScaledPool::factor, scaled.statistics().mean, 1e-9, 1e-12));
}

TEST_F(CacheTest, MatchesAcrossChunksAndAfterAnInterruption) {
  const auto groups = plan_groups(blocks(), false);
  write(groups, "whole.cache");
  int units = 0;
  EXPECT_THROW(write_cache(folder_ / "cut.cache", estimator_, groups, 9, 0, 64, [&] { return ++units > 20; }, {}),
               Stopped);
  const std::string whole = read_file(folder_ / "whole.cache");
  // A torn record is written again.
  std::fstream torn(folder_ / "cut.cache", std::ios::in | std::ios::out | std::ios::binary);
  torn.seekp(4096 + 64 + 3);
  torn.put('\x55');
  torn.close();
  write(groups, "cut.cache");
  EXPECT_EQ(whole, read_file(folder_ / "cut.cache"));
}

TEST_F(CacheTest, StatisticsAreThoseOfTheEmbeddings) {
  write(plan_groups(blocks(), false), "a.cache");
  const AggregateCache cache(folder_ / "a.cache", estimator_, 9, 0);
  // Independent: 4,000 test sets of 50 through aggregate_sets; Var(T) = B + W / 50.
  std::vector<std::int64_t> index(4000);
  std::iota(index.begin(), index.end(), 0);
  const Latents latents = estimator_.task().latents(1, Purpose::test, index);
  const torch::Tensor t = aggregate_sets(estimator_, latents, 1, Purpose::test, index, 50);
  const torch::Tensor expected = (cache.statistics().between + cache.statistics().within / 50).diagonal();
  const torch::Tensor ratio = t.var(0) / expected;
  for (std::int64_t j = 0; j < 6; ++j) {
    EXPECT_NEAR(ratio[j].item<double>(), 1.0, 0.12);
    EXPECT_NEAR(t.mean(0)[j].item<double>(), cache.statistics().mean[j].item<double>(),
                6 * std::sqrt(expected[j].item<double>() / 2000));
  }
}

TEST_F(CacheTest, DrawsUnionsOfTheRightSizeAndMean) {
  const auto groups = plan_groups(blocks(), false);
  write(groups, "a.cache");
  const AggregateCache cache(folder_ / "a.cache", estimator_, 9, 0);
  const AggregateSampler sampler(groups, SizeDistribution::log_uniform, 0, 5);
  const AggregateBatch batch = sampler.draw(cache, false, 3, 512);
  std::int64_t small = 0;
  for (std::int64_t i = 0; i < 512; ++i) {
    const auto n = batch.n[i].item<std::int64_t>();
    EXPECT_GE(n, 1);
    EXPECT_LE(n, 100);
    small += n <= 10;
  }
  EXPECT_NEAR(static_cast<double>(small) / 512, std::log(11.0) / std::log(101.0), 0.03);  // log-uniform
  EXPECT_TRUE(batch.aggregates.equal(sampler.draw(cache, false, 3, 512).aggregates));
  EXPECT_FALSE(batch.aggregates.equal(sampler.draw(cache, false, 4, 512).aggregates));
  // Spread around the set's own expected embedding shrinks as 1 / N: aggregates of N near 100 lie close to the full
  // mean.
  for (std::int64_t i = 0; i < 512; ++i)
    for (std::int64_t j = 0; j < 6; ++j) {
      const double sd =
          std::sqrt((cache.statistics().between[j][j] + cache.statistics().within[j][j] / batch.n[i]).item<double>());
      EXPECT_LT(std::abs(batch.aggregates[i][j].item<double>() - cache.statistics().mean[j].item<double>()), 7 * sd);
    }
}

TEST_F(CacheTest, AListGivesExactSizesAndFixedModeOneAggregate) {
  CacheConfig config = blocks();
  config.pieces = 5;
  for (const CacheGroup& g : plan_groups(config, true)) {
    EXPECT_EQ(g.n % g.blocks[0], 0);
    EXPECT_EQ(g.observations(), 2 * g.n);
  }
  config.mode = "fixed";
  const auto fixed = plan_groups(config, true);
  EXPECT_EQ(fixed[0].blocks, std::vector<std::int64_t>{10});
  write(fixed, "f.cache");
  const AggregateCache cache(folder_ / "f.cache", estimator_, 9, 0);
  const AggregateBatch batch = AggregateSampler(fixed, SizeDistribution::list, 0, 5).draw(cache, true, 0, 64);
  for (std::int64_t i = 0; i < 64; ++i)
    EXPECT_TRUE(batch.n[i].item<std::int64_t>() == 10 || batch.n[i].item<std::int64_t>() == 100);
  config.mode = "blocks";
  config.pieces = 7;
  EXPECT_THROW(plan_groups(config, true), Error);
}

TEST_F(CacheTest, DamageIsNamedNotUsed) {
  const auto groups = plan_groups(blocks(), false);
  write(groups, "a.cache");
  const std::string good = read_file(folder_ / "a.cache");
  const auto expect_error = [&](std::string bytes, const char* words) {
    std::ofstream(folder_ / "b.cache", std::ios::binary) << bytes;
    try {
      const AggregateCache cache(folder_ / "b.cache", estimator_, 9, 0);
      ADD_FAILURE() << "accepted: " << words;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr(words));
    }
  };
  std::string bad = good;
  bad[good.size() - 80] = static_cast<char>(bad[good.size() - 80] ^ 1);
  bad[9000] = static_cast<char>(bad[9000] ^ 1);
  expect_error(bad, "checksum");
  bad = good;
  bad[100] = static_cast<char>(bad[100] ^ 1);
  expect_error(bad, "header's checksum");
  expect_error(good.substr(0, good.size() / 2), "cut short");
  expect_error(good.substr(0, 100), "too short");
  expect_error("not a cache" + good, "magic");
  Estimator other(std::make_shared<ToyTask>(), toy_estimator(), 5);
  EXPECT_THROW(AggregateCache(folder_ / "a.cache", other, 9, 0), Error);
  EXPECT_THROW(AggregateCache(folder_ / "a.cache", estimator_, 8, 0), Error);
  EXPECT_THROW(AggregateCache(folder_ / "missing.cache", estimator_, 9, 0), Error);
}

}  // namespace
}  // namespace pairs
