#include "app/studies/study.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class StudyFile : public ::testing::Test {
 protected:
  Study read(const std::string& text, const std::vector<std::string>& presets = {}) {
    write_file(folder_ / "mine.toml", text);
    return read_study(folder_ / "mine.toml", presets);
  }
  // The sentence with which the text is refused.
  std::string refusal(const std::string& text) {
    try {
      read(text);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      return error.what();
    }
    ADD_FAILURE() << "accepted: " << text;
    return "";
  }
  TemporaryFolder folder_;
};

TEST_F(StudyFile, HoldsRunsWithWhatIsSetAndVaried) {
  const Study study = read(R"(title = "Mine"
tasks = ["circle", "own/task.toml"]
strategies = ["pairs", "n1"]
planned = ["e2e"]
seeds = [1, 5]
figures = ["scores"]
[set]
pretrain.epochs = 3
cache.sizes = [10, 100]
head.kind = "umnn"
[vary]
embedder.size = { from = 1, to = 64, factor = 4 }
finetune.rate = [1e-3, 0.01]
)");
  ASSERT_EQ(study.parts.size(), 1u);
  EXPECT_EQ(study.name, "mine");
  EXPECT_EQ(study.parts[0].preset, "quick");
  ASSERT_EQ(study.parts[0].runs.size(), 1u);
  const StudyRuns& runs = study.parts[0].runs[0];
  EXPECT_THAT(runs.tasks, ElementsAre("circle", (folder_ / "own/task.toml").string()));
  EXPECT_THAT(runs.strategies, ElementsAre("pairs", "n1"));
  EXPECT_THAT(runs.planned, ElementsAre("e2e"));
  EXPECT_THAT(runs.seeds, ElementsAre(1, 5));
  EXPECT_THAT(runs.set,
              ::testing::UnorderedElementsAre("pretrain.epochs=3", "cache.sizes=[10, 100]", "head.kind=umnn"));
  ASSERT_EQ(runs.vary.size(), 2u);
  EXPECT_EQ(runs.vary[0].key, "embedder.size");
  EXPECT_THAT(runs.vary[0].values, ElementsAre("1", "4", "16", "64"));
  EXPECT_EQ(runs.vary[1].key, "finetune.rate");
  EXPECT_THAT(runs.vary[1].values, ElementsAre("0.001", "0.01"));
}

TEST_F(StudyFile, RangesStepToTheirEnd) {
  const auto values = [&](const std::string& range) {
    return read("title = \"x\"\ntasks = [\"circle\"]\nvary.finetune.rate = " + range).parts[0].runs[0].vary[0].values;
  };
  EXPECT_THAT(values("{ from = 0.1, to = 0.5, step = 0.2 }"), ElementsAre("0.1", "0.3", "0.5"));
  EXPECT_THAT(values("{ from = 1, to = 8, step = 3 }"), ElementsAre("1", "4", "7"));
  EXPECT_THAT(values("{ from = 1e-4, to = 1e-2, factor = 10 }"), ElementsAre("0.0001", "0.001", "0.01"));
  EXPECT_THAT(values("{ from = 3, to = 3, step = 1 }"), ElementsAre("3"));
}

TEST_F(StudyFile, APresetsTableAndEachRunsTableStandOverTheTop) {
  const std::string text = R"(title = "Mine"
tasks = ["circle"]
seeds = [1, 2, 3]
set.pretrain.epochs = 3
[[runs]]
strategies = ["pairs"]
[[runs]]
name = "long"
strategies = ["n1"]
seeds = [7]
set.pretrain.epochs = 30
[paper]
seeds = [1]
set.cache.sets = 100
)";
  const Study quick = read(text);
  ASSERT_EQ(quick.parts[0].runs.size(), 2u);
  EXPECT_THAT(quick.parts[0].runs[0].seeds, ElementsAre(1, 2, 3));
  EXPECT_THAT(quick.parts[0].runs[1].seeds, ElementsAre(7));
  EXPECT_EQ(quick.parts[0].runs[1].name, "long");
  EXPECT_THAT(quick.parts[0].runs[1].set, ElementsAre("pretrain.epochs=30"));
  const Study paper = read(text, {"paper", "small"});
  ASSERT_EQ(paper.parts.size(), 2u);
  EXPECT_EQ(paper.parts[0].preset, "paper");
  EXPECT_THAT(paper.parts[0].runs[0].seeds, ElementsAre(1));
  EXPECT_THAT(paper.parts[0].runs[0].set, ElementsAre("pretrain.epochs=3", "cache.sets=100"));
  EXPECT_THAT(paper.parts[1].runs[0].seeds, ElementsAre(1, 2, 3));
}

TEST_F(StudyFile, SettingsForAllStandOverWhatIsSetAndVaried) {
  Study study = read(R"(title = "Mine"
tasks = ["circle"]
set.pretrain.epochs = 3
vary.embedder.size = [1, 4]
)");
  set_all(study, {"pretrain.epochs=1", "embedder.size=2"});
  EXPECT_THAT(study.parts[0].runs[0].set, ElementsAre("pretrain.epochs=1", "embedder.size=2"));
  EXPECT_TRUE(study.parts[0].runs[0].vary.empty());
}

TEST_F(StudyFile, SaysOnHowManySetsChainsAreRun) {
  const std::string runs = "title = \"Mine\"\ntasks = [\"bump-hunt\"]\n";
  EXPECT_EQ(read(runs).mcmc_sets, 0);
  EXPECT_EQ(read(runs + "mcmc = 5\n").mcmc_sets, 5);
  EXPECT_THAT(refusal(runs + "mcmc = -1\n"), HasSubstr("mcmc"));
}

TEST_F(StudyFile, WhatIsWrongIsNamedWithItsLine) {
  const std::string head = "title = \"Mine\"\ntasks = [\"circle\"]\n";
  EXPECT_THAT(refusal("tasks = [\"circle\"]\n"), HasSubstr("'title' is missing"));
  EXPECT_THAT(refusal("title = \"Mine\"\n"), HasSubstr("'tasks' is missing"));
  EXPECT_THAT(refusal(head + "stratgies = [\"n1\"]\n"), HasSubstr("line 3: unknown key 'stratgies'; did you mean"));
  EXPECT_THAT(refusal(head + "strategies = [\"pears\"]\n"), HasSubstr("did you mean \"pairs\"?"));
  EXPECT_THAT(refusal(head + "strategies = [\"n1\"]\nplanned = [\"n1\"]\n"), HasSubstr("n1 appears twice"));
  EXPECT_THAT(refusal(head + "seeds = [0]\n"), HasSubstr("line 3"));
  EXPECT_THAT(refusal(head + "vary.embedder.size = 3\n"), HasSubstr("must be a list of values"));
  EXPECT_THAT(refusal(head + "vary.embedder.size = [3, 3]\n"), HasSubstr("holds 3 twice"));
  EXPECT_THAT(refusal(head + "vary.embedder.size = { from = 3, to = 1, step = 1 }\n"), HasSubstr("must grow"));
  EXPECT_THAT(refusal(head + "vary.embedder.size = { from = 0, to = 1, factor = 2 }\n"), HasSubstr("must grow"));
  EXPECT_THAT(refusal(head + "vary.embedder.size = { from = 0, to = 1e9, step = 1 }\n"),
              HasSubstr("more than 10000 values"));
  EXPECT_THAT(refusal(head + "set.x = 1\nvary.x = [1]\n"), HasSubstr("set and varied"));
  EXPECT_THAT(refusal(head + "presets = [\"huge\"]\n"), HasSubstr("there is no preset \"huge\""));
  EXPECT_THAT(refusal(head + "[[runs]]\nname = \"A b\"\n"), HasSubstr("lower-case letters"));
  EXPECT_THAT(refusal(head + "= 3\n"), HasSubstr("line 3: this is not TOML"));
}

}  // namespace
}  // namespace pairs
