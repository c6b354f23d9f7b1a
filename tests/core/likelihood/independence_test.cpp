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

// Sets of ToyTask as if they were stored: `groups` parameters with `repeats` sets of 2 to `n` observations each, and as
// many sets with parameters of their own.
LikelihoodDraws stored_draws(const Task& task, std::int64_t groups, std::int64_t repeats, std::int64_t n) {
  std::vector<torch::Tensor> x, parameters;
  std::vector<std::int64_t> counts;
  for (std::int64_t g = 0; g < 2 * groups; ++g) {
    const std::int64_t index[] = {g};
    const Latents one = task.latents(5, Purpose::pretrain, index);
    for (std::int64_t k = 0; k < (g < groups ? repeats : 1); ++k) {
      const SetRange range[] = {{1000 * (k + 1) + g, 0, n - (k % (n - 1))}};
      counts.push_back(range[0].count);
      x.push_back(task.observe(one, 5, Purpose::pretrain, range, torch::kCPU).block());
      parameters.push_back(at::cat({one.theta, one.psi}, 1));
    }
  }
  LikelihoodDraws out;
  out.x = at::cat(x).flatten(1).to(torch::kFloat32);
  out.prior_parameters = at::cat(parameters);
  const torch::Tensor times = torch::tensor(counts, torch::kInt64);
  out.parameters = out.prior_parameters.repeat_interleave(times, 0);
  out.set = at::arange(times.numel(), torch::kInt64).repeat_interleave(times, 0);
  return out;
}

TEST(RepeatedSets, AreThoseWithTheSameParameters) {
  const ToyTask task;
  const LikelihoodDraws draws = stored_draws(task, 10, 3, 20);
  const std::vector<RepeatedSets> groups = repeated_sets(draws, 100);
  ASSERT_EQ(groups.size(), 10u);
  for (const RepeatedSets& group : groups) {
    EXPECT_EQ(group.x.size(0), 3);
    EXPECT_EQ(group.x.size(1), 18) << "the smallest of the group has so many";
    // The first set's observations are those of the draws with these parameters.
    const torch::Tensor rows = (draws.parameters == group.parameters).all(1).nonzero().select(1, 0);
    EXPECT_TRUE(at::equal(group.x[0], draws.x.index_select(0, rows.slice(0, 0, 18))));
  }
  EXPECT_EQ(repeated_sets(draws, 4).size(), 4u);
}

// The shift of a set is found among stored sets, in any order of their observations; sorted sets are no dependence.
TEST(RepeatedSets, ShowWhetherObservationsAreIndependent) {
  const auto tested = [](const Task& task, std::int64_t groups, bool ordered, std::uint64_t seed) {
    const LearnedLikelihood likelihood(task, small_networks(), 1);
    return test_independence(likelihood, task.info(), repeated_sets(stored_draws(task, groups, 4, 20), 400), ordered,
                             seed);
  };
  const ChangedToy shifted([](Stream& stream, torch::Tensor x) { x += 0.5 * stream.normal64(); });
  const ChangedToy sorted([](Stream&, torch::Tensor x) { x.copy_(std::get<0>(x.sort())); });
  EXPECT_TRUE(tested(shifted, 40, true, 1).rejected());
  EXPECT_TRUE(tested(shifted, 40, false, 1).rejected());
  EXPECT_THAT(tested(shifted, 40, false, 1).text(), HasSubstr("over N = 17"));
  EXPECT_EQ(tested(shifted, 40, true, 1).n, 17);
  EXPECT_EQ(tested(shifted, 7, true, 1).groups, 0) << "too few are not tested";
  int rejected = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    rejected += tested(ToyTask(), 20, true, seed).rejected();
    rejected += tested(sorted, 20, false, seed).rejected();
  }
  EXPECT_EQ(rejected, 0);
}

}  // namespace
}  // namespace pairs
