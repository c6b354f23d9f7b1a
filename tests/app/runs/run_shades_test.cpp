#include "app/runs/run_shades.h"

#include <gtest/gtest.h>

#include "app/scores/score_figures.h"
#include "core/report/style.h"

namespace pairs {
namespace {

RunShades::Run run(const std::string& name, std::int64_t created, SeriesRole role = SeriesRole::pairs) {
  return {"/runs/" + name, "gaussian", role, false, created, name};
}

TEST(RunShades, GoByCreationAndLeaveEarlierRunsAlone) {
  RunShades shades;
  EXPECT_EQ(shades.of("/runs/a"), 0);
  shades.list({run("b", 20),
               run("a", 10),
               run("n1", 5, SeriesRole::n1),
               {"gaussian", "gaussian", SeriesRole::pairs, true, 99, "gaussian"}});
  EXPECT_EQ(shades.of("gaussian"), 0) << "what came with the program has the strategy's own color";
  EXPECT_EQ(shades.of("/runs/a"), 1);
  EXPECT_EQ(shades.of("/runs/b"), 2);
  EXPECT_EQ(shades.of("/runs/n1"), 0) << "of another strategy";
  const std::uint64_t version = shades.version();
  shades.list({run("older", 1), run("b", 20)});
  EXPECT_EQ(shades.of("/runs/older"), 3) << "what turns up later changes nothing";
  EXPECT_EQ(shades.of("/runs/a"), 1);
  EXPECT_EQ(shades.of("/runs/b/"), 2);
  EXPECT_EQ(shades.of("/runs/x/../b"), 2);
  EXPECT_GT(shades.version(), version);
  shades.list({run("b", 20)});
  EXPECT_EQ(shades.version(), version + 1);
}

TEST(RunShades, FiguresDrawTheRunsInThem) {
  std::vector<Metrics> metrics(3);
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    metrics[i].run = metrics[i].label = std::string(1, static_cast<char>('a' + i));
    metrics[i].strategy = "pairs";
    metrics[i].training_seed = static_cast<std::int64_t>(i);
    metrics[i].shade = static_cast<int>(i);
    EvaluationRow row;
    row.n = 10;
    row.nll = 1;
    metrics[i].rows = {row};
  }
  const std::vector<std::uint32_t> wanted = {role_color(shaded(SeriesRole::pairs, 0)),
                                             role_color(shaded(SeriesRole::pairs, 1)),
                                             role_color(shaded(SeriesRole::pairs, 2))};
  const Figure figure = nll_figure(metrics);
  const auto styles = chart::line_styles(figure.plots[0]);
  ASSERT_GE(styles.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(styles[i].color, wanted[i]);
  EXPECT_NE(wanted[0], wanted[1]);
  EXPECT_NE(wanted[1], wanted[2]);
  metrics.erase(metrics.begin());
  EXPECT_EQ(chart::line_styles(nll_figure(metrics).plots[0])[0].color, wanted[1])
      << "the color of a run does not depend on what stands beside it";
}

}  // namespace
}  // namespace pairs
