#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/base/files/files.h"
#include "core/train/run/run.h"
#include "tests/app/batch/program.h"
#include "tests/core/base/temporary_folder.h"

// infer --observations: each observation by itself.
namespace pairs::batch {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

// A set of the bump hunt's model.
class InferObservations : public testing::Test {
 protected:
  static constexpr std::int64_t n = 80;
  InferObservations() {
    const auto task = built_in_tasks()->make("bump-hunt");
    const std::int64_t index[] = {3};
    const SetRange range[] = {{3, 0, n}};
    x_ = task->observe(task->latents(1, Purpose::test, index), 1, Purpose::test, range, torch::kCPU).block().clone();
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string written() const {
    std::string text = "x\n";
    for (std::int64_t i = 0; i < n; ++i) text += fmt::format("{}\n", x_[i].item<double>());
    write_file(folder_ / "x.csv", text);
    return path("x.csv");
  }
  Answer asked(std::vector<std::string> more = {}) const {
    std::vector<std::string> words = {"infer",        "bump-hunt", "--data",      written(),      "--observations",
                                      path("of.csv"), "--out",     path("s.npz"), "--predictive", "0"};
    words.insert(words.end(), more.begin(), more.end());
    return run_words(words);
  }

  TemporaryFolder folder_;
  torch::Tensor x_;
};

TEST_F(InferObservations, OfTheModelAreNotForeign) {
  const Answer answer = asked();
  ASSERT_EQ(answer.code, 0) << answer.err;
  EXPECT_THAT(answer.out, HasSubstr("None of the 80 observations is foreign to the model"));
  EXPECT_THAT(answer.out, Not(HasSubstr("Model rejected")));
  const std::string table = read_file(path("of.csv"));
  EXPECT_THAT(table, testing::StartsWith("number,x,log_density,p,influence,pareto_k,foreign\n1,"));
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), n + 1);
}

TEST_F(InferObservations, ForeignOnesAreNamedAndLeftOut) {
  for (const std::int64_t i : {4, 40, 41}) x_[i] = 12 + 0.5 * static_cast<double>(i % 3);
  const Answer answer = asked({"--json"});
  ASSERT_EQ(answer.code, 0) << answer.err;
  const json document = json::parse(answer.out), found = document.at("observations");
  EXPECT_EQ(found.at("foreign"), json({5, 41, 42})) << "numbers from 1";
  EXPECT_LE(found.at("p").get<double>(), 0.01);
  EXPECT_EQ(document.at("verdict").at("standing"), "model rejected");
  EXPECT_THAT(document.at("verdict").at("text").get<std::string>(), HasSubstr("single observations"));
  EXPECT_THAT(found.at("text").get<std::string>(), HasSubstr("3 of 80 observations are foreign to the model"));
  EXPECT_THAT(found.at("text").get<std::string>(), HasSubstr("number 5 (x = 12.5; p"));
  EXPECT_THAT(found.at("text").get<std::string>(), HasSubstr("Without them"));
  // The posterior without them is that of the other observations.
  write_file(folder_ / "rest.csv", [&] {
    std::string text = "x\n";
    for (std::int64_t i = 0; i < n; ++i)
      if (x_[i].item<double>() < 11) text += fmt::format("{}\n", x_[i].item<double>());
    return text;
  }());
  const json rest = json::parse(run_words({"infer", "bump-hunt", "--data", path("rest.csv"), "--source", "refined",
                                           "--out", path("r.npz"), "--json"})
                                    .out);
  EXPECT_NEAR(found.at("without").at("mean")[0].get<double>(), rest.at("mean")[0].get<double>(),
              0.2 * rest.at("sd")[0].get<double>());
}

TEST_F(InferObservations, RefusesWhatItCannotTest) {
  const auto refusal = [&](std::vector<std::string> words) {
    const Answer answer = run_words(words);
    EXPECT_EQ(answer.code, 2) << answer.out;
    return answer.err;
  };
  std::filesystem::create_directory(folder_ / "images");
  EXPECT_THAT(refusal({"infer", "digits", "--data", path("images"), "--observations", path("of.csv")}),
              HasSubstr("--observations cannot serve this run: its observations are images"));
  EXPECT_THAT(refusal({"infer", "bump-hunt", "--data", written(), "--observations", path("of.npz")}),
              HasSubstr("--observations"));
  EXPECT_THAT(refusal({"infer", "bump-hunt", "--data", written(), "--observations", path("x.csv")}),
              HasSubstr("--observations"));
  write_file(folder_ / "sets.csv", "run,x\na,1\nb,2\n");
  EXPECT_THAT(
      refusal({"infer", "bump-hunt", "--data", path("sets.csv"), "--group", "run", "--observations", path("of.csv")}),
      HasSubstr("--observations is about one set"));
  write_file(folder_ / "of.csv", "mine\n");
  const Answer there = asked();
  EXPECT_EQ(there.code, 2);
  EXPECT_EQ(read_file(path("of.csv")), "mine\n");
}

}  // namespace
}  // namespace pairs::batch
