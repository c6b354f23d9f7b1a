#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <tuple>
#include <vector>

#include "core/base/files/files.h"
#include "core/base/files/npz.h"
#include "tests/app/batch/program.h"
#include "tests/app/compared_run.h"
#include "tests/core/base/temporary_folder.h"

// Which of a run's two posteriors comes first, in every command that shows one.
namespace pairs::batch {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

class PosteriorSources : public testing::Test {
 protected:
  PosteriorSources() {
    make_compared_run(run_);
    std::string rows = "run,x\n";
    for (int k = 0; k < 20; ++k) rows += fmt::format("many,{}\n", 0.13 * k - 1.2);
    write_file(folder_ / "sets.csv", rows + "one,0.3\n");
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  json infer(std::vector<std::string> more) const {
    std::vector<std::string> words = {"infer", run_.string(),  "--data", path("sets.csv"), "--group",
                                      "run",   "--predictive", "0",      "--json"};
    words.insert(words.end(), more.begin(), more.end());
    const Answer answer = run_words(words);
    EXPECT_EQ(answer.code, 0) << answer.err;
    return json::parse(answer.out);
  }
  json one(const std::string& member, std::vector<std::string> more) const {
    more.insert(more.end(), {"--member", member, "--out", path("one.npz")});
    return infer(more);
  }
  json many(std::vector<std::string> more) const {
    more.insert(more.end(), {"--out", path("many.csv")});
    const json answered = infer(more);
    json by;
    for (const json& row : answered.at("sets")) by[row.at("set").get<std::string>()] = row;
    return by;
  }

  TemporaryFolder folder_;
  std::filesystem::path run_ = folder_ / "run";
};

TEST_F(PosteriorSources, TheBetterOneComesFirstAtEachSize) {
  const json best = one("many", {}), small = one("one", {});
  EXPECT_EQ(best.at("source"), "refined");
  EXPECT_EQ(best.at("mean"), best.at("refined").at("mean"));
  EXPECT_FALSE(small.contains("refined")) << "its own is better at N = 1, and alone";
  const json own = one("many", {"--source", "run"});
  EXPECT_FALSE(own.contains("refined"));
  EXPECT_EQ(best.at("run_alone").at("mean"), own.at("mean"));
  const json both = one("many", {"--refine"});
  EXPECT_EQ(both.at("source"), "run");
  EXPECT_EQ(both.at("mean"), own.at("mean")) << "the run's own stays first";
  EXPECT_EQ(both.at("refined").at("mean"), best.at("mean"));
  EXPECT_EQ(one("one", {"--source", "refined"}).at("source"), "refined") << "in any case";
  const json local = one("many", {"--local-test", "100"});
  EXPECT_FALSE(local.contains("refined")) << "the test is of the run's own";
  EXPECT_THAT(local.at("warnings").dump(), HasSubstr("is shown in place of the refined one"));
}

TEST_F(PosteriorSources, TheRefinedOneIsRefinedAgainUnderAnotherPrior) {
  const json best = one("many", {});
  const json under = one("many", {"--prior", "beta(2, 8)"});
  EXPECT_EQ(under.at("source"), "refined");
  EXPECT_EQ(under.at("other_prior").at("anew"), true) << "it is refined again";
  EXPECT_NE(under.at("other_prior").at("mean"), best.at("mean"));
  EXPECT_EQ(one("one", {"--prior", "beta(2, 8)"}).at("other_prior").at("anew"), false) << "the run's own comes first";
  // Priors that exclude nearly all samples of the posterior, and the samples that are saved.
  const std::vector<std::tuple<std::string, double, double>> far = {
      {"uniform(0.9, 0.92)", 0.9, 0.92}, {"normal(0.95, 0.001)", 0.945, 0.955}, {"uniform(0.05, 0.06)", 0.05, 0.06}};
  for (const auto& [prior, low, high] : far) {
    const json narrow = one("many", {"--prior", prior, "--derive", "twice = 2 * theta"});
    EXPECT_EQ(narrow.at("other_prior").at("anew"), true) << prior << narrow.at("warnings").dump();
    const double middle = narrow.at("other_prior").at("mean")[0], sd = narrow.at("other_prior").at("sd")[0];
    EXPECT_GT(middle, low);
    EXPECT_LT(middle, high);
    EXPECT_LT(sd, 0.3 * (high - low)) << prior;
    EXPECT_TRUE(narrow.at("other_prior").contains("log_evidence_ratio"));
    const auto arrays = read_npz(narrow.at("samples").get<std::string>());
    EXPECT_NEAR(arrays.at("samples").mean().item<double>(), middle, 0.5 * sd) << prior;
    EXPECT_NEAR(arrays.at("derived_twice").mean().item<double>(), 2 * middle, sd) << prior;
  }
  const json next = one("many", {"--refine", "--prior", "beta(2, 8)"}).at("other_prior");
  EXPECT_EQ(next.at("anew"), false);
  EXPECT_EQ(next.at("refined").at("mean"), under.at("other_prior").at("mean"));
}

TEST_F(PosteriorSources, ManySetsHaveTheRowsOfSingleCalls) {
  const auto expect_same = [&](const std::vector<std::string>& more) {
    const json rows = many(more);
    for (const char* member : {"one", "many"}) {
      const json single = one(member, more);
      const json& row = rows.at(member);
      EXPECT_NEAR(row.at("mean")[0].get<double>(), single.at("mean")[0].get<double>(), 1e-4) << member;
      EXPECT_EQ(row.contains("refined"), !more.empty() && single.contains("refined") && more[0] == "--refine");
      if (row.contains("source")) {
        EXPECT_EQ(row.at("source"), single.contains("source") ? single.at("source") : json("run")) << member;
      }
    }
    return rows;
  };
  const json best = expect_same({});
  EXPECT_EQ(best.at("many").at("source"), "refined");
  EXPECT_EQ(best.at("one").at("source"), "run");
  EXPECT_THAT(read_file(path("many.csv")), HasSubstr(",source"));
  EXPECT_EQ(expect_same({"--source", "refined"}).at("one").at("source"), "refined");
  expect_same({"--source", "run"});
  EXPECT_THAT(read_file(path("many.csv")), Not(HasSubstr("source")));
  EXPECT_TRUE(expect_same({"--refine"}).at("one").contains("refined"));
  EXPECT_THAT(read_file(path("many.csv")), HasSubstr("theta_refined_mean"));
}

TEST_F(PosteriorSources, ReportsAndFiguresFollow) {
  const auto done = [&](std::vector<std::string> words) {
    const Answer answer = run_words(words);
    EXPECT_EQ(answer.code, 0) << answer.err;
    return answer;
  };
  const std::vector<std::string> report = {
      "report", run_.string(), "--data", path("sets.csv"), "--group",         "run",        "--member", "many",
      "--sets", "0",           "--json", "--out",          path("page.html"), "--overwrite"};
  const json page = json::parse(done(report).out);
  EXPECT_EQ(page.at("infer").at("source"), "refined");
  EXPECT_EQ(page.at("infer").at("mean"), one("many", {}).at("mean"));
  const std::string html = read_file(path("page.html"));
  EXPECT_THAT(html, HasSubstr("The refined posterior comes first: at N = 20 it gains 0.30 ± 0.10 nat"));
  EXPECT_THAT(html, HasSubstr("was refined for this set"));
  std::vector<std::string> own = report;
  own.insert(own.end(), {"--source", "run"});
  EXPECT_EQ(json::parse(done(own).out).at("infer").at("source"), "run");
  EXPECT_THAT(read_file(path("page.html")), HasSubstr("pairs --batch infer " + run_.string()));
  EXPECT_THAT(read_file(path("page.html")), HasSubstr("--n 20 --source run")) << "its commands say so";
  const auto series = [&](std::vector<std::string> more) {
    std::vector<std::string> words = {"figure", "posterior", run_.string(), "--n", "20", "--out", path("p.csv")};
    words.insert(words.end(), more.begin(), more.end());
    done(words);
    return read_file(path("p.csv"));
  };
  EXPECT_THAT(series({}), HasSubstr("refined"));
  EXPECT_THAT(series({"--source", "run"}), Not(HasSubstr("refined")));
  const auto forest = [&](const std::string& source) {
    done({"figure", "forest", run_.string(), "--data", path("sets.csv"), "--group", "run", "--source", source, "--out",
          path("f.csv")});
    return read_file(path("f.csv"));
  };
  EXPECT_NE(forest("best"), forest("run"));
}

// A comparison of other weights decides nothing, and every command says so.
TEST_F(PosteriorSources, AnOutdatedComparisonIsToldOf) {
  std::string text = read_file(run_ / "likelihood/comparison.json");
  const std::size_t at = text.find("\"weights\": \"") + 12;
  text[at] = text[at] == '0' ? '1' : '0';
  write_file(run_ / "likelihood/comparison.json", text);
  const json own = one("many", {});
  EXPECT_FALSE(own.contains("refined"));
  EXPECT_THAT(own.at("warnings").dump(), HasSubstr("pairs --batch likelihood"));
  EXPECT_EQ(one("many", {"--source", "run"}).at("warnings").dump().find("pairs --batch likelihood"), std::string::npos);
  // Figures and reports answer by the same mechanism, and tables of many sets by their own.
  const auto printed = [&](std::vector<std::string> words) {
    const Answer answer = run_words(std::move(words));
    EXPECT_EQ(answer.code, 0) << answer.err;
    return answer.err + answer.out;  // a report prints its warnings with its result
  };
  const std::string data = path("sets.csv"), run = run_.string();
  EXPECT_THAT(printed({"figure", "posterior", run, "--data", data, "--group", "run", "--member", "many", "--out",
                       path("p.csv")}),
              HasSubstr("pairs --batch likelihood"));
  EXPECT_THAT(printed({"report", run, "--data", data, "--group", "run", "--member", "many", "--sets", "0", "--out",
                       path("page.html")}),
              HasSubstr("pairs --batch likelihood"));
  EXPECT_THAT(printed({"infer", run, "--data", data, "--group", "run", "--out", path("many.csv")}),
              HasSubstr("pairs --batch likelihood"));
}

// One posterior or table must not take the other's place.
TEST_F(PosteriorSources, AResultHasAFileOfItsOwn) {
  const Answer same =
      run_words({"infer", run_.string(), "--data", path("sets.csv"), "--group", "run", "--member", "many",
                 "--observations", path("both.csv"), "--out", (folder_ / "." / "both.csv").string()});
  EXPECT_EQ(same.code, 2);
  EXPECT_THAT(same.err, HasSubstr("--observations and --out both name"));
  EXPECT_FALSE(std::filesystem::exists(path("both.csv")));
}

TEST_F(PosteriorSources, AWrongChoiceIsRefused) {
  const auto refused = [&](std::vector<std::string> more) {
    std::vector<std::string> words = {"infer", run_.string(), "--data", path("sets.csv"), "--columns", "x"};
    words.insert(words.end(), more.begin(), more.end());
    const Answer answer = run_words(words);
    EXPECT_EQ(answer.code, 2) << answer.out;
    return answer.err;
  };
  EXPECT_THAT(refused({"--source", "bets"}), HasSubstr("--source must be one of best, run, refined, both, not 'bets'"));
  EXPECT_THAT(refused({"--source", "run", "--refine"}), HasSubstr("--source"));
  EXPECT_THAT(refused({"--source", "refined", "--local-test", "20"}), HasSubstr("--source refined"));
}

}  // namespace
}  // namespace pairs::batch
