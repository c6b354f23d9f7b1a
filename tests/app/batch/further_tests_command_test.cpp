// Tests beyond the ranks in `evaluate` and `figure`, and the test of a single posterior by `infer --local-test`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/base/files/files.h"
#include "tests/app/batch/program.h"
#include "tests/app/model/small_run.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs::batch {
namespace {

using ::testing::HasSubstr;

class FurtherTestsCommand : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string run() const { return model::small_run(folder_.path(), "small", "gaussian"); }
  std::string points() const {
    write_file(path("x.csv"), "x1,x2\n0.3,-0.2\n0.1,0.4\n-0.5,0.2\n");
    return path("x.csv");
  }
  TemporaryFolder folder_;
};

// The tests reject a run that has learned next to nothing, and not the shipped one.
TEST_F(FurtherTestsCommand, EvaluateTellsThemAndFiguresDrawThem) {
  const std::string small = run();
  const Answer answer = run_words({"evaluate", small, "--sizes", "10", "--sets", "300", "--samples", "99"});
  ASSERT_EQ(answer.code, 0) << answer.err;
  EXPECT_THAT(answer.out, HasSubstr("ECDF p"));
  EXPECT_THAT(answer.out, HasSubstr("further tests these reject: "));
  EXPECT_THAT(answer.out, HasSubstr("C2ST at N = 10"));
  for (const char* name : {"ecdf", "tarp", "c2st", "recovery", "contraction", "regions"}) {
    const std::string out = path(std::string(name) + ".csv");
    const Answer drawn = run_words({"figure", name, small, "--out", out});
    EXPECT_EQ(drawn.code, 0) << name << ": " << drawn.err;
    EXPECT_GT(std::filesystem::file_size(out), 100u) << name;
  }
  const std::vector<std::string> words = {"evaluate", "gaussian",  "--sizes", "2",     "--sets",
                                          "300",      "--samples", "99",      "--json"};
  const nlohmann::json said = nlohmann::json::parse(run_words(words).out);
  const nlohmann::json& row = said.at("rows").at(0);
  for (const char* key : {"tarp", "tarp_p95", "tarp_p", "c2st", "c2st_se", "c2st_p", "region_p"})
    EXPECT_TRUE(row.at(key).is_number()) << key;
  EXPECT_GE(row.at("ecdf_p").size(), 1u);
  EXPECT_EQ(said.at("further_tests").at("tests").get<std::size_t>(), row.at("ecdf_p").size() + 3);
  EXPECT_EQ(said, nlohmann::json::parse(run_words(words).out)) << "the same seed";
}

TEST_F(FurtherTestsCommand, InferTestsItsOwnPosterior) {
  const std::vector<std::string> words = {"infer", "gaussian", "--data",      points(), "--local-test",
                                          "200",   "--out",    path("s.npz"), "--json"};
  const Answer answer = run_words(words);
  ASSERT_EQ(answer.code, 0) << answer.err;
  const nlohmann::json test = nlohmann::json::parse(answer.out).at("local_test");
  EXPECT_EQ(test.at("sets"), 200);
  EXPECT_GT(test.at("p").get<double>(), 0);
  EXPECT_EQ(test.at("shift").size(), nlohmann::json::parse(answer.out).at("targets").size());
  EXPECT_EQ(test, nlohmann::json::parse(run_words(words).out).at("local_test")) << "the same seed";
  // Weights that learned hardly anything are wrong where the data are informative.
  const Answer off = run_words({"infer", run(), "--data", points(), "--local-test", "500", "--out", path("t.npz")});
  ASSERT_EQ(off.code, 0) << off.err;
  EXPECT_THAT(off.out, HasSubstr("Local test: this posterior is off (p ≤ 0.001"));
}

TEST_F(FurtherTestsCommand, ALocalTestOfASetUnlikeTrainingSaysThatItCannotTell) {
  std::string far = "x\n";
  for (int k = 0; k < 40; ++k) far += std::to_string(20 + 0.1 * k) + "\n";
  write_file(path("far.csv"), far);
  const Answer answer =
      run_words({"infer", "bump-hunt", "--data", path("far.csv"), "--local-test", "200", "--out", path("far.npz")});
  ASSERT_EQ(answer.code, 0) << answer.err;
  EXPECT_THAT(answer.out, HasSubstr("Local test: no result"));
}

TEST_F(FurtherTestsCommand, RefusesLocalTestsOfNothing) {
  const Answer few = run_words({"infer", "gaussian", "--data", points(), "--local-test", "99"});
  EXPECT_EQ(few.code, 2);
  EXPECT_THAT(few.err, HasSubstr("--local-test 99 is too few simulated sets for a test; give 100 or more"));
  const Answer follow = run_words({"infer", "gaussian", "--data", points(), "--follow", "--local-test", "200"});
  EXPECT_EQ(follow.code, 2);
  EXPECT_THAT(follow.err, HasSubstr("leave --follow out"));
  EXPECT_EQ(run_words({"infer", "gaussian", "--data", points(), "--local-test", "many"}).code, 2);
}

}  // namespace
}  // namespace pairs::batch
