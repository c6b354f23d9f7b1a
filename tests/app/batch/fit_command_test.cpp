// Output and errors of `infer --predictive`, `figure predictive` and `infer --prior`.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/posterior/checks/predictive_sets.h"
#include "core/base/files/files.h"
#include "core/base/files/npz.h"
#include "tests/app/batch/program.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs::batch {
namespace {

using ::testing::HasSubstr;

class FitCommand : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string events(bool outlier = false) const {
    std::string text = "x\n";
    for (int i = 0; i < 40; ++i) text += std::to_string(outlier && i == 6 ? 30 : -2 + 0.1 * i) + "\n";
    write_file(path("events.csv"), text);
    return path("events.csv");
  }
  // `infer bump-hunt` of those events with these words, as a document.
  nlohmann::json infer(const std::vector<std::string>& more, int code = 0) const {
    std::vector<std::string> words = {"infer", "bump-hunt",   "--data", path("events.csv"),
                                      "--out", path("s.npz"), "--json"};
    words.insert(words.end(), more.begin(), more.end());
    const Answer answer = run_words(words);
    EXPECT_EQ(answer.code, code) << answer.err;
    return nlohmann::json::parse(answer.out);
  }
  std::string refusal(const std::vector<std::string>& more) const {
    return infer(more, 2).at("error").get<std::string>();
  }
  TemporaryFolder folder_;
};

TEST_F(FitCommand, InferComparesWithTheModelsSets) {
  events(true);
  const nlohmann::json test = infer({"--predictive", "100"}).at("predictive");
  EXPECT_EQ(test.at("sets"), 100);
  EXPECT_EQ(test.at("n"), 40);
  EXPECT_EQ(test.at("psi"), "posterior");
  EXPECT_LE(test.at("p").get<double>(), 0.05) << "the signal may be at 30, fourteen sd out in its prior";
  EXPECT_EQ(test.at("p"), test.at("statistics").at(0).at("corrected"));
  ASSERT_EQ(test.at("far").size(), 1u);
  EXPECT_EQ(test.at("far").at(0).at("observation"), 7);
  EXPECT_EQ(test.at("without").at("n"), 39);
  EXPECT_EQ(test, infer({"--predictive", "100"}).at("predictive")) << "the same seed";
  EXPECT_NE(test.at("statistics"), infer({"--predictive", "100", "--seed", "2"}).at("predictive").at("statistics"));
  EXPECT_FALSE(infer({"--predictive", "0"}).contains("predictive"));
  events(false);
  const nlohmann::json fine = infer({"--predictive", "100"}).at("predictive");
  EXPECT_GT(fine.at("p").get<double>(), 0.02);
  EXPECT_FALSE(fine.contains("without"));
}

// Without being asked, the test within the set judges the model, and a rejected one recommends no posterior, not even
// the exact one.
TEST_F(FitCommand, InferTestsTheModelByDefault) {
  std::string text = "x\n";
  for (int i = 0; i < 80; ++i) text += fmt::format("{}\n", -4 + 8.0 * (i + 0.5) / 80);
  write_file(path("events.csv"), text);
  const Answer flat = run_words({"infer", "bump-hunt", "--data", path("events.csv"), "--out", path("s.npz")});
  ASSERT_EQ(flat.code, 0) << flat.err;
  EXPECT_THAT(flat.out, HasSubstr("Model rejected (within the set, p "));
  EXPECT_THAT(flat.err, HasSubstr("warning: Model rejected"));
  for (const char* contradiction : {"In distribution", "use the exact posterior", "believe the exact"})
    EXPECT_EQ((flat.out + flat.err).find(contradiction), std::string::npos) << contradiction;
  const nlohmann::json document = infer({});
  EXPECT_EQ(document.at("verdict").at("standing"), "model rejected");
  EXPECT_EQ(document.at("verdict").at("by"), "within the set");
  EXPECT_EQ(document.at("within").at("sets"), 3999);
  EXPECT_LE(document.at("within").at("p").get<double>(), 0.009);
  EXPECT_TRUE(document.contains("predictive")) << "which describes how the set differs";
  EXPECT_EQ(document.at("within"), infer({}).at("within")) << "the same seed";
  EXPECT_THAT(document.at("warnings").dump(), HasSubstr("use no posterior under it"));
  const nlohmann::json untested = infer({"--predictive", "0"});
  EXPECT_EQ(untested.at("verdict").at("by"), "typicality");
  EXPECT_EQ(document.at("mean"), untested.at("mean"));
  events(false);
  const nlohmann::json fine = infer({});
  EXPECT_EQ(fine.at("verdict").at("standing"), "in distribution") << fine.at("verdict").dump();
  EXPECT_GT(fine.at("within").at("p").get<double>(), 0.009);
  EXPECT_FALSE(fine.contains("predictive"));
}

TEST_F(FitCommand, FigureDrawsWhatInferSays) {
  events(true);
  const Answer drawn = run_words(
      {"figure", "predictive", "bump-hunt", "--data", path("events.csv"), "--out", path("predictive.csv"), "--json"});
  ASSERT_EQ(drawn.code, 0) << drawn.err;
  EXPECT_EQ(nlohmann::json::parse(drawn.out).at("predictive"), infer({"--predictive", "200"}).at("predictive"));
  EXPECT_THAT(read_file(path("predictive.csv")), HasSubstr("simulated, 5 to 95 %"));
  EXPECT_EQ(run_words({"figure", "predictive", "bump-hunt", "--index", "2", "--n", "10", "--out", path("p.svg")}).code,
            0);
  const Answer many = run_words({"figure", "predictive", "bump-hunt", "--data", path("events.csv"), "--n", "41"});
  EXPECT_EQ(many.code, 2);
  EXPECT_THAT(many.err, HasSubstr("holds 40"));
  EXPECT_EQ(run_words({"figure", "predictive", "bump-hunt", "gaussian"}).code, 2);
  EXPECT_EQ(run_words({"figure", "predictive", "bump-hunt", "--shades", "1"}).code, 2);
}

TEST_F(FitCommand, RefusesTestsOfNothing) {
  events();
  EXPECT_THAT(refusal({"--predictive", "49"}), HasSubstr("--predictive 49 are too few simulated sets"));
  EXPECT_THAT(refusal({"--predictive", "100", "--follow"}), HasSubstr("leave --follow out"));
  EXPECT_EQ(run_words({"infer", "bump-hunt", "--data", path("events.csv"), "--predictive", "few"}).code, 2);
  std::filesystem::create_directory(path("many"));
  write_file(path("many/a.csv"), "x\n1\n");
  const Answer many = run_words({"infer", "bump-hunt", "--data", path("many"), "--predictive", "100"});
  EXPECT_EQ(many.code, 2);
  EXPECT_THAT(many.err, HasSubstr("--predictive is about one set"));
  const Answer image = run_words({"figure", "predictive", "novel-view"});
  EXPECT_EQ(image.code, 2);
  EXPECT_THAT(image.err, HasSubstr("its target is an image"));
}

TEST_F(FitCommand, InferAnswersUnderAnotherPrior) {
  events();
  const nlohmann::json plain = infer({}), answer = infer({"--prior", "beta(2, 8)"});
  const nlohmann::json& other = answer.at("other_prior");
  EXPECT_EQ(answer.at("mean"), plain.at("mean")) << "the run's own answer stays";
  EXPECT_EQ(other.at("prior"), "θ ~ beta(2, 8)");
  EXPECT_GT(other.at("effective").get<double>(), 500);
  EXPECT_LT(other.at("effective").get<double>(), 4000);
  EXPECT_NEAR(other.at("mean").at(0).get<double>(), other.at("density").at("mean").at(0).get<double>(), 0.005);
  EXPECT_GT(other.at("mean").at(0).get<double>(), plain.at("mean").at(0).get<double>()) << "pulled towards 0.2";
  EXPECT_TRUE(other.at("exact").contains("density"));
  EXPECT_THAT(other.at("unchanged").get<std::string>(), HasSubstr("prior of ψ"));
  EXPECT_EQ(read_npz(path("s.npz")).at("weight").size(0), 1000);
  infer({});
  EXPECT_FALSE(read_npz(path("s.npz")).contains("weight"));
  // A table of this density gives the same posterior.
  std::string table = "theta,density\n";
  for (int k = 0; k <= 2000; ++k) {
    const double x = k / 2000.0;
    table += fmt::format("{},{}\n", x, x * std::pow(1 - x, 7));
  }
  write_file(path("prior.csv"), table);
  const nlohmann::json same = infer({"--prior", "theta = " + path("prior.csv")}).at("other_prior");
  EXPECT_NEAR(same.at("mean").at(0).get<double>(), other.at("mean").at(0).get<double>(), 1e-4);
  EXPECT_NEAR(same.at("effective").get<double>(), other.at("effective").get<double>(), 3);
  // A table of a prior is an input, which no result replaces.
  const Answer onto = run_words({"infer", "bump-hunt", "--data", path("events.csv"), "--prior", path("prior.csv"),
                                 "--out", path("prior.csv"), "--overwrite"});
  EXPECT_EQ(onto.code, 2);
  EXPECT_THAT(onto.err, HasSubstr("prior.csv"));
  EXPECT_EQ(read_file(path("prior.csv")), table);
  const nlohmann::json outside = infer({"--prior", "normal(0, 1)"});
  EXPECT_NEAR(outside.at("other_prior").at("outside").get<double>(), 0.6586553, 1e-6);
  EXPECT_THAT(outside.at("warnings").dump(), HasSubstr("that part is cut off"));
}

TEST_F(FitCommand, RefusesPriorsOfNothing) {
  events();
  EXPECT_THAT(refusal({"--prior", "gauss(0, 1)"}), HasSubstr("there is no family gauss"));
  EXPECT_THAT(refusal({"--prior", "psi = normal(0, 1)"}), HasSubstr("psi is not inferred by this run"));
  EXPECT_THAT(refusal({"--prior", "beta(2, 8)", "--prior", "theta = beta(1, 8)"}), HasSubstr("given twice"));
  EXPECT_THAT(refusal({"--training-prior", "uniform(0, 1)"}), HasSubstr("name that with --prior"));
  EXPECT_THAT(refusal({"--prior", "beta(2, 8)", "--training-prior", "beta(2, 2)"}),
              HasSubstr("are not those of beta(2, 2)"));
  EXPECT_THAT(refusal({"--prior", "beta(2, 8)", "--follow"}), HasSubstr("leave --follow out"));
  EXPECT_THAT(infer({"--prior", path("none.csv")}, 1).at("error").get<std::string>(), HasSubstr("none.csv"));
}

}  // namespace
}  // namespace pairs::batch
