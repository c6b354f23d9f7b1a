// Aggregates of observed sets are made by the estimator's pool alone.
#include <ATen/Functions.h>
#include <gtest/gtest.h>

#include "app/posterior/follow/followed_set.h"
#include "app/posterior/set/embedded_set.h"
#include "core/aggregate.h"
#include "core/train/run/run.h"
#include "tasks/registry.h"
#include "tests/scaled_pool.h"

namespace pairs {
namespace {

TEST(PoolOfObservedSets, EveryAggregateIsMadeByIt) {
  const LoadedRun run = load_run(built_in_tasks(), "bump-hunt", "", "cpu");
  const auto scaled = std::make_shared<Estimator>(run.estimator->clone());
  scaled->set_pool(std::make_shared<ScaledPool>());
  torch::manual_seed(1);
  const torch::Tensor x = 10 * torch::rand({700, 1});
  const auto expect_scaled = [](const torch::Tensor& mean, const torch::Tensor& other, const std::string& what) {
    EXPECT_TRUE(at::equal(mean.to(torch::kFloat64) * ScaledPool::factor, other.to(torch::kFloat64))) << what;
  };
  EmbeddedSet embedded(run.estimator, 700), embedded_scaled(scaled, 700);
  embedded.add(x);
  embedded_scaled.add(x);
  for (const std::int64_t n : {1, 2, 255, 256, 300, 699, 700})
    expect_scaled(embedded.aggregate(n, x), embedded_scaled.aggregate(n, x), fmt::format("the first {}", n));
  FollowedSet followed(run.estimator, 50, 1), followed_scaled(scaled, 50, 1);
  for (std::int64_t i = 0; i < 120; i += 7) {
    followed.add(x.slice(0, i, i + 7));
    followed_scaled.add(x.slice(0, i, i + 7));
    expect_scaled(followed.aggregate(), followed_scaled.aggregate(), fmt::format("after {}", i + 7));
  }
  const std::vector<std::int64_t> index = {0, 1};
  const Latents latents = run.task->latents(3, Purpose::test, index);
  expect_scaled(aggregate_sets(*run.estimator, latents, 3, Purpose::test, index, 20),
                aggregate_sets(*scaled, latents, 3, Purpose::test, index, 20), "simulated sets");
}

}  // namespace
}  // namespace pairs
