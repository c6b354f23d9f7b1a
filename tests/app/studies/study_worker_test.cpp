#include "app/studies/study_worker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "app/studies/study_figures.h"
#include "app/studies/study_plan.h"
#include "app/studies/study_results.h"
#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "core/train/run/run_progress.h"
#include "tasks/registry.h"
#include "tests/app/model/small_run.h"

namespace pairs {
namespace {

using ::testing::HasSubstr;

constexpr const char* kSmall =
    "[set]\nembedder.layers = [8, 8]\nembedder.size = 8\nhead.context_layers = 1\n"
    "pretrain.epochs = 2\npretrain.steps = 4\npretrain.batch = 16\npretrain.validation_sets = 32\n"
    "cache.sizes = [10]\ncache.pieces = 2\ncache.sets = [40]\nfinetune.epochs = 2\nfinetune.steps = 4\n"
    "finetune.batch = 8\nfinetune.validation_draws = 32\nevaluate.sizes = [1, 10]\nevaluate.sets = [40]\n"
    "evaluate.samples = 20\ndevice = \"cpu\"\nthreads = 1\n";

TEST(StudyTime, IsOfProcessesThatTakeTheNextRun) {
  StudyPlan plan;
  for (const double seconds : {30.0, 10.0, 10.0, 20.0}) {
    RunPlan run;
    run.pretrain_seconds = seconds;
    plan.runs.push_back(run);
  }
  plan.runs.emplace_back().trained = false;
  plan.runs.back().pretrain_seconds = 1000;
  EXPECT_DOUBLE_EQ(study_seconds(plan, 1), 70);
  EXPECT_DOUBLE_EQ(study_seconds(plan, 2), 40);
  EXPECT_DOUBLE_EQ(study_seconds(plan, 8), 30) << "the longest run";
  std::vector<StudyRun> runs(2);
  runs[1].config.threads = 3;
  runs = on_share_of_cores(std::move(runs), 1000);
  EXPECT_EQ(runs[0].config.threads, 1);
  EXPECT_EQ(runs[1].config.threads, 3) << "what its settings say";
}

class StudyWorkerTest : public ::testing::Test {
 protected:
  Study read(const std::string& head, const std::string& tail = "") {
    write_file(folder_ / "mine.toml", "title = \"Mine\"\n" + head + "\n" + kSmall + tail);
    return read_study(folder_ / "mine.toml");
  }
  std::vector<StudyRun> runs_of(const Study& study) { return study_runs(built_in_tasks(), study, {}); }
  StudyWorker worker(const Study& study, WorkOptions options = {}) {
    return StudyWorker(built_in_tasks(), folder_ / "study", runs_of(study), options);
  }
  // In this thread, remembering which runs.
  StudyWorker::Execute here() {
    return [this](const StudyRun& run, const Session::Job& job) {
      done_.push_back(run.name);
      model::QuietMonitor quiet;
      job(quiet);
    };
  }
  StudyWorker::Step work(StudyWorker& worker) {
    StudyWorker::Step step = StudyWorker::Step::worked;
    while (step == StudyWorker::Step::worked) step = worker.step(here());
    return step;
  }
  std::string weights(const std::string& study, const std::string& run) {
    return read_file(folder_ / study / run / run_file::estimator);
  }
  RunProgress log_of(const std::string& run) { return read_progress(folder_ / "study" / run / run_file::events); }

  TemporaryFolder folder_;
  std::vector<std::string> done_;
};

TEST_F(StudyWorkerTest, TrainsAndEvaluatesEachRunOnce) {
  const Study study =
      read("tasks = [\"bump-hunt\"]\nstrategies = [\"pairs\", \"n1\"]\nplanned = [\"e2e\"]\nseeds = [1, 2]");
  StudyWorker one = worker(study);
  EXPECT_EQ(work(one), StudyWorker::Step::finished);
  EXPECT_EQ(done_.size(), 4u);
  const std::vector<StudyStatus> status = one.status();
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(status[k].state, StudyState::done);
    EXPECT_TRUE(std::filesystem::exists(folder_ / "study" / one.runs()[k].name / run_file::metrics));
  }
  for (std::size_t k = 4; k < 6; ++k) EXPECT_EQ(status[k].state, StudyState::planned);
  StudyWorker again = worker(study);
  EXPECT_EQ(work(again), StudyWorker::Step::finished);
  EXPECT_EQ(done_.size(), 4u);
}

// A plan of thousands of runs costs little more than that of a few: seeds and learning rates share one measurement.
TEST_F(StudyWorkerTest, APlanMeasuresEachKindOfRunOnce) {
  const std::vector<StudyRun> runs = runs_of(read("tasks = [\"bump-hunt\"]\nseeds = [1, 2, 3]",
                                                  "[vary]\nfinetune.rate = [1e-3, 2e-3]\npretrain.rate = [1e-3]\n"));
  ASSERT_EQ(runs.size(), 6u);
  std::vector<std::pair<std::size_t, std::size_t>> reported;
  const StudyPlan plan =
      plan_study(runs, {}, {}, [&](std::size_t at, std::size_t all) { reported.emplace_back(at, all); });
  EXPECT_EQ(reported, (std::vector<std::pair<std::size_t, std::size_t>>{{1, 1}}));
  EXPECT_EQ(plan.runs.size(), 6u);
  // A seed among others makes the run that it makes alone.
  const std::vector<StudyRun> alone = runs_of(
      read("tasks = [\"bump-hunt\"]\nseeds = [2]", "[vary]\nfinetune.rate = [1e-3, 2e-3]\npretrain.rate = [1e-3]\n"));
  for (const StudyRun& one : alone) {
    const auto same = std::ranges::find(runs, one.name, &StudyRun::name);
    ASSERT_NE(same, runs.end()) << one.name;
    EXPECT_EQ(same->first_stage, one.first_stage);
    EXPECT_EQ(same->second_stage, one.second_stage);
    EXPECT_EQ(same->config.seed, 2);
    EXPECT_EQ(training_settings(same->config), training_settings(one.config));
  }
}

TEST_F(StudyWorkerTest, SharedStagesAreMadeOnceAndChangeNothing) {
  const Study study =
      read("tasks = [\"bump-hunt\"]", "[vary]\nfinetune.rate = [1e-3, 2e-3]\ncache.oversample = [2, 3]\n");
  StudyWorker one = worker(study);
  ASSERT_EQ(work(one), StudyWorker::Step::finished);
  ASSERT_EQ(one.runs().size(), 4u);
  EXPECT_TRUE(one.failures().empty()) << one.failures().front().second;
  model::QuietMonitor quiet;
  for (const StudyRun& run : one.runs()) {
    const auto alone = create_run(run.config, folder_ / "alone" / run.name);
    execute_run(built_in_tasks(), alone, quiet);
    EXPECT_EQ(weights("alone", run.name), weights("study", run.name)) << run.name;
    EXPECT_TRUE(log_of(run.name).stage(Stage::pretrain).done) << run.name;
    EXPECT_EQ(log_of(run.name).stage(Stage::pretrain).sets,
              read_progress(alone / run_file::events).stage(Stage::pretrain).sets);
    // Aggregates go with the last run that needs them.
    EXPECT_FALSE(std::filesystem::exists(folder_ / "study" / run.name / run_file::cache)) << run.name;
  }
  const auto reported = [&](std::size_t k) {
    std::string text;
    const RunProgress log = log_of(one.runs()[k].name);
    for (const std::string& line : log.lines()) text += line + "\n";
    return text;
  };
  const std::string& first = one.runs()[0].name;
  EXPECT_THAT(reported(0), ::testing::Not(HasSubstr("that of")));
  EXPECT_THAT(reported(2), HasSubstr("pretrain is that of " + first));  // another cache
  EXPECT_THAT(reported(1), HasSubstr("pretrain and cache are those of " + first));
}

TEST_F(StudyWorkerTest, OneThatFailsStopsNoOther) {
  const Study study = read("tasks = [\"bump-hunt\"]\nseeds = [1, 2, 3]");
  std::filesystem::create_directories(folder_ / "study");
  write_file(folder_ / "study" / "bump-hunt-pairs-s2", "in the way");
  StudyWorker one = worker(study);
  EXPECT_EQ(work(one), StudyWorker::Step::finished);
  ASSERT_EQ(one.failures().size(), 1u);
  EXPECT_EQ(one.failures()[0].first, "bump-hunt-pairs-s2");
  std::vector<StudyStatus> status = one.status();
  EXPECT_EQ(status[0].state, StudyState::done);
  EXPECT_EQ(status[1].state, StudyState::failed);
  EXPECT_EQ(status[1].text, one.failures()[0].second);
  EXPECT_EQ(status[2].state, StudyState::done);
  // It stays so until it is asked for again.
  StudyWorker second = worker(study);
  work(second);
  EXPECT_TRUE(second.failures().empty());
  std::filesystem::remove(folder_ / "study" / "bump-hunt-pairs-s2");
  StudyWorker third = worker(study, {.retry = true});
  EXPECT_EQ(work(third), StudyWorker::Step::finished);
  EXPECT_EQ(third.status()[1].state, StudyState::done);
}

TEST_F(StudyWorkerTest, WhatWasBegunGoesOnBeforeAnythingNewIsBegun) {
  const Study study = read("tasks = [\"bump-hunt\"]\nstrategies = [\"pairs\", \"n1\"]");
  StudyWorker first = worker(study);
  const std::string last = first.runs().back().name;
  const std::filesystem::path begun = folder_ / "study" / last;
  create_run(first.runs().back().config, begun);
  model::QuietMonitor quiet;
  execute_run(built_in_tasks(), begun, quiet, Stage::pretrain);
  StudyWorker second = worker(study);
  EXPECT_EQ(work(second), StudyWorker::Step::finished);
  ASSERT_EQ(done_.size(), 2u);
  EXPECT_EQ(done_.front(), last);
}

TEST_F(StudyWorkerTest, PartsAreAllRunsOnceAndKeepSharedStagesTogether) {
  const Study study = read("tasks = [\"bump-hunt\"]\nseeds = [1, 2, 3]", "[vary]\nfinetune.rate = [1e-3, 2e-3]\n");
  for (std::size_t part = 1; part <= 2; ++part) {
    StudyWorker one = worker(study, {.part = part, .parts = 2});
    EXPECT_EQ(work(one), StudyWorker::Step::finished);
    if (part == 1) {
      EXPECT_EQ(done_, (std::vector<std::string>{"bump-hunt-pairs-rate0.001-s1", "bump-hunt-pairs-rate0.001-s3",
                                                 "bump-hunt-pairs-rate0.002-s1", "bump-hunt-pairs-rate0.002-s3"}));
    }
  }
  std::sort(done_.begin(), done_.end());
  EXPECT_EQ(std::unique(done_.begin(), done_.end()), done_.end());
  EXPECT_EQ(done_.size(), 6u);
}

TEST_F(StudyWorkerTest, LeavesWhenItsTimeIsOverAndGoesOnLater) {
  const Study study = read("tasks = [\"bump-hunt\"]\nseeds = [1, 2]");
  StudyWorker hurried = worker(study, {.seconds = 1e-9});
  EXPECT_EQ(work(hurried), StudyWorker::Step::out_of_time);
  StudyWorker one = worker(study);
  EXPECT_EQ(work(one), StudyWorker::Step::finished);
  EXPECT_EQ(one.status()[1].state, StudyState::done);
}

TEST_F(StudyWorkerTest, WaitsForWhatAnotherIsMakingAndTakesNothingTwice) {
  const Study study = read("tasks = [\"bump-hunt\"]", "[vary]\nfinetune.rate = [1e-3, 2e-3]\n");
  StudyWorker first = worker(study), second = worker(study);
  StudyWorker::Step meanwhile = StudyWorker::Step::finished;
  first.step([&](const StudyRun&, const Session::Job& job) {
    meanwhile = second.step(here());  // the other run stands on this one's stages
    model::QuietMonitor quiet;
    job(quiet);
  });
  EXPECT_EQ(meanwhile, StudyWorker::Step::waiting);
  EXPECT_TRUE(done_.empty());
  EXPECT_EQ(second.step(here()), StudyWorker::Step::worked);
  EXPECT_EQ(done_, std::vector<std::string>{"bump-hunt-pairs-rate0.002-s1"});
}

TEST_F(StudyWorkerTest, ARunOfOtherSettingsIsNotTakenForTheStudys) {
  const Study study = read("tasks = [\"bump-hunt\"]");
  StudyWorker one = worker(study);
  work(one);
  Study changed = study;
  set_all(changed, {"finetune.rate=0.009"});
  try {
    worker(changed);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("finetune.rate"));
    EXPECT_THAT(error.what(), HasSubstr("--out"));
  }
}

TEST_F(StudyWorkerTest, ScoresAreMadeAgainForMoreSetsAndWhereTheyAreDamaged) {
  const Study study = read("tasks = [\"bump-hunt\"]");
  const std::filesystem::path run = folder_ / "study" / "bump-hunt-pairs-s1";
  StudyWorker one = worker(study);
  work(one);
  const std::string scores = read_file(run / run_file::metrics), weights = read_file(run / run_file::estimator);
  write_file(run / run_file::metrics, "{bad");
  StudyWorker second = worker(study);
  EXPECT_EQ(work(second), StudyWorker::Step::finished);
  EXPECT_TRUE(read_file(run / run_file::metrics) == scores);
  Study more = study;
  set_all(more, {"evaluate.sets=60"});
  StudyWorker third = worker(more);
  EXPECT_EQ(work(third), StudyWorker::Step::finished);
  EXPECT_EQ(read_metrics(built_in_tasks(), run / run_file::metrics)->rows.front().sets, 60);
  EXPECT_EQ(read_file(run / run_file::estimator), weights);
  EXPECT_EQ(done_.size(), 3u);
}

TEST_F(StudyWorkerTest, DamagedWeightsAreTold) {
  const Study study = read("tasks = [\"bump-hunt\"]\nseeds = [1, 2]");
  StudyWorker one = worker(study);
  work(one);
  const std::filesystem::path weights = folder_ / "study" / "bump-hunt-pairs-s1" / run_file::estimator;
  write_file(weights, read_file(weights).substr(0, 1000));
  StudyWorker second = worker(study);
  EXPECT_EQ(work(second), StudyWorker::Step::finished);
  ASSERT_EQ(second.failures().size(), 1u);
  EXPECT_THAT(second.failures()[0].second, HasSubstr("the study trains it again"));
}

// Two seeds of two strategies on the same sets: means, sd and paired differences are those of the metrics' numbers.
TEST_F(StudyWorkerTest, ResultsAreMeansOverSeedsAndPairedDifferences) {
  const Study study = read(
      "tasks = [\"bump-hunt\"]\nstrategies = [\"pairs\", \"n1\"]\nseeds = [1, 2]\nplanned = [\"e2e\"]\n"
      "figures = [\"scores\", \"differences\", \"gap\", \"acauc\", \"pareto\"]");
  StudyWorker one = worker(study);
  work(one);
  const StudyResults results = study_results(built_in_tasks(), study, one.runs(), folder_ / "study", {});
  const std::vector<SeedGroup> groups = results.groups();
  ASSERT_EQ(groups.size(), 3u);
  EXPECT_EQ(groups[0].done(), 2u);
  EXPECT_EQ(groups[2].done(), 0u);
  const auto nll = [&](std::size_t group, std::size_t seed) {
    return groups[group].runs[seed]->metrics->rows.back().nll;
  };
  const SeedMean mean = seed_means(groups[0], score_named("nll")).back();
  EXPECT_EQ(mean.n, 10);
  EXPECT_EQ(mean.seeds, 2);
  EXPECT_NEAR(mean.mean, (nll(0, 0) + nll(0, 1)) / 2, 1e-12);
  EXPECT_NEAR(mean.sd, std::fabs(nll(0, 0) - nll(0, 1)) / std::sqrt(2.0), 1e-12);
  const SeedDifference difference = seed_differences(groups[1], groups[0]).back();
  EXPECT_EQ(difference.sets, 40);
  const double first = nll(1, 0) - nll(0, 0), second = nll(1, 1) - nll(0, 1);
  EXPECT_NEAR(difference.mean, (first + second) / 2, 1e-9);
  EXPECT_GE(difference.se, std::fabs(first - second) / 2 - 1e-12);  // of the seeds alone

  const std::vector<StudyDrawing> drawings = draw_study(results, [] { return true; });
  ASSERT_EQ(drawings.size(), 5u);
  for (const StudyDrawing& drawing : drawings) EXPECT_FALSE(figure_svg(drawing.figure).empty()) << drawing.name;
  // End to end stands in the figure of costs as planned.
  std::string notes;
  for (const std::string& note : drawings[4].notes) notes += note + "\n";
  EXPECT_THAT(notes, HasSubstr("End to end: "));
  EXPECT_THAT(notes, HasSubstr("as planned"));
}

TEST(StudyFigures, UnknownOnesAreRefusedWithTheNearest) {
  Study study;
  study.file = "mine.toml";
  study.figures = {"score"};
  try {
    check_study_figures(study);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("did you mean \"scores\"?"));
  }
}

}  // namespace
}  // namespace pairs
