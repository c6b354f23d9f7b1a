#include "app/model/compare/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <utility>

#include "app/runs/run_about.h"
#include "app/scores/run_evaluation.h"
#include "core/base/files/files.h"
#include "tasks/registry.h"
#include "tests/app/model/small_run.h"
#include "tests/app/model/viewer/view_run.h"

namespace pairs::model {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using Entry = ComparedRun::State;

struct ComparedRuns {
  TemporaryFolder folder;
  std::string a = small_run(folder.path(), "a", "gaussian", 1), b = small_run(folder.path(), "b", "gaussian", 2),
              n1 = small_run(folder.path(), "n1", "gaussian", 1, "n1"),
              wide = small_run(folder.path(), "wide", "gaussian", 3, "pairs", {"embedder.size=12"}),
              bump = small_run(folder.path(), "bump", "bump-hunt");
};

const ComparedRuns& compared_runs() {
  static const ComparedRuns runs;
  return runs;
}

class ComparisonTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const std::string& run : {compared_runs().a, compared_runs().b, compared_runs().n1, compared_runs().wide})
      std::filesystem::remove(std::filesystem::path(run) / run_file::metrics);
  }
  void evaluate(Comparison& comparison) {
    ASSERT_THAT(comparison.evaluate_blocked(), IsEmpty());
    comparison.evaluate_all();
    ASSERT_TRUE(comparison.wait(30));
    ASSERT_TRUE(comparison.wait(30));
  }
  Hub hub{built_in_tasks()};
};

const ShownFigure* figure(const Comparison::View& view, const std::string& name) {
  for (const auto* figures : {&view.figures, &view.losses})
    for (const ShownFigure& one : *figures)
      if (one.name == name) return &one;
  return nullptr;
}

TEST_F(ComparisonTest, EvaluatesWhatLacksScoresAndPairsTheSameSets) {
  const ComparedRuns& runs = compared_runs();
  Comparison comparison(hub);
  comparison.toggle(runs.a);
  comparison.toggle(runs.n1);
  ASSERT_TRUE(comparison.wait(30));
  ASSERT_EQ(comparison.entries().size(), 2u);
  EXPECT_EQ(comparison.entries()[0].state, Entry::unscored);
  EXPECT_THAT(comparison.entries()[0].sentence, HasSubstr("evaluate it"));
  EXPECT_EQ(comparison.lacking(), 2);
  evaluate(comparison);
  EXPECT_EQ(comparison.entries()[0].state, Entry::scored);
  EXPECT_EQ(comparison.entries()[1].state, Entry::scored);
  EXPECT_EQ(comparison.lacking(), 0);
  EXPECT_THAT(comparison.evaluate_blocked(), HasSubstr("has its scores"));

  const auto view = comparison.view();
  const Metrics first = *stored_metrics(load_run(built_in_tasks(), runs.a)),
                second = *stored_metrics(load_run(built_in_tasks(), runs.n1));
  ASSERT_EQ(view->differences.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(view->differences[i].n, first.rows[i].n);
    EXPECT_TRUE(std::isnan(view->differences[i].runs[0].mean));
    EXPECT_NEAR(view->differences[i].runs[1].mean, second.rows[i].nll - first.rows[i].nll, 1e-9);
    EXPECT_LT(view->differences[i].runs[1].se, std::hypot(first.rows[i].nll_se, second.rows[i].nll_se))
        << "paired on the same sets";
  }
  comparison.set_baseline("n1");
  ASSERT_TRUE(comparison.wait(30));
  EXPECT_NEAR(comparison.view()->differences[0].runs[0].mean, -view->differences[0].runs[1].mean, 1e-12);

  const std::string arguments = " --sizes 1,10 --sets 40 --samples 20 --seed 1";
  EXPECT_EQ(comparison.batch_command(), "pairs --batch compare " + runs.n1 + " " + runs.a + arguments);
  EXPECT_THAT(comparison.command_note(), IsEmpty());
  for (const char* name : {"nll", "gap", "rmae", "acauc", "pareto", "loss"}) {
    const ShownFigure* shown = figure(*view, name);
    ASSERT_TRUE(shown) << name;
    EXPECT_TRUE(shown->figure) << shown->missing;
  }
  EXPECT_EQ(figure(*view, "nll")->figure->plots[0].lines[0].name, "a");
  EXPECT_EQ(view->settings.front().differs, true);
  EXPECT_FALSE(view->settings.back().differs);
}

TEST_F(ComparisonTest, TheCommandGivesTheScoresShownOrSaysWhatDiffers) {
  const ComparedRuns& runs = compared_runs();
  QuietMonitor quiet;
  const auto score = [&](const std::string& folder, std::vector<std::int64_t> sets, std::uint64_t seed) {
    const LoadedRun run = load_run(built_in_tasks(), folder);
    EvaluationOptions options = evaluation_options(run);
    options.sets = std::move(sets);
    options.seed = seed;
    ASSERT_TRUE(save_metrics(run, evaluate_in(quiet, run, options)));
  };
  score(runs.a, {50, 30}, 6);
  score(runs.b, {50, 30}, 6);
  Comparison comparison(hub);
  comparison.toggle(runs.a);
  comparison.toggle(runs.b);
  ASSERT_TRUE(comparison.wait(30));
  const std::string command = "pairs --batch compare " + runs.a + " " + runs.b;
  EXPECT_EQ(comparison.batch_command(), command + " --sizes 1,10 --sets 50,30 --samples 20 --seed 6");
  EXPECT_THAT(comparison.command_note(), IsEmpty());
  score(runs.n1, {60}, 7);
  comparison.toggle(runs.n1);
  ASSERT_TRUE(comparison.wait(30));
  EXPECT_EQ(comparison.batch_command(), command + " " + runs.n1 + " --sizes 1,10 --samples 20");
  EXPECT_THAT(comparison.command_note(), HasSubstr("test sets (a 50,30, n1 60); seed (a 6, n1 7)"));
}

// A baseline that was scored on more sets: its number, too, is over the sets that both share.
TEST_F(ComparisonTest, EveryNumberOfARowIsOverTheSetsThatItNames) {
  const ComparedRuns& runs = compared_runs();
  QuietMonitor quiet;
  std::vector<Metrics> metrics;
  for (const auto& [folder, sets] : {std::pair(runs.a, 60), std::pair(runs.b, 25), std::pair(runs.n1, 40)}) {
    const LoadedRun run = load_run(built_in_tasks(), folder);
    EvaluationOptions options = evaluation_options(run);
    options.sets = {sets};
    metrics.push_back(evaluate_in(quiet, run, options));
    ASSERT_TRUE(save_metrics(run, metrics.back()));
  }
  Comparison comparison(hub);
  for (const std::string& run : {runs.a, runs.b, runs.n1}) comparison.toggle(run);
  comparison.set_baseline("a");
  ASSERT_TRUE(comparison.wait(30));
  const auto view = comparison.view();
  ASSERT_EQ(view->differences.size(), 2u);
  const DifferenceRow& row = view->differences[1];
  EXPECT_EQ(row.sets, 25);
  const auto mean = [&](std::size_t i) {
    double sum = 0;
    for (std::size_t k = 0; k < 25; ++k) sum -= metrics[i].rows[1].log_prob[k] / 25;
    return sum;
  };
  EXPECT_NEAR(row.score, mean(0), 1e-9);
  EXPECT_NEAR(row.runs[1].mean, mean(1) - mean(0), 1e-9);
  EXPECT_NEAR(row.runs[2].mean, mean(2) - mean(0), 1e-9) << "of the same 25 sets, though 40 are shared with it";
  // How far the means are apart is drawn from what is stored.
  const ShownFigure* apart = figure(*view, "apart");
  ASSERT_TRUE(apart && apart->figure) << (apart ? apart->missing : "");
  ASSERT_EQ(apart->figure->plots.at(0).lines.size(), 2u);
  for (const Line& line : apart->figure->plots[0].lines)
    for (const double y : line.y) EXPECT_GT(y, 0);
}

// Weights that started from others' have no losses of stage 1: their name stands in the legend of stage 3.
TEST_F(ComparisonTest, TheLossesNameEveryRun) {
  const ComparedRuns& runs = compared_runs();
  TemporaryFolder folder;
  const std::string late = folder / "late";
  std::filesystem::copy(runs.a, late, std::filesystem::copy_options::recursive);
  std::string events, line;
  std::ifstream in(std::filesystem::path(late) / run_file::events);
  while (std::getline(in, line))
    if (line.find("\"loss\"") == std::string::npos || line.find("pretrain") == std::string::npos) events += line + "\n";
  write_file(std::filesystem::path(late) / run_file::events, events);
  Comparison comparison(hub);
  comparison.toggle(runs.n1);
  comparison.toggle(late);
  ASSERT_TRUE(comparison.wait(30));
  const auto view = comparison.view();
  const ShownFigure* loss = figure(*view, "loss");
  ASSERT_TRUE(loss && loss->figure);
  ASSERT_EQ(loss->figure->plots.size(), 2u);
  EXPECT_TRUE(loss->figure->plots[1].legend);
  bool named = false;
  for (const Line& one : loss->figure->plots[1].lines) named = named || one.name.starts_with("late");
  EXPECT_TRUE(named);
}

TEST_F(ComparisonTest, MakesOneLineOfSeedsAndAnotherOfOtherSettings) {
  const ComparedRuns& runs = compared_runs();
  Comparison comparison(hub);
  for (const std::string& run : {runs.a, runs.b, runs.wide}) comparison.toggle(run);
  ASSERT_TRUE(comparison.wait(30));
  evaluate(comparison);
  std::vector<std::string> names;
  for (const Line& line : figure(*comparison.view(), "nll")->figure->plots[0].lines)
    if (line.role == SeriesRole::pairs) names.push_back(line.name);
  EXPECT_THAT(names, testing::ElementsAre("PAIRS like a (2 seeds)", "wide"));
}

TEST_F(ComparisonTest, LeavesOutOtherTasksAndFoldersThatAreGone) {
  const ComparedRuns& runs = compared_runs();
  const TemporaryFolder folder;
  const std::string gone = (folder.path() / "gone").string();
  std::filesystem::copy(runs.a, gone);
  write_file(std::filesystem::path(runs.b) / run_file::metrics, "not JSON");
  Comparison comparison(hub);
  for (const std::string& run : {runs.a, runs.bump, gone, runs.b}) comparison.toggle(run);
  ASSERT_TRUE(comparison.wait(30));
  EXPECT_EQ(comparison.entries()[2].state, Entry::unscored);
  std::filesystem::remove_all(gone);
  comparison.toggle(runs.n1);
  ASSERT_TRUE(comparison.wait(30));
  const auto& entries = comparison.entries();
  ASSERT_EQ(entries.size(), 5u);
  EXPECT_EQ(entries[0].state, Entry::unscored);
  EXPECT_EQ(entries[1].state, Entry::other);
  EXPECT_THAT(entries[1].sentence, HasSubstr("only runs of one task"));
  EXPECT_EQ(entries[2].state, Entry::failed);
  EXPECT_EQ(entries[2].name, "gone");
  EXPECT_EQ(entries[3].state, Entry::unscored);
  EXPECT_THAT(entries[3].sentence, HasSubstr("cannot be read"));
  EXPECT_THAT(comparison.view()->names, testing::ElementsAre("a", "b", "n1"));

  comparison.toggle(gone);
  EXPECT_FALSE(comparison.holds(gone));
  EXPECT_TRUE(comparison.holds(runs.a));
  comparison.clear();
  EXPECT_TRUE(comparison.entries().empty());
  EXPECT_FALSE(comparison.view());
  EXPECT_THAT(comparison.batch_command(), IsEmpty());
}

TEST_F(ComparisonTest, CallsRunsAsPeopleDo) {
  const ComparedRuns& runs = compared_runs();
  const TemporaryFolder folder;
  const std::string named = (folder.path() / "stamp").string();
  std::filesystem::copy(runs.a, named);
  write_about(named, {"the first try", "", {}, false});
  Comparison comparison(hub);
  comparison.toggle(named);
  ASSERT_TRUE(comparison.wait(30));
  EXPECT_EQ(comparison.entries()[0].name, "the first try");
}

TEST_F(ComparisonTest, LeavesOutViewsOfAnotherFraming) {
  const TemporaryFolder folder;
  const std::string near = untrained_view_run(folder.path(), "near", {"task.half_width=1.25"}),
                    far = untrained_view_run(folder.path(), "far", {"task.half_width=1.5"});
  Comparison comparison(hub);
  comparison.toggle(near);
  comparison.toggle(far);
  ASSERT_TRUE(comparison.wait(30));
  ASSERT_EQ(comparison.entries().size(), 2u);
  EXPECT_EQ(comparison.entries()[1].state, Entry::other);
  EXPECT_THAT(comparison.entries()[1].sentence,
              testing::AllOf(HasSubstr("2 spheres, 16 × 16 pixels, half-width 1.5"), HasSubstr("half-width 1.25"),
                             testing::EndsWith("only runs on the same data can be compared")));
}

TEST_F(ComparisonTest, ShowsLossesOfARunWithoutWeights) {
  const ComparedRuns& runs = compared_runs();
  const TemporaryFolder folder;
  const std::filesystem::path young = folder.path() / "young";
  std::filesystem::copy(runs.a, young);
  std::filesystem::remove(young / run_file::estimator);
  std::filesystem::remove(young / run_file::pretrained);
  Comparison comparison(hub);
  comparison.toggle(young.string());
  ASSERT_TRUE(comparison.wait(30));
  EXPECT_EQ(comparison.entries().at(0).state, Entry::untrained);
  EXPECT_THAT(comparison.entries()[0].sentence, HasSubstr("no trained weights"));
  EXPECT_TRUE(figure(*comparison.view(), "loss")->figure);
  EXPECT_THAT(comparison.evaluate_blocked(), HasSubstr("Every run"));
  EXPECT_TRUE(comparison.has_shipped("gaussian"));
  EXPECT_FALSE(comparison.has_shipped("no-such-task"));
}

}  // namespace
}  // namespace pairs::model
