#include "app/model/compare/run_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "app/model/compare/run_filter.h"
#include "app/scores/over_seeds.h"
#include "app/scores/score.h"
#include "tests/app/model/compare/made_up_runs.h"

namespace pairs::model {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> shown_keys(const TableView& view) {
  std::vector<std::string> keys;
  for (const std::size_t c : view.visible) keys.push_back(view.columns[c].key);
  return keys;
}

std::vector<std::string> names(const TableView& view) {
  std::vector<std::string> all;
  for (const TableRow& row : view.rows) all.push_back(row.name);
  return all;
}

const RunValue& cell(const TableView& view, std::size_t row, const std::string& key) {
  const std::vector<std::string> keys = shown_keys(view);
  const auto at = std::find(keys.begin(), keys.end(), key);
  static const RunValue none;
  if (at == keys.end()) ADD_FAILURE() << "no column " << key;
  return at == keys.end() ? none : view.rows.at(row).cells.at(static_cast<std::size_t>(at - keys.begin()));
}

std::string note(const TableView& view, std::size_t row, const std::string& key) {
  const std::vector<std::string> keys = shown_keys(view);
  return view.rows.at(row).notes.at(static_cast<std::size_t>(std::find(keys.begin(), keys.end(), key) - keys.begin()));
}

const std::vector<RunRecord> kRuns = {made_up_run("first", "pairs", 1, 1), made_up_run("second", "pairs", 2, 2),
                                      made_up_run("third", "pairs", 3, 3), made_up_run("other", "n1", 1, 0),
                                      made_up_run("wide", "pairs", 1, 4, "16")};

TEST(RunTable, ShowsScoresAndTheSettingsThatDiffer) {
  const auto view = make_table(kRuns, {.task = "gaussian"});
  EXPECT_THAT(shown_keys(*view),
              ElementsAre("name", "strategy", "seed", "nll", "gap", "cost", "seconds", "embedder.size"));
  EXPECT_THAT(names(*view), ElementsAre("first", "second", "third", "other", "wide")) << "as they are listed";
  EXPECT_EQ(view->n, 10) << "the largest";
  EXPECT_EQ(cell(*view, 0, "embedder.size").number, 8);
  EXPECT_EQ(cell(*view, 1, "cost").text, "2 TFLOP");
  EXPECT_EQ(cell(*view, 0, "gap").text, "0.0900 ± 0.0100");
  EXPECT_EQ(view->sentence, "5 runs");
  EXPECT_THAT(view->keys, testing::IsSupersetOf({"gap", "device", "pretrain.batch", "cost_with_cache"}));
}

// The example in the filter's field names a score that the listed runs have, and is no mistake.
TEST(RunTable, TheExampleOfAFilterIsOfTheseRuns) {
  const auto view = make_table(kRuns, {.task = "gaussian"});
  EXPECT_EQ(filter_example(*view), "gap<0.02 preset=small tag:paper wide");
  EXPECT_EQ(filter_problem(filter_example(*view), view->keys), "");
  TableView views = *view;
  views.scores = {"mse"};
  EXPECT_EQ(filter_example(views), "mse<0.5 preset=small tag:paper wide");
  views.scores.clear();
  EXPECT_EQ(filter_example(views), "seconds<600 preset=small tag:paper wide");
  EXPECT_EQ(filter_problem(filter_example(views), view->keys), "");
}

TEST(RunTable, ColumnsArePutInAndTakenOut) {
  const auto view =
      make_table(kRuns, {.task = "gaussian", .columns = {"+device", "-gap", "-name", "+pretrain.batch", "+nowhere"}});
  EXPECT_THAT(shown_keys(*view), testing::AllOf(testing::Contains("device"), testing::Contains("pretrain.batch"),
                                                testing::Contains("name"), Not(testing::Contains("gap"))));
  EXPECT_EQ(cell(*view, 0, "device").text, "cpu") << "without the quotes of a file";
}

TEST(RunTable, FoldsSeedsToMeansAndSaysOverHowMany) {
  const auto view = make_table(kRuns, {.task = "gaussian", .fold = true});
  ASSERT_THAT(names(*view), ElementsAre("PAIRS, size 8", "other", "wide"));
  EXPECT_EQ(cell(*view, 0, "runs").text, "3");
  EXPECT_EQ(cell(*view, 0, "seed").text, "1, 2, 3");
  const RunValue& gap = cell(*view, 0, "gap");
  EXPECT_NEAR(gap.number, 0.08, 1e-12);
  EXPECT_NEAR(gap.error, std::hypot(0.01, 0.01 / std::sqrt(3)), 1e-12)
      << "that over the same test sets, and 0.01 between three runs";
  EXPECT_EQ(gap.text, "0.0800 ± 0.0115");
  EXPECT_THAT(note(*view, 0, "gap"), HasSubstr("Mean of 3 runs"));
  EXPECT_THAT(note(*view, 0, "gap"), HasSubstr("standard deviation between them 0.0100"));
  EXPECT_EQ(cell(*view, 0, "cost").text, "2 TFLOP ± 1 TFLOP");
  EXPECT_EQ(cell(*view, 1, "gap").text, "0.1000 ± 0.0100") << "a single run has its own error";
  EXPECT_EQ(view->sentence, "5 runs in 3 rows");
  EXPECT_THAT(view->rows[0].runs, ElementsAre("/runs/first", "/runs/second", "/runs/third"));
}

// A row states when its mean covers fewer runs than it stands for, and when the filter hides some of its runs.
TEST(RunTable, NothingIsAveragedOrHiddenWithoutAWord) {
  std::vector<RunRecord> runs = kRuns;
  runs[1] = changed(runs[1], [](RunFacts& facts) {
    facts.metrics = nullptr;
    facts.no_scores = "It has not been evaluated yet";
  });
  const auto some = make_table(runs, {.task = "gaussian", .fold = true});
  EXPECT_EQ(cell(*some, 0, "gap").text, "0.0800 ± 0.0141 (2 of 3)");
  EXPECT_THAT(note(*some, 0, "gap"), HasSubstr("1 have none"));
  const auto filtered = make_table(runs, {.task = "gaussian", .filter = "gap<0.095", .fold = true});
  EXPECT_EQ(cell(*filtered, 0, "runs").text, "2 of 3");
  EXPECT_EQ(filtered->sentence, "3 of 5 runs in 2 rows: 2 do not fit the filter (1 for want of a value of gap)");
  const auto single = make_table(runs, {.task = "gaussian"});
  EXPECT_EQ(cell(*single, 1, "gap").text, "–");
  EXPECT_EQ(note(*single, 1, "gap"), "It has not been evaluated yet");
}

TEST(RunTable, WordsOfFoldedRunsAreListed) {
  std::vector<RunRecord> runs = kRuns;
  runs[1].listed.tags = {"paper", "late"};
  const auto view = make_table(runs, {.task = "gaussian", .fold = true});
  EXPECT_EQ(cell(*view, 0, "tags").text, "paper, late, –") << "two of the three have none";
}

TEST(RunTable, AWrongFilterFiltersNothingAndSaysSo) {
  const auto view = make_table(kRuns, {.task = "gaussian", .filter = "gaap<1"});
  EXPECT_EQ(view->rows.size(), 5u);
  EXPECT_THAT(view->filter_problem, HasSubstr("did you mean gap?"));
}

TEST(RunTable, SortsByAnyColumnWithWhatIsMissingLast) {
  std::vector<RunRecord> runs = kRuns;
  runs[1] = changed(runs[1], [](RunFacts& facts) { facts.metrics = nullptr; });
  const auto sorted = [&](const std::string& key, bool down) {
    return names(*make_table(runs, {.task = "gaussian", .sort = key, .down = down}));
  };
  EXPECT_THAT(sorted("gap", false), ElementsAre("wide", "third", "first", "other", "second"));
  EXPECT_THAT(sorted("gap", true), ElementsAre("other", "first", "third", "wide", "second"));
  EXPECT_THAT(sorted("name", false), ElementsAre("first", "other", "second", "third", "wide"));
  EXPECT_THAT(sorted("embedder.size", true), ElementsAre("wide", "first", "second", "third", "other"));
}

TEST(RunTable, DifferencesArePairedOrSayWhyNot) {
  std::vector<RunRecord> runs = kRuns;
  const auto retest = [](RunFacts& facts, std::int64_t seed) {
    auto metrics = std::make_shared<Metrics>(*facts.metrics);
    metrics->seed = seed;
    for (EvaluationRow& row : metrics->rows) row.tested = {1, 2, 3, 4};
    facts.metrics = metrics;
  };
  runs[1] = changed(runs[1], [&](RunFacts& facts) { retest(facts, 5); });
  runs[2] = changed(runs[2], [&](RunFacts& facts) { retest(facts, 1); });
  runs[3] = changed(runs[3], [](RunFacts& facts) {
    auto metrics = std::make_shared<Metrics>(*facts.metrics);
    metrics->rows.resize(1);
    facts.metrics = metrics;
  });
  const auto view = make_table(runs, {.task = "gaussian", .n = 10, .baseline = "/runs/first"});
  const PairedDifference expected = score_difference(runs[4].facts->metrics->rows[1], runs[0].facts->metrics->rows[1]);
  EXPECT_EQ(view->baseline_name, "first");
  EXPECT_TRUE(view->rows[0].baseline);
  EXPECT_NEAR(cell(*view, 4, "difference").number, expected.mean, 1e-12);
  EXPECT_NEAR(cell(*view, 4, "difference").error, expected.se, 1e-12);
  EXPECT_LT(expected.se, 0.5) << "far less than the error of either";
  EXPECT_EQ(note(*view, 0, "difference"), "It is the baseline");
  EXPECT_THAT(note(*view, 1, "difference"), HasSubstr("of seed 5, and first of seed 1"));
  EXPECT_THAT(note(*view, 2, "difference"), HasSubstr("evaluate both again"));
  EXPECT_EQ(note(*view, 3, "difference"), "It was not scored at N = 10");
}

// Runs that agree with one another are no surer than the test sets that all of them saw.
TEST(RunTable, FoldedDifferencesArePairedBySeed) {
  std::vector<RunRecord> runs;
  for (const std::int64_t seed : {1, 2}) {
    runs.push_back(made_up_run(fmt::format("a{}", seed), "pairs", seed, 0.1 * static_cast<double>(seed)));
    runs.push_back(made_up_run(fmt::format("b{}", seed), "n1", seed, 0.1 * static_cast<double>(seed) + 2));
  }
  const auto view = make_table(runs, {.task = "gaussian", .fold = true, .n = 10, .baseline = "/runs/a1"});
  ASSERT_THAT(names(*view), ElementsAre("PAIRS", "Trained on N = 1"));
  EXPECT_THAT(note(*view, 0, "difference"), HasSubstr("the baseline's group"));
  const RunValue& difference = cell(*view, 1, "difference");
  const PairedDifference one = score_difference(runs[1].facts->metrics->rows[1], runs[0].facts->metrics->rows[1]);
  EXPECT_NEAR(difference.number, one.mean, 1e-12) << "the same for both seeds";
  EXPECT_NEAR(difference.error, one.se, 1e-12) << "which leaves the error over test sets";
  EXPECT_GT(one.se, 0.05);
  EXPECT_THAT(note(*view, 1, "difference"), HasSubstr("each against the baseline's run of its seed"));
}

// Runs of other seeds are paired one by one: no run counts twice.
TEST(RunTable, FoldedDifferencesOfOtherSeedsCountNoRunTwice) {
  std::vector<RunRecord> runs;
  for (const std::int64_t seed : {1, 2}) {
    runs.push_back(made_up_run(fmt::format("a{}", seed), "pairs", seed, static_cast<double>(seed)));
    runs.push_back(made_up_run(fmt::format("b{}", seed), "n1", seed + 10, static_cast<double>(2 * seed)));
  }
  const auto view = make_table(runs, {.task = "gaussian", .fold = true, .n = 10, .baseline = "/runs/a1"});
  const auto row = [&](std::size_t k) { return &runs[k].facts->metrics->rows[1]; };
  const auto expected = difference_over_seeds({{row(1), row(0)}, {row(3), row(2)}});
  ASSERT_TRUE(expected);
  EXPECT_NEAR(cell(*view, 1, "difference").number, expected->mean, 1e-12);
  EXPECT_NEAR(cell(*view, 1, "difference").error, expected->se, 1e-12);
  EXPECT_THAT(note(*view, 1, "difference"), HasSubstr("which have other seeds"));
}

TEST(RunTable, SaysWhatLearnedNothing) {
  std::vector<RunRecord> runs = kRuns;
  EXPECT_THAT(shown_keys(*make_table(runs, {.task = "gaussian"})), Not(testing::Contains("state")));
  runs[1] = changed(runs[1], [](RunFacts& facts) { facts.learned_nothing = true; });
  const auto view = make_table(runs, {.task = "gaussian"});
  EXPECT_EQ(cell(*view, 1, "state").text, "no better than the prior");
  EXPECT_EQ(cell(*view, 0, "state").text, "finished");
}

// That only some runs read a setting follows from another one, which is shown.
TEST(RunTable, ASettingThatSomeDoNotReadIsNoDifference) {
  std::vector<RunRecord> runs = kRuns;
  for (std::size_t i = 0; i < 3; ++i)
    runs[i] = changed(runs[i], [&](RunFacts& facts) {
      facts.settings["cache.mode"] = "\"blocks\"";
      facts.settings["a.rate"] = std::to_string(i);
    });
  const std::vector<std::string> keys = shown_keys(*make_table(runs, {.task = "gaussian"}));
  EXPECT_THAT(keys, Not(testing::Contains("cache.mode")));
  const auto size = std::find(keys.begin(), keys.end(), "embedder.size");
  ASSERT_NE(size, keys.end());
  EXPECT_LT(size, std::find(keys.begin(), keys.end(), "a.rate")) << "what all read and differ in comes first";
}

TEST(RunTable, TellsWhatItLeavesOut) {
  std::vector<RunRecord> runs = kRuns;
  runs[0].listed.archived = true;
  runs[1].listed.task = "circle";
  runs[2].facts = nullptr;
  runs[3].facts = nullptr;
  runs[3].listed.problem = "The log is damaged";
  const auto view = make_table(runs, {.task = "gaussian"});
  EXPECT_EQ(view->sentence, "3 of 4 runs: 1 archived, 1 being read");
  EXPECT_EQ(view->unread, 1u) << "what cannot be read is not waited for";
  EXPECT_EQ(cell(*view, 1, "state").text, "unreadable");
  const auto all = make_table(runs, {.archived = true});
  EXPECT_EQ(all->sentence, "5 runs: 1 being read");
  EXPECT_THAT(shown_keys(*all), testing::Contains("task"));
}

// Scores of shipped weights stand on no disk.
TEST(RunTable, TakesScoresThatAreKept) {
  std::vector<RunRecord> runs = {kRuns[0]};
  const auto metrics = runs[0].facts->metrics;
  runs[0] = changed(runs[0], [](RunFacts& facts) {
    facts.metrics = nullptr;
    facts.weights = "abc";
  });
  const auto view = make_table(runs, {.task = "gaussian"}, [&](const std::string& weights, const std::string&) {
    return weights == "abc" ? metrics : nullptr;
  });
  EXPECT_TRUE(cell(*view, 0, "gap").known());
}

// Weights that came with the program have other settings than anybody's runs, and sizes that those were not scored at.
TEST(RunTable, ShippedWeightsDecideNeitherColumnsNorN) {
  std::vector<RunRecord> runs = {kRuns[0], kRuns[1], made_up_run("shipped", "pairs", 1, 1, "64")};
  runs[2].listed.shipped = true;
  runs[2].listed.preset = "small";
  runs[2] = changed(runs[2], [](RunFacts& facts) {
    facts.settings["task.width"] = "[3, 4]";
    auto metrics = std::make_shared<Metrics>(*facts.metrics);
    metrics->rows[1].n = 1000;
    facts.metrics = metrics;
  });
  const auto view = make_table(runs, {.task = "gaussian"});
  EXPECT_THAT(shown_keys(*view), ElementsAre("name", "seed", "nll", "gap", "cost", "seconds"));
  EXPECT_EQ(view->n, 10) << "one run of three is not half of them";
  EXPECT_EQ(view->sizes, (std::vector<std::int64_t>{1, 10, 1000}));
  const auto asked = make_table(runs, {.task = "gaussian", .filter = "size=64", .columns = {"+task.width"}});
  ASSERT_EQ(asked->rows.size(), 1u);
  EXPECT_EQ(cell(*asked, 0, "task.width").text, "3, 4");
}

TEST(RunTable, SaysWhenColumnsHaveNoRoom) {
  std::vector<RunRecord> runs = kRuns;
  for (RunRecord& run : runs)
    run = changed(run, [&](RunFacts& facts) {
      for (int i = 0; i < 80; ++i) facts.settings[fmt::format("task.p{}", i)] = run.listed.name;
    });
  const auto view = make_table(runs, {.task = "gaussian"});
  EXPECT_EQ(view->visible.size(), kMostColumns);
  EXPECT_THAT(view->more_columns, HasSubstr("28 columns more have no room"));
}

}  // namespace
}  // namespace pairs::model
