#include "app/model/compare/score_plot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/app/model/compare/made_up_runs.h"

namespace pairs::model {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<PlottedRun> plotted(const std::vector<RunRecord>& runs) {
  std::vector<PlottedRun> all;
  for (const RunRecord& run : runs) all.push_back({&run, run.facts->metrics});
  return all;
}

const std::vector<RunRecord> kPlotted = {made_up_run("first", "pairs", 1, 1), made_up_run("second", "pairs", 2, 2),
                                         made_up_run("third", "pairs", 3, 3), made_up_run("wide", "pairs", 1, 4, "16"),
                                         made_up_run("other", "n1", 1, 0)};

TEST(ScorePlot, SeedsAreOneLineWithTheirSpread) {
  const ScorePlot plot = score_plot(plotted(kPlotted), {.y = "gap"});
  ASSERT_TRUE(plot.figure);
  const std::vector<Line>& lines = plot.figure->plots[0].lines;
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0].name, "PAIRS, size 8 (3 runs)");
  EXPECT_THAT(lines[0].x, ElementsAre(1, 10));
  EXPECT_NEAR(lines[0].y[1], 0.08, 1e-12);
  EXPECT_NEAR(lines[0].upper[1] - lines[0].y[1], 2 * std::hypot(0.01, 0.01 / std::sqrt(3)), 1e-12)
      << "twice the error over test sets and over 0.09, 0.08, 0.07";
  EXPECT_EQ(lines[1].name, "wide");
  EXPECT_TRUE(lines[1].lower.empty());
  EXPECT_EQ(lines[2].role, SeriesRole::other) << "as the list of runs has it";
  EXPECT_THAT(plot.runs.at(lines[0].name), ElementsAre("/runs/first", "/runs/second", "/runs/third"));
  EXPECT_EQ(plot.note, "");
}

TEST(ScorePlot, RunsOfDifferentSizesAreOneLineAgainstTheSize) {
  const ScorePlot plot = score_plot(plotted(kPlotted), {.y = "gap", .x = "embedder.size", .n = 10});
  ASSERT_TRUE(plot.figure);
  const std::vector<Line>& lines = plot.figure->plots[0].lines;
  EXPECT_THAT(lines[0].x, ElementsAre(8, 16));
  EXPECT_NEAR(lines[0].y[0], 0.08, 1e-12);
  EXPECT_NEAR(lines[0].y[1], 0.06, 1e-12);
  EXPECT_EQ(plot.figure->title, "gap at N = 10");
  EXPECT_EQ(lines[0].name, "PAIRS (4 runs)");
}

TEST(ScorePlot, WhatRunsHaveCostIsAPointWithABar) {
  const ScorePlot plot = score_plot(plotted(kPlotted), {.y = "gap", .x = "cost", .n = 1});
  ASSERT_TRUE(plot.figure);
  const std::vector<Line>& lines = plot.figure->plots[0].lines;
  ASSERT_EQ(lines.size(), 6u) << "three groups, each with its bar; one of them is best at any cost";
  EXPECT_THAT(lines[0].x, ElementsAre(2000));
  EXPECT_TRUE(lines[0].markers);
  EXPECT_NEAR(lines[1].y[1] - lines[1].y[0], 4 * std::hypot(0.01, 0.01 / std::sqrt(3)), 1e-12) << "of three seeds";
  EXPECT_NEAR(lines[3].y[1] - lines[3].y[0], 0.04, 1e-12) << "of one run four standard errors";
}

TEST(ScorePlot, TheBestForTheirCostAreJoined) {
  const std::vector<RunRecord> runs = {made_up_run("cheap", "pairs", 1, 1), made_up_run("dear", "pairs", 3, 2, "32"),
                                       made_up_run("good", "pairs", 2, 4, "16")};
  const ScorePlot plot = score_plot(plotted(runs), {.y = "gap", .x = "cost", .n = 1});
  ASSERT_TRUE(plot.figure);
  const Line& front = plot.figure->plots[0].lines.back();
  EXPECT_EQ(front.style, LineStyle::dashed);
  EXPECT_THAT(front.x, ElementsAre(1000, 2000)) << "dear is no better than good";
  EXPECT_NEAR(front.y[0], 0.09, 1e-12);
  EXPECT_NEAR(front.y[1], 0.06, 1e-12);
  EXPECT_FALSE(plot.runs.contains(front.name));
}

TEST(ScorePlot, WhatLearnedNothingIsNotBestForItsCost) {
  std::vector<RunRecord> runs = {made_up_run("cheap", "pairs", 1, 1), made_up_run("good", "pairs", 2, 4, "16"),
                                 made_up_run("dear", "pairs", 3, 5, "32")};
  runs[0] = changed(runs[0], [](RunFacts& facts) { facts.learned_nothing = true; });
  const ScorePlot plot = score_plot(plotted(runs), {.y = "gap", .x = "cost", .n = 1});
  ASSERT_TRUE(plot.figure);
  EXPECT_THAT(plot.figure->plots[0].lines.back().x, ElementsAre(2000, 3000));
  EXPECT_EQ(plot.figure->plots[0].lines[0].name, "cheap, no better than the prior");
}

TEST(ScorePlot, SaysWhatIsMissingOrLeftOut) {
  EXPECT_THAT(score_plot({}, {}).note, HasSubstr("None of the listed runs has scores"));
  EXPECT_THAT(score_plot(plotted(kPlotted), {.y = "gap", .x = "pretrain.rate", .n = 1}).note,
              HasSubstr("None of the listed runs has gap against pretrain.rate"));
  std::vector<RunRecord> many;
  for (int i = 0; i < 45; ++i) many.push_back(made_up_run(fmt::format("r{}", i), "pairs", 1, 1, std::to_string(i)));
  const ScorePlot plot = score_plot(plotted(many), {.y = "gap"});
  EXPECT_EQ(plot.figure->plots[0].lines.size(), kMostLines);
  EXPECT_THAT(plot.note, HasSubstr("The first 40 of 45 lines"));
}

}  // namespace
}  // namespace pairs::model
