#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "core/base/files/files.h"
#include "core/train/run/run_progress.h"
#include "tests/app/batch/program.h"
#include "tests/app/model/small_run.h"

// The output of `figure theorem`.

namespace pairs::batch {
namespace {

using ::testing::HasSubstr;

class TheoremCommand : public ::testing::Test {
 protected:
  std::string run(const std::string& name, std::int64_t seed = 1, const std::string& strategy = "pairs",
                  const std::vector<std::string>& more = {}) const {
    return model::small_run(folder_.path(), name, "gaussian", seed, strategy, more);
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  const TemporaryFolder folder_;
};

TEST_F(TheoremCommand, DrawsTheLogsAndTellsTheWeights) {
  const std::string a = run("a"), b = run("b", 2), n1 = run("n1", 1, "n1");
  const Answer answer = run_words({"figure", "theorem", a, b, n1, "--out", path("theorem.csv"), "--json"});
  ASSERT_EQ(answer.code, 0) << answer.err;
  const std::string table = read_file(path("theorem.csv"));
  for (const char* part : {"largest of all,PAIRS (2 seeds),line,", "x₁x₂,n1,line,"})
    EXPECT_THAT(table, HasSubstr(part));
  const nlohmann::json document = nlohmann::json::parse(answer.out);
  EXPECT_EQ(document.at("figure"), "theorem");
  ASSERT_EQ(document.at("runs").size(), 3u);
  for (const nlohmann::json& one : document["runs"]) {
    EXPECT_EQ(one.at("unexplained").size(), 5u);
    for (const auto& [name, value] : one["unexplained"].items()) {
      EXPECT_GT(value.get<double>(), 0) << name;
      EXPECT_LT(value.get<double>(), 1.1) << name;
      // A quadratic function of sums explains at least about what an affine one does.
      EXPECT_LT(one.at("cauchy_residual").at(name).get<double>(), 1.2 * value.get<double>() + 0.02) << name;
    }
  }
  EXPECT_EQ(document["runs"][2]["strategy"], "n1");
  EXPECT_EQ(document.at("maps").size(), 6u);
  for (const nlohmann::json& one : document["maps"]) EXPECT_NE(one.at("from"), one.at("to"));
}

// The log describes the weights that were validated: with one epoch these are the final ones.
TEST_F(TheoremCommand, LogAndWeightsAgree) {
  const std::string one = run("one", 1, "pairs", {"pretrain.epochs=1"});
  const Answer answer = run_words({"figure", "theorem", one, "--out", path("one.csv"), "--json"});
  ASSERT_EQ(answer.code, 0) << answer.err;
  const nlohmann::json reported = nlohmann::json::parse(answer.out)["runs"][0]["unexplained"];
  const RunProgress log = read_progress(std::filesystem::path(one) / run_file::events);
  const LossPoint& last = log.losses(Stage::pretrain).at(0).back();
  const char* const names[] = {"x₁", "x₂", "x₁²", "x₁x₂", "x₂²"};
  for (std::size_t k = 0; k < 5; ++k)
    EXPECT_NEAR(reported.at(names[k]).get<double>(), last.unexplained[k], 1e-6) << names[k];
  EXPECT_THAT(run_words({"figure", "theorem", one, "--out", path("one.svg")}).out,
              HasSubstr("largest Cauchy residual"));
}

TEST_F(TheoremCommand, DrawsARunThatHasNoWeightsYet) {
  const std::string young = run("young");
  for (const char* file : {run_file::pretrained, run_file::estimator})
    std::filesystem::remove(std::filesystem::path(young) / file);
  const Answer answer = run_words({"figure", "theorem", young, "--out", path("young.csv"), "--json"});
  ASSERT_EQ(answer.code, 0) << answer.err;
  EXPECT_THAT(read_file(path("young.csv")), HasSubstr("largest of all,young,line,"));
  EXPECT_TRUE(nlohmann::json::parse(answer.out).at("runs").empty());
}

TEST_F(TheoremCommand, RefusesWhatItCannotShow) {
  const std::string a = run("a"), other = run("other", 1, "pairs", {"task.convention=covariance"});
  const auto refused = [&](std::vector<std::string> runs, int code, const std::string& text) {
    std::vector<std::string> words = {"figure", "theorem", "--out", path("never.svg")};
    words.insert(words.end(), runs.begin(), runs.end());
    const Answer answer = run_words(words);
    EXPECT_EQ(answer.code, code) << answer.err;
    EXPECT_THAT(answer.err, HasSubstr(text));
    EXPECT_FALSE(std::filesystem::exists(path("never.svg")));
  };
  refused({}, 2, "needs at least one run");
  refused({"bump-hunt"}, 2, "No sufficient statistics of the task bump-hunt are known");
  refused({a, a + "/"}, 2, "a is named twice");
  refused({a, other}, 1, "other settings of their task");
}

}  // namespace
}  // namespace pairs::batch
