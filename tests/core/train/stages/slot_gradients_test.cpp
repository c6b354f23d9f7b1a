#include "core/train/stages/slot_gradients.h"

#include <ATen/Functions.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/text/error.h"
#include "core/train/stages/set_gradients.h"
#include "tests/core/train/test_monitor.h"
#include "tests/core/train/toy_task.h"

namespace pairs {
namespace {

std::map<std::string, torch::Tensor> all_parameters(Estimator& estimator) {
  std::map<std::string, torch::Tensor> all = estimator.embedder_parameters();
  all.merge(estimator.head_parameters());
  return all;
}

// Loss and gradients of a step of 50 sets, with so many slots.
std::pair<double, torch::Tensor> step_with(std::int64_t slots) {
  const auto task = std::make_shared<ToyTask>();
  Estimator estimator(task, toy_estimator(), 1);
  estimator.train(true);
  const SetSource source(task, 1, {1, 2}, 0, 100);
  const auto parameters = all_parameters(estimator);
  TestMonitor monitor;
  SlotGradients sum(parameters, slots, monitor);
  const torch::Tensor loss = sum.gradients(50, 7, [&](const RowRange& rows, std::uint64_t key) {
    const SetBatch batch = source.training(1, 100, 50, 1000, torch::kCPU, SetSource::kAll, rows);
    return set_gradients(estimator, source, batch, key, SetSource::kAll, {});
  });
  std::vector<torch::Tensor> gradients;
  for (const auto& [name, tensor] : parameters) {
    EXPECT_EQ(tensor.grad().sizes(), tensor.sizes());
    gradients.push_back(tensor.grad().flatten());
  }
  return {loss.item<double>(), at::cat(gradients).to(torch::kFloat64)};
}

TEST(SlotGradients, AreTheWholeBatchsToRounding) {
  const auto [whole_loss, whole] = step_with(0);
  for (const std::int64_t slots : {1, 2, 8, 32}) {
    const auto [loss, gradient] = step_with(slots);
    EXPECT_NEAR(loss, whole_loss, 1e-6) << slots << " slots of unequal parts of 50 sets";
    EXPECT_LT((gradient - whole).abs().max().item<double>(), 1e-6 + 1e-5 * whole.abs().max().item<double>());
    EXPECT_TRUE(gradient.equal(step_with(slots).second)) << "repeatable";
  }
}

TEST(SlotGradients, RowsOfABatchAreThoseOfTheWhole) {
  const auto task = std::make_shared<ToyTask>();
  const SetSource source(task, 3, {1, 2, 5}, 60, 0);
  const SetBatch whole = source.training(2, 30, 15, 45, torch::kCPU),
                 part = source.training(2, 30, 15, 45, torch::kCPU, SetSource::kAll, {4, 9});
  EXPECT_TRUE(part.theta.equal(whole.theta.slice(0, 4, 9)));
  EXPECT_TRUE(part.n.equal(whole.n.slice(0, 4, 9)));
  const auto offset = [&](std::int64_t row) { return whole.offsets[row].item<std::int64_t>(); };
  EXPECT_TRUE(part.x.block().equal(whole.x.block().slice(0, offset(4), offset(9))));
}

TEST(SlotGradients, EverySlotDrawsByItself) {
  torch::Tensor weight = torch::zeros({1}, torch::requires_grad());
  TestMonitor monitor;
  SlotGradients sum({{"w", weight}}, 4, monitor);
  std::vector<std::uint64_t> keys;
  std::vector<std::int64_t> edges;
  sum.gradients(10, 5, [&](const RowRange& rows, std::uint64_t key) {
    keys.push_back(key);
    edges.push_back(rows.last);
    const torch::Tensor loss = weight.sum();
    loss.backward();
    return loss.detach();
  });
  EXPECT_THAT(keys, testing::ElementsAre(slot_key(5, 0), slot_key(5, 1), slot_key(5, 2), slot_key(5, 3)));
  EXPECT_THAT(edges, testing::ElementsAre(2, 5, 7, 10));
  EXPECT_EQ(std::set<std::uint64_t>(keys.begin(), keys.end()).size(), 4u);
  EXPECT_NE(slot_key(5, 0), slot_key(6, 0));
  EXPECT_EQ(weight.grad().item<float>(), 1);
}

TEST(SlotGradients, AWeightThatNoLossDependsOnHasNoGradient) {
  torch::Tensor weight = torch::zeros({2}, torch::requires_grad()), idle = torch::zeros({3}, torch::requires_grad());
  TestMonitor monitor;
  SlotGradients sum({{"a", idle}, {"w", weight}}, 2, monitor);
  sum.gradients(4, 5, [&](const RowRange&, std::uint64_t) {
    const torch::Tensor loss = weight.sum();
    loss.backward();
    return loss.detach();
  });
  EXPECT_FALSE(idle.grad().defined());
  EXPECT_TRUE(weight.grad().equal(at::ones({2})));
  EXPECT_THROW(sum.gradients(1, 5, {}), Error) << "more slots than sets";
}

}  // namespace
}  // namespace pairs
