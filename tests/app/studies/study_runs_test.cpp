#include "app/studies/study_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/text/error.h"
#include "core/train/run/stage_sharing.h"
#include "tasks/registry.h"

namespace pairs {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Study study_of(StudyRuns runs) {
  Study study;
  study.name = "mine";
  study.file = "mine.toml";
  study.parts = {{"quick", {std::move(runs)}}};
  return study;
}

std::vector<std::string> names_of(const std::vector<StudyRun>& runs) {
  std::vector<std::string> names;
  for (const StudyRun& run : runs) names.push_back(run.name);
  return names;
}

std::vector<StudyRun> made(const Study& study) {
  return study_runs(built_in_tasks(), study, {});
}

std::string refusal(const Study& study) {
  try {
    made(study);
  } catch (const Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "accepted";
  return "";
}

TEST(StudyRuns, AreTasksTimesStrategiesTimesValuesTimesSeeds) {
  StudyRuns runs;
  runs.tasks = {"gaussian", "bump-hunt"};
  runs.strategies = {"pairs", "n1"};
  runs.seeds = {1, 2};
  runs.vary = {{"embedder.size", {"4", "16"}}};
  const std::vector<StudyRun> all = made(study_of(runs));
  EXPECT_EQ(all.size(), 16u);
  EXPECT_EQ(all.front().name, "gaussian-pairs-size4-s1");
  EXPECT_EQ(all.back().name, "bump-hunt-n1-size16-s2");
  EXPECT_EQ(all.back().config.seed, 2);
  EXPECT_EQ(all.back().config.strategy, "n1");
  EXPECT_EQ(all.back().config.estimator.embedder.size, 16);
  EXPECT_THAT(all.back().varied, ElementsAre("embedder.size=16"));
}

// A setting of stage 3 leaves stages 1 and 2 as they are, one of stage 2 leaves stage 1.
TEST(StudyRuns, ShareTheStagesThatTheirDifferencesDoNotReach) {
  StudyRuns runs;
  runs.tasks = {"bump-hunt"};
  runs.vary = {{"cache.sets", {"1000", "2000"}}, {"finetune.rate", {"0.001", "0.002"}}};
  const std::vector<StudyRun> all = made(study_of(runs));
  ASSERT_EQ(all.size(), 4u);
  for (const StudyRun& run : all) EXPECT_EQ(run.first_stage, all[0].first_stage);
  EXPECT_EQ(all[0].second_stage, all[1].second_stage);
  EXPECT_EQ(all[2].second_stage, all[3].second_stage);
  EXPECT_NE(all[0].second_stage, all[2].second_stage);
  runs.vary = {{"pretrain.rate", {"0.001", "0.002"}}};
  const std::vector<StudyRun> other = made(study_of(runs));
  EXPECT_NE(other[0].first_stage, other[1].first_stage);
  StudyRuns seeds;
  seeds.tasks = {"bump-hunt"};
  seeds.seeds = {1, 2};
  const std::vector<StudyRun> two = made(study_of(seeds));
  EXPECT_NE(two[0].first_stage, two[1].first_stage);
}

TEST(StudyRuns, NamesTellSettingsOfOneLastWordApart) {
  StudyRuns runs;
  runs.tasks = {"bump-hunt"};
  runs.vary = {{"finetune.rate", {"0.001"}}, {"pretrain.rate", {"0.002"}}, {"cache.sets", {"100"}}};
  EXPECT_THAT(names_of(made(study_of(runs))),
              ElementsAre("bump-hunt-pairs-finetune.rate0.001-pretrain.rate0.002-sets100-s1"));
}

TEST(StudyRuns, SettingsReachTheRunsThatReadThem) {
  StudyRuns runs;
  runs.tasks = {"bump-hunt"};
  runs.strategies = {"pairs", "e2e"};
  runs.set = {"pretrain.epochs=2"};
  runs.vary = {{"cache.sets", {"1000", "2000"}}};  // which end to end does not have
  const std::vector<StudyRun> all = made(study_of(runs));
  EXPECT_THAT(names_of(all),
              ElementsAre("bump-hunt-pairs-sets1000-s1", "bump-hunt-pairs-sets2000-s1", "bump-hunt-e2e-s1"));
  runs.strategies = {"e2e"};
  EXPECT_THAT(refusal(study_of(runs)), HasSubstr("no run of this study reads cache.sets"));
  runs.set = {"pretrain.epoch=2"};
  EXPECT_THAT(refusal(study_of(runs)), HasSubstr("pretrain.epoch"));
}

// A preset for several targets has another head, whose settings are read.
TEST(StudyRuns, SettingsOfTheTargetsThatAreChosenAreRead) {
  StudyRuns runs;
  runs.tasks = {"bump-hunt"};
  runs.set = {"task.targets=theta,psi"};
  runs.vary = {{"head.components", {"8", "16"}}};
  const std::vector<StudyRun> all = made(study_of(runs));
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].config.estimator.head.kind, "mixture");
  EXPECT_THAT(all[1].varied, ElementsAre("head.components=16"));
  runs.set = {};
  EXPECT_THAT(refusal(study_of(runs)), HasSubstr("head.components"));
}

TEST(StudyRuns, PlannedOnesAreNotTrainedUnlessAlsoAskedFor) {
  StudyRuns runs;
  runs.tasks = {"bump-hunt"};
  runs.planned = {"e2e"};
  Study study = study_of(runs);
  EXPECT_FALSE(made(study)[1].trained);
  StudyRuns both;
  both.tasks = {"bump-hunt"};
  both.strategies = {"e2e"};
  study.parts[0].runs.push_back(both);
  const std::vector<StudyRun> all = made(study);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_TRUE(all[1].trained);
}

TEST(StudyRuns, DifferentRunsOfOneNameAreRefused) {
  StudyRuns one, two;
  one.tasks = two.tasks = {"bump-hunt"};
  two.set = {"pretrain.epochs=7"};
  Study study = study_of(one);
  study.parts[0].runs.push_back(two);
  EXPECT_THAT(refusal(study), HasSubstr("give one of them a 'name'"));
  study.parts[0].runs[1].name = "long";
  EXPECT_THAT(names_of(made(study)), ElementsAre("bump-hunt-pairs-s1", "long-bump-hunt-pairs-s1"));
}

TEST(StudyRuns, NamesOfSeveralPresetsHoldThem) {
  StudyRuns runs;
  runs.tasks = {"bump-hunt"};
  Study study = study_of(runs);
  study.parts.push_back({"small", {runs}});
  EXPECT_THAT(names_of(made(study)), ElementsAre("bump-hunt-quick-pairs-s1", "bump-hunt-small-pairs-s1"));
}

}  // namespace
}  // namespace pairs
