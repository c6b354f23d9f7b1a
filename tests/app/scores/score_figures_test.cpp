
#include "app/scores/score_figures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "app/runs/loss_figure.h"
#include "app/runs/run_labels.h"
#include "app/runs/strategy_look.h"
#include "app/scores/cost_figure.h"
#include "app/scores/score.h"
#include "core/base/text/error.h"
#include "core/eval/calibration/calibration.h"

namespace pairs {
namespace {

EvaluationRow row(std::int64_t n, double nll) {
  EvaluationRow out;
  out.n = n;
  out.sets = 1000;
  out.samples = 100;
  out.nll = nll;
  out.nll_se = 0.01;
  out.scores["rmae"] = 0.1 / static_cast<double>(n);
  out.acauc = 0.01;
  out.acauc_floor = 0.01;
  out.acauc_p95 = 0.02;
  std::vector<double> ranks;
  for (int k = 0; k < 1000; ++k) ranks.push_back((k % 101) / 100.0);
  out.rank_tests = {rank_test(ranks, out.samples)};
  out.ranks = {ranks};
  return out;
}

Metrics metrics(const std::string& strategy, std::int64_t seed, double shift) {
  Metrics out;
  out.task = "bump-hunt";
  out.run = strategy + std::to_string(seed);
  out.data = "simulated";
  out.strategy = strategy;
  out.preset = "quick";
  out.training_seed = seed;
  for (const std::int64_t n : {1, 10, 100}) out.rows.push_back(row(n, shift - std::log(static_cast<double>(n))));
  return out;
}

const Line* find(const Plot& plot, SeriesRole role) {
  for (const Line& line : plot.lines)
    if (line.role == role) return &line;
  return nullptr;
}

const Line* named(const Plot& plot, const std::string& name) {
  for (const Line& line : plot.lines)
    if (line.name == name) return &line;
  return nullptr;
}

// Next to other runs it is named after its own run, in figures of the NLL and of the gap.
TEST(GapFigure, TellsWhoseLearnedProductItShows) {
  Metrics pairs = metrics("pairs", 1, 0), one = metrics("n1", 1, 1);
  for (Metrics* run : {&pairs, &one})
    for (EvaluationRow& at : run->rows) {
      at.exact_nll = at.nll - 0.5;
      at.gap = 0.5;
      at.gap_se = 0.01;
      at.reference_nll = {{"exact", at.exact_nll}, {"naive product", at.nll + 1}, {"learned product", at.nll + 2}};
      at.reference_gap = {{"naive product", {1.5, 0.1}}, {"learned product", {2.25, 0.1}}};
    }
  const Plot alone = gap_figure({pairs}).plots.at(1);
  ASSERT_TRUE(named(alone, "learned product"));
  EXPECT_EQ(named(alone, "learned product")->y.front(), 2.25);  // on the sets that it was scored on
  EXPECT_NE(named(alone, "learned product")->style, named(alone, "naive product")->style);
  for (const Figure& figure : {gap_figure({pairs, one}), nll_figure({pairs, one})}) {
    const Plot& both = figure.plots.back();
    EXPECT_FALSE(named(both, "learned product"));
    EXPECT_TRUE(named(both, "learned product of " + strategy_title("pairs")));
    EXPECT_TRUE(named(both, "learned product of " + strategy_title("n1")));
    EXPECT_TRUE(named(both, "naive product"));
  }
}

TEST(CoverageFigure, ShowsTheLeastCalibratedSizeAndSaysWhatItLeavesOut) {
  Metrics many = metrics("pairs", 1, 0);
  const EvaluationRow calibrated = many.rows.front();
  many.rows.clear();
  for (const std::int64_t n : {1, 2, 3, 4, 5, 6, 7, 8}) {
    many.rows.push_back(calibrated);
    many.rows.back().n = n;
  }
  many.rows[4].rank_tests.assign(1, {9, 0, 1e-12});
  const Figure figure = coverage_figure({many});
  ASSERT_EQ(figure.plots.size(), 6u);
  EXPECT_TRUE(std::any_of(figure.plots.begin(), figure.plots.end(),
                          [](const Plot& plot) { return plot.title.starts_with("N = 5: z 9.0"); }));
  EXPECT_TRUE(figure.plots.front().title.starts_with("N = 1:"));
  EXPECT_TRUE(figure.plots.back().title.starts_with("N = 8:"));
  EXPECT_THAT(figure.source, testing::HasSubstr("6 of 8 set sizes, the least calibrated among them"));
}

TEST(NllFigure, TellsTheSetsOfRunsEvaluatedOnDifferentNumbers) {
  Metrics few = metrics("n1", 1, 0.5);
  EXPECT_THAT(nll_figure({metrics("pairs", 1, 0), few}).source, testing::Not(testing::HasSubstr("sets")));
  few.rows.pop_back();
  EXPECT_THAT(nll_figure({metrics("pairs", 1, 0), few}).source, testing::HasSubstr("sets, 2 sizes)"));
}

TEST(NllFigure, DrawsExtrapolationsHollowAndSaysSo) {
  Metrics one = metrics("e2e", 1, 0);
  EXPECT_TRUE(nll_figure({one}).plots[0].lines[0].hollow.empty());
  EXPECT_EQ(nll_figure({one}).source.find("hollow"), std::string::npos);
  one.rows[0].extrapolation = one.rows[1].extrapolation = true;
  const Figure figure = nll_figure({one});
  EXPECT_EQ(figure.plots[0].lines[0].hollow, (std::vector<bool>{true, true, false}));
  EXPECT_NE(figure.source.find("hollow: extrapolation"), std::string::npos);
}

TEST(NllFigure, MakesSeedsOneLineWithABand) {
  const Figure figure = nll_figure({metrics("pairs", 1, 0.0), metrics("pairs", 2, 0.2), metrics("n1", 1, 0.5)});
  const Plot& plot = figure.plots.at(0);
  const Line* pairs = find(plot, SeriesRole::pairs);
  ASSERT_TRUE(pairs);
  EXPECT_THAT(pairs->x, testing::ElementsAre(1, 10, 100));
  EXPECT_NEAR(pairs->y[0], 0.1, 1e-12);
  EXPECT_NEAR(pairs->lower[0], 0.0, 1e-12);
  EXPECT_NEAR(pairs->upper[0], 0.2, 1e-12);
  const Line* n1 = find(plot, SeriesRole::n1);
  ASSERT_TRUE(n1);
  EXPECT_NEAR(n1->upper[0] - n1->y[0], 0.02, 1e-12) << "one seed: two standard errors";
  EXPECT_FALSE(find(plot, SeriesRole::exact));
  EXPECT_THAT(figure.source, testing::HasSubstr("simulated; pairs1, pairs2, n11"));
}

TEST(NllFigure, DrawsExactAndKeepsABadReferenceFromSqueezingTheRest) {
  Metrics one = metrics("pairs", 1, 0.0);
  for (EvaluationRow& r : one.rows) {
    r.exact_nll = r.nll - 0.01;
    r.reference_nll["naive product"] = 500;
  }
  const Plot plot = nll_figure({one}).plots.at(0);
  const Line* exact = find(plot, SeriesRole::exact);
  ASSERT_TRUE(exact);
  EXPECT_EQ(exact->style, LineStyle::dashed);
  ASSERT_TRUE(find(plot, SeriesRole::naive));
  EXPECT_LT(plot.y.high, 10);
}

TEST(NllFigure, KeepsRunsOfOtherLabelsApart) {
  Metrics a = metrics("pairs", 1, 0.0), b = metrics("pairs", 2, 0.2), wide = metrics("pairs", 1, 0.4);
  a.label = b.label = "PAIRS";
  wide.label = "wide";
  const Plot plot = nll_figure({a, b, wide}).plots.at(0);
  ASSERT_EQ(plot.lines.size(), 2u);
  EXPECT_EQ(plot.lines[0].name, "PAIRS (2 seeds)");
  EXPECT_EQ(plot.lines[1].name, "wide");
}

TEST(GapFigure, StandsOnTheExactPosterior) {
  Metrics one = metrics("pairs", 1, 0.0);
  EXPECT_THROW(gap_figure({one}), Error);
  for (EvaluationRow& r : one.rows) {
    r.gap = 0.03;
    r.gap_se = 0.01;
  }
  const Plot plot = gap_figure({one}).plots.at(0);
  const Line *pairs = find(plot, SeriesRole::pairs), *exact = find(plot, SeriesRole::exact);
  ASSERT_TRUE(pairs && exact);
  EXPECT_NEAR(pairs->lower[0], 0.01, 1e-12);
  EXPECT_THAT(exact->x, testing::ElementsAre(1, 100));
  EXPECT_THAT(exact->y, testing::ElementsAre(0, 0));
}

// References that are not exact share a logarithmic axis with the runs and have error bars.
TEST(GapFigure, ShowsTheOtherReferencesWithoutSqueezingTheRuns) {
  Metrics one = metrics("pairs", 1, 0.0);
  for (EvaluationRow& r : one.rows) {
    r.gap = 0.03;
    r.gap_se = 0.01;
    r.exact_nll = r.nll - 0.03;
    r.reference_nll = {{"exact", r.nll - 0.03}, {"naive product", r.nll + 12}, {"per-event classifier", r.nll + 0.04}};
    r.reference_gap = {{"naive product", {12.03, 0.5}}, {"per-event classifier", {0.07, 0.01}}};
  }
  const Figure figure = gap_figure({one});
  ASSERT_EQ(figure.plots.size(), 2u);
  EXPECT_LT(figure.plots[0].y.high, 0.06);
  EXPECT_EQ(named(figure.plots[0], "naive product"), nullptr);
  const Plot& all = figure.plots[1];
  EXPECT_EQ(all.y.scale, AxisScale::log);
  const Line *naive = named(all, "naive product"), *classifier = named(all, "per-event classifier");
  ASSERT_TRUE(naive && classifier && find(all, SeriesRole::pairs));
  EXPECT_NEAR(naive->y[0], 12.03, 1e-9);
  EXPECT_NEAR(naive->upper[0], 13.03, 1e-9);
  EXPECT_NEAR(classifier->y[2], 0.07, 1e-9);
  EXPECT_LT(all.y.low, 0.03);
  EXPECT_GT(all.y.high, 12.03);
}

TEST(DifferenceFigure, DrawsBandsAroundTheBaselinesZero) {
  const Figure figure =
      difference_figure("a", {{"b", "n1", {1, 10}, {0.5, -0.25}, {0.125, NAN}}}, "MNIST", score_of({}));
  const Plot& plot = figure.plots.at(0);
  const Line* line = find(plot, SeriesRole::n1);
  ASSERT_TRUE(line);
  EXPECT_THAT(line->lower, testing::ElementsAre(0.25, -0.25));
  EXPECT_THAT(line->upper, testing::ElementsAre(0.75, -0.25));
  EXPECT_LT(plot.y.low, -0.25);
  EXPECT_GT(plot.y.high, 0.75);
  EXPECT_EQ(plot.lines.back().name, "a");
  EXPECT_EQ(figure.source, "MNIST; a, b");
  EXPECT_THROW(difference_figure("a", {}, "MNIST", score_of({})), Error);
}

TEST(MetricFigures, RefuseRunsOfDifferentTasks) {
  Metrics other = metrics("pairs", 1, 0);
  other.task = "gaussian";
  EXPECT_THROW(nll_figure({metrics("pairs", 1, 0), other}), Error);
  EXPECT_THROW(score_figure(score_named("rmae"), {}, {}), Error);
}

TEST(MetricFigures, RefuseRunsOnDifferentData) {
  std::vector<Metrics> two = {metrics("pairs", 1, 0), metrics("pairs", 2, 0)};
  two[1].data = "generated digits";
  EXPECT_THAT([&] { nll_figure(two); },
              testing::ThrowsMessage<Error>(testing::HasSubstr(
                  "pairs1 was evaluated on simulated and pairs2 on generated digits; draw runs of the same data")));
}

TEST(MetricFigures, RefuseTwoRunsOfOneSeedAsSeeds) {
  EXPECT_THAT(
      [] {
        nll_figure({metrics("pairs", 1, 0), metrics("pairs", 1, 0.3)});
      },
      testing::ThrowsMessage<Error>(testing::HasSubstr("have the same seed, 1")));
}

TEST(SeedLabels, AreSharedByRunsThatDifferInTheirSeedAlone) {
  RunConfig config;
  const auto labels = [&](const std::function<void(LabeledRun&)>& change) {
    std::vector<LabeledRun> runs = {{"a", config}, {"b", config}};
    runs[1].config.seed = 2;
    change(runs[1]);
    return seed_labels(runs);
  };
  EXPECT_THAT(labels([](LabeledRun&) {}), testing::ElementsAre("PAIRS", "PAIRS"));
  EXPECT_THAT(labels([](LabeledRun& run) { run.config.evaluate.samples = 19; }),
              testing::ElementsAre("PAIRS", "PAIRS"));
  const auto apart = testing::ElementsAre("a", "b");
  EXPECT_THAT(labels([](LabeledRun& run) { run.config.seed = 1; }), apart);
  EXPECT_THAT(labels([](LabeledRun& run) { run.config.pretrain.epochs += 1; }), apart);
  EXPECT_THAT(labels([](LabeledRun& run) { run.config.estimator.head.kind = "umnn"; }), apart);
  EXPECT_THAT(labels([](LabeledRun& run) { run.finetuned = false; }), apart);
  EXPECT_THAT(labels([](LabeledRun& run) {
                run.config.pretrain.epochs += 1;
                run.name = "a";
              }),
              testing::ElementsAre("a", "a (2)"));
}

// The floor of a size with few sets must not hide the others.
TEST(AcaucFigure, ShowsTheNoiseFloorOfEachSize) {
  Metrics one = metrics("pairs", 1, 0);
  one.rows[2].sets = 100;
  one.rows[2].acauc_p95 = 0.07;
  const Figure figure = acauc_figure({one});
  const Line* floor = named(figure.plots.at(0), "noise, 95 %");
  ASSERT_TRUE(floor);
  EXPECT_THAT(floor->x, testing::ElementsAre(1, 10, 100));
  EXPECT_THAT(floor->upper, testing::ElementsAre(0.02, 0.02, 0.07));
  EXPECT_TRUE(figure.plots[0].bands.empty());
  Metrics other = metrics("n1", 1, 0);
  EXPECT_TRUE(named(acauc_figure({one, other}).plots.at(0), "noise, 95 %: n11"));
}

TEST(AcaucFigure, ShowsLocationWidthAndRanksBesideTheirLimits) {
  Metrics one = metrics("pairs", 1, 0);
  one.rows[1].rank_tests = {{18.6, 0.4, 1e-20}};
  const Figure figure = acauc_figure({one});
  ASSERT_EQ(figure.plots.size(), 4u);
  EXPECT_EQ(figure.plots[1].y.label, "location z");
  EXPECT_EQ(figure.plots[1].lines.at(0).y[1], 18.6);
  EXPECT_EQ(figure.plots[2].lines.at(0).y[1], 0.4);
  EXPECT_EQ(figure.plots[3].lines.at(0).y[1], 1e-12) << "as low as the axis shows";
  const double limit = calibration_limits(one.rows).miscalibrated.z;
  EXPECT_NEAR(figure.plots[1].bands.at(0).high, limit, 1e-12);
  EXPECT_GT(figure.plots[1].y.high, 18.6);
  EXPECT_THAT(figure.source, testing::Not(testing::HasSubstr("share")));
  for (EvaluationRow& r : one.rows) {
    r.pool = 10000;
    r.pool_location_sd = {0.08};
    r.pool_location_z = {1};
  }
  const Figure pooled = acauc_figure({one});
  EXPECT_GT(named(pooled.plots[1], "explained by the pool, 95 %")->upper[1], 16);
  EXPECT_THAT(pooled.source,
              testing::HasSubstr("share 10,000 observations, which alone move posteriors by √(N / 10,000)"));
}

TEST(CoverageFigure, FollowsTheDiagonalForUniformRanks) {
  const Figure figure = coverage_figure({metrics("pairs", 1, 0)});
  ASSERT_EQ(figure.plots.size(), 3u);
  const Line* line = find(figure.plots[0], SeriesRole::pairs);
  const Line* ideal = find(figure.plots[0], SeriesRole::exact);
  ASSERT_TRUE(line && ideal);
  for (std::size_t k = 0; k < line->x.size(); ++k) EXPECT_NEAR(line->y[k], ideal->y[k], 0.01);
  EXPECT_THAT(figure.plots[0].title, testing::HasSubstr("z −0"));
}

TEST(RanksFigure, ShowsBinsOverTheirExpectationAndSaysSoWithoutSamples) {
  Metrics even = metrics("pairs", 1, 0);
  for (EvaluationRow& r : even.rows) {
    r.ranks[0].resize(909);  // nine times each of 101 values
    r.sets = 909;
  }
  const Figure figure = ranks_figure(even, {"θ"});
  ASSERT_EQ(figure.plots.size(), 3u);
  for (const double height : figure.plots[0].bars.at(0).heights) EXPECT_NEAR(height, 1, 1e-9);
  EXPECT_THAT(figure.plots[0].title, testing::HasSubstr("N = 1, θ: z "));
  Metrics bare = metrics("pairs", 1, 0);
  for (EvaluationRow& r : bare.rows) r.ranks.clear();
  EXPECT_THROW(ranks_figure(bare, {"θ"}), Error);
  Metrics few = metrics("pairs", 1, 0);
  few.rows[0].sets = 19;
  EXPECT_THAT([&] { ranks_figure(few, {"θ"}); }, testing::ThrowsMessage<Error>(testing::HasSubstr("needs 20 or more")));
}

TEST(LossFigure, DrawsEachStageThatHasLosses) {
  LossCurves run{"a", "pairs", {}};
  for (int k = 0; k < 5; ++k) {
    Event event;
    event.type = EventType::loss;
    event.stage = Stage::pretrain;
    event.step = 100 * k;
    event.values = {{"train", 1.0 / (k + 1)}, {"validation", 1.1 / (k + 1)}};
    run.progress.add(event);
  }
  const Figure figure = loss_figure({run});
  ASSERT_EQ(figure.plots.size(), 1u);
  ASSERT_EQ(figure.plots[0].lines.size(), 2u);
  EXPECT_EQ(figure.plots[0].lines[1].name, "validation");
  EXPECT_THROW(loss_figure({{"b", "pairs", {}}}), Error);
}

TEST(ParetoFigure, PlotsBothAccounts) {
  const Figure figure =
      pareto_figure({{"a", "pairs", 10, 12, 0.35, 0.01, 1000}, {"b", "n1-10", 36, 38, 0.05, 0.01, 1000}});
  ASSERT_EQ(figure.plots.size(), 2u);
  // Each point, and through it a line of two standard errors to either side.
  for (std::size_t plot = 0; plot < 2; ++plot) {
    const std::vector<Line>& lines = figure.plots[plot].lines;
    ASSERT_EQ(lines.size(), 4u);
    EXPECT_EQ(lines[2].x.at(0), plot == 0 ? 36 : 38);
    EXPECT_TRUE(lines[2].markers);
    EXPECT_THAT(lines[3].x, testing::ElementsAre(lines[2].x[0], lines[2].x[0]));
    EXPECT_NEAR(lines[3].y.at(0), 0.03, 1e-12);
    EXPECT_NEAR(lines[3].y.at(1), 0.07, 1e-12);
    EXPECT_EQ(lines[3].name, lines[2].name);
    EXPECT_FALSE(lines[3].markers);
  }
}

}  // namespace
}  // namespace pairs
