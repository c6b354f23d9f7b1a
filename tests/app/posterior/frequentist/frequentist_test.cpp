#include "app/posterior/frequentist/frequentist.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <numeric>

#include "app/posterior/set_posterior/set_posterior.h"
#include "core/base/gpu/transfer.h"
#include "core/base/text/error.h"
#include "core/sets/index_map.h"
#include "tasks/registry.h"
#include "tests/core/base/temporary_folder.h"
#include "tests/core/eval/dependent_task.h"
#include "tests/long_tests.h"

// Confidence by toys on the bump hunt, whose exact likelihood is known.

namespace pairs {
namespace {

bool always() {
  return true;
}
void silent(std::int64_t, std::int64_t) {}

class FrequentistAnswers : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const char* before = std::getenv("PAIRS_CACHE")) before_ = before;
    setenv("PAIRS_CACHE", folder_.path().c_str(), 1);
  }
  void TearDown() override { before_.empty() ? unsetenv("PAIRS_CACHE") : setenv("PAIRS_CACHE", before_.c_str(), 1); }
  static const LoadedRun& run() {
    static const LoadedRun loaded = load_run(built_in_tasks(), "bump-hunt", "", "cpu");
    return loaded;
  }
  static ToyPlan plan(std::int64_t toys, std::int64_t nodes, bool exact) {
    ToyPlan plan;
    plan.n = 20;
    plan.toys = plan.null_toys = toys;
    plan.nodes = nodes;
    plan.null = 0;
    plan.exact = exact;
    return plan;
  }
  static std::shared_ptr<ToyTable> table(const ToyPlan& plan) {
    const auto made = std::make_shared<ToyTable>(run(), plan);
    made->make(always, silent);
    return made;
  }
  // The set 3 of the prior, its first 20 events.
  static Observations set() { return ObservedSet(run().task, SetChoice{.index = 3}).first(20); }
  static LikelihoodCurve exact_curve(const ToyTable& table, const Observations& x) {
    const torch::Tensor grid = torch::tensor(table.grid(), torch::kFloat64).unsqueeze(1);
    return table.curve(reference_source(*run().task, "exact", x).log_density(grid));
  }

  const TemporaryFolder folder_;
  std::string before_;
};

TEST_F(FrequentistAnswers, TheGridBeginsAndEndsWithTheRangeAndHoldsTheNullValue) {
  ToyPlan with = plan(100, 11, true);
  with.null = 0.37;
  const ToyTable table(run(), with);
  EXPECT_EQ(table.nodes().size(), 12u);
  EXPECT_EQ(table.nodes().front(), 0);
  EXPECT_EQ(table.nodes().back(), 1);
  EXPECT_EQ(table.nodes()[*table.null_node()], 0.37);
  EXPECT_EQ(table.grid().size(), 11 * 6 + 1u);
  EXPECT_TRUE(std::is_sorted(table.grid().begin(), table.grid().end()));
  for (const double node : table.nodes())
    EXPECT_TRUE(std::binary_search(table.grid().begin(), table.grid().end(), node)) << node;
}

// ln L(θ) = ln Σ_ψ p(ψ) Π (θ N(x; ψ, 0.1) + (1 − θ) N(x; 0, 1)), by a plain sum.
TEST_F(FrequentistAnswers, ExactLikelihoodIsThePlainSum) {
  const ToyTable table(run(), plan(100, 11, true));
  const Observations x = set();
  const std::vector<double> events = doubles(x.block().to(torch::kFloat64));
  const auto log_sum = [&](double theta) {
    double sum = 0;
    for (int k = 0; k < 4800; ++k) {
      const double psi = -11 + 0.005 * (k + 0.5);
      double log = -0.125 * (psi - 1) * (psi - 1);
      for (const double e : events)
        log += std::log(10 * theta * std::exp(-50 * (e - psi) * (e - psi)) + (1 - theta) * std::exp(-0.5 * e * e));
      sum += std::exp(log);
    }
    return std::log(sum);
  };
  const LikelihoodCurve curve = exact_curve(table, x);
  for (const double theta : {0.0, 0.1, 0.33, 0.8})
    EXPECT_NEAR(curve.log_at(theta) - curve.log_at(0.5), log_sum(theta) - log_sum(0.5), 2e-3) << theta;
}

// A run's likelihood of simulated sets equals its density for these sets, and is near the exact one.
TEST_F(FrequentistAnswers, LikelihoodsOfToysAreThoseOfPosteriors) {
  ToyTable ours(run(), plan(100, 11, false)), exact(run(), plan(100, 11, true));
  std::vector<ToyTable::ToySet> by_run, by_task;
  const auto into = [](std::vector<ToyTable::ToySet>& all) {
    return [&all](std::vector<ToyTable::ToySet> sets) {
      for (ToyTable::ToySet& one : sets) all.push_back(std::move(one));
    };
  };
  ours.simulate(0.3, {1.5}, 0, 40, always, into(by_run));
  exact.simulate(0.3, {1.5}, 0, 40, always, into(by_task));
  ASSERT_EQ(by_run.size(), 40u);
  double squares = 0;
  for (std::size_t k = 0; k < by_run.size(); ++k) {
    EXPECT_TRUE(by_run[k].x.block().equal(by_task[k].x.block()));
    EXPECT_NEAR(exact_curve(exact, by_run[k].x).signed_ratio(0.3), by_task[k].curve.signed_ratio(0.3), 1e-9);
    squares += std::pow(by_run[k].curve.signed_ratio(0.3) - by_task[k].curve.signed_ratio(0.3), 2);
  }
  EXPECT_LT(std::sqrt(squares / 40), 0.5);
  EXPECT_GT(squares, 0);
}

// Where toys have the set's ψ the construction is exact but for chance and for what is interpolated.
TEST_F(FrequentistAnswers, IntervalsCoverWhereTheNuisanceIsKnown) {
  ToyPlan known = plan(3000, 15, true);
  known.psi = {2};
  const Frequentist answers(table(known), NuisanceChoice::prior);
  constexpr std::int64_t kSets = 1200;
  for (const double theta : {0.0, 0.45}) {
    const CoveragePoint point = answers.coverage(theta, {2}, 1, kSets, 5, {0.6827, 0.9}, always, [](std::int64_t) {});
    EXPECT_EQ(point.sets, kSets);
    for (const CoveragePoint::Level& level : point.levels) {
      const double error = std::hypot(binomial_error(level.level, kSets), binomial_error(level.level, 3000));
      EXPECT_NEAR(level.covered, level.level, 3.5 * error) << theta;
      EXPECT_GE(level.below, level.level - 3.5 * error) << theta;
      EXPECT_GT(level.length, 0);
    }
    EXPECT_LT(point.levels[0].length, point.levels[1].length);
  }
}

// At θ = 0 the nuisance means nothing, so that all choices have the same level; worst is never below it.
TEST_F(FrequentistAnswers, ChoicesOfNuisancesAgreeWithoutSignal) {
  const auto toys = table(plan(3000, 9, true));
  std::map<NuisanceChoice, double> covered;
  for (const NuisanceChoice choice : {NuisanceChoice::prior, NuisanceChoice::posterior, NuisanceChoice::worst})
    covered[choice] =
        Frequentist(toys, choice).coverage(0, {1}, 1, 600, 0, {0.9}, always, [](std::int64_t) {}).levels[0].covered;
  const double error = std::hypot(binomial_error(0.9, 600), binomial_error(0.9, 3000));
  EXPECT_NEAR(covered[NuisanceChoice::prior], 0.9, 3.5 * error);
  EXPECT_NEAR(covered[NuisanceChoice::posterior], covered[NuisanceChoice::prior], 0.03);
  EXPECT_GE(covered[NuisanceChoice::worst], covered[NuisanceChoice::prior]);
}

TEST_F(FrequentistAnswers, TheNullTestCountsToys) {
  const auto toys = table(plan(1000, 9, true));
  const Frequentist answers(toys, NuisanceChoice::prior);
  const Observations x = set();
  const LikelihoodCurve curve = exact_curve(*toys, x);
  const FrequentistAnswer answer = answers.answer(curve, x, {0.9});
  ASSERT_TRUE(answer.null.has_value());
  const NodeToys& none = toys->toys(*toys->null_node());
  double beyond = 0;
  for (const double ratio : none.ratio) beyond += ratio >= curve.signed_ratio(0) ? 1 : 0;
  EXPECT_TRUE(answer.null->one_sided);
  EXPECT_NEAR(answer.null->q, curve.signed_ratio(0), 1e-12);
  EXPECT_EQ(answer.null->beyond, beyond == 0);
  EXPECT_NEAR(answer.null->p, std::max(beyond, 1000.0 / 1001) / 1000, 1e-12);
  EXPECT_NEAR(answer.null->z, std::max(sigmas(answer.null->p), 0.0), 1e-12);
  // The interval is where the likelihood ratio lies below the critical values.
  const std::vector<double> critical = answers.critical(x, 0.9);
  for (std::size_t node = 0; node < toys->nodes().size(); ++node) {
    const double ratio = std::abs(curve.signed_ratio(toys->nodes()[node]));
    if (std::abs(ratio - critical[node]) < 1e-9) continue;
    const bool in = answer.levels[0].parts.front().low <= toys->nodes()[node] &&
                    toys->nodes()[node] <= answer.levels[0].parts.back().high;
    EXPECT_EQ(in, ratio < critical[node]) << toys->nodes()[node];
  }
}

// At a node CL_s is a ratio of counts, of toys there and of toys without signal, here counted anew. Its limit is above
// Neyman's, and holds θ at least as often.
TEST_F(FrequentistAnswers, LimitsByClsAreRatiosOfCounts) {
  const auto toys = table(plan(1000, 9, true));
  ASSERT_TRUE(toys->reports_cls());
  const Frequentist answers(toys, NuisanceChoice::prior);
  const LikelihoodCurve curve = exact_curve(*toys, set());
  const FrequentistAnswer answer = answers.answer(curve, set(), {0.9, 0.95});
  std::vector<LikelihoodCurve> without;
  toys->simulate(0, {}, 7, 1000, always, [&](std::vector<ToyTable::ToySet> sets) {
    for (const ToyTable::ToySet& one : sets) without.push_back(one.curve);
  });
  for (std::size_t node = 1; node < toys->nodes().size(); ++node) {
    const double theta = toys->nodes()[node], t = statistic(TestOrder::upper_limit, curve.signed_ratio(theta));
    if (t <= 0) continue;
    double share = 0;
    for (const LikelihoodCurve& one : without)
      share += statistic(TestOrder::upper_limit, one.signed_ratio(theta)) >= t ? 0.001 : 0;
    ASSERT_GT(share, 0.05) << theta;
    const auto at =
        static_cast<std::size_t>(std::lower_bound(answer.grid.begin(), answer.grid.end(), theta) - answer.grid.begin());
    const double expected = std::min(answer.p_upper[at] / share, 1.0);
    EXPECT_NEAR(answer.cls[at], expected, 4 * std::sqrt(2.0) * expected * binomial_error(share, 1000) / share) << theta;
    EXPECT_GE(answer.cls[at], answer.p_upper[at]) << theta;
  }
  for (const ConfidenceLevel& one : answer.levels) EXPECT_GE(one.cls, one.upper);
  EXPECT_LT(answer.levels[0].cls, answer.levels[1].cls);
  const CoveragePoint point = answers.coverage(0.1, {1}, 3, 300, 0, {0.9}, always, [](std::int64_t) {});
  EXPECT_GE(point.levels[0].cls_below, point.levels[0].below);
  // The nuisances of a set weigh both counts; under the worst it is never smaller than under the prior's, but for
  // chance.
  const FrequentistAnswer worst = Frequentist(toys, NuisanceChoice::worst).answer(curve, set(), {0.9});
  EXPECT_GE(worst.levels[0].cls, answer.levels[0].cls - 0.02);
}

TEST_F(FrequentistAnswers, ClsNeedsValuesAboveNothing) {
  ToyPlan top = plan(100, 7, true);
  top.null = 1;
  EXPECT_FALSE(ToyTable(run(), top).reports_cls());
  top.null.reset();
  EXPECT_FALSE(ToyTable(run(), top).reports_cls());
}

TEST_F(FrequentistAnswers, WhatWasStoppedGoesOn) {
  const ToyPlan small = plan(300, 7, false);
  const auto whole = table(small);
  std::filesystem::remove_all(folder_.path() / "toys");
  ToyTable stopped(run(), small);
  int asked = 0;
  EXPECT_THROW(stopped.make([&] { return ++asked < 12; }, silent), Stopped);
  int files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_.path()))
    files += entry.is_regular_file();
  EXPECT_GT(files, 0);
  EXPECT_LT(files, 7);
  ToyTable rest(run(), small);
  std::int64_t first = 0;
  rest.make(always, [&](std::int64_t done, std::int64_t) { first = first == 0 ? done : first; });
  EXPECT_GT(first, 300 * files - 1) << "what was done is done again";
  for (std::size_t node = 0; node < 7; ++node) {
    EXPECT_EQ(rest.toys(node).ratio, whole->toys(node).ratio);
    EXPECT_EQ(rest.toys(node).psi, whole->toys(node).psi);
  }
}

// Where ψ depends on θ, toys draw it of p(ψ | θ): intervals of the exact posterior hold θ at their level. The sets here
// have the ψ of the formula, not of toys.
TEST_F(FrequentistAnswers, IntervalsCoverWhereTheNuisanceDependsOnTheta) {
  struct Case {
    const char* name;
    DependentTask::Curve mean, sd;
  };
  const std::vector<Case> cases = {
      {"psi = 4 theta - 2 + .5 eps", [](double t) { return 4 * t - 2; }, [](double) { return 0.5; }},
      {"psi = 4 theta - 2 + .02 eps", [](double t) { return 4 * t - 2; }, [](double) { return 0.02; }},
      {"psi ~ N(0, .1 + theta)", [](double) { return 0.0; }, [](double t) { return 0.1 + t; }}};
  const std::vector<std::uint64_t> seeds =
      long_tests() ? std::vector<std::uint64_t>{1, 2, 3} : std::vector<std::uint64_t>{1};
  constexpr std::int64_t nodes = 17;
  const std::int64_t step = long_tests() ? 2 : 4;
  for (const Case& one : cases) {
    const auto task = std::make_shared<DependentTask>(one.mean, one.sd);
    LoadedRun of = run();
    of.task = task;
    std::map<double, double> sum;  // of errors, by level: what all points and seeds share
    for (const std::uint64_t seed : seeds) {
      ToyPlan by_toys;
      by_toys.n = 20;
      by_toys.toys = by_toys.null_toys = long_tests() ? 10000 : 2500;
      by_toys.nodes = nodes;
      by_toys.exact = true;
      by_toys.seed = seed;
      const auto toys = std::make_shared<ToyTable>(of, by_toys);
      toys->make(always, silent);
      const Frequentist answers(toys, NuisanceChoice::prior);
      const auto curve_of = [&](double mean) {
        std::vector<double> log;
        for (const double theta : toys->grid()) log.push_back(task->log_likelihood(theta, mean, 20));
        return LikelihoodCurve(toys->grid(), log);
      };
      Stream stream(stream_key(8 + seed, Purpose::check), 1);
      const int sets = long_tests() ? 10000 : 1000;
      for (const double level : {0.6827, 0.9, 0.95}) {
        const std::vector<double> critical = answers.critical(Observations(), level);
        for (std::size_t node = 0; node < nodes; node += static_cast<std::size_t>(step)) {
          const double theta = toys->nodes()[node];
          int covered = 0;
          for (int s = 0; s < sets; ++s) {
            const double psi = task->mean_of(theta) + task->sd_of(theta) * stream.normal64();
            const double ratio = curve_of(psi + stream.normal64() / std::sqrt(20.0)).signed_ratio(theta);
            covered += statistic(TestOrder::likelihood_ratio, ratio) <= critical[node];
          }
          const double off = covered / static_cast<double>(sets) - level;
          const double error = std::hypot(binomial_error(level, sets), binomial_error(level, by_toys.toys));
          sum[level] += off / error;
          std::printf("%s, seed %d, theta %.3f: %.1f %% covers %.2f %% (%+.1f errors)\n", one.name,
                      static_cast<int>(seed), theta, 100 * level, 100 * (off + level), off / error);
          EXPECT_LT(std::fabs(off), (long_tests() ? 3 : 3.3) * error) << one.name << " " << theta << " " << level;
        }
      }
    }
    const double points = static_cast<double>(seeds.size()) * ((nodes + step - 1) / step);
    for (const auto& [level, of_level] : sum) {
      std::printf("%s: %.1f %% is off by %+.1f errors over all points\n", one.name, 100 * level,
                  of_level / std::sqrt(points));
      EXPECT_LT(std::fabs(of_level), 3.3 * std::sqrt(points)) << one.name << " " << level << ": nothing is systematic";
    }
  }
}

// The example that gave 0 to 1: a set in the middle has the interval .53 ± .14.
TEST_F(FrequentistAnswers, OfAnExampleWithADependentNuisanceAreRight) {
  const auto task = std::make_shared<DependentTask>([](double t) { return 4 * t - 2; }, [](double) { return 0.5; });
  LoadedRun of = run();
  of.task = task;
  ToyPlan by_toys;
  by_toys.n = 20;
  by_toys.toys = by_toys.null_toys = 4000;
  by_toys.nodes = 21;
  by_toys.exact = true;
  const auto toys = std::make_shared<ToyTable>(of, by_toys);
  toys->make(always, silent);
  std::vector<double> log;
  for (const double theta : toys->grid()) log.push_back(task->log_likelihood(theta, 0.12, 20));
  const FrequentistAnswer answer = Frequentist(toys, NuisanceChoice::prior)
                                       .answer(LikelihoodCurve(toys->grid(), log), Observations(), {0.6827, 0.95});
  ASSERT_EQ(answer.levels[0].parts.size(), 1u);
  EXPECT_NEAR(answer.levels[0].parts[0].low, 0.53 - 0.137, 0.015);
  EXPECT_NEAR(answer.levels[0].parts[0].high, 0.53 + 0.137, 0.015);
  EXPECT_NEAR(answer.levels[1].parts[0].width(), 2 * 1.96 * 0.137, 0.03);
}

// Where nothing depends toys keep the ψ of their joint draws, to the bit.
TEST_F(FrequentistAnswers, ToysOfIndependentNuisancesAreThoseOfJointDraws) {
  const auto toys = table(plan(100, 7, true));
  std::vector<std::int64_t> indices(100);
  std::iota(indices.begin(), indices.end(), index_map::kToySets + 3 * index_map::kToyStride);
  std::vector<double> wanted = doubles(run().task->latents(1, Purpose::check, indices).psi);
  std::sort(wanted.begin(), wanted.end());
  EXPECT_EQ(toys->toys(3).psi, wanted);
}

TEST_F(FrequentistAnswers, BadPlansAreRefused) {
  ToyPlan wrong = plan(100, 7, false);
  wrong.n = 101;
  EXPECT_THROW(ToyTable(run(), wrong), Error);
  wrong = plan(100, 7, false);
  wrong.psi = {1, 2};
  EXPECT_THROW(ToyTable(run(), wrong), Error);
  wrong = plan(100, 7, false);
  wrong.null = 1.5;
  EXPECT_THROW(ToyTable(run(), wrong), Error);
  ToyPlan known = plan(100, 7, false);
  known.psi = {1};
  EXPECT_THROW(Frequentist(std::make_shared<ToyTable>(run(), known), NuisanceChoice::worst), Error);
}

}  // namespace
}  // namespace pairs
