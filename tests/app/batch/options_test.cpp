#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/app/batch/program.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs::batch {
namespace {

using ::testing::HasSubstr;

TEST(Options, NumbersThatAreNoneAreUsageErrors) {
  const std::vector<std::vector<std::string>> commands = {
      {"infer", "bump-hunt", "--data", "x.csv", "--samples"},
      {"infer", "bump-hunt", "--data", "x.csv", "--seed"},
      {"infer", "bump-hunt", "--data", "x.csv", "--n"},
      {"infer", "bump-hunt", "--data", "x.csv", "--steps"},
      {"evaluate", "bump-hunt", "--samples"},
      {"evaluate", "bump-hunt", "--seed"},
      {"evaluate", "bump-hunt", "--sets"},
      {"evaluate", "bump-hunt", "--sizes"},
      {"compare", "bump-hunt", "bump-hunt", "--samples"},
      {"compare", "bump-hunt", "bump-hunt", "--sizes"},
      {"figure", "posterior", "bump-hunt", "--index"},
      {"figure", "posterior", "bump-hunt", "--n"},
      {"figure", "width", "bump-hunt", "--sets"},
      {"figure", "width", "bump-hunt", "--mcmc"},
      {"figure", "width", "bump-hunt", "--mcmc-draws"},
      {"evaluate", "bump-hunt", "--learned-product"},
      {"evaluate", "bump-hunt", "--refine"},
      {"likelihood", "runs/a", "--steps"},
      {"likelihood", "runs/a", "--simulations"},
      {"likelihood", "runs/a", "--seed"},
      {"run", "bump-hunt", "--seed"},
      {"demo", "--seed"},
      {"embed", "bump-hunt", "--out", "x.npz", "--index"},
      {"embed", "bump-hunt", "--out", "x.npz", "--n"},
      {"render", "--scene", "7", "--out", "x.png", "--size"},
      {"render", "--scene", "7", "--out", "x.png", "--views"},
      {"render", "--scene", "7", "--out", "x", "--spheres"},
      {"render", "--scene", "7", "--out", "x", "--half-width"},
      {"render", "--scene", "7", "--out", "x", "--camera"},
      {"render", "--scene", "7", "--out", "x", "--supersample"},
  };
  for (const std::vector<std::string>& command : commands)
    for (const char* value :
         {"nan", "inf", "-1", "-inf", "1e400", "99999999999999999999", "0x10", "1e9x1e9", "three", "1_0"}) {
      std::vector<std::string> words = command;
      words.back() += std::string("=") + value;
      const Answer answer = run_words(words);
      EXPECT_EQ(answer.code, 2) << words.back() << ": " << answer.err;
      EXPECT_THAT(answer.err, HasSubstr(command.back())) << words.back();
      EXPECT_EQ(answer.out, "") << words.back();
    }
}

TEST(Options, WholeNumbersAreDecimal) {
  EXPECT_THAT(run_words({"run", "bump-hunt", "--seed", "1e3"}).err,
              HasSubstr("--seed: 1e3 is not a whole number from 0 to 9007199254740992"));
  // Leading zeros make no octal number: the last of 10 sets is asked for.
  EXPECT_THAT(run_words({"render", "--scene", "7", "--out", "x.gif", "--spheres", "010"}).err,
              HasSubstr("010 is not a whole number from 1 to 8"));
}

// Tasks differ in what they read: a setting is for those that do, and all are checked before the first is trained.
TEST(Options, ASettingOfTheDemonstrationIsReadBySomeTask) {
  const TemporaryFolder folder;
  const std::string out = (folder / "demo").string();
  const auto refused = [&](const std::string& setting) {
    const Answer answer = run_words({"demo", "--tasks", "gaussian,bump-hunt", "--set", setting, "--out", out});
    EXPECT_EQ(answer.code, 2) << answer.err;
    EXPECT_FALSE(std::filesystem::exists(out));
    return answer.err;
  };
  EXPECT_THAT(refused("embedder.cutoff=5"), HasSubstr("nothing reads embedder.cutoff"));
  EXPECT_THAT(refused("embedder.size=0"), HasSubstr("embedder.size"));
  // Only the second task refuses this value.
  EXPECT_THAT(refused("cache.sizes=1,10,1000"), HasSubstr("beyond the largest N of task bump-hunt"));
}

TEST(Options, AnUnknownCommandIsNamedWhateverFollowsIt) {
  const Answer answer = run_words({"frobnicate", "bump-hunt"});
  EXPECT_EQ(answer.code, 2);
  EXPECT_THAT(answer.err, HasSubstr("There is no command frobnicate"));
  // A word that follows may be the name of a command.
  const Answer before = run_words({"train", "--task-file", "task.toml", "--out", "run"});
  EXPECT_EQ(before.code, 2);
  EXPECT_THAT(before.err, HasSubstr("There is no command train"));
}

TEST(Options, AnEmptyValueIsNamed) {
  const Answer answer = run_words({"infer", "bump-hunt", "--data=", "--out", "x.npz"});
  EXPECT_EQ(answer.code, 2);
  EXPECT_THAT(answer.err, HasSubstr("--data= has no value"));
  EXPECT_THAT(run_words({"evaluate", ""}).err, HasSubstr("An argument is empty"));
  EXPECT_EQ(run_words({"evaluate", ""}).code, 2);
}

TEST(Options, ListOfFiguresTakesNoRuns) {
  EXPECT_EQ(run_words({"figure", "list"}).code, 0);
  EXPECT_EQ(run_words({"figure", "list", "bump-hunt"}).code, 2);
}

TEST(Options, JsonMayStandBeforeTheCommand) {
  const Answer before = run_words({"--json", "devices"}), behind = run_words({"devices", "--json"});
  EXPECT_EQ(before.code, 0);
  EXPECT_EQ(before.out, behind.out);
  EXPECT_THAT(before.out, HasSubstr("\"devices\""));
}

}  // namespace
}  // namespace pairs::batch
