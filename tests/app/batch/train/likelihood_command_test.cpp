#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/base/files/files.h"
#include "core/train/run/run.h"
#include "core/train/stages/likelihood_stage.h"
#include "tests/app/batch/program.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs::batch {
namespace {

using testing::HasSubstr;

// A copy of the shipped bump hunt without its likelihood.
class LikelihoodCommand : public testing::Test {
 protected:
  LikelihoodCommand() {
    const auto tasks = built_in_tasks();
    std::filesystem::create_directories(run_);
    for (const auto& entry : std::filesystem::directory_iterator(find_run(tasks, "bump-hunt").folder))
      if (entry.is_regular_file()) std::filesystem::copy_file(entry.path(), run_ / entry.path().filename());
    write_file(folder_ / "x.csv", "x\n0.3\n0.5\n-1\n");
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  Answer train(std::vector<std::string> more = {}) {
    std::vector<std::string> words = {"likelihood", run_.string(),          "--steps", "30",
                                      "--set",      "likelihood.hidden=16", "--set",   "likelihood.compared=8"};
    words.insert(words.end(), more.begin(), more.end());
    return run_words(words);
  }

  TemporaryFolder folder_;
  std::filesystem::path run_ = folder_ / "run";
};

TEST_F(LikelihoodCommand, TrainsOnceAndServesTheRun) {
  const std::vector<std::string> infer = {"infer",    run_.string(), "--data",     path("x.csv"),
                                          "--refine", "--out",       path("s.npz")};
  const Answer before = run_words(infer);
  EXPECT_EQ(before.code, 2);
  EXPECT_THAT(before.err, HasSubstr("train it with: pairs --batch likelihood " + run_.string()));
  const Answer made = train({"--json"});
  ASSERT_EQ(made.code, 0) << made.err;
  const nlohmann::json document = nlohmann::json::parse(made.out);
  EXPECT_EQ(document.at("simulations"), 30 * 4096);
  EXPECT_FALSE(document.at("independence").at("rejected"));
  const Answer again = train();
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_THAT(again.out, HasSubstr("it was there already"));
  EXPECT_THAT(again.out, HasSubstr("Next: pairs --batch evaluate " + run_.string() + " --refine 200"));
  EXPECT_EQ(run_words(infer).code, 0);
  // Both posteriors were compared; either can be asked for, and the document says which comes first.
  const nlohmann::json compared = nlohmann::json::parse(read_file(run_ / "likelihood/comparison.json"));
  for (const nlohmann::json& one : compared.at("scores")) EXPECT_EQ(one.at("sets"), one.at("n") > 100 ? 4 : 8);
  const auto by = [&](const std::string& source) {
    const Answer answer = run_words({"infer", run_.string(), "--data", path("x.csv"), "--source", source, "--out",
                                     path(source + ".npz"), "--json"});
    EXPECT_EQ(answer.code, 0) << answer.err;
    return nlohmann::json::parse(answer.out);
  };
  const nlohmann::json own = by("run"), refined = by("refined"), best = by("best");
  EXPECT_EQ(own.at("source"), "run");
  EXPECT_EQ(refined.at("source"), "refined");
  EXPECT_EQ(refined.at("run_alone").at("mean"), own.at("mean"));
  EXPECT_EQ(refined.at("refined").at("mean"), refined.at("mean"));
  EXPECT_NE(refined.at("mean"), own.at("mean"));
  EXPECT_EQ(best.at("mean"), best.at("source") == "refined" ? refined.at("mean") : own.at("mean"));
  const Answer other = train({"--seed", "2"});
  EXPECT_EQ(other.code, 2);
  EXPECT_THAT(other.err, HasSubstr("was begun with likelihood.seed = 21"));
}

TEST_F(LikelihoodCommand, RefusesWhatHasNoLikelihood) {
  const auto refusal = [](std::vector<std::string> words) {
    words.insert(words.begin(), "likelihood");
    const Answer answer = run_words(words);
    EXPECT_EQ(answer.code, 2) << answer.out;
    return answer.err;
  };
  EXPECT_THAT(refusal({"bump-hunt"}), HasSubstr("is not the folder of a run"));
  EXPECT_THAT(refusal({find_run(built_in_tasks(), "circle").folder.string()}), HasSubstr("image"));
  EXPECT_THAT(refusal({run_.string(), "--set", "likelihood.stepps=3"}), HasSubstr("likelihood.steps"));
  EXPECT_THAT(refusal({run_.string(), "--set", "likelihood.rate=-1"}), HasSubstr("likelihood.rate"));
  EXPECT_THAT(refusal({run_.string(), "--simulations", "5"}), HasSubstr("raise --simulations"));
  EXPECT_FALSE(std::filesystem::exists(run_ / "likelihood")) << "nothing has begun";
}

}  // namespace
}  // namespace pairs::batch
