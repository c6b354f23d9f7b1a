#include "app/model/evaluate/evaluation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "app/scores/run_evaluation.h"
#include "core/base/files/files.h"
#include "core/train/run/shipped.h"
#include "tasks/registry.h"
#include "tests/app/model/environment.h"
#include "tests/app/model/small_run.h"

namespace pairs::model {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using AskedField = EvaluationField;
using Shown = Evaluation::State;

bool settle(Evaluation& evaluation, double seconds = 120) {
  return evaluation.wait(seconds);
}

const std::string& finished_run() {
  static const TemporaryFolder folder;
  static const std::string run = small_run(folder.path(), "one", "gaussian");
  return run;
}

class EvaluationTest : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::remove(std::filesystem::path(finished_run()) / run_file::metrics); }
  Hub hub{built_in_tasks()};
};

TEST_F(EvaluationTest, OffersToEvaluateThenShowsAndKeepsWhatEvaluateInMeasures) {
  const std::string run = finished_run();
  Evaluation evaluation(hub);
  EXPECT_EQ(evaluation.state(), Shown::none);
  EXPECT_THAT(evaluation.blocked(), HasSubstr("No run"));
  evaluation.show(run);
  EXPECT_EQ(evaluation.state(), Shown::loading);
  ASSERT_TRUE(settle(evaluation));
  ASSERT_EQ(evaluation.state(), Shown::unscored) << evaluation.error();
  EXPECT_TRUE(std::isnan(evaluation.form.expected_seconds())) << "nothing is measured before someone asks";
  evaluation.measure();
  ASSERT_TRUE(settle(evaluation));
  EXPECT_GT(evaluation.form.expected_seconds(), 0);
  ASSERT_THAT(evaluation.blocked(), IsEmpty());
  evaluation.start();
  EXPECT_THAT(evaluation.blocked(), HasSubstr("is being evaluated"));
  ASSERT_TRUE(settle(evaluation));
  ASSERT_EQ(evaluation.state(), Shown::scored) << evaluation.failure();

  const LoadedRun loaded = load_run(built_in_tasks(), run);
  QuietMonitor quiet;
  const Metrics expected = evaluate_in(quiet, loaded, evaluation_options(loaded));
  const auto scores = evaluation.scores();
  ASSERT_EQ(scores->rows.size(), expected.rows.size());
  for (std::size_t i = 0; i < expected.rows.size(); ++i) EXPECT_EQ(scores->rows[i].nll, expected.rows[i].nll);
  EXPECT_TRUE(scores->complete);
  EXPECT_EQ(scores->place, (std::filesystem::path(run) / run_file::metrics).string());
  ASSERT_TRUE(stored_metrics(loaded));
  for (const ShownFigure& figure : scores->figures) EXPECT_TRUE(figure.figure) << figure.missing;

  Evaluation later(hub);
  later.show(run);
  ASSERT_TRUE(settle(later));
  EXPECT_EQ(later.state(), Shown::scored) << "stored scores are shown at once";
}

TEST_F(EvaluationTest, ProgressIsToldInSetsAndRowsAsTheyAreDone) {
  struct Listener : QuietMonitor {
    std::vector<std::int64_t> done;
    void progress(const Progress& progress) override {
      EXPECT_EQ(progress.total, 1300);
      done.push_back(progress.done);
    }
  } listener;
  const LoadedRun run = load_run(built_in_tasks(), finished_run());
  EvaluationOptions options = evaluation_options(run);
  options.sets = {1200, 100};
  std::vector<std::size_t> rows;
  evaluate_in(listener, run, options, [&](const Metrics& so_far) { rows.push_back(so_far.rows.size()); });
  EXPECT_THAT(listener.done, testing::ElementsAre(0, 512, 1024, 1200, 1300));
  EXPECT_THAT(rows, testing::ElementsAre(1, 2));
}

TEST_F(EvaluationTest, SaysWhatIsWrongWithEachSettingAndDoesNotStart) {
  Evaluation evaluation(hub);
  evaluation.show(finished_run());
  ASSERT_TRUE(settle(evaluation));
  EXPECT_EQ(evaluation.form.text(AskedField::sizes), "1,10");
  const auto refuses = [&](AskedField field, const char* text, const char* part) {
    const std::string before = evaluation.form.text(field);
    evaluation.form.set(field, text);
    EXPECT_THAT(evaluation.form.problem(field), HasSubstr(part)) << text;
    EXPECT_THAT(evaluation.blocked(), HasSubstr(part)) << text;
    EXPECT_TRUE(std::isnan(evaluation.form.expected_seconds()));
    evaluation.start();
    EXPECT_FALSE(evaluation.work().running);
    evaluation.form.set(field, before);
    EXPECT_THAT(evaluation.blocked(), IsEmpty());
  };
  refuses(AskedField::sizes, "1,x", "not a whole number");
  refuses(AskedField::sizes, "1,1", "twice");
  refuses(AskedField::sizes, "1,11", "at most 10");
  refuses(AskedField::sizes, "", "empty");
  refuses(AskedField::sets, "1,2,3", "3 numbers for 2 sizes");
  refuses(AskedField::samples, "1", "no spread");
  refuses(AskedField::samples, "-4", "whole number");
  refuses(AskedField::seed, "1.5", "whole number");
  EXPECT_FALSE(evaluation.form.changed());
  evaluation.form.set(AskedField::sets, "50,60");
  EXPECT_TRUE(evaluation.form.changed());
  EXPECT_THAT(evaluation.batch_command(), HasSubstr(" --sets 50,60"));
  EXPECT_THAT(evaluation.batch_command(), testing::Not(HasSubstr("--seed")));
  evaluation.form.reset();
  EXPECT_EQ(evaluation.form.text(AskedField::sets), "40");
}

TEST_F(EvaluationTest, KeepsWhatWasTypedForEachRunAndElseFollowsTheScoresShown) {
  const std::string run = finished_run();
  const LoadedRun loaded = load_run(built_in_tasks(), run);
  EvaluationOptions options = evaluation_options(loaded);
  options.sizes = {2, 5};
  options.sets = {30, 20};
  options.samples = 10;
  options.seed = 9;
  QuietMonitor quiet;
  ASSERT_TRUE(save_metrics(loaded, evaluate_in(quiet, loaded, options)));
  Evaluation evaluation(hub);
  evaluation.show(run);
  ASSERT_TRUE(settle(evaluation));
  const std::string command = "pairs --batch evaluate " + run;
  EXPECT_EQ(evaluation.batch_command(), command + " --sizes 2,5 --sets 30,20 --samples 10 --seed 9");
  evaluation.form.set(AskedField::sizes, "3");
  evaluation.form.set(AskedField::sets, "40");
  evaluation.form.set(AskedField::seed, "4");
  evaluation.show("gaussian");
  ASSERT_TRUE(settle(evaluation));
  EXPECT_NE(evaluation.form.text(AskedField::sizes), "3");
  evaluation.show("");
  evaluation.show(run);
  ASSERT_TRUE(settle(evaluation));
  EXPECT_EQ(evaluation.form.text(AskedField::sizes), "3");
  EXPECT_EQ(evaluation.batch_command(), command + " --sizes 3 --sets 40 --samples 10 --seed 4")
      << "other sizes than the run's own say how many sets";
  evaluation.start();
  ASSERT_TRUE(settle(evaluation));
  EXPECT_EQ(evaluation.form.text(AskedField::seed), "4");
  evaluation.form.reset();
  EXPECT_EQ(evaluation.batch_command(), command);
  evaluation.show("gaussian");
  evaluation.show(run);
  ASSERT_TRUE(settle(evaluation));
  EXPECT_EQ(evaluation.batch_command(), command) << "set back is set, too";
}

TEST_F(EvaluationTest, AStoppedEvaluationShowsItsFinishedSizesAndKeepsNothing) {
  Evaluation evaluation(hub);
  evaluation.show(finished_run());
  ASSERT_TRUE(settle(evaluation));
  evaluation.form.set(AskedField::sizes, "1,10");
  evaluation.form.set(AskedField::sets, "30,2000000");
  evaluation.start();
  for (int i = 0; i < 3000 && !evaluation.scores(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    evaluation.poll();
  }
  ASSERT_TRUE(evaluation.scores());
  EXPECT_EQ(evaluation.work().n, 10);
  EXPECT_LT(evaluation.work().share, 1);
  evaluation.stop();
  ASSERT_TRUE(settle(evaluation));
  ASSERT_EQ(evaluation.state(), Shown::scored);
  EXPECT_FALSE(evaluation.scores()->complete);
  ASSERT_EQ(evaluation.scores()->rows.size(), 1u);
  EXPECT_EQ(evaluation.scores()->rows[0].sets, 30);
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::path(finished_run()) / run_file::metrics));
  evaluation.discard();
  EXPECT_EQ(evaluation.state(), Shown::unscored);
}

// What an evaluation will take is timed on sets that need nothing prepared: opening the tab makes no conformers.
TEST_F(EvaluationTest, TheTimeIsToldWithoutPreparingData) {
  if (!has_shipped_weights(built_in_tasks(), "molecules")) GTEST_SKIP() << "the task was left out";
  const TemporaryFolder caches;
  const Environment cache("PAIRS_CACHE", caches.path().string());
  Evaluation evaluation(hub);
  evaluation.show("molecules");
  ASSERT_TRUE(settle(evaluation, 240)) << evaluation.error();
  evaluation.measure();
  ASSERT_TRUE(settle(evaluation, 240)) << evaluation.error();
  EXPECT_GT(evaluation.form.expected_seconds(), 0);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(caches.path()))
    EXPECT_NE(entry.path().extension(), ".store") << entry.path();
}

TEST_F(EvaluationTest, ShippedWeightsKeepScoresInMemoryAndInAFileThatIsNamed) {
  const TemporaryFolder folder;
  Evaluation evaluation(hub);
  evaluation.show("gaussian");
  ASSERT_TRUE(settle(evaluation));
  ASSERT_TRUE(evaluation.shipped()) << evaluation.error();
  evaluation.form.set(AskedField::sizes, "2");
  evaluation.form.set(AskedField::sets, "20");
  evaluation.form.set(AskedField::samples, "0");
  const bool had = std::filesystem::exists(find_run(built_in_tasks(), "gaussian").folder / run_file::metrics);
  evaluation.start();
  ASSERT_TRUE(settle(evaluation));
  ASSERT_TRUE(evaluation.scores()) << evaluation.failure();
  EXPECT_EQ(std::filesystem::exists(find_run(built_in_tasks(), "gaussian").folder / run_file::metrics), had);
  const std::string file = (folder.path() / "scores.json").string();
  evaluation.save_as(file);
  ASSERT_TRUE(settle(evaluation));
  const auto saved = read_metrics(built_in_tasks(), file);
  ASSERT_TRUE(saved);
  EXPECT_EQ(saved->rows.at(0).nll, evaluation.scores()->rows.at(0).nll);
  evaluation.save_as((folder.path() / "scores.txt").string());
  ASSERT_TRUE(settle(evaluation));
  EXPECT_THAT(hub.messages.all().back().text, HasSubstr("must end in .json"));

  Evaluation other(hub);
  other.show("gaussian");
  ASSERT_TRUE(settle(other));
  ASSERT_TRUE(other.scores()) << "kept while the program runs";
}

TEST_F(EvaluationTest, SaysWhatIsWrongWithARunAndWithItsScores) {
  Evaluation evaluation(hub);
  evaluation.show("/nowhere/at/all");
  ASSERT_TRUE(settle(evaluation));
  EXPECT_EQ(evaluation.state(), Shown::failed);
  EXPECT_THAT(evaluation.error(), HasSubstr("neither a run folder"));
  EXPECT_EQ(evaluation.blocked(), evaluation.error());
  write_file(std::filesystem::path(finished_run()) / run_file::metrics, "{\"task\": ");
  evaluation.show(finished_run());
  ASSERT_TRUE(settle(evaluation));
  EXPECT_EQ(evaluation.state(), Shown::unscored);
  EXPECT_THAT(evaluation.warning(), HasSubstr("cannot be read"));
  evaluation.start();
  ASSERT_TRUE(settle(evaluation));
  EXPECT_TRUE(stored_metrics(load_run(built_in_tasks(), finished_run())))
      << "new scores take the place of a file that cannot be read";
}

TEST(Scores, TableLeavesOutWhatWasNotMeasuredAndMarksMiscalibration) {
  EvaluationRow row;
  row.n = 1000;
  row.sets = 20;
  row.nll = -0.5;
  row.nll_se = 0.25;
  ScoreTable table = score_table({row});
  ASSERT_EQ(table.columns.size(), 3u);
  EXPECT_THAT(table.rows.at(0), testing::ElementsAre("1,000", "20", "−0.500 ± 0.250"));
  EXPECT_EQ(table.verdicts.at(0).text, "");
  row.acauc = 0.01;
  row.acauc_p95 = 0.02;
  row.rank_tests = {{0.5, -1, 0.3}};
  table = score_table({row});
  EXPECT_THAT(table.rows.at(0),
              testing::ElementsAre("1,000", "20", "−0.500 ± 0.250", "0.0100 (0.0200)", "0.5", "−1.0", "0.300"));
  EXPECT_EQ(table.verdicts.at(0).level, CalibrationLevel::calibrated);
  EXPECT_EQ(table.verdicts.at(0).text, "none detected");
  row.rank_tests = {{0.5, -1, 0.3}, {6.8, -1, 4e-9}};
  table = score_table({row});
  EXPECT_EQ(table.verdicts.at(0).level, CalibrationLevel::miscalibrated) << "an ACAUC inside its noise hides nothing";
  EXPECT_EQ(table.verdicts.at(0).text, "off center");
  EXPECT_EQ(table.rows.at(0).at(4), "0.5, 6.8");
}

}  // namespace
}  // namespace pairs::model
