#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "core/base/files/files.h"
#include "core/train/run/run.h"
#include "tests/app/batch/program.h"
#include "tests/core/base/temporary_folder.h"

// Errors that `run` reports before it trains and before it prints the cost of a run.

namespace pairs::batch {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class RunCommand : public ::testing::Test {
 protected:
  std::string out(const std::string& name) const { return (folder_ / name).string(); }
  // The error message of a refused run, which leaves no folder and prints no cost.
  std::string refused(std::vector<std::string> words) const {
    words.insert(words.begin(), {"run", "gaussian"});
    words.insert(words.end(), {"--out", out("refused")});
    const Answer answer = run_words(words);
    EXPECT_EQ(answer.code, 2) << answer.err;
    EXPECT_THAT(answer.err, Not(HasSubstr("pretrain ")));
    EXPECT_FALSE(std::filesystem::exists(out("refused")));
    return answer.err;
  }
  TemporaryFolder folder_;
};

TEST_F(RunCommand, RefusesASettingThatIsGivenTwice) {
  EXPECT_THAT(refused({"--seed", "1", "--set", "seed=2"}),
              HasSubstr("setting seed is given twice, by --seed 1 and by --set seed=2"));
  EXPECT_THAT(refused({"--device", "cpu", "--set", "device=cpu"}), HasSubstr("--device cpu and by --set device=cpu"));
  EXPECT_THAT(refused({"--threads", "1", "--set", "threads=1"}), HasSubstr("--threads 1"));
  EXPECT_THAT(refused({"--set", "pretrain.rate=1e-3", "--set", "pretrain.rate=2e-3"}),
              HasSubstr("by --set pretrain.rate=1e-3 and by --set pretrain.rate=2e-3"));
}

TEST_F(RunCommand, RefusesOtherSizesThanTheStrategys) {
  EXPECT_THAT(
      refused({"--strategy", "n1", "--set", "pretrain.sizes=[1,2]"}),
      HasSubstr("pretrain.sizes = [1, 2] contradicts the strategy n1, whose sets have [1] observations; leave it "
                "out, or use the strategy pairs"));
  EXPECT_THAT(refused({"--strategy", "pairs", "--set", "pretrain.sizes=[3]"}), HasSubstr("contradicts the strategy"));
}

TEST_F(RunCommand, RefusesWeightsThatAreNotThereBeforeItTellsTheCost) {
  EXPECT_THAT(refused({"--set", "pretrain.from=nowhere"}), HasSubstr("Training cannot start from"));
}

TEST_F(RunCommand, RefusesAFolderThatHoldsFiles) {
  write_file(folder_ / "notes.txt", "mine");
  const Answer answer = run_words({"run", "gaussian", "--out", folder_.path().string()});
  EXPECT_EQ(answer.code, 2);
  EXPECT_THAT(answer.err, HasSubstr("is not empty, it holds notes.txt; choose a new folder or an empty one"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "run.toml"));
  std::filesystem::remove(folder_ / "notes.txt");
  std::filesystem::create_directory(folder_ / "figures");  // of the demonstration
  EXPECT_NO_THROW(check_new_run(folder_.path()));
}

}  // namespace
}  // namespace pairs::batch
