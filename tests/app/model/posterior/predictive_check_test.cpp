// The predictive check accuses no correct model, and ψ's posterior is the one that quadrature gives.
#include "app/posterior/checks/predictive_check.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "app/kinds/samples_figure.h"
#include "app/posterior/checks/likelihood_check.h"
#include "app/posterior/plots/nuisance_view.h"
#include "core/aggregate.h"
#include "core/base/gpu/transfer.h"
#include "core/eval/calibration/calibration.h"
#include "core/train/run/run.h"
#include "tasks/registry.h"
#include "tests/aggregate_observed.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs::model {
namespace {

constexpr std::int64_t kCheckedSets = 200, kCheckedN = 100;
constexpr double kCheckPatience = 60;

struct CheckedSet {
  Latents latents;
  torch::Tensor x;
};
CheckedSet checked_set(const Task& task, std::int64_t index, std::int64_t n) {
  const std::int64_t indices[] = {index};
  const SetRange range[] = {{index, 0, n}};
  CheckedSet set{task.latents(31, Purpose::check, indices), {}};
  set.x = task.observe(set.latents, 31, Purpose::check, range, torch::kCPU);
  return set;
}

// The p-value of ranks in [0, 1) that should be uniform.
double rank_p(std::vector<double> points) {
  for (double& point : points) point = std::floor(point * 100) / 99;
  return rank_histogram(points, 99).p_value;
}

// θ from the exact posterior, or from the shipped run's, at sets of the model: the row of the table of checks.
class PredictiveCheckOf : public ::testing::TestWithParam<std::tuple<std::string, std::string>> {};

TEST_P(PredictiveCheckOf, LeavesModelsThatHoldAlone) {
  const auto [name, whose] = GetParam();
  const bool shipped = whose == "Shipped";
  const LoadedRun run = shipped ? load_run(built_in_tasks(), name) : LoadedRun();
  const std::shared_ptr<const Task> task = shipped ? run.task : built_in_tasks()->make(name);
  const SampleView view = prior_view(*task);
  std::vector<double> points;
  std::int64_t accused = 0;
  double inside = 0, bins = 0;
  for (std::int64_t s = 0; s < kCheckedSets; ++s) {
    const CheckedSet set = checked_set(*task, s, kCheckedN);
    torch::Tensor theta;
    if (shipped) {
      const torch::Tensor aggregate = aggregate_observed(*run.estimator, set.x);
      theta = run.estimator
                  ->sample(aggregate, torch::full({1}, kCheckedN, torch::kInt64), kReplicates,
                           stream_key(static_cast<std::uint64_t>(s), Purpose::posterior))[0]
                  .to(torch::kFloat64);
    } else {
      const auto exact = task->reference("exact");
      exact->add(set.x);
      Stream stream(7, static_cast<std::uint64_t>(s));
      theta = exact->sample(kReplicates, stream);
    }
    const PredictiveCheck check = predictive_check(*task, *nuisance_posterior(*task, set.x), theta, set.x, view,
                                                   SeriesRole::pairs, static_cast<std::uint64_t>(s));
    points.push_back(check.point);
    accused += check.extreme ? 1 : 0;
    if (name != "bump-hunt") continue;
    const Plot& plot = check.figure->plots.at(0);
    for (std::size_t b = 0; b < plot.bars[0].heights.size(); ++b) {
      if (plot.lines[0].upper[b] < 4) continue;  // where counts are few the steps of the band are coarse
      bins += 1;
      inside += plot.bars[0].heights[b] >= plot.lines[0].lower[b] && plot.bars[0].heights[b] <= plot.lines[0].upper[b];
    }
  }
  RecordProperty("rank_p", fmt::format("{:.4g}", rank_p(points)));
  EXPECT_GE(rank_p(points), 0.001);
  EXPECT_LE(accused, 8) << "two are expected of 200";
  if (bins > 0) {
    EXPECT_GT(inside / bins, 0.87) << "the band of 5 to 95 %";
    EXPECT_LT(inside / bins, 0.985);
    RecordProperty("in_band", fmt::format("{:.3f}", inside / bins));
  }
}
INSTANTIATE_TEST_SUITE_P(Sets, PredictiveCheckOf,
                         ::testing::Combine(::testing::Values("bump-hunt", "gaussian"),
                                            ::testing::Values("Exact", "Shipped")),
                         [](const auto& of) {
                           return std::string(std::get<0>(of.param) == "gaussian" ? "Gaussian" : "BumpHunt") +
                                  std::get<1>(of.param);
                         });

// With ψ drawn from its prior instead of its posterior, the statistic is far from uniform.
TEST(PredictiveCheck, WouldAccuseWithPsiFromItsPrior) {
  const auto task = built_in_tasks()->make("bump-hunt");
  std::vector<double> points;
  for (std::int64_t s = 0; s < kCheckedSets; ++s) {
    const CheckedSet set = checked_set(*task, s, kCheckedN);
    const std::int64_t other[] = {s + 5000};
    const Latents wrong{set.latents.theta, task->latents(31, Purpose::check, other).psi};
    points.push_back(*likelihood_point(*task, wrong, set.x, static_cast<std::uint64_t>(s)));
  }
  EXPECT_LT(rank_p(points), 1e-6);
}

// Both ways of placing the likelihood, at the truth: uniform, and the same at the size where one takes over.
TEST(LikelihoodPoint, IsUniformAtTheTruth) {
  for (const char* name : {"bump-hunt", "gaussian"}) {
    const auto task = built_in_tasks()->make(name);
    for (const std::int64_t n : {1, 30, 250, 251, 4000}) {
      std::vector<double> points;
      for (std::int64_t s = 0; s < kCheckedSets; ++s) {
        const CheckedSet set = checked_set(*task, s, n);
        points.push_back(*likelihood_point(*task, set.latents, set.x, static_cast<std::uint64_t>(s)));
      }
      EXPECT_GE(rank_p(points), 0.001) << name << " N = " << n;
    }
  }
  const auto digits = built_in_tasks()->make("digits");
  const std::int64_t index[] = {1};
  EXPECT_FALSE(likelihood_point(*digits, digits->latents(1, Purpose::check, index), torch::zeros({2, 1, 28, 28}), 1));
}

TEST(LikelihoodPoint, SeesDataThatTheModelDoesNotMake) {
  const auto task = built_in_tasks()->make("bump-hunt");
  const Latents latents{torch::full({1, 1}, 0.02, torch::kFloat64), torch::full({1, 1}, 1.0, torch::kFloat64)};
  torch::manual_seed(3);
  const torch::Tensor wide = 2 * torch::randn({100, 1}), narrow = 0.3 * torch::randn({100, 1});
  EXPECT_LT(*likelihood_point(*task, latents, wide, 1), kUnlikely);
  EXPECT_GT(*likelihood_point(*task, latents, narrow, 1), kTooLikely);
  EXPECT_LT(*likelihood_point(*task, latents, 2 * torch::randn({3000, 1}), 1), kUnlikely);
  EXPECT_LT(*likelihood_point(*task, latents, torch::full({1, 1}, 80.0), 1), kUnlikely);
}

// p(ψ | X) by plain sums over a grid of θ and ψ, from nothing but the task's density and prior.
std::pair<double, double> moments_by_quadrature(const Task& task, const torch::Tensor& x) {
  constexpr int kFractions = 100;
  const torch::Tensor fraction = (torch::arange(kFractions, torch::kFloat64) + 0.5) / kFractions;
  std::vector<double> psi, weight;
  double top = -INFINITY;
  for (double at = -7; at < 9; at += 0.005) {
    const auto part = [&](double theta) {
      return task.density({torch::full({1, 1}, theta, torch::kFloat64), torch::full({1, 1}, at, torch::kFloat64)}, x);
    };
    const torch::Tensor none = part(0), all = part(1);
    const torch::Tensor logs = (none.unsqueeze(1) + (all - none).unsqueeze(1) * fraction.unsqueeze(0)).log().sum(0);
    psi.push_back(at);
    weight.push_back(logs.logsumexp(0).item<double>() - 0.125 * (at - 1) * (at - 1));
    top = std::max(top, weight.back());
  }
  double mass = 0, first = 0, second = 0;
  for (std::size_t i = 0; i < psi.size(); ++i) {
    const double w = std::exp(weight[i] - top);
    mass += w;
    first += w * psi[i];
    second += w * psi[i] * psi[i];
  }
  return {first / mass, std::sqrt(second / mass - first * first / (mass * mass))};
}

// Compares the posterior of ψ in the window with quadrature. With the exact posterior of θ they always agree; with the
// shipped run they agree as far as its posterior of θ is exact, which is least so where there may be no bump at all.
TEST(NuisanceView, AgreesWithQuadratureOnTwentySets) {
  const auto task = built_in_tasks()->make("bump-hunt");
  Hub hub{built_in_tasks()};
  Posterior posterior(hub);
  posterior.open("bump-hunt");
  posterior.set_n(100);
  std::int64_t means = 0, sds = 0;
  for (std::int64_t s = 0; s < 20; ++s) {
    posterior.set.choose_index(s);
    ASSERT_TRUE(posterior.wait(kCheckPatience));
    const auto view = posterior.nuisance();
    ASSERT_TRUE(view && view->series.size() == 2u);
    const NuisanceSummary &run = view->series[0], &exact = view->series[1];
    ASSERT_EQ(exact.role, SeriesRole::exact);
    const std::int64_t index[] = {s};
    const SetRange range[] = {{s, 0, 100}};
    const Latents latents = task->latents(kFigureSeed, Purpose::explore, index);
    const auto [mean, sd] =
        moments_by_quadrature(*task, task->observe(latents, kFigureSeed, Purpose::explore, range, torch::kCPU));
    EXPECT_NEAR(exact.mean.at(0), mean, 0.1 * sd) << "set " << s;
    EXPECT_NEAR(exact.sd.at(0), sd, 0.05 * sd) << "set " << s;
    means += std::abs(run.mean.at(0) - mean) <= 0.1 * sd;
    sds += std::abs(run.sd.at(0) - sd) <= 0.05 * sd;
  }
  EXPECT_GE(means, 19);
  EXPECT_GE(sds, 18);
}

TEST(NuisanceView, FollowsNAndSaysTheTruth) {
  Hub hub{built_in_tasks()};
  Posterior posterior(hub);
  for (const char* name : {"bump-hunt", "gaussian"}) {
    posterior.open(name);
    double before = INFINITY;
    for (const std::int64_t n : {2, 100}) {
      posterior.set_n(n);
      ASSERT_TRUE(posterior.wait(kCheckPatience));
      const auto view = posterior.nuisance();
      ASSERT_TRUE(view && !view->series.empty() && view->figure);
      EXPECT_LT(view->series[0].sd[0], before) << name << n;
      before = view->series[0].sd[0];
      ASSERT_EQ(view->figure->plots.size(), view->series[0].mean.size()) << "a plot for each component";
      for (const Plot& plot : view->figure->plots) EXPECT_EQ(plot.rules.size(), 1u) << "with its truth";
      EXPECT_EQ(view->figure->plots.front().legend, view->figure->plots.size() > 1);
      EXPECT_NE(view->line.find(" to "), std::string::npos) << view->line;
      EXPECT_EQ(view->line.find("±"), std::string::npos) << view->line;
      ASSERT_TRUE(posterior.check());
      EXPECT_NE(posterior.check()->line.find('%'), std::string::npos) << posterior.check()->line;
    }
  }
}

// Where the posterior has a peak and a tail of "no bump", mean ± sd is not informative: median and interval are.
TEST(NuisanceView, TellsHeavyTailsByMedianAndInterval) {
  const TaskInfo info = built_in_tasks()->make("bump-hunt")->info();
  Cells cells{-4, 6, 2000};
  NuisanceSeries series{"exact", SeriesRole::exact, {cells}, {{}}, {}};
  for (const double x : cells.middles())
    series.densities[0].push_back(0.93 * std::exp(-0.5 * std::pow((x - 0.52) / 0.06, 2)) / 0.06 +
                                  0.07 * std::exp(-0.5 * std::pow((x - 1) / 2, 2)) / 2);
  series.numbers = {cell_numbers(cells, series.densities[0])};
  EXPECT_GT(series.numbers[0].sd, 0.4);
  NuisanceAxes axes(info);
  const NuisanceView view = nuisance_view(info, {series}, {}, axes);
  EXPECT_NEAR(view.series[0].median.at(0), 0.52, 0.01);
  EXPECT_NEAR(view.series[0].most.at(0).low, 0.37, 0.06);
  EXPECT_TRUE(view.line.starts_with("ψ: 0.52")) << view.line;
}

// A file has no known truth to mark. The check rejects data that a bump hunt does not produce.
TEST(PredictiveCheck, AccusesAFileThatTheModelDoesNotMake) {
  TemporaryFolder folder;
  {
    std::ofstream file(folder / "wide.csv");
    file << "x\n";
    for (int i = 0; i < 80; ++i) file << -8 + 0.2 * i << "\n";
  }
  Hub hub{built_in_tasks()};
  Posterior posterior(hub);
  posterior.open("bump-hunt");
  ASSERT_TRUE(posterior.wait(kCheckPatience));
  ASSERT_TRUE(posterior.check());
  EXPECT_FALSE(posterior.check()->extreme) << posterior.check()->line;
  posterior.set.open_file(folder / "wide.csv");
  ASSERT_TRUE(posterior.wait(kCheckPatience));
  ASSERT_TRUE(posterior.check() && posterior.nuisance());
  EXPECT_TRUE(posterior.check()->extreme) << posterior.check()->line;
  EXPECT_TRUE(posterior.nuisance()->figure->plots.at(0).rules.empty());
}

TEST(PredictiveCheck, IsLeftOutWithoutADensity) {
  Hub hub{built_in_tasks()};
  Posterior posterior(hub);
  posterior.open("digits");
  posterior.set_n(10);
  ASSERT_TRUE(posterior.wait(kCheckPatience));
  EXPECT_TRUE(posterior.observed());
  EXPECT_FALSE(posterior.check());
  EXPECT_FALSE(posterior.nuisance());
}

}  // namespace
}  // namespace pairs::model
