#include "core/likelihood/independence.h"

#include <ATen/Functions.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "tests/core/train/toy_task.h"

namespace pairs {
namespace {

using testing::HasSubstr;

// x of ToyTask, changed by what the observations of a set share or by their neighbors.
class ChangedToy : public ToyTask {
 public:
  // Adds change(stream of the set, x [n]) to each set's observations.
  using Change = std::function<void(Stream& stream, torch::Tensor x)>;
  explicit ChangedToy(Change change) : change_(std::move(change)) {}
  Observations observe(const Latents& latents, std::uint64_t seed, Purpose purpose, std::span<const SetRange> ranges,
                       const torch::Device& device) const override {
    torch::Tensor x = ToyTask::observe(latents, seed, purpose, ranges, device).block().clone();
    std::int64_t at = 0;
    for (const SetRange& range : ranges) {
      Stream stream(stream_key(seed, purpose) + 99, static_cast<std::uint64_t>(range.index));
      change_(stream, x.slice(0, at, at + range.count).squeeze(1));
      at += range.count;
    }
    return x;
  }

 private:
  Change change_;
};

LikelihoodSettings small_networks() {
  LikelihoodSettings settings;
  settings.density = {4, 16, 1};
  return settings;
}

// The test holds for any network, so that untrained ones serve.
IndependenceTest tested(const Task& task, std::uint64_t seed = 1, std::int64_t groups = 100) {
  const LearnedLikelihood likelihood(task, small_networks(), seed);
  IndependenceOptions options;
  options.groups = groups;
  options.sizes = {2, 100};
  options.seed = seed;
  return test_independence(likelihood, task, options);
}

TEST(Independence, OfIndependentObservationsIsNotRejected) {
  const ToyTask task;
  const LearnedLikelihood likelihood(task, small_networks(), 1);
  int rejected = 0;
  double least = 1, squares = 0;
  std::int64_t count = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    IndependenceOptions options;
    options.groups = 30;
    options.sizes = {2, 20};
    options.seed = seed;
    const IndependenceTest test = test_independence(likelihood, task, options);
    rejected += test.rejected();
    least = std::min(least, test.p);
    for (const IndependenceStatistic& one : test.statistics) {
      squares += one.z * one.z;
      ++count;
    }
  }
  EXPECT_LE(rejected, 1) << "of 40 at a level of 0.005; the least p is " << least;
  EXPECT_NEAR(squares / static_cast<double>(count), 1, 0.2) << "the statistics are standardized";
}

// A latent that moves all observations of a set a little: at N = 100 it is as wide as their mean.
TEST(Independence, FindsASharedShift) {
  const ChangedToy task([](Stream& stream, torch::Tensor x) { x += 0.15 * stream.normal64(); });
  const IndependenceTest test = tested(task);
  EXPECT_TRUE(test.rejected()) << test.p;
  EXPECT_THAT(test.text(), HasSubstr("N = 100"));
  EXPECT_THAT(test.text(), HasSubstr("not independent"));
}

TEST(Independence, FindsASharedWidth) {
  const ChangedToy task([](Stream& stream, torch::Tensor x) {
    const torch::Tensor mean = x.mean();
    x.copy_(mean + (x - mean) * std::exp(0.3 * stream.normal64()));
  });
  EXPECT_TRUE(tested(task).rejected());
}

// Each observation remembers the one before it.
TEST(Independence, FindsASeries) {
  const ChangedToy task([](Stream&, torch::Tensor x) {
    for (std::int64_t i = 1; i < x.size(0); ++i) x[i] = x[i] + 0.4 * x[i - 1];
  });
  EXPECT_TRUE(tested(task).rejected());
}

// A value that repeats within a set of two.
TEST(Independence, FindsRepeatedObservations) {
  const ChangedToy task([](Stream&, torch::Tensor x) {
    if (x.size(0) >= 2) x[1].copy_(x[0]);
  });
  const IndependenceTest test = tested(task);
  EXPECT_TRUE(test.rejected());
}

}  // namespace
}  // namespace pairs
