#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "core/base/files/files.h"
#include "core/base/text/json.h"
#include "tests/app/batch/program.h"
#include "tests/core/base/temporary_folder.h"

// What `frequentist` answers. Toys are few here; what they come to is tested in tests/app/posterior.

namespace pairs::batch {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class FrequentistCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const char* before = std::getenv("PAIRS_CACHE")) before_ = before;
    setenv("PAIRS_CACHE", path("cache").c_str(), 1);
    std::string text = "x\n";
    for (int i = 0; i < 16; ++i) text += std::to_string(-1.5 + 0.2 * i) + "\n";
    for (int i = 0; i < 4; ++i) text += std::to_string(2.4 + 0.03 * i) + "\n";
    write_file(path("events.csv"), text);
  }
  void TearDown() override { before_.empty() ? unsetenv("PAIRS_CACHE") : setenv("PAIRS_CACHE", before_.c_str(), 1); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  Answer run(std::vector<std::string> words, const std::string& task = "bump-hunt") const {
    words.insert(words.begin(), {"frequentist", task});
    return run_words(words);
  }
  Answer quick(std::vector<std::string> words) const {
    words.insert(words.end(), {"--toys", "300", "--null-toys", "600", "--nodes", "7", "--device", "cpu"});
    return run(words);
  }
  nlohmann::json document(std::vector<std::string> words) const {
    words.push_back("--json");
    const Answer answer = quick(words);
    EXPECT_EQ(answer.code, 0) << answer.err;
    return parse_json(answer.out);
  }
  const TemporaryFolder folder_;
  std::string before_;
};

TEST_F(FrequentistCommand, TellsIntervalsLimitsAndSignificanceTheSameEachTime) {
  const std::vector<std::string> words = {"--data", path("events.csv"), "--exact", "--figure", path("neyman.svg")};
  const nlohmann::json first = document(words);
  EXPECT_TRUE(std::filesystem::exists(path("neyman.svg")));
  EXPECT_EQ(first["n"], 20);
  EXPECT_EQ(first["likelihood"], "marginal");
  EXPECT_EQ(first["nuisance"], "posterior");
  ASSERT_EQ(first["levels"].size(), 3u);
  double length = 0;
  for (const nlohmann::json& level : first["levels"]) {
    ASSERT_FALSE(level["intervals"].empty());
    const double low = level["intervals"].front()[0], high = level["intervals"].back()[1];
    EXPECT_LE(low, first["estimate"].get<double>());
    EXPECT_GE(high, first["estimate"].get<double>());
    EXPECT_GE(level["cls_upper_limit"].get<double>(), level["upper_limit"].get<double>());
    EXPECT_GE(high - low, length);
    length = high - low;
  }
  EXPECT_EQ(first["null"]["theta"], 0);
  EXPECT_GT(first["null"]["sigmas"].get<double>(), 1);
  EXPECT_EQ(first["null"]["toys"], 600);
  EXPECT_EQ(first["exact"]["levels"].size(), 3u);
  EXPECT_NEAR(first["exact"]["estimate"].get<double>(), first["estimate"].get<double>(), 0.03);
  // Another time from the toys that are kept, and after all were lost.
  EXPECT_EQ(document(words), first);
  // With the caches it is forgotten who made the figure.
  std::filesystem::remove_all(path("cache"));
  std::vector<std::string> again = words;
  again.push_back("--overwrite");
  EXPECT_EQ(document(again), first);
  const nlohmann::json other = document({"--data", path("events.csv"), "--seed", "2"});
  EXPECT_NE(other["null"]["p"], first["null"]["p"]);
}

// A file that a kill tore, or that somebody changed, is simulated again.
TEST_F(FrequentistCommand, DamagedToysAreSimulatedAgain) {
  const nlohmann::json first = document({"--data", path("events.csv")});
  int files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path("cache")))
    if (entry.is_regular_file() && ++files <= 3) write_file(entry.path(), files == 1 ? "" : "PK torn");
  EXPECT_EQ(files, 8);  // a file a node, and one for CLs
  EXPECT_EQ(document({"--data", path("events.csv")}), first);
}

TEST_F(FrequentistCommand, SaysWhatItRestsOn) {
  const Answer answer = quick({"--data", path("events.csv"), "--levels", "90"});
  EXPECT_EQ(answer.code, 0) << answer.err;
  for (const char* words : {"Marginal likelihood p(θ | X) / p(θ)", "300 toys",
                            "nuisances drawn from their posterior, which uses the set twice", "θ = 0 (no signal)",
                            "asymptotic formula", "upper limit", "upper limit by CLs"})
    EXPECT_THAT(answer.out, HasSubstr(words));
  const Answer top = quick({"--data", path("events.csv"), "--null", "1"});
  EXPECT_EQ(top.code, 0) << top.err;
  EXPECT_THAT(top.out, Not(HasSubstr("CLs"))) << "no value lies above the null value";
}

TEST_F(FrequentistCommand, NuisancesAreAChoice) {
  for (const char* choice : {"prior", "posterior", "worst"})
    EXPECT_EQ(document({"--data", path("events.csv"), "--nuisance", choice})["nuisance"], choice);
  const nlohmann::json known = document({"--data", path("events.csv"), "--known-psi=2.4"});
  EXPECT_EQ(known["nuisance"], "known");
  EXPECT_EQ(known["known_psi"], nlohmann::json({2.4}));
}

TEST_F(FrequentistCommand, ExpectsAndCoversAtSimulatedSets) {
  const nlohmann::json document =
      this->document({"--expected", "0.3", "--coverage", "--theta", "0,0.4", "--psi=-1,2", "--n", "30", "--sets", "40",
                      "--lengths", "10", "--figure", path("map.csv")});
  EXPECT_TRUE(std::filesystem::exists(path("map.csv")));
  const nlohmann::json& expected = document["expected"];
  EXPECT_EQ(expected["theta"], 0.3);
  EXPECT_LE(expected["sigmas"][0].get<double>(), expected["sigmas"][4].get<double>());
  EXPECT_GT(expected["sigmas"][2].get<double>(), 1);
  EXPECT_LE(expected["levels"][0]["upper_limit"][2].get<double>(),
            expected["levels"][2]["upper_limit"][2].get<double>());
  for (const nlohmann::json& level : expected["levels"])
    EXPECT_GE(level["cls_upper_limit"][2].get<double>(), level["upper_limit"][2].get<double>());
  ASSERT_EQ(document["coverage"].size(), 4u);
  EXPECT_EQ(document["coverage"][1]["theta"], 0);
  EXPECT_EQ(document["coverage"][1]["psi"], nlohmann::json({2}));
  for (const nlohmann::json& point : document["coverage"])
    for (const nlohmann::json& level : point["levels"]) {
      EXPECT_GE(level["coverage"].get<double>(), level["level"].get<double>() - 0.35);
      EXPECT_GT(level["length"].get<double>(), 0);
      EXPECT_GE(level["cls_upper_limit_coverage"].get<double>(), level["upper_limit_coverage"].get<double>());
    }
}

TEST_F(FrequentistCommand, OneOfManySetsIsAsFromAFileOfItsOwn) {
  write_file(path("sets.csv"), "run,x\na,0.1\nb,2.5\nb,2.4\nb,-0.3\n");
  write_file(path("b.csv"), "x\n2.5\n2.4\n-0.3\n");
  EXPECT_EQ(document({"--data", path("sets.csv"), "--group", "run", "--member", "b"})["levels"],
            document({"--data", path("b.csv")})["levels"]);
}

TEST_F(FrequentistCommand, NuisancesBeyondAllToysAreTold) {
  const std::vector<std::string> words = {"--coverage", "--theta", "0.2", "--n", "5", "--sets", "20", "--lengths", "0"};
  const auto with = [&](const std::string& psi) {
    std::vector<std::string> all = words;
    all.insert(all.end(), {"--psi", psi});
    return document(all)["warnings"];
  };
  EXPECT_TRUE(with("2").empty());
  ASSERT_EQ(with("50").size(), 1u);
  EXPECT_THAT(with("50")[0], HasSubstr("ψ = 50 lies beyond all toys"));
}

TEST_F(FrequentistCommand, RefusesWhatDoesNotGoTogether) {
  const auto refused = [&](std::vector<std::string> words, const std::string& text,
                           const std::string& task = "bump-hunt") {
    const Answer answer = run(words, task);
    EXPECT_EQ(answer.code, 2) << answer.err;
    EXPECT_THAT(answer.err, HasSubstr(text));
  };
  const std::string data = path("events.csv");
  refused({}, "Nothing is asked");
  refused({"--data", data, "--theta", "0.1"}, "ask for it with --coverage");
  refused({"--coverage", "--psi", "1"}, "name them with --theta");
  refused({"--coverage", "--theta", "0.1"}, "--psi needs 1 value");
  refused({"--coverage", "--theta", "1.5", "--psi", "1"}, "--theta 1.5 lies outside of 0 to 1");
  refused({"--data", data, "--levels", "90,100"}, "not between 0 and 100");
  refused({"--data", data, "--levels", "90,90"}, "one twice");
  refused({"--data", data, "--levels", "0.9"}, "are percent; write 90 for 90 %");
  refused({"--data", data, "--levels", "99.9", "--toys", "4999"},
          "99.9 % cannot be resolved by 4,999 toys; give 5,000 or more with --toys");
  refused({"--data", data, "--lengths", "10"}, "ask for it with --coverage");
  refused({"--data", data, "--sets", "100"}, "--coverage and --expected; ask for one of them");
  refused({"--data", data, "--group", "run"}, "choose it with --member");
  refused({"--expected", "0.1", "--reader", "cat"}, "belongs to a set of your own; name one with --data");
  refused({"--data", data, "--expected", "2"}, "--expected 2 lies outside");
  refused({"--data", data, "--null", "-1"}, "null value -1 of θ lies outside");
  refused({"--data", data, "--null", "nan"}, "--null");
  refused({"--data", data, "--n", "21"}, "holds 20; give at most 20");
  refused({"--data", data, "--known-psi", "1,2"}, "2 values of ψ");
  refused({"--data", data, "--known-psi", "1", "--nuisance", "worst"}, "leave one out");
  refused({"--data", data, "--known-psi", "1", "--nuisance", "prior"}, "leave one out");
  refused({"--data", data, "--figure", path("x.txt")}, "must end in .svg, .pdf, .png or .csv");
  refused({"--expected", "0.1", "--figure", path("x.svg")}, "--figure draws a set or a map");
  refused({"--expected", "0.1", "--columns", "x"}, "name one with --data");
  refused({"--expected", "0.1"}, "has 2 numbers", "gaussian");
  refused({"--expected", "0.1"}, "numbers, and they are of one", "novel-view");
  EXPECT_EQ(run({"--data", path("nothing.csv")}).code, 1);
  EXPECT_EQ(run({"--expected", "0.1", "--n", "1000"}).code, 1);
  EXPECT_FALSE(std::filesystem::exists(path("cache"))) << "toys were simulated for nothing";
}

}  // namespace
}  // namespace pairs::batch
