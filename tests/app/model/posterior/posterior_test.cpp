#include "app/kinds/samples_figure.h"
#include "app/model/posterior/posterior.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <thread>

#include "app/model/posterior/posterior_figures.h"
#include "app/posterior/embedded_set.h"
#include "app/posterior/grid_posterior.h"
#include "app/posterior/posterior_figure.h"
#include "core/aggregate.h"
#include "core/base/error.h"
#include "core/task_factory.h"
#include "core/train/run.h"
#include "tasks/registry.h"
#include "tests/app/model/small_run.h"
#include "tests/core/base/temporary_folder.h"
#include "tests/core/train/toy_task.h"

namespace pairs::model {
namespace {

constexpr double kPosteriorPatience = 60;

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
  source.sample = [mean, sd](std::int64_t count) { return mean + sd * torch::randn({count, 1}, torch::kFloat64); };
  if (!ours) {
    source.mean = vector_of({mean});
    source.sd = vector_of({sd});
  }
  return source;
}

std::vector<Target> one_target(double low, double high) {
  return {{"theta", "θ", "", low, high, 0, 1, 1, -3, 3}};
}

// Normals: quantiles mean + {1.645, 0.674, ...} sd, KL in closed form, at widths from the prior's to a millionth.
TEST(GridPosteriors, FindNarrowPosteriorsAndReadTheirNumbers) {
  const double inf = INFINITY;
  for (const double sd : {2.0, 0.1, 1e-3, 1e-6})
    for (const double mean : {0.0, 1.7, -40.0}) {
      GridPosteriors grids(one_target(-inf, inf), false);
      const std::vector<PosteriorSource> sources = {normal_source("ours", mean + 0.3 * sd, 1.2 * sd),
                                                    normal_source("exact", mean, sd, false),
                                                    normal_source("naive", mean + sd, 0.01 * sd, false)};
      const auto numbers = grids.evaluate(sources);
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

TEST(GridPosteriors, FollowAPosteriorThatMoves) {
  GridPosteriors grids(one_target(-INFINITY, INFINITY), false);
  for (int n = 1; n < 1000000; n *= 3) {
    const double sd = 1 / std::sqrt(n);
    const auto numbers = grids.evaluate({normal_source("ours", 5 * sd, sd)});
    ASSERT_EQ(numbers.size(), 1u);
    EXPECT_NEAR(numbers[0].targets[0].sd, sd, 1e-3 * sd) << n;
  }
  const auto back = grids.evaluate({normal_source("ours", -100, 1)});
  EXPECT_NEAR(back.at(0).targets[0].mean, -100, 1e-3);
}

TEST(GridPosteriors, KeepToTheTargetsRange) {
  GridPosteriors grids(one_target(0, 1), true);
  PosteriorSource uniform = normal_source("ours", 0, 1);
  uniform.log_density = [](const torch::Tensor& theta) { return torch::zeros({theta.size(0)}, torch::kFloat64); };
  const auto numbers = grids.evaluate({uniform});
  EXPECT_NEAR(numbers.at(0).targets[0].sd, 1 / std::sqrt(12.0), 1e-5);
  EXPECT_NEAR(numbers.at(0).targets[0].quantiles[1], 0.25, 1e-9);
}

// Beside a wide one, a posterior between two points of the grid: its numbers are right, or it is left out and named.
TEST(GridPosteriors, GiveNoFalseNumbersOfASpikeBesideAWideOne) {
  int right = 0, named = 0;
  for (const double mean : {0.31234, 0.99995})
    for (const double sd : {1e-2, 1e-3, 3e-4, 1e-4, 8e-5, 1e-5, 1e-7}) {
      GridPosteriors grids(one_target(0, 1), true);
      std::string problem;
      const auto numbers = grids.evaluate({normal_source("ours", mean, sd), normal_source("exact", 0.6, 0.2, false)},
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

TEST(GridPosteriors, LeaveOutWhatFails) {
  GridPosteriors grids(one_target(0, 1), true);
  PosteriorSource broken = normal_source("broken", 0, 1);
  broken.log_density = [](const torch::Tensor&) -> torch::Tensor { fail("no density today"); };
  std::string heard;
  const auto numbers =
      grids.evaluate({normal_source("ours", 0.5, 0.1), broken}, [&](const std::string& text) { heard = text; });
  ASSERT_EQ(numbers.size(), 1u);
  EXPECT_EQ(numbers[0].name, "ours");
  EXPECT_NE(heard.find("no density today"), std::string::npos);
}

// The exact posterior of the bivariate Gaussian is a t in closed form: the plane's grid against its own moments.
TEST(GridPosteriors, TwoTargetsAgreeWithTheClosedForm) {
  const auto task = make_task("gaussian");
  const std::int64_t index[] = {4};
  const Latents latents = task->latents(1, Purpose::explore, index);
  GridPosteriors grids(task->info().targets, false);
  for (const std::int64_t n : {5, 60, 3000}) {
    const SetRange range[] = {{4, 0, n}};
    const std::shared_ptr<ReferencePosterior> reference = task->reference("exact");
    reference->add(task->observe(latents, 1, Purpose::explore, range, torch::kCPU));
    PosteriorSource source;
    source.name = "as if ours";
    source.ours = true;
    source.log_density = [reference](const torch::Tensor& theta) { return reference->log_density(theta); };
    source.sample = [reference](std::int64_t count) {
      Stream stream(3, 1);
      return reference->sample(count, stream);
    };
    const auto numbers = grids.evaluate({source});
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

TEST(GridPosteriors, MoreTargetsAreSampled) {
  std::vector<Target> targets;
  for (int t = 0; t < 3; ++t) targets.push_back(one_target(-INFINITY, INFINITY)[0]);
  GridPosteriors grids(targets, false);
  PosteriorSource source = normal_source("ours", 0, 1);
  source.sample = [](std::int64_t count) {
    torch::manual_seed(1);
    return torch::randn({count, 3}, torch::kFloat64) * vector_of({1, 2, 3}) + 1;
  };
  const auto numbers = grids.evaluate({source});
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
  EmbeddedSet every(estimator, 700), some(estimator, 1 << 24);
  EXPECT_EQ(every.stride(), 1);
  EXPECT_GT(some.stride(), 8);
  for (const auto& [from, to] : std::vector<std::pair<int, int>>{{0, 1}, {1, 60}, {60, 61}, {61, 500}, {500, 700}}) {
    every.add(x.slice(0, from, to));
    some.add(x.slice(0, from, to));
  }
  for (const std::int64_t n : {1, 2, 31, 32, 33, 60, 64, 65, 699, 700}) {
    const torch::Tensor want = aggregate_observed(*estimator, x.slice(0, 0, n));
    EXPECT_LT((every.aggregate(n, x) - want).abs().max().item<double>(), 1e-6) << n;
    EXPECT_LT((some.aggregate(n, x) - want).abs().max().item<double>(), 1e-6) << n;
  }
  EXPECT_THROW(every.aggregate(701, x), Error);
  EXPECT_THROW(every.add(x.slice(0, 0, 1)), Error);
}

TEST(StableRange, StandsStillUntilItMustNot) {
  StableRange range(-10, 10);
  EXPECT_EQ(range.update(-4, 5), std::make_pair(-10.0, 10.0));
  const auto narrow = range.update(0.9, 2.1);
  EXPECT_LT(narrow.second - narrow.first, 6);
  EXPECT_LE(narrow.first, 0.9);
  EXPECT_GE(narrow.second, 2.1);
  for (double shift = 0; shift < 0.4; shift += 0.01) EXPECT_EQ(range.update(1.0 + shift, 1.9 + shift), narrow);
  const auto moved = range.update(4, 5);
  EXPECT_LE(moved.first, 4);
  EXPECT_GE(moved.second, 5);
  EXPECT_EQ(range.update(-9, 9), std::make_pair(-10.0, 10.0));
  EXPECT_LE(range.update(-30, 9).first, -30);
}

// What a window with shipped weights does, with no window.
class ShippedPosterior : public testing::Test {
 protected:
  static void SetUpTestSuite() { register_tasks(); }
  ShippedPosterior() : posterior(hub) {}
  void settle() { ASSERT_TRUE(posterior.wait(kPosteriorPatience)) << posterior.activity(); }
  const PosteriorSeries& series(const std::string& name) {
    for (const PosteriorSeries& one : posterior.shown()->series)
      if (one.name == name) return one;
    throw Error("no series " + name);
  }
  // The exact posterior of the prior's set `index` by other means: its own draws.
  torch::Tensor exact_draws(const std::string& name, std::int64_t set, std::int64_t n) {
    const auto task = make_task(name);
    const std::int64_t index[] = {set};
    const SetRange range[] = {{set, 0, n}};
    const Latents latents = task->latents(kFigureSeed, Purpose::explore, index);
    const auto reference = task->reference("exact");
    reference->add(task->observe(latents, kFigureSeed, Purpose::explore, range, torch::kCPU));
    Stream stream(5, 9);
    return reference->sample(100000, stream);
  }

  Hub hub;
  Posterior posterior;
};

TEST_F(ShippedPosterior, BumpHuntBesideTheExact) {
  posterior.open("bump-hunt");
  posterior.set_n(64);
  settle();
  ASSERT_EQ(posterior.failure(), "");
  const auto shown = posterior.shown();
  ASSERT_TRUE(shown && shown->density && posterior.width() && posterior.check() && posterior.nuisance());
  EXPECT_FALSE(posterior.observed()) << "the check shows it";
  EXPECT_EQ(shown->n, 64);
  EXPECT_TRUE(shown->warnings.empty());
  EXPECT_EQ(posterior.embedded(), 1);
  EXPECT_EQ(posterior.most(), 100);
  ASSERT_EQ(shown->series.size(), 4u);
  EXPECT_TRUE(shown->series[0].ours);
  EXPECT_EQ(shown->series[1].name, "exact");
  const torch::Tensor draws = exact_draws("bump-hunt", 0, 64).flatten();
  const PosteriorSummary& exact = series("exact").targets[0];
  EXPECT_NEAR(exact.mean, draws.mean().item<double>(), 0.02 * exact.sd);
  EXPECT_NEAR(exact.sd, draws.std().item<double>(), 0.02 * exact.sd);
  EXPECT_NEAR(exact.q95, torch::quantile(draws, 0.95).item<double>(), 0.03 * exact.sd);
  EXPECT_NEAR(exact.q25, torch::quantile(draws, 0.25).item<double>(), 0.03 * exact.sd);
  // Ours as `infer` would give it: draws of the estimator at the aggregate of the prefix.
  const LoadedRun run = load_run("bump-hunt");
  const std::int64_t index[] = {0};
  const Latents latents = run.task->latents(kFigureSeed, Purpose::explore, index);
  const torch::Tensor aggregate = aggregate_sets(*run.estimator, latents, kFigureSeed, Purpose::explore, index, 64);
  const torch::Tensor ours = run.estimator->sample(aggregate, torch::full({1}, 64, torch::kInt64), 50000, 3).flatten();
  const PosteriorSummary& first = shown->series[0].targets[0];
  EXPECT_NEAR(first.mean, ours.mean().item<double>(), 0.02 * first.sd);
  EXPECT_NEAR(first.sd, ours.std().item<double>(), 0.02 * first.sd);
  EXPECT_NEAR(first.q05, torch::quantile(ours, 0.05).item<double>(), 0.03 * first.sd);
  EXPECT_NEAR(first.sd_ratio, first.sd / exact.sd, 1e-9);
  EXPECT_GE(shown->series[0].kl, 0);
  EXPECT_LT(shown->series[0].kl, 0.2);
  EXPECT_NE(shown->question.find("these 64 events"), std::string::npos);
  EXPECT_TRUE(shown->place.known);
  EXPECT_EQ(posterior.batch_command(), "pairs --batch figure posterior bump-hunt --index 0 --n 64");
}

TEST_F(ShippedPosterior, NewestNWinsAndAxesStandStill) {
  posterior.open("bump-hunt");
  posterior.set_n(90);
  settle();
  const std::uint64_t before = posterior.shown()->version;
  const double low = posterior.shown()->density->plots[0].x.low, high = posterior.shown()->density->plots[0].x.high;
  for (std::int64_t n = 60; n < 80; ++n) {
    posterior.set_n(n);
    posterior.poll();
  }
  settle();
  EXPECT_EQ(posterior.shown()->n, 79);
  EXPECT_GT(posterior.shown()->version, before);
  EXPECT_EQ(posterior.shown()->density->plots[0].x.low, low);
  EXPECT_EQ(posterior.shown()->density->plots[0].x.high, high);
  // The width's figure covers the whole range of N, falls, and carries the marker.
  const Plot& width = posterior.width()->plots[0];
  EXPECT_EQ(width.rules[0].x, 79);
  for (const Line& line : width.lines) {
    EXPECT_EQ(line.x.front(), 1) << line.name;
    EXPECT_EQ(line.x.back(), 100) << line.name;
    EXPECT_LT(line.y.back(), line.y.front()) << line.name;
  }
}

TEST_F(ShippedPosterior, AnotherSetAndValuesSetByHand) {
  posterior.open("bump-hunt");
  posterior.set_n(100);
  settle();
  const std::vector<SetParameter> first = posterior.scene()->parameters;
  ASSERT_EQ(first.size(), 2u);
  posterior.new_set();
  settle();
  EXPECT_NE(posterior.scene()->parameters[0].value, first[0].value);
  EXPECT_EQ(posterior.batch_command(), "pairs --batch figure posterior bump-hunt --index 1 --n 100");
  posterior.set_parameter(1, 4.0);
  posterior.set_parameter(0, 0.9);
  settle();
  EXPECT_EQ(posterior.scene()->parameters[0].value, 0.9);
  EXPECT_EQ(posterior.scene()->parameters[1].value, 4.0);
  EXPECT_EQ(posterior.shown()->density->plots[0].rules[0].x, 0.9);
  EXPECT_NEAR(series("exact").targets[0].mean, 0.9, 0.15);
  EXPECT_EQ(posterior.batch_command(), "");
  posterior.set_index(0);
  settle();
  EXPECT_EQ(posterior.scene()->parameters[0].value, first[0].value);
  EXPECT_EQ(posterior.scene()->set_name, "Set 0 of the prior");
}

TEST_F(ShippedPosterior, FilesAndThoseThatCannotBeRead) {
  const TemporaryFolder folder;
  posterior.open("bump-hunt");
  posterior.set_n(100);
  settle();
  const std::uint64_t set = posterior.scene()->set;
  {
    std::ofstream(folder.path() / "bad.csv") << "x\n1\nnonsense\n";
    std::ofstream good(folder.path() / "events.csv");
    good << "x\n";
    for (int i = 0; i < 40; ++i) good << 0.1 * i - 2 << "\n";
    std::ofstream odd(folder.path() / "odd.csv");
    odd << "x\n";
    for (int i = 0; i < 40; ++i) odd << 30 + i << "\n";
  }
  posterior.open_file(folder.path() / "bad.csv");
  settle();
  EXPECT_NE(posterior.set_failure().find("bad.csv"), std::string::npos);
  EXPECT_EQ(posterior.scene()->set, set);
  EXPECT_EQ(posterior.failure(), "");
  EXPECT_TRUE(posterior.scene()->simulated);
  EXPECT_EQ(hub.messages.unseen(), 1);
  posterior.set_n(50);
  settle();
  EXPECT_EQ(posterior.shown()->n, 50);
  posterior.open_file(folder.path() / "events.csv");
  settle();
  EXPECT_EQ(posterior.set_failure(), "");
  EXPECT_FALSE(posterior.scene()->simulated);
  EXPECT_EQ(posterior.most(), 40);
  EXPECT_EQ(posterior.n(), 40);
  EXPECT_EQ(posterior.shown()->n, 40);
  EXPECT_TRUE(posterior.shown()->density->plots[0].rules.empty()) << "no truth is known";
  EXPECT_EQ(posterior.batch_command(),
            "pairs --batch infer bump-hunt --data " + (folder.path() / "events.csv").string() + " --n 40");
  EXPECT_FALSE(posterior.shown()->place.outside);
  posterior.open_file(folder.path() / "odd.csv");
  settle();
  EXPECT_TRUE(posterior.shown()->place.outside);
  posterior.simulate();
  settle();
  EXPECT_EQ(posterior.most(), 100);
}

TEST_F(ShippedPosterior, AFileIsUsedWholeAndStaysWithItsTask) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "events.csv";
  {
    std::ofstream events(file);
    events << "id,x\n";
    for (int i = 0; i < 60; ++i) events << "event" << i << "," << 0.05 * i - 1.5 << "\n";
  }
  posterior.open("bump-hunt");
  posterior.set_n(7);
  settle();
  posterior.open_file(file);
  settle();
  EXPECT_EQ(posterior.shown()->n, 60);
  EXPECT_EQ(posterior.scene()->set_size, 60);
  posterior.set_n(20);
  settle();
  const double mean = posterior.shown()->series[0].targets[0].mean;
  posterior.open("gaussian");
  settle();
  EXPECT_TRUE(posterior.scene()->simulated);
  posterior.set_n(500);
  settle();
  posterior.open("bump-hunt");
  settle();
  EXPECT_FALSE(posterior.scene()->simulated);
  EXPECT_EQ(posterior.scene()->set_source, file.string());
  EXPECT_EQ(posterior.shown()->n, 20);
  EXPECT_EQ(posterior.shown()->series[0].targets[0].mean, mean);
  posterior.simulate();
  settle();
  posterior.open("gaussian");
  settle();
  posterior.open("bump-hunt");
  settle();
  EXPECT_TRUE(posterior.scene()->simulated) << "who went back to the prior's sets finds them again";
}

TEST_F(ShippedPosterior, AFileThatCannotBeReadLeavesNothingToAnotherTask) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "good.csv") << "1,2\n3,4\n";
  std::ofstream(folder.path() / "bad.csv") << "1,nonsense\n";
  posterior.open("gaussian");
  settle();
  posterior.open_file(folder.path() / "good.csv");
  settle();
  posterior.open_file(folder.path() / "bad.csv");
  settle();
  EXPECT_FALSE(posterior.scene()->simulated);
  posterior.open("bump-hunt");
  settle();
  EXPECT_EQ(posterior.set_failure(), "");
  EXPECT_TRUE(posterior.scene()->simulated);
}

TEST_F(ShippedPosterior, MoreThanTrainingSawIsNotUsedUnasked) {
  const TemporaryFolder folder;
  const std::string run = small_run(folder.path(), "few", "bump-hunt");
  const std::filesystem::path file = folder.path() / "events.csv";
  {
    std::ofstream events(file);
    for (int i = 0; i < 110; ++i) events << 0.01 * i << "\n";
  }
  posterior.open(run);
  posterior.open_file(file);
  settle();
  ASSERT_EQ(posterior.failure(), "");
  EXPECT_EQ(posterior.scene()->trained, 10);
  EXPECT_EQ(posterior.n(), 10);
  EXPECT_EQ(posterior.most(), 100);
  EXPECT_EQ(posterior.scene()->set_size, 110);
  const std::string command = fmt::format("pairs --batch infer {} --data {} --n ", run, file.string());
  EXPECT_EQ(posterior.batch_command(), command + "10");
  posterior.set_n(50);
  EXPECT_EQ(posterior.batch_command(), command + "50 --force");
}

TEST_F(ShippedPosterior, TwoTargetsWithContoursAndMarginals) {
  posterior.open("gaussian");
  posterior.set_n(400);
  settle();
  ASSERT_EQ(posterior.failure(), "");
  const auto shown = posterior.shown();
  ASSERT_TRUE(shown && shown->marginals);
  EXPECT_EQ(shown->n, 400);
  EXPECT_GE(shown->density->plots[0].contours.size(), 4u);
  EXPECT_EQ(shown->marginals->plots.size(), 2u);
  const torch::Tensor draws = exact_draws("gaussian", 0, 400);
  for (std::int64_t t = 0; t < 2; ++t) {
    const PosteriorSummary& exact = series("exact").targets[static_cast<std::size_t>(t)];
    EXPECT_NEAR(exact.mean, draws.select(1, t).mean().item<double>(), 0.02 * exact.sd);
    EXPECT_NEAR(exact.q95, torch::quantile(draws.select(1, t), 0.95).item<double>(), 0.03 * exact.sd);
    EXPECT_NEAR(shown->series[0].targets[static_cast<std::size_t>(t)].sd_ratio, 1, 0.15);
  }
  EXPECT_LT(shown->series[0].kl, 0.2);
  posterior.set_n(posterior.most());
  settle();
  EXPECT_EQ(posterior.shown()->n, 100000);
  EXPECT_LT(posterior.shown()->series[0].targets[0].sd, 0.02);
}

TEST_F(ShippedPosterior, AnotherTaskForgetsFileAndValues) {
  posterior.open("bump-hunt");
  settle();
  posterior.set_parameter(0, 0.5);
  settle();
  EXPECT_TRUE(posterior.scene()->by_hand);
  posterior.open("gaussian");
  EXPECT_EQ(posterior.shown(), nullptr);
  settle();
  EXPECT_EQ(posterior.scene()->task, "gaussian");
  EXPECT_FALSE(posterior.scene()->by_hand);
  EXPECT_EQ(posterior.batch_command(),
            fmt::format("pairs --batch figure posterior gaussian --index 0 --n {}", posterior.n()));
}

TEST_F(ShippedPosterior, RunsBesideIt) {
  posterior.open("bump-hunt");
  posterior.set_n(30);
  settle();
  posterior.set_others({"gaussian", "no-such-run"});
  settle();
  EXPECT_EQ(posterior.shown()->series.size(), 4u);
  EXPECT_EQ(hub.messages.unseen(), 2) << hub.messages.text("", Level::info);
  // The same weights in a folder of their own are another run with the same posterior.
  const TemporaryFolder folder;
  std::filesystem::copy(find_run("bump-hunt").folder, folder.path() / "copy", std::filesystem::copy_options::recursive);
  posterior.set_others({(folder.path() / "copy").string()});
  settle();
  ASSERT_EQ(posterior.shown()->series.size(), 5u);
  EXPECT_EQ(posterior.shown()->series[1].name, "copy");
  EXPECT_EQ(posterior.shown()->series[1].targets[0].mean, posterior.shown()->series[0].targets[0].mean);
  EXPECT_EQ(posterior.batch_command(),
            "pairs --batch figure posterior bump-hunt " + (folder.path() / "copy").string() + " --index 0 --n 30");
}

TEST_F(ShippedPosterior, PlaysAndSteps) {
  posterior.open("bump-hunt");
  posterior.set_n(99);
  settle();
  posterior.step_n(1);
  EXPECT_EQ(posterior.n(), 100);
  posterior.step_n(1);
  EXPECT_EQ(posterior.n(), 100);
  posterior.step_n(-1);
  EXPECT_EQ(posterior.n(), 99);
  posterior.set_n(100);
  posterior.toggle_play();
  EXPECT_TRUE(posterior.playing());
  posterior.advance(4);  // half of the way, logarithmically
  EXPECT_EQ(posterior.n(), 10);
  posterior.advance(2);
  EXPECT_EQ(posterior.n(), 32);
  posterior.advance(3);
  EXPECT_EQ(posterior.n(), 100);
  EXPECT_FALSE(posterior.playing());
  posterior.set_loop(true);
  posterior.toggle_play();
  posterior.advance(9);
  EXPECT_TRUE(posterior.playing());
  EXPECT_EQ(posterior.n(), 1);
  posterior.set_n(7);
  EXPECT_FALSE(posterior.playing()) << "a hand on the slider stops it";
  settle();
  EXPECT_EQ(posterior.shown()->n, 7);
}

TEST_F(ShippedPosterior, SaysWhatIsWrongWithARun) {
  posterior.open("no-such-run");
  settle();
  EXPECT_NE(posterior.failure().find("no-such-run"), std::string::npos);
  EXPECT_EQ(posterior.scene(), nullptr);
  posterior.open("bump-hunt");
  EXPECT_EQ(posterior.failure(), "");
  settle();
  EXPECT_EQ(posterior.failure(), "");
  EXPECT_TRUE(posterior.shown());
  posterior.open("");
  EXPECT_EQ(posterior.shown(), nullptr);
  settle();
  EXPECT_EQ(posterior.shown(), nullptr);
}

// Nothing on the window's thread waits: asking while the worker is busy returns at once.
TEST_F(ShippedPosterior, NeverWaits) {
  posterior.open("gaussian");
  const auto start = std::chrono::steady_clock::now();
  double longest = 0;
  for (int i = 0; i < 200 && !posterior.shown(); ++i) {
    const auto before = std::chrono::steady_clock::now();
    posterior.set_n(1 + 37 * i);
    posterior.poll();
    longest = std::max(longest, std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count());
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_LT(longest, 0.1) << "of " << std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace
}  // namespace pairs::model
