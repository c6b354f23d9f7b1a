#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/studies/study_figures.h"
#include "app/studies/study_runs.h"
#include "core/base/files/files.h"
#include "tasks/registry.h"
#include "tests/app/batch/program.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs::batch {
namespace {

using ::testing::HasSubstr;

class StudyCommand : public ::testing::Test {
 protected:
  StudyCommand() {
    write_file(folder_ / "mine.toml",
               "title = \"Mine\"\ntasks = [\"bump-hunt\"]\nstrategies = [\"pairs\", \"n1\"]\nplanned = [\"e2e\"]\n"
               "figures = [\"scores\", \"pareto\"]\n[set]\nembedder.layers = [8]\nembedder.size = 4\n"
               "pretrain.epochs = 2\npretrain.steps = 4\npretrain.batch = 16\npretrain.validation_sets = 32\n"
               "cache.sizes = [10]\ncache.pieces = 2\ncache.sets = [40]\nfinetune.epochs = 2\nfinetune.steps = 4\n"
               "finetune.batch = 8\nfinetune.validation_draws = 32\nevaluate.sizes = [1, 10]\nevaluate.sets = [40]\n"
               "evaluate.samples = 19\ndevice = \"cpu\"\nthreads = 1\n");
  }
  std::string file() const { return (folder_ / "mine.toml").string(); }
  std::string out() const { return (folder_ / "runs").string(); }
  Answer study(std::vector<std::string> more) {
    std::vector<std::string> words = {"study", file(), "--out", out()};
    words.insert(words.end(), more.begin(), more.end());
    return run_words(words);
  }
  TemporaryFolder folder_;
};

TEST_F(StudyCommand, PlansRunsAndDraws) {
  const Answer planned = study({"--plan", "--json"});
  ASSERT_EQ(planned.code, 0) << planned.err;
  const auto plan = nlohmann::json::parse(planned.out);
  ASSERT_EQ(plan.at("runs").size(), 3u);
  double seconds = 0;
  for (const auto& run : plan.at("runs")) {
    EXPECT_GT(run.at("gflop"), 0);
    seconds += run.at("seconds").get<double>();
  }
  EXPECT_NEAR(plan.at("seconds").get<double>(), seconds, 1e-9);
  EXPECT_EQ(plan.at("runs")[2].at("seconds"), 0);  // end to end is not trained
  EXPECT_FALSE(plan.at("runs")[2].at("trained").get<bool>());
  EXPECT_FALSE(std::filesystem::exists(out()));

  const Answer early = study({"--figures"});
  EXPECT_EQ(early.code, 1);
  EXPECT_THAT(early.err, HasSubstr("No run of the study mine is done yet"));

  const Answer ran = study({"--json"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const auto document = nlohmann::json::parse(ran.out);
  EXPECT_EQ(document.at("done"), 2);
  EXPECT_EQ(document.at("left"), 0);
  EXPECT_EQ(document.at("runs")[0].at("state"), "done");
  EXPECT_EQ(document.at("runs")[2].at("state"), "planned only");

  const Answer drawn = study({"--figures", "--json"});
  ASSERT_EQ(drawn.code, 0) << drawn.err;
  for (const auto& figure : nlohmann::json::parse(drawn.out).at("figures"))
    EXPECT_TRUE(std::filesystem::exists(figure.at("file").get<std::string>())) << figure;
  // What is done costs nothing any more.
  EXPECT_EQ(nlohmann::json::parse(study({"--plan", "--json"}).out).at("seconds"), 0);
}

// A study that reads another shows its runs at the presets and settings that are asked for, and no others.
TEST_F(StudyCommand, ReadsAnotherStudyAtThePresetsThatAreAskedFor) {
  const std::string reader = (folder_ / "reader.toml").string(), extra = (folder_ / "reader").string();
  write_file(reader, "title = \"Reader\"\nreads = [\"runs\"]\nfigures = [\"pareto\"]\n");
  const auto figures = [&](std::vector<std::string> more) {
    std::vector<std::string> words = {"study", reader, "--out", extra, "--figures", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return run_words(words);
  };
  EXPECT_THAT(figures({}).err, HasSubstr("of which there is none in"));
  ASSERT_EQ(study({"--preset", "quick", "--preset", "small"}).code, 0);
  const std::vector<std::string> presets = {"--preset", "quick", "--preset", "small"};
  const Answer both = figures(presets);
  ASSERT_EQ(both.code, 0) << both.err;
  // Compares two strategies and the planned one with PAIRS at each preset.
  const auto document = nlohmann::json::parse(both.out);
  int marks = 0;
  for (const auto& note : document.at("figures")[0].at("notes"))
    marks += note.get<std::string>().find("the cost of PAIRS") != std::string::npos;
  EXPECT_EQ(marks, 6) << both.out;
  EXPECT_THAT(both.out, HasSubstr("PAIRS, quick: 1.00"));
  EXPECT_THAT(both.out, HasSubstr("PAIRS, small: 1.00"));
  // Runs at one preset are called otherwise: there are none.
  EXPECT_THAT(figures({"--preset", "quick"}).err, HasSubstr("No run of the study reader is done yet"));
  std::vector<std::string> changed = presets;
  changed.insert(changed.end(), {"--set", "pretrain.epochs=3"});
  const Answer other = figures(changed);
  EXPECT_NE(other.code, 0);
  EXPECT_THAT(other.err, HasSubstr("pretrain.epochs"));
}

TEST_F(StudyCommand, AFailedRunIsToldAndTheExitCodeSaysSo) {
  std::filesystem::create_directories(out());
  write_file(out() + "/study.toml", "title = \"Mine\"\n");
  write_file(out() + "/bump-hunt-n1-s1", "in the way");
  const Answer ran = study({});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.out, HasSubstr("bump-hunt-n1-s1 failed: "));
  EXPECT_THAT(ran.out, HasSubstr("--retry"));
  std::filesystem::remove(out() + "/bump-hunt-n1-s1");
  EXPECT_EQ(study({}).code, 1);
  EXPECT_EQ(study({"--retry"}).code, 0);
}

TEST_F(StudyCommand, SettingsForAllStandOverTheFiles) {
  const auto plan = nlohmann::json::parse(study({"--plan", "--json", "--set", "pretrain.epochs=4"}).out);
  const auto usual = nlohmann::json::parse(study({"--plan", "--json"}).out);
  EXPECT_GT(plan.at("gflop"), usual.at("gflop"));
  EXPECT_THAT(study({"--plan", "--set", "embedder.cutoff=5"}).err, HasSubstr("no run of this study reads"));
}

TEST_F(StudyCommand, PartsAreThoseOfAJobArrayToo) {
  EXPECT_EQ(study({"--part", "3/2"}).code, 2);
  EXPECT_EQ(study({"--part", "0/2"}).code, 2);
  EXPECT_EQ(study({"--part", "1of2"}).code, 2);
  EXPECT_THAT(study({"--part", "array"}).err, HasSubstr("SLURM_ARRAY_TASK_ID, which is not set"));
  ::setenv("SLURM_ARRAY_TASK_ID", "4", 1);
  ::setenv("SLURM_ARRAY_TASK_MIN", "3", 1);
  ::setenv("SLURM_ARRAY_TASK_COUNT", "2", 1);
  const Answer second = study({"--part", "array", "--json"});
  for (const char* name : {"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_COUNT"}) ::unsetenv(name);
  ASSERT_EQ(second.code, 0) << second.err;
  const auto document = nlohmann::json::parse(second.out);
  EXPECT_EQ(document.at("runs")[0].at("state"), "open");
  EXPECT_EQ(document.at("runs")[1].at("state"), "done");
}

// A worker may find the temporary file that another one, started at the same time, writes next to its target.
TEST_F(StudyCommand, AnotherWorkersTemporaryFileIsNoForeignOne) {
  std::filesystem::create_directories(out());
  write_file(out() + "/.study.toml.4194305-0.tmp", "title = \"Mi");
  const Answer ran = study({"--max-hours", "1e-9"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_TRUE(std::filesystem::exists(out() + "/study.toml"));
}

TEST_F(StudyCommand, RefusesFoldersOfOtherItems) {
  std::filesystem::create_directories(out());
  write_file(out() + "/notes.txt", "mine");
  EXPECT_THAT(study({}).err, HasSubstr("holds notes.txt and no study"));
  std::filesystem::remove(out() + "/notes.txt");
  write_file(out() + "/study.toml", "title = \"Another\"\n");
  EXPECT_THAT(study({}).err, HasSubstr("holds another study, \"Another\""));
  write_file(out() + "/run.toml", "");
  EXPECT_THAT(study({}).err, HasSubstr("is the folder of a run"));
}

TEST_F(StudyCommand, RefusesWhatIsNoStudy) {
  EXPECT_THAT(run_words({"study", "strategies-circel"}).err, HasSubstr("did you mean strategies-circle?"));
  EXPECT_EQ(run_words({"study", "nothing-like-it"}).code, 2);
  EXPECT_EQ(study({"--plan", "--figures"}).code, 2);
  EXPECT_EQ(study({"--jobs", "0"}).code, 2);
  for (const char* hours : {"nan", "0", "-1", "inf"}) EXPECT_EQ(study({"--max-hours", hours}).code, 2) << hours;
  EXPECT_EQ(study({"--grace", "0.5"}).code, 2);
  EXPECT_THAT(study({"--set", "seed=3"}).err, HasSubstr("write 'seeds' in its file"));
  write_file(folder_ / "mine.toml", "title = \"Mine\"\ntasks = [\"no-such-task\"]\n");
  const Answer unknown = study({});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("no-such-task"));
  EXPECT_FALSE(std::filesystem::exists(out()));
}

// Every study that comes with the program can be read at each preset, makes runs of different names and names figures
// that there are.
TEST(ShippedStudies, AreWholeAtEveryPreset) {
  const Answer list = run_words({"study", "list", "--json"});
  ASSERT_EQ(list.code, 0) << list.err;
  const auto studies = nlohmann::json::parse(list.out).at("studies");
  EXPECT_GE(studies.size(), 12u);
  for (const auto& one : studies) {
    const std::string name = one.at("name");
    EXPECT_FALSE(one.at("note").get<std::string>().empty()) << name;
    for (const char* preset : {"quick", "paper"}) {
      const Study study = read_study(assets_folder() / "studies" / (name + ".toml"), {preset});
      EXPECT_FALSE(study.figures.empty()) << name;
      check_study_figures(study);
      const std::vector<StudyRun> runs = study_runs(built_in_tasks(), study, {});
      EXPECT_NE(runs.empty(), study.reads.empty()) << name;
      for (const std::string& other : study.reads)
        EXPECT_TRUE(std::filesystem::exists(assets_folder() / "studies" / (other + ".toml"))) << name << ": " << other;
    }
  }
}

}  // namespace
}  // namespace pairs::batch
