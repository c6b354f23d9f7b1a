#include "core/pool/pool.h"

#include <ATen/Functions.h>
#include <gtest/gtest.h>

namespace pairs {
namespace {

torch::Tensor embeddings(std::int64_t rows, std::int64_t l) {
  torch::Tensor x = at::arange(rows * l, torch::kFloat64).view({rows, l});
  return (x * 0.7311).sin().to(torch::kFloat32);
}

// Any grouping of a set's observations into parts gives the aggregate that all at once give, and its definition.
TEST(MeanPool, StatesOfPartsMergeIntoThatOfTheSet) {
  const std::shared_ptr<const Pool> pool = mean_pool();
  const torch::Tensor e = embeddings(23, 5), exact = e.to(torch::kFloat64).sum(0) / 23;
  const auto offsets = [](std::vector<std::int64_t> ends) { return torch::tensor(ends, torch::kInt64); };
  const auto near = [&](const torch::Tensor& aggregate) {
    return at::allclose(aggregate.to(torch::kFloat64).view({5}), exact, 1e-12, 1e-12);
  };
  EXPECT_TRUE(near(pool->finish(pool->accumulate(e, offsets({0, 23})), 23)));
  EXPECT_TRUE(near(pool->finish(pool->accumulate(e.unsqueeze(0)), 23)));
  EXPECT_TRUE(near(pool->finish(pool->prefixes(e)[22], 23)));
  EXPECT_TRUE(at::allclose(pool->forward(e, offsets({0, 23})).to(torch::kFloat64).view({5}), exact, 1e-6, 1e-6));
  const torch::Tensor parts = pool->accumulate(e, offsets({0, 4, 4, 11, 23}));
  torch::Tensor merged = pool->empty(2, 5);
  pool->merge_into(merged, torch::tensor({1, 1, 1, 1}, torch::kInt64), parts);
  EXPECT_TRUE(near(pool->finish(merged[1], 23)));
  EXPECT_TRUE(at::equal(merged[0], pool->empty(0, 5)));
  EXPECT_TRUE(near(pool->finish(pool->merge(pool->merge(parts[3], parts[0]), pool->merge(parts[2], parts[1])), 23)));
  EXPECT_TRUE(near(pool->finish(pool->merge_blocks(parts.unsqueeze(0)).select(1, 3), 23)));
  // The aggregate of a union from the aggregates of its blocks.
  torch::Tensor of_union = at::zeros({5}, torch::kFloat64);
  const std::vector<std::int64_t> sizes = {4, 0, 7, 12};
  for (std::size_t b = 0; b < sizes.size(); ++b)
    if (sizes[b] > 0)
      of_union += pool->share(sizes[b], 23) * pool->finish(parts[static_cast<std::int64_t>(b)], sizes[b]);
  EXPECT_TRUE(near(of_union));
}

TEST(MeanPool, AnObservationIsExchanged) {
  const std::shared_ptr<const Pool> pool = mean_pool();
  const torch::Tensor e = embeddings(8, 3);
  torch::Tensor state = pool->prefixes(e.narrow(0, 0, 7))[6].clone();
  pool->exchange(state.mutable_data_ptr<double>(), e[7].const_data_ptr<float>(), e[2].const_data_ptr<float>(), 3);
  const torch::Tensor others = at::cat({e.narrow(0, 0, 2), e.narrow(0, 3, 5)});
  EXPECT_TRUE(at::allclose(state, pool->prefixes(others)[6], 1e-12, 1e-12));
}

// Sizes as one number and as a tensor, and the gradient of the aggregate by autograd.
TEST(MeanPool, SlopeIsTheGradientOfForward) {
  const std::shared_ptr<const Pool> pool = mean_pool();
  const torch::Tensor e = embeddings(9, 4).requires_grad_(true), weight = embeddings(2, 4);
  const torch::Tensor offsets = torch::tensor({0, 3, 9}, torch::kInt64);
  (pool->forward(e, offsets) * weight).sum().backward();
  const torch::Tensor slope = pool->slope(weight, torch::tensor({3.f, 6.f}).unsqueeze(1));
  EXPECT_TRUE(at::allclose(e.grad()[1], slope[0], 1e-6, 1e-7));
  EXPECT_TRUE(at::allclose(e.grad()[5], slope[1], 1e-6, 1e-7));
  const torch::Tensor states = pool->accumulate(e.detach(), offsets);
  const torch::Tensor n = torch::tensor({3., 6.}, torch::kFloat64).unsqueeze(1);
  EXPECT_TRUE(at::equal(pool->finish(states, n)[1], pool->finish(states[1], 6)));
}

// The covariance of means of n draws, between sets that differ and within them.
TEST(MeanPool, SpreadIsThatOfAggregates) {
  const std::shared_ptr<const Pool> pool = mean_pool();
  const torch::Tensor between = torch::tensor({2., .5}, torch::kFloat64),
                      within = torch::tensor({4., 9.}, torch::kFloat64);
  EXPECT_TRUE(at::allclose(pool->spread(between, within, 10), torch::tensor({2.4, 1.4}, torch::kFloat64)));
  EXPECT_TRUE(at::equal(pool->spread(between, within, torch::tensor({{10.}}, torch::kFloat64))[0],
                        pool->spread(between, within, 10)));
}

}  // namespace
}  // namespace pairs
