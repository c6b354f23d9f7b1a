#include "core/train/settings/source.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/rot90.h>
#include <gmock/gmock.h>

#include <map>
#include <set>

#include "core/base/text/error.h"
#include "tests/core/base/message.h"
#include "tests/core/train/toy_task.h"

namespace pairs {
namespace {

TEST(StratifiedSizes, EachSizeEquallyOftenAndTheRemainderRotates) {
  const std::vector<std::int64_t> sizes = {1, 2, 3};
  std::map<std::int64_t, int> total;
  for (std::uint64_t batch = 0; batch < 30; ++batch) {
    std::map<std::int64_t, int> count;
    for (std::int64_t n : stratified_sizes(sizes, 20, 5, batch)) ++count[n], ++total[n];
    for (std::int64_t n : sizes) {
      EXPECT_GE(count[n], 6);
      EXPECT_LE(count[n], 7);
    }
  }
  for (std::int64_t n : sizes) EXPECT_EQ(total[n], 200);
  EXPECT_EQ(stratified_sizes(sizes, 20, 5, 3), stratified_sizes(sizes, 20, 5, 3));
  EXPECT_NE(stratified_sizes(sizes, 20, 5, 3), stratified_sizes(sizes, 20, 5, 4));
}

TEST(SetSource, SetsThatComeAgainAreVisitedOnceAPassAndNeverMeetValidation) {
  const SetSource source(std::make_shared<ToyTask>(), 3, {1, 2}, 100, 0);
  EXPECT_EQ(source.training_sets(), 80);
  EXPECT_EQ(source.validation_sets(), 20);
  std::set<double> validation;
  const SetBatch held_out = source.validation(0, 20, torch::kCPU);
  for (std::int64_t i = 0; i < 20; ++i) validation.insert(held_out.theta[i][0].item<double>());
  for (std::int64_t epoch = 0; epoch < 2; ++epoch) {
    std::set<double> seen;
    for (std::int64_t at = 0; at < 80; at += 16) {
      const SetBatch batch = source.training(epoch, at, 16, 80, torch::kCPU);
      for (std::int64_t i = 0; i < 16; ++i) seen.insert(batch.theta[i][0].item<double>());
      EXPECT_EQ(batch.offsets[16].item<std::int64_t>(), batch.x.block().size(0));
      EXPECT_EQ(batch.n.sum().item<std::int64_t>(), batch.x.block().size(0));
    }
    EXPECT_EQ(seen.size(), 80u);
    for (double theta : validation) EXPECT_FALSE(seen.contains(theta));
  }
}

// However many steps stand between two validations: five passes in epochs of 25 of 80 sets.
TEST(SetSource, PassesDoNotDependOnEpochs) {
  const SetSource source(std::make_shared<ToyTask>(), 3, {1, 2}, 100, 0);
  std::vector<double> visited;
  for (std::int64_t epoch = 0; epoch < 16; ++epoch) {
    const SetBatch batch = source.training(epoch, 0, 25, 25, torch::kCPU);
    for (std::int64_t i = 0; i < 25; ++i) visited.push_back(batch.theta[i][0].item<double>());
  }
  std::vector<std::vector<double>> passes;
  for (auto at = visited.begin(); at != visited.end(); at += 80) {
    passes.emplace_back(at, at + 80);
    EXPECT_EQ(std::set<double>(at, at + 80).size(), 80u);
  }
  EXPECT_EQ(passes.size(), 5u);
  EXPECT_NE(passes[0], passes[1]) << "each pass has an order of its own";
}

TEST(SetSource, UnlimitedSetsNeverRepeatAndDependOnPositionAlone) {
  const SetSource source(std::make_shared<ToyTask>(), 3, {1, 2}, 0, 10);
  std::set<double> seen;
  for (std::int64_t epoch = 0; epoch < 3; ++epoch)
    for (std::int64_t at = 0; at < 64; at += 32) {
      const SetBatch batch = source.training(epoch, at, 32, 64, torch::kCPU);
      for (std::int64_t i = 0; i < 32; ++i) EXPECT_TRUE(seen.insert(batch.theta[i][0].item<double>()).second);
      EXPECT_TRUE(batch.x.block().equal(source.training(epoch, at, 32, 64, torch::kCPU).x));
    }
}

TEST(SetSource, ASmallerVisitIsAPrefixOfALargerOne) {
  const auto task = std::make_shared<ToyTask>();
  const SetSource ones(task, 3, {1}, 0, 10), fives(task, 3, {5}, 0, 10);
  const SetBatch small = ones.training(0, 0, 8, 8, torch::kCPU), large = fives.training(0, 0, 8, 8, torch::kCPU);
  for (std::int64_t i = 0; i < 8; ++i)
    EXPECT_EQ(small.x.block()[i].item<float>(), large.x.block()[5 * i].item<float>());
}

TEST(Turned, RefusesWhatIsNoSquareImage) {
  EXPECT_THROW(rotated(torch::zeros({2, 1, 3, 4}), {0, 1}), Error);
  EXPECT_THROW(rotated(torch::zeros({2, 1, 4, 4}), {0}), Error);
  EXPECT_THROW(rotated(torch::zeros({2, 3}), {0, 1}), Error);
}

}  // namespace
}  // namespace pairs
