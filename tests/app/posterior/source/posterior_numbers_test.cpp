// Grids that fit posteriors, axes that stand still, and sets that are embedded: the parts of a set's posterior.
#include "app/posterior/source/posterior_numbers.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <algorithm>
#include <cmath>

#include "app/posterior/plots/posterior_axes.h"
#include "app/posterior/set/embedded_set.h"
#include "core/aggregate.h"
#include "core/base/numbers/random.h"
#include "core/base/text/error.h"
#include "core/periodic.h"
#include "tasks/registry.h"
#include "tests/aggregate_observed.h"
#include "tests/core/train/toy_task.h"

namespace pairs {
namespace {

torch::Tensor vector_of(const std::vector<double>& values) {
  return torch::tensor(values, torch::kFloat64);
}

PosteriorSource normal_source(const std::string& name, double mean, double sd, bool ours = true) {
  PosteriorSource source;
  source.name = name;
  source.ours = ours;
  source.role = ours ? SeriesRole::pairs : name == "exact" ? SeriesRole::exact : SeriesRole::naive;
  source.log_density = [mean, sd](const torch::Tensor& theta) {
    const torch::Tensor z = (theta.select(1, 0) - mean) / sd;
    return -0.5 * z.square() - std::log(sd) - 0.5 * std::log(2 * M_PI);
  };
  source.sample = [mean, sd](std::int64_t count, std::uint64_t) {
    return mean + sd * torch::randn({count, 1}, torch::kFloat64);
  };
  if (!ours) {
    source.mean = vector_of({mean});
    source.sd = vector_of({sd});
  }
  return source;
}

std::vector<Target> one_target(double low, double high) {
  return {{"theta", "θ", "", low, high, 0, 1, 1, -3, 3}};
}

// Peaks of sd 0.8 on a circle of 24, at these places with equal mass.
PosteriorSource peaks_around(const std::string& name, const std::vector<double>& places, bool ours = true) {
  constexpr double kSd = 0.8;
  PosteriorSource source;
  source.name = name;
  source.ours = ours;
  source.role = ours ? SeriesRole::pairs : SeriesRole::exact;
  source.log_density = [places](const torch::Tensor& theta) {
    torch::Tensor sum = torch::zeros({theta.size(0)}, torch::kFloat64);
    for (const double place : places)
      sum += (-0.5 * (wrapped(theta.select(1, 0) - place, -12, 24) / kSd).square()).exp();
    return (sum / (static_cast<double>(places.size()) * kSd * std::sqrt(2 * M_PI))).log();
  };
  source.sample = [places](std::int64_t count, std::uint64_t seed) {
    Stream stream(seed, 0);
    torch::Tensor out = torch::empty({count, 1}, torch::kFloat64);
    for (std::int64_t k = 0; k < count; ++k)
      out[k][0] = wrapped(places[stream.below(places.size())] + kSd * stream.normal64(), 0, 24);
    return out;
  };
  if (!ours) {  // of values that were cut open elsewhere
    source.mean = vector_of({places.front() - 24});
    source.sd = vector_of({7});
  }
  return source;
}

// No peak on a circle is cut, wherever it lies, and the numbers of a posterior do not depend on those beside it.
TEST(PosteriorNumbers, GoAroundACircle) {
  std::vector<Target> targets = one_target(0, 24);
  targets[0].periodic = true;
  struct Case {
    std::vector<double> places;
    double width;  // of the central 90 %
  };
  for (const auto& [places, width] :
       {Case{{0.05}, 2.63}, Case{{23.9}, 2.63}, Case{{12.03, 0.03}, 14.05}, Case{{5, 8}, 5}}) {
    const PosteriorSource ours = peaks_around("ours", places);
    const TargetNumbers alone = posterior_numbers(targets, true, {ours}).front().targets[0];
    EXPECT_NEAR(alone.width(), width, 0.35) << places.front();
    EXPECT_GE(alone.mean, 0);
    EXPECT_LT(alone.mean, 24);
    EXPECT_GT(alone.mean, alone.quantiles.front());
    EXPECT_LT(alone.mean, alone.quantiles.back());
    for (const double other : {2.0, 11.0, 20.0}) {
      const std::vector<PosteriorNumbers> both =
          posterior_numbers(targets, true, {ours, peaks_around("exact", {other, other + 9}, false)});
      ASSERT_EQ(both.size(), 2u);
      const TargetNumbers& now = both[0].targets[0];
      EXPECT_NEAR(std::remainder(now.mean - alone.mean, 24), 0, 1e-6) << places.front() << " beside " << other;
      EXPECT_NEAR(now.sd, alone.sd, 1e-6);
      EXPECT_NEAR(now.mean - now.quantiles[0], alone.mean - alone.quantiles[0], 1e-6);
      const TargetNumbers& exact = both[1].targets[0];
      EXPECT_GT(exact.mean, exact.quantiles.front()) << "its own mean, not one that was cut open elsewhere";
      EXPECT_LT(exact.mean, exact.quantiles.back());
    }
  }
}

// Normals: quantiles mean + {1.645, 0.674, ...} sd, KL in closed form, at widths from the prior's to a millionth.
TEST(PosteriorNumbers, FindNarrowPosteriorsAndReadTheirNumbers) {
  const double inf = INFINITY;
  for (const double sd : {2.0, 0.1, 1e-3, 1e-6})
    for (const double mean : {0.0, 1.7, -40.0}) {
      const std::vector<PosteriorSource> sources = {normal_source("ours", mean + 0.3 * sd, 1.2 * sd),
                                                    normal_source("exact", mean, sd, false),
                                                    normal_source("naive", mean + sd, 0.01 * sd, false)};
      const auto numbers = posterior_numbers(one_target(-inf, inf), false, sources);
      ASSERT_EQ(numbers.size(), 3u) << sd << " " << mean;
      const auto& ours = numbers[0].targets[0];
      EXPECT_NEAR(ours.mean, mean + 0.3 * sd, 1e-3 * sd);
      EXPECT_NEAR(ours.sd, 1.2 * sd, 1e-3 * sd);
      const double z[5] = {-1.6448536, -0.6744898, 0, 0.6744898, 1.6448536};
      for (int q = 0; q < 5; ++q) EXPECT_NEAR(ours.quantiles[q], mean + 0.3 * sd + z[q] * 1.2 * sd, 3e-3 * sd);
      const double kl = std::log(1.2) + (1 + 0.09) / (2 * 1.44) - 0.5;
      EXPECT_NEAR(numbers[0].kl, kl, 1e-4);
      EXPECT_TRUE(std::isnan(numbers[1].kl));
      EXPECT_NEAR(numbers[2].targets[0].quantiles[4], mean + sd + 1.6448536 * 0.01 * sd, 3e-5 * sd);
    }
}

TEST(PosteriorNumbers, FollowAPosteriorThatMoves) {
  for (int n = 1; n < 1000000; n *= 3) {
    const double sd = 1 / std::sqrt(n);
    const auto numbers = posterior_numbers(one_target(-INFINITY, INFINITY), false, {normal_source("ours", 5 * sd, sd)});
    ASSERT_EQ(numbers.size(), 1u);
    EXPECT_NEAR(numbers[0].targets[0].sd, sd, 1e-3 * sd) << n;
  }
  const auto back = posterior_numbers(one_target(-INFINITY, INFINITY), false, {normal_source("ours", -100, 1)});
  EXPECT_NEAR(back.at(0).targets[0].mean, -100, 1e-3);
}

TEST(PosteriorNumbers, KeepToTheTargetsRange) {
  PosteriorSource uniform = normal_source("ours", 0, 1);
  uniform.log_density = [](const torch::Tensor& theta) { return torch::zeros({theta.size(0)}, torch::kFloat64); };
  const auto numbers = posterior_numbers(one_target(0, 1), true, {uniform});
  EXPECT_NEAR(numbers.at(0).targets[0].sd, 1 / std::sqrt(12.0), 1e-5);
  EXPECT_NEAR(numbers.at(0).targets[0].quantiles[1], 0.25, 1e-9);
}

// A narrow posterior, drawn with a wide one, may lie between two grid points: its numbers are right, or it is left out
// and named.
TEST(PosteriorNumbers, GiveNoFalseNumbersOfASpikeBesideAWideOne) {
  int right = 0, named = 0;
  for (const double mean : {0.31234, 0.99995})
    for (const double sd : {1e-2, 1e-3, 3e-4, 1e-4, 8e-5, 1e-5, 1e-7}) {
      std::string problem;
      const auto numbers = posterior_numbers(one_target(0, 1), true,
                                             {normal_source("ours", mean, sd), normal_source("exact", 0.6, 0.2, false)},
                                             [&](const std::string& text) { problem += text; });
      const auto ours = std::find_if(numbers.begin(), numbers.end(), [](const auto& one) { return one.ours; });
      if (ours == numbers.end()) {
        EXPECT_THAT(problem, ::testing::HasSubstr("ours is left out")) << mean << " " << sd;
        ++named;
      } else if (mean < 0.9) {  // the other is cut off by the range
        EXPECT_NEAR(ours->targets[0].sd, sd, 0.3 * sd) << mean << " " << sd;
        EXPECT_NEAR(ours->targets[0].mean, mean, sd) << mean << " " << sd;
        ++right;
      }
    }
  EXPECT_GE(right, 2);
  EXPECT_GE(named, 2);
}

// The reason why a posterior is not drawn is correct: one that lies elsewhere, or far beyond, is not called narrow.
TEST(PosteriorNumbers, SayWhyAPosteriorIsLeftOut) {
  const auto why = [](double mean, double sd, std::vector<PosteriorSource> extra = {}) {
    std::string heard;
    std::vector<PosteriorSource> sources = {normal_source("ours", mean, sd)};
    sources.insert(sources.end(), extra.begin(), extra.end());
    (void)posterior_numbers(one_target(0, 1), true, sources, [&](const std::string& text) { heard += text; });
    return heard;
  };
  const char* const elsewhere = "ours is left out: the plot does not hold all of it";
  EXPECT_EQ(why(60, 0.5), "ours is left out: it has no density here");
  EXPECT_EQ(why(60, 0.5, {normal_source("exact", 0.5, 1e-3, false)}), elsewhere);
  EXPECT_EQ(why(0.5, 50), elsewhere) << "far too wide";
  EXPECT_EQ(why(0.5, 50, {normal_source("exact", 0.5, 1e-3, false)}), elsewhere);
  PosteriorSource half = normal_source("ours", 0.5, 0.05);
  half.log_density = [whole = half.log_density](const torch::Tensor& theta) { return whole(theta) - std::log(2); };
  std::string heard;
  (void)posterior_numbers(one_target(0, 1), true, {half}, [&](const std::string& text) { heard = text; });
  EXPECT_EQ(heard, "ours is left out: its density does not sum to one on the plot");
}

TEST(PosteriorNumbers, LeaveOutWhatFails) {
  PosteriorSource broken = normal_source("broken", 0, 1);
  broken.log_density = [](const torch::Tensor&) -> torch::Tensor { fail("no density today"); };
  std::string heard;
  const auto numbers = posterior_numbers(one_target(0, 1), true, {normal_source("ours", 0.5, 0.1), broken},
                                         [&](const std::string& text) { heard = text; });
  ASSERT_EQ(numbers.size(), 1u);
  EXPECT_EQ(numbers[0].name, "ours");
  EXPECT_NE(heard.find("no density today"), std::string::npos);
}

// The exact posterior of the bivariate Gaussian is a t in closed form: the plane's grid against its own moments.
TEST(PosteriorNumbers, TwoTargetsAgreeWithTheClosedForm) {
  const auto task = built_in_tasks()->make("gaussian");
  const std::int64_t index[] = {4};
  const Latents latents = task->latents(1, Purpose::explore, index);
  for (const std::int64_t n : {5, 60, 3000}) {
    const SetRange range[] = {{4, 0, n}};
    const std::shared_ptr<ReferencePosterior> reference = task->reference("exact");
    reference->add(task->observe(latents, 1, Purpose::explore, range, torch::kCPU));
    PosteriorSource source;
    source.name = "as if ours";
    source.ours = true;
    source.log_density = [reference](const torch::Tensor& theta) { return reference->log_density(theta); };
    source.sample = [reference](std::int64_t count, std::uint64_t) {
      Stream stream(3, 1);
      return reference->sample(count, stream);
    };
    const auto numbers = posterior_numbers(task->info().targets, false, {source});
    ASSERT_EQ(numbers.size(), 1u);
    Stream stream(7, 1);
    const torch::Tensor draws = reference->sample(200000, stream);
    for (std::int64_t t = 0; t < 2; ++t) {
      const auto& got = numbers[0].targets[static_cast<std::size_t>(t)];
      const double mean = reference->mean()[t].item<double>(),
                   sd = std::sqrt(reference->covariance()[t][t].item<double>());
      EXPECT_NEAR(got.mean, mean, 0.01 * sd) << n;
      EXPECT_NEAR(got.sd, sd, (n < 10 ? 0.06 : 0.01) * sd) << n;
      const torch::Tensor sampled =
          torch::quantile(draws.select(1, t).slice(0, 0, 100000), vector_of({0.05, 0.25, 0.5, 0.75, 0.95}));
      for (int q = 0; q < 5; ++q) EXPECT_NEAR(got.quantiles[q], sampled[q].item<double>(), 0.02 * sd) << n << " " << q;
    }
    double mass = 0;
    for (const double p : numbers[0].joint) mass += p * numbers[0].cells[0].width() * numbers[0].cells[1].width();
    EXPECT_NEAR(mass, 1, 2e-3);
  }
}

TEST(PosteriorNumbers, MoreTargetsAreSampled) {
  std::vector<Target> targets;
  for (int t = 0; t < 3; ++t) targets.push_back(one_target(-INFINITY, INFINITY)[0]);
  PosteriorSource source = normal_source("ours", 0, 1);
  source.sample = [](std::int64_t count, std::uint64_t) {
    torch::manual_seed(1);
    return torch::randn({count, 3}, torch::kFloat64) * vector_of({1, 2, 3}) + 1;
  };
  const auto numbers = posterior_numbers(targets, false, {source});
  ASSERT_EQ(numbers.at(0).targets.size(), 3u);
  EXPECT_NEAR(numbers[0].targets[2].sd, 3, 0.15);
  EXPECT_NEAR(numbers[0].targets[1].mean, 1, 0.15);
  double mass = 0;
  for (const double p : numbers[0].marginals[1]) mass += p * numbers[0].cells[1].width();
  EXPECT_NEAR(mass, 1, 1e-2);
}

TEST(EmbeddedSet, AggregatesAnyPrefix) {
  EstimatorConfig config = toy_estimator();
  const auto estimator = std::make_shared<Estimator>(std::make_shared<ToyTask>(), config, 1);
  estimator->train(false);
  const torch::Tensor x = torch::randn({700, 1});
  EmbeddedSet every(estimator, 700), some(estimator, 1 << 24), few(estimator, std::int64_t{1} << 36);
  EXPECT_EQ(every.stride(), 1);
  EXPECT_GT(some.stride(), 8);
  const std::int64_t block = embedding_block(estimator->task().info());
  EXPECT_EQ(block, 256);
  EXPECT_EQ(every.block_end(1), 256);
  EXPECT_EQ(every.block_end(600), 700);
  EXPECT_THROW(every.add(x.slice(0, 0, 60)), Error) << "blocks are whole";
  every.add(x);
  some.add(x.slice(0, 0, 512));
  EXPECT_EQ(some.stride(), block);
  few.add(x.slice(0, 0, 512));
  EXPECT_GT(few.stride(), 512) << "memory is bounded";
  EXPECT_EQ(few.stride() % block, 0);
  for (const std::int64_t n : {1, 2, 31, 32, 33, 60, 64, 65, 255, 256, 257, 511, 512}) {
    const torch::Tensor want = aggregate_observed(*estimator, x.slice(0, 0, n));
    EXPECT_LT((every.aggregate(n, x) - want).abs().max().item<double>(), 1e-6) << n;
    EXPECT_TRUE(torch::equal(some.aggregate(n, x), every.aggregate(n, x))) << n << ": the same to the bit";
    EXPECT_TRUE(torch::equal(few.aggregate(n, x), every.aggregate(n, x))) << n << ": and of few sums";
  }
  EXPECT_THROW(every.aggregate(701, x), Error);
  EXPECT_THROW(every.add(x.slice(0, 0, 1)), Error);
}

// A two-dimensional posterior that is far narrower than the others in its plot is right, or left out and named.
TEST(PosteriorNumbers, GiveNoFalseNumbersOfASpikeInThePlane) {
  const auto plane = [](const std::string& name, double mean, double sd, bool ours) {
    PosteriorSource source = normal_source(name, mean, sd, ours);
    source.log_density = [mean, sd](const torch::Tensor& theta) {
      return -0.5 * ((theta - mean) / sd).square().sum(1) - 2 * std::log(sd) - std::log(2 * M_PI);
    };
    source.sample = [mean, sd](std::int64_t count, std::uint64_t) {
      torch::manual_seed(1);
      return mean + sd * torch::randn({count, 2}, torch::kFloat64);
    };
    if (!ours) {
      source.mean = vector_of({mean, mean});
      source.sd = vector_of({sd, sd});
    }
    return source;
  };
  std::vector<Target> targets = {one_target(-INFINITY, INFINITY)[0], one_target(-INFINITY, INFINITY)[0]};
  int right = 0, named = 0;
  for (const double sd : {0.5, 0.1, 0.05, 0.02, 0.01, 1e-3, 1e-5}) {
    std::string problem;
    const auto numbers =
        posterior_numbers(targets, false, {plane("ours", 0.3123, sd, true), plane("exact", 0, 1, false)},
                          [&](const std::string& text) { problem += text; });
    ASSERT_TRUE(find_role(numbers, SeriesRole::exact)) << sd;
    const PosteriorNumbers* ours = find_role(numbers, SeriesRole::pairs);
    if (!ours) {
      EXPECT_THAT(problem, ::testing::HasSubstr("ours is left out: it is narrower")) << sd;
      ++named;
      continue;
    }
    for (const TargetNumbers& target : ours->targets) {
      EXPECT_NEAR(target.sd, sd, 0.3 * sd);
      EXPECT_NEAR(target.mean, 0.3123, sd);
    }
    ++right;
  }
  EXPECT_GE(right, 2);
  EXPECT_GE(named, 2);
}

// A two-dimensional grid must not cut off heavy tails, here those of Student's t with two degrees of freedom.
TEST(PosteriorNumbers, HoldHeavyTailsOfThePlane) {
  PosteriorSource source;
  source.name = "ours";
  source.ours = true;
  source.log_density = [](const torch::Tensor& theta) {
    return -2 * (1 + theta.square().sum(1) / 2).log() - std::log(2 * M_PI);
  };
  source.sample = [](std::int64_t count, std::uint64_t) {
    torch::manual_seed(2);
    const torch::Tensor chi = torch::randn({count, 2}, torch::kFloat64).square().sum(1, true);
    return torch::randn({count, 2}, torch::kFloat64) / (chi / 2).sqrt();
  };
  std::vector<Target> targets = {one_target(-INFINITY, INFINITY)[0], one_target(-INFINITY, INFINITY)[0]};
  const auto numbers = posterior_numbers(targets, false, {source});
  ASSERT_EQ(numbers.size(), 1u);
  double mass = 0;
  for (const double p : numbers[0].joint) mass += p * numbers[0].cells[0].width() * numbers[0].cells[1].width();
  EXPECT_NEAR(mass, 1, 0.02);
  EXPECT_NEAR(numbers[0].targets[0].quantiles[4], 2.92, 0.1);
}

AxisNeed need_of(double low, double high) {
  TargetNumbers numbers;
  const double third = (high - low) / 3;
  numbers.quantiles = {low, low + third, (low + high) / 2, high - third, high};
  AxisNeed need;
  need.include(numbers, {low - 9, high + 9, 10}, {-INFINITY, INFINITY});
  return need;
}

TEST(StableRange, StandsStillUntilItMustNot) {
  StableRange range({-10, 10});
  EXPECT_EQ(range.update(need_of(-4, 5)), AxisRange(-10, 10));
  const AxisRange narrow = range.update(need_of(0.9, 2.1));
  EXPECT_LT(narrow.second - narrow.first, 4);
  EXPECT_LE(narrow.first, 0.9);
  EXPECT_GE(narrow.second, 2.1);
  for (double shift = 0; shift < 0.3; shift += 0.01) EXPECT_EQ(range.update(need_of(1.0 + shift, 1.9 + shift)), narrow);
  const AxisRange moved = range.update(need_of(4, 5));
  EXPECT_LE(moved.first, 4);
  EXPECT_GE(moved.second, 5);
  EXPECT_EQ(range.update(need_of(-5, 5)), AxisRange(-10, 10));
  EXPECT_LE(range.update(need_of(-30, 9)).first, -30);
}

// Axes fit what they show: posteriors fill them, and no round number leads beyond the prior's end.
TEST(StableAxes, FitThePosteriorAndThePriorsSupport) {
  const std::vector<Target> digits = {{"theta", "θ", "", 0.0, 9.0, 4.5, 2.6, 9.0, 0.0, 9.0}};
  for (const double mean : {0.4, 3.0, 6.7, 8.9})
    for (const double sd : {1.2, 0.85, 0.3, 0.02}) {
      const auto numbers = posterior_numbers(digits, false, {normal_source("ours", mean, sd)});
      ASSERT_EQ(numbers.size(), 1u);
      const auto [low, high] = StableAxes(digits).update(numbers, {mean}).ranges.at(0);
      const auto& q = numbers[0].targets[0].quantiles;
      EXPECT_LE(low, std::max(q[0], 0.0)) << mean << " " << sd;
      EXPECT_GE(high, std::min(q[4], 9.0)) << mean << " " << sd;
      EXPECT_GE(low, std::min(0.0, q[0] - 0.3 * (q[4] - q[0]))) << mean << " " << sd;
      EXPECT_LE(high, std::max(9.0, q[4] + 0.3 * (q[4] - q[0]))) << mean << " " << sd;
      EXPECT_LT(high - low, 3.4 * (q[4] - q[0])) << mean << " " << sd;
    }
}

TEST(StableAxes, ShowTheTruthWhereverItLies) {
  const auto targets = one_target(-INFINITY, INFINITY);
  const auto numbers = posterior_numbers(targets, false, {normal_source("ours", 0, 0.1)});
  const AxisRange range = StableAxes(targets).update(numbers, {1.2}).ranges.at(0);
  EXPECT_GT(range.second, 1.2);
  EXPECT_LT(range.second, 1.5);
}

}  // namespace
}  // namespace pairs
