// Frequentist answers of a task of a person's own whose sets come with something given, held to the closed form.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "core/eval/calibration/neyman.h"
#include "tasks/file_facts.h"
#include "tests/app/batch/bounded_noise.h"

namespace pairs::batch {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

class FrequentistGiven : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { noise_ = std::make_unique<BoundedNoise>(); }
  static void TearDownTestSuite() { noise_.reset(); }
  static std::string path(const std::string& name) { return noise_->path(name); }
  static Answer asked(std::vector<std::string> words) {
    words.insert(words.begin(), {"frequentist", path("run")});
    words.insert(words.end(), {"--null", "0", "--toys", "1000", "--null-toys", "1000", "--nodes", "17", "--levels",
                               "68.27,90", "--device", "cpu", "--json"});
    return run_words(words);
  }
  static json answered(const std::vector<std::string>& words) {
    const Answer answer = asked(words);
    EXPECT_EQ(answer.code, 0) << answer.err;
    return answer.code == 0 ? json::parse(answer.out) : json();
  }
  static std::unique_ptr<BoundedNoise> noise_;
};
std::unique_ptr<BoundedNoise> FrequentistGiven::noise_;

TEST_F(FrequentistGiven, IntervalsAndLimitsAreThoseOfWhatIsGiven) {
  for (const double sigma : {0.3, 0.6}) {
    const std::string given = "sigma=" + std::to_string(sigma);
    const json said = answered({"--data", path("x.csv"), "--conditions", given, "--exact"});
    EXPECT_NEAR(said["conditions"]["sigma"].get<double>(), sigma, 1e-9);
    const double sd = sigma / std::sqrt(2.0), error = 0.15 * sd;  // of the quantiles of 1,000 toys
    const json &inner = said["exact"]["levels"][0], &outer = said["exact"]["levels"][1];
    EXPECT_NEAR(inner["intervals"][0][0].get<double>(), 1 - sd, error) << sigma;
    EXPECT_NEAR(inner["intervals"][0][1].get<double>(), 1 + sd, error) << sigma;
    EXPECT_NEAR(outer["upper_limit"].get<double>(), 1 + 1.2816 * sd, error) << sigma;
    // x̄ + s Φ⁻¹(1 − α Φ(x̄ / s))
    EXPECT_NEAR(outer["cls_upper_limit"].get<double>(), 1 + sd * sigmas(0.1 * p_of_sigmas(-1 / sd)), error) << sigma;
    EXPECT_NEAR(said["exact"]["null"]["q"].get<double>(), std::pow(1 / sd, 2), 0.05) << sigma;
  }
}

// With a mean eight sd below the range no toy of the null value is as extreme. The limit is then unknown; it is not the
// bound of the range.
TEST_F(FrequentistGiven, LimitsByClsAreUnknownWithoutToysThatCouldTell) {
  write_file(path("low.csv"), "x\n-2.9\n-2.7\n");
  const json said = answered({"--data", path("low.csv"), "--conditions", "sigma=0.5", "--exact"});
  for (const json& level : said["exact"]["levels"]) {
    EXPECT_TRUE(level.at("cls_upper_limit").is_null());
    EXPECT_LT(level["upper_limit"].get<double>(), 1);
  }
  ASSERT_FALSE(said["warnings"].empty());
  EXPECT_THAT(said["warnings"].dump(), HasSubstr("give more with --null-toys"));
}

// Toys and simulated sets of a program that has changed since are another model's.
TEST_F(FrequentistGiven, AChangedSimulatorIsTold) {
  const std::string before = read_file(path("simulate.py")), noise = "given[0], n)";
  std::string wider = before;
  wider.replace(wider.find(noise), noise.size(), "2 * given[0], n)");
  write_file(path("simulate.py"), wider);
  allow_task_file(path("task.toml"));
  const Answer toys = asked({"--data", path("x.csv"), "--conditions", "sigma=0.5"});
  const Answer sets = run_words({"infer", path("run"), "--data", path("x.csv"), "--conditions", "sigma=0.5",
                                 "--predictive", "50", "--out", path("s.npz"), "--json"});
  write_file(path("simulate.py"), before);
  EXPECT_EQ(toys.code, 0) << toys.err;
  EXPECT_THAT(toys.err, HasSubstr("is not the one that the run run was trained with"));
  EXPECT_EQ(sets.code, 0) << sets.err;
  EXPECT_THAT(sets.err, HasSubstr("it is the test of another model"));
  EXPECT_THAT(json::parse(sets.out)["warnings"].dump(), HasSubstr("it is the test of another model"));
  EXPECT_THAT(asked({"--data", path("x.csv"), "--conditions", "sigma=0.5"}).err, Not(HasSubstr("is not the one")));
}

TEST_F(FrequentistGiven, TheFileMayTellIt) {
  const json by_file = answered({"--data", path("both.csv")});
  const json by_words = answered({"--data", path("x.csv"), "--conditions", "sigma=0.5"});
  EXPECT_EQ(by_file["levels"], by_words["levels"]);
  EXPECT_EQ(by_file["conditions"], json({{"sigma", 0.5}}));
}

TEST_F(FrequentistGiven, ExpectationsNeedItNamed) {
  const json narrow = answered({"--expected", "2", "--sets", "40", "--conditions", "sigma=0.3"}),
             wide = answered({"--expected", "2", "--sets", "40", "--conditions", "0.9"});
  EXPECT_EQ(wide["conditions"]["sigma"], 0.9);
  EXPECT_NE(narrow["expected"]["levels"], wide["expected"]["levels"]);
  const Answer far = asked({"--expected", "2", "--sets", "40", "--conditions", "sigma=1.5"});
  EXPECT_EQ(far.code, 0) << far.err;
  EXPECT_THAT(far.err, HasSubstr("sigma = 1.5 outside of 0.25 to 1"));
  const auto refused = [&](const std::vector<std::string>& words, const std::string& text) {
    const Answer answer = asked(words);
    EXPECT_EQ(answer.code, 2) << answer.err;
    EXPECT_THAT(answer.err, HasSubstr(text));
  };
  refused({"--expected", "2"},
          "come with sigma, which toys need as well: name the values with --conditions sigma=VALUE");
  refused({"--coverage", "--theta", "1"}, "name the values with --conditions sigma=VALUE");
  refused({"--data", path("x.csv")}, "come with sigma: name them with --conditions");
  refused({"--expected", "2", "--conditions", "noise=1"}, "\"noise=1\" is none of sigma");
}

}  // namespace
}  // namespace pairs::batch
