#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/base/files/files.h"
#include "core/base/files/npz.h"
#include "tests/app/batch/program.h"
#include "tests/core/base/temporary_folder.h"

// Quantities that follow from the targets, and the choice of these, on the command line.

namespace pairs::batch {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Derive : public ::testing::Test {
 protected:
  Derive() {
    std::string text = "x\n";
    for (int i = 0; i < 40; ++i) text += fmt::format("{}\n", i % 4 == 0 ? 2 + 0.01 * i : 0.05 * i - 1);
    write_file(folder_ / "events.csv", text);
  }
  Answer infer(std::vector<std::string> more, const std::string& out = "samples.npz") const {
    std::vector<std::string> words = {"infer",     "bump-hunt", "--data", (folder_ / "events.csv").string(),
                                      "--threads", "1",         "--out",  (folder_ / out).string()};
    words.insert(words.end(), more.begin(), more.end());
    return run_words(words);
  }
  TemporaryFolder folder_;
};

// The odds of θ: their quantiles are those of θ, mapped.
TEST_F(Derive, QuantitiesStandBesideTheTargets) {
  const Answer answer = infer({"--derive", "odds = theta/(1 - theta)", "--derive", "lost=log(theta - 2)", "--json"});
  ASSERT_EQ(answer.code, 0) << answer.err;
  const nlohmann::json document = nlohmann::json::parse(answer.out), &odds = document.at("derived").at("odds");
  EXPECT_EQ(odds.at("expression"), "theta/(1 - theta)");
  EXPECT_EQ(odds.at("undefined"), 0);
  for (const char* level : {"0.05", "0.5", "0.95"}) {
    const double theta = document.at("quantiles").at(level)[0];
    EXPECT_NEAR(odds.at("quantiles").at(level).get<double>() / (theta / (1 - theta)), 1, 0.05) << level;
    EXPECT_NEAR(odds.at("exact").at("quantiles").at(level).get<double>() / (theta / (1 - theta)), 1, 0.25) << level;
  }
  EXPECT_EQ(odds.at("intervals").at("kind"), "central");
  EXPECT_EQ(odds.at("intervals").at("0.9").size(), 2u);
  const nlohmann::json& lost = document.at("derived").at("lost");
  EXPECT_EQ(lost.at("undefined"), 1);
  EXPECT_FALSE(lost.contains("mean"));
  EXPECT_THAT(answer.err, HasSubstr("lost: at 100 % of the draws log(theta - 2) is not a finite number"));
  const auto arrays = read_npz(folder_ / "samples.npz");
  const torch::Tensor theta = arrays.at("samples").select(1, 0).to(torch::kFloat64);
  EXPECT_TRUE(at::allclose(arrays.at("derived_odds"), theta / (1 - theta)));

  // However many samples are written, the numbers are the same.
  const Answer few = infer({"--derive", "odds = theta/(1 - theta)", "--samples", "7", "--json"}, "few.csv");
  ASSERT_EQ(few.code, 0) << few.err;
  EXPECT_EQ(nlohmann::json::parse(few.out).at("derived").at("odds"), odds);
  EXPECT_THAT(read_file(folder_ / "few.csv"), testing::StartsWith("theta,odds\n"));

  const Answer text = infer({"--derive", "odds = theta/(1 - theta)"});
  EXPECT_THAT(text.out, HasSubstr("odds"));
  EXPECT_THAT(text.out, Not(HasSubstr("derived")));
}

TEST_F(Derive, NonsenseIsRefusedBeforeAnythingIsWritten) {
  for (const auto& [derive, sentence] :
       std::vector<std::pair<std::string, std::string>>{{"theta/2", "has no name"},
                                                        {"a = theta*", "at character 7: it ends where a value belongs"},
                                                        {"a = psi", "unknown name \"psi\"; available: theta"},
                                                        {"theta = 1", "has the name of a target"}}) {
    const Answer answer = infer({"--derive", derive});
    EXPECT_EQ(answer.code, 2) << derive;
    EXPECT_THAT(answer.err, HasSubstr(sentence));
    EXPECT_EQ(answer.out, "");
    EXPECT_FALSE(std::filesystem::exists(folder_ / "samples.npz"));
  }
  EXPECT_THAT(infer({"--derive", "a = theta", "--follow"}).err, HasSubstr("--derive does not go with --follow"));
}

TEST(TargetsOption, IsRefusedInOneSentence) {
  const TemporaryFolder folder;
  const auto refused = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "run");
    words.insert(words.end(), {"--out", (folder / "refused").string()});
    const Answer answer = run_words(words);
    EXPECT_EQ(answer.code, 2) << answer.err;
    EXPECT_FALSE(std::filesystem::exists(folder / "refused"));
    return answer.err;
  };
  EXPECT_THAT(refused({"bump-hunt", "--targets", "theta,phi"}),
              HasSubstr("task.targets names \"phi\", which is neither a target nor a nuisance of bump-hunt"));
  EXPECT_THAT(refused({"digits", "--targets", "angle"}),
              HasSubstr("nothing but the task's own target can be inferred of digits; leave it out"));
  EXPECT_THAT(refused({"bump-hunt", "--targets", "psi", "--set", "task.targets=theta"}),
              HasSubstr("The setting task.targets is given twice"));
  EXPECT_THAT(run_words({"run", "--resume", folder.path().string(), "--targets", "psi"}).err,
              HasSubstr("leave out --targets"));
}

}  // namespace
}  // namespace pairs::batch
