#include "app/model/compare/run_board.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/runs/run_about.h"
#include "app/scores/run_evaluation.h"
#include "tasks/registry.h"
#include "tests/app/model/small_run.h"

namespace pairs::model {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using Click = RunSelection::Click;

// Three runs on disk, the last without scores.
struct BoardRuns {
  TemporaryFolder folder;
  std::vector<ListedRun> listed;
  BoardRuns() {
    QuietMonitor quiet;
    for (const auto& [name, seed] : {std::pair("a", 1), std::pair("b", 2), std::pair("c", 3)}) {
      ListedRun run;
      run.run = small_run(folder.path(), name, "gaussian", seed);
      run.folder = run.run;
      run.name = name;
      run.task = "gaussian";
      run.strategy = "pairs";
      run.seed = seed;
      run.finished = run.pretrained = true;
      run.signature = 1;
      const LoadedRun loaded = load_run(built_in_tasks(), run.run);
      run.data_here = loaded.task->info().data_source;
      if (run.name != "c") save_metrics(loaded, evaluate_in(quiet, loaded, evaluation_options(loaded)));
      listed.push_back(run);
    }
  }
};

const BoardRuns& board_runs() {
  static const BoardRuns runs;
  return runs;
}

class RunBoardTest : public testing::Test {
 protected:
  RunBoardTest() {
    board.list(board_runs().listed);
    board.look("gaussian");
    EXPECT_TRUE(board.wait(60));
  }
  const TableRow& row(const std::string& name) {
    for (const TableRow& one : board.view()->rows)
      if (one.name == name) return one;
    ADD_FAILURE() << name;
    return board.view()->rows.front();
  }
  Hub hub{built_in_tasks()};
  RunBoard board{hub};
};

TEST_F(RunBoardTest, AveragesTheRunsThatAreChosen) {
  const TemporaryFolder made;
  hub.runs_folder = made.path();
  board.average({board_runs().listed[0].run, board_runs().listed[1].run});
  EXPECT_TRUE(board.busy());
  ASSERT_TRUE(board.wait(60));
  ASSERT_FALSE(hub.messages.all().empty());
  EXPECT_THAT(hub.messages.all().back().text, HasSubstr("The mean of these runs is gaussian-"));
  std::vector<fs::path> folders;
  for (const auto& entry : fs::directory_iterator(made.path())) folders.push_back(entry.path());
  ASSERT_EQ(folders.size(), 1u);
  const LoadedRun mean = load_run(built_in_tasks(), folders[0].string());
  EXPECT_EQ(mean.estimator->members().size(), 2u);
  EXPECT_THAT(load_about(folders[0]).name, HasSubstr("pairs, mean of 2 runs"));
  // It stands in the table as itself: no seed of the first run.
  std::vector<ListedRun> listed = board_runs().listed;
  listed.push_back(listed[0]);
  listed.back().run = folders[0].string();
  listed.back().folder = folders[0];
  listed.back().name = "mean";
  board.list(listed);
  board.set_fold(true);
  ASSERT_TRUE(board.wait(60));
  EXPECT_EQ(board.view()->rows.size(), 2u);
  board.average({board_runs().listed[0].run, board_runs().listed[0].run});
  ASSERT_TRUE(board.wait(60));
  EXPECT_THAT(hub.messages.all().back().text, HasSubstr("name each run once"));
  EXPECT_THAT(board.averaged_text(), HasSubstr("name each run once"));
  board.dismiss_averaged();
  EXPECT_EQ(board.averaged_text(), "");
}

TEST_F(RunBoardTest, ReadsScoresCostsAndSettingsFromDisk) {
  const auto view = board.view();
  ASSERT_EQ(view->rows.size(), 3u);
  EXPECT_EQ(view->unread, 0u);
  EXPECT_EQ(view->sentence, "3 runs");
  EXPECT_THAT(view->sizes, ElementsAre(1, 10));
  const auto column = [&](const std::string& key) {
    for (std::size_t c = 0; c < view->visible.size(); ++c)
      if (view->columns[view->visible[c]].key == key) return c;
    ADD_FAILURE() << key;
    return std::size_t{0};
  };
  const Metrics metrics = *stored_metrics(load_run(built_in_tasks(), board_runs().listed[0].run));
  EXPECT_EQ(view->rows[0].cells[column("nll")].number, metrics.rows[1].nll);
  EXPECT_EQ(view->rows[0].cells[column("cost")].number,
            cost_of(load_run(built_in_tasks(), board_runs().listed[0].run)).cost.paper())
      << "without loading the weights";
  EXPECT_GT(view->rows[0].cells[column("seconds")].number, 0);
  EXPECT_EQ(view->rows[2].notes[column("nll")], "It has not been evaluated yet");
}

TEST_F(RunBoardTest, ScoresOfOtherWeightsAreNotShown) {
  const TemporaryFolder folder;
  ListedRun other = board_runs().listed[0];
  other.run = (folder / "other").string();
  other.folder = other.run;
  fs::copy(board_runs().listed[0].folder, other.folder, fs::copy_options::recursive);
  fs::copy_file(board_runs().listed[1].folder / run_file::estimator, other.folder / run_file::estimator,
                fs::copy_options::overwrite_existing);
  FactStore store;
  EXPECT_THAT(store.read(built_in_tasks(), other)->no_scores, HasSubstr("of earlier weights"));
  ListedRun elsewhere = board_runs().listed[0];
  elsewhere.data_here = "other data";
  EXPECT_THAT(store.read(built_in_tasks(), elsewhere)->no_scores, HasSubstr("other data is in use"));
}

TEST_F(RunBoardTest, ChoosesRowsAsListsDo) {
  board.selection.choose(row("a"), Click::alone);
  board.selection.choose(row("c"), Click::range);
  EXPECT_EQ(board.selection.chosen_listed().size(), 3u);
  board.selection.choose(row("b"), Click::toggled);
  EXPECT_EQ(board.selection.chosen_listed(),
            (std::vector<std::string>{board_runs().listed[0].run, board_runs().listed[2].run}));
  board.selection.choose(row("b"), Click::alone);
  EXPECT_THAT(board.selection.chosen_listed(), ElementsAre(board_runs().listed[1].run));
  // What a filter hides is not acted upon.
  board.selection.choose_all();
  board.set_filter("name=a");
  ASSERT_TRUE(board.wait(30));
  EXPECT_THAT(board.selection.chosen_listed(), ElementsAre(board_runs().listed[0].run));
}

TEST_F(RunBoardTest, FoldsSortsAndRemembers) {
  board.set_fold(true);
  ASSERT_TRUE(board.wait(30));
  ASSERT_EQ(board.view()->rows.size(), 1u);
  EXPECT_EQ(board.view()->rows[0].runs.size(), 3u);
  board.sort_by("seed");
  board.sort_by("seed");
  EXPECT_EQ(board.sort_text(), "-seed");
  board.show_column("gap", false);
  board.show_column("created", true);
  RunBoard again(hub);
  again.restore(board.choices().columns, board.sort_text(), board.choices().fold);
  EXPECT_EQ(again.choices().columns, board.choices().columns);
  EXPECT_TRUE(again.choices().fold && again.choices().down);
  EXPECT_EQ(again.choices().sort, "seed");
  board.sort_by("seed");
  EXPECT_EQ(board.sort_text(), "") << "a third click lists the newest first";
}

TEST_F(RunBoardTest, ARunThatChangesIsReadAgain) {
  std::vector<ListedRun> listed = board_runs().listed;
  EXPECT_FALSE(board.poll());
  board.list(listed);
  EXPECT_FALSE(board.busy()) << "nothing is new";
  listed[2].signature = 2;
  listed[1].archived = true;
  board.list(listed);
  EXPECT_TRUE(board.busy());
  ASSERT_TRUE(board.wait(30));
  EXPECT_EQ(board.view()->sentence, "2 of 3 runs: 1 archived");
}

}  // namespace
}  // namespace pairs::model
