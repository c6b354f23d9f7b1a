#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <sstream>

#include "core/base/files/digest.h"
#include "core/base/files/files.h"
#include "tests/app/batch/program.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs::batch {
namespace {

using testing::HasSubstr;

class ReportCommand : public testing::Test {
 protected:
  // Commands of a report name files of the folder that they run in.
  void SetUp() override {
    before_ = std::filesystem::current_path();
    std::filesystem::current_path(folder_.path());
    std::string lines = "x\n";
    for (int i = 0; i < 40; ++i) lines += std::to_string(i < 12 ? 1.4 + 0.01 * i : -2 + 0.13 * i) + "\n";
    write_file("events.csv", lines);
  }
  void TearDown() override { std::filesystem::current_path(before_); }

  // The answer to a line that a report prints.
  static Answer answer_to(const std::string& command, const std::string& instead_of_out) {
    std::istringstream in(command);
    std::vector<std::string> words;
    for (std::string word; in >> word;) {
      std::erase(word, '\'');  // as a shell does
      words.push_back(word);
    }
    EXPECT_GT(words.size(), 3u) << command;
    words.erase(words.begin(), words.begin() + 2);  // pairs --batch
    if (!instead_of_out.empty()) words.back() = instead_of_out;
    words.insert(words.begin(), "--json");
    return run_words(words);
  }

  static nlohmann::json made(std::vector<std::string> more, const std::string& out = "report.html") {
    std::vector<std::string> words = {"--json", "report", "bump-hunt", "--data", "events.csv", "--out", out};
    words.insert(words.end(), more.begin(), more.end());
    const Answer answer = run_words(words);
    EXPECT_EQ(answer.code, 0) << answer.err;
    return nlohmann::json::parse(answer.out);
  }

  TemporaryFolder folder_;
  std::filesystem::path before_;
};

TEST_F(ReportCommand, TellsDerivedQuantitiesAsInferDoes) {
  const nlohmann::json report = made({"--sets", "0", "--derive", "half=theta/2", "--samples", "50"});
  const nlohmann::json infer = nlohmann::json::parse(answer_to(report["commands"][0]["command"], "").out);
  EXPECT_EQ(report["infer"]["derived"], infer["derived"]);
  EXPECT_TRUE(report["infer"]["derived"]["half"].contains("mean"));
  EXPECT_THAT(read_file("report.html"), HasSubstr(base64(read_file("samples.csv")))) << "with a column of its own";
  EXPECT_EQ(run_words({"report", "bump-hunt", "--data", "events.csv", "--out", "r.html", "--derive", "x=nothing"}).code,
            2);
}

TEST_F(ReportCommand, AWrittenEvaluationIsDrawnOfItsOwnRunAlone) {
  const auto drawn = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "figure");
    words.insert(words.end(), {"--out", "f.svg"});
    return run_words(words);
  };
  EXPECT_EQ(run_words({"evaluate", "bump-hunt", "--sizes", "10", "--sets", "40", "--out", "e.json"}).code, 0);
  EXPECT_EQ(drawn({"ranks", "bump-hunt", "--evaluation", "e.json"}).code, 0);
  const Answer other = drawn({"ranks", "gaussian", "--evaluation", "e.json"});
  EXPECT_EQ(other.code, 1);
  EXPECT_THAT(other.err, HasSubstr("is of other weights than"));
  EXPECT_EQ(drawn({"nll", "bump-hunt", "gaussian", "--evaluation", "e.json"}).code, 2);
  const Answer unread = drawn({"loss", "bump-hunt", "--evaluation", "e.json"});
  EXPECT_EQ(unread.code, 2);
  EXPECT_THAT(unread.err, HasSubstr("does not read --evaluation"));
  write_file("broken.json", "{");
  EXPECT_EQ(drawn({"ranks", "bump-hunt", "--evaluation", "broken.json"}).code, 1);
}

TEST_F(ReportCommand, MeasuresCalibrationOnOtherSetsByAnotherSeed) {
  const nlohmann::json first = made({"--sets", "40"}), other = made({"--sets", "40", "--test-seed", "7"});
  EXPECT_EQ(other["evaluate"]["seed"], 7);
  EXPECT_NE(first["evaluate"]["rows"][0]["nll"], other["evaluate"]["rows"][0]["nll"]);
  EXPECT_THAT(other["commands"].back()["command"].get<std::string>(), HasSubstr("--test-seed 7"));
  EXPECT_EQ(
      run_words({"report", "bump-hunt", "--data", "events.csv", "--out", "r.html", "--sets", "0", "--test-seed", "7"})
          .code,
      2);
}

TEST_F(ReportCommand, TellsNotesAndItsCommandRepeatsThem) {
  const nlohmann::json report = made({"--sets", "0", "--note", "taken at night", "--note", "it's <b>bold</b>"});
  const std::string page = read_file("report.html");
  EXPECT_THAT(page, HasSubstr("<p>taken at night</p>"));
  EXPECT_THAT(page, HasSubstr("&lt;b&gt;bold&lt;/b&gt;"));
  EXPECT_THAT(report["notes"], testing::SizeIs(2));
  EXPECT_THAT(report["commands"].back()["command"].get<std::string>(), HasSubstr("--note='taken at night'"));
  EXPECT_THAT(made({"--sets", "0"})["notes"], testing::IsEmpty());
  EXPECT_THAT(read_file("report.html"), testing::Not(HasSubstr("id=\"notes\"")));
}

TEST_F(ReportCommand, OneOfManySetsIsReportedAsFromAFileOfItsOwn) {
  write_file("sets.csv", "run,x\na,0.1\nb,2.5\nb,2.4\nb,-0.3\n");
  write_file("b.csv", "x\n2.5\n2.4\n-0.3\n");
  const std::string out = "report.html";
  const auto report = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"--json", "report", "bump-hunt", "--sets", "0", "--out", out});
    return run_words(words);
  };
  const Answer one = report({"--data", "sets.csv", "--group", "run", "--member", "b"}),
               alone = report({"--data", "b.csv"});
  ASSERT_EQ(one.code, 0) << one.err;
  EXPECT_EQ(nlohmann::json::parse(one.out)["infer"]["mean"], nlohmann::json::parse(alone.out)["infer"]["mean"]);
  const Answer all = report({"--data", "sets.csv", "--group", "run"});
  EXPECT_EQ(all.code, 2);
  EXPECT_THAT(all.err, HasSubstr("choose it with --member"));
}

// One event at each far side: no signal explains both.
TEST_F(ReportCommand, ASetUnlikeTheModelIsACaution) {
  std::string lines = "x\n-30\n30\n";
  for (int i = 0; i < 38; ++i) lines += std::to_string(-2 + 0.1 * i) + "\n";
  write_file("events.csv", lines);
  const nlohmann::json report = made({"--sets", "20", "--samples", "50"});
  EXPECT_THAT(report["cautions"].dump(), HasSubstr("the predictive test rejects the model"));
  EXPECT_THAT(read_file("report.html"), HasSubstr("Warning: the predictive test rejects the model"));
}

// By default infer, report and figure give one verdict on the model, in the same words.
TEST_F(ReportCommand, JudgesAsInferAndFiguresDo) {
  for (const bool own : {true, false}) {
    std::string lines = "x\n";
    for (int i = 0; i < 40; ++i) lines += fmt::format("{}\n", own ? std::sin(1.7 * i) : -5 + 0.25 * i);
    write_file("events.csv", lines);
    const nlohmann::json report = made({"--sets", "20", "--samples", "50"});
    const nlohmann::json infer = nlohmann::json::parse(
        run_words({"infer", "bump-hunt", "--data", "events.csv", "--json", "--out", "s.npz", "--overwrite"}).out);
    EXPECT_EQ(report["infer"]["within"], infer["within"]);
    EXPECT_EQ(infer["verdict"]["standing"] == "model rejected", !own) << infer["verdict"];
    const Answer drawn = run_words({"figure", "posterior", "bump-hunt", "--data", "events.csv", "--n", "40", "--out",
                                    "posterior.svg", "--overwrite", "--json"});
    ASSERT_EQ(drawn.code, 0) << drawn.err;
    const std::string warning = "the model does not make such data";
    for (const std::string& text : {report["warnings"].dump(), infer["warnings"].dump(), drawn.err})
      EXPECT_EQ(text.find(warning) != text.npos, !own) << text;
  }
}

TEST_F(ReportCommand, ItsCommandsGiveItsNumbers) {
  const nlohmann::json report = made({"--sets", "300", "--interval", "hpd", "--samples", "50", "--seed", "4"});
  const std::string page = read_file("report.html");
  EXPECT_EQ(report["data"]["sha256"], sha256_of("events.csv"));
  ASSERT_EQ(report["commands"].size(), 4u);

  const nlohmann::json infer = nlohmann::json::parse(answer_to(report["commands"][0]["command"], "").out);
  for (const auto& [key, value] : report["infer"].items()) EXPECT_EQ(value, infer[key]) << key;
  EXPECT_EQ(report["warnings"], infer["warnings"]);
  for (const char* key : {"mean", "sd", "quantiles", "intervals", "exact", "percentile", "predictive"})
    EXPECT_TRUE(report["infer"].contains(key)) << key;
  EXPECT_THAT(page, HasSubstr(base64(read_file("samples.csv")))) << "the page carries the samples";

  EXPECT_EQ(answer_to(report["commands"][1]["command"], "").code, 0);
  EXPECT_THAT(page, HasSubstr(base64(read_file("posterior.svg")))) << "the figure is the command's";

  const nlohmann::json evaluate = nlohmann::json::parse(answer_to(report["commands"][2]["command"], "").out);
  EXPECT_EQ(report["evaluate"]["verdict"], evaluate["verdict"]);
  ASSERT_EQ(evaluate["rows"].size(), 1u);
  EXPECT_EQ(evaluate["rows"][0]["sets"], 300);
  for (const auto& [key, value] : report["evaluate"]["rows"][0].items())
    EXPECT_EQ(value, evaluate["rows"][0][key]) << key;

  for (const std::string figure : {"coverage", "ranks"}) {
    const std::string command = "pairs --batch figure " + figure + " bump-hunt --evaluation evaluation.json";
    EXPECT_THAT(page, HasSubstr(command));
    EXPECT_EQ(answer_to(command, "").code, 0);
    EXPECT_THAT(page, HasSubstr(base64(read_file(figure + ".svg")))) << "the figure is the command's";
  }
  EXPECT_THAT(page, HasSubstr("In four of five such evaluations so many sets notice"));
  EXPECT_THAT(page, HasSubstr("RMAE: "));
  EXPECT_THAT(page, HasSubstr("It was trained on simulated sets"));
  EXPECT_THAT(page, HasSubstr("The training prior"));

  EXPECT_EQ(answer_to(report["commands"][3]["command"], "again.html").code, 0);
  std::string again = read_file("again.html");
  EXPECT_EQ(again, page) << "the same report";
}

TEST_F(ReportCommand, AnswersFurtherQuestionsAsTheirCommandsDo) {
  const nlohmann::json report = made({"--sets", "0", "--n", "10", "--samples", "50", "--prior", "beta(2,8)",
                                      "--local-test", "100", "--observations", "--confidence", "400"});
  const std::string page = read_file("report.html");
  EXPECT_THAT(page, HasSubstr("Further questions"));
  EXPECT_THAT(page, HasSubstr("Under the prior θ ~ beta(2,8)"));
  EXPECT_THAT(page, HasSubstr("Confidence by 400 toys"));
  ASSERT_EQ(report["commands"].size(), 4u);
  const nlohmann::json infer = nlohmann::json::parse(answer_to(report["commands"][0]["command"], "").out);
  for (const char* key : {"other_prior", "local_test", "mean"}) {
    EXPECT_FALSE(infer[key].is_null()) << key;
    EXPECT_EQ(report["infer"][key], infer[key]) << key;
  }
  EXPECT_EQ(report["warnings"], infer["warnings"]);
  EXPECT_EQ(report["infer"]["observations"]["text"], infer["observations"]["text"]);
  EXPECT_EQ(report["infer"]["verdict"], infer["verdict"]);
  EXPECT_THAT(page, HasSubstr("of the 10 observations"));
  // This one writes no file, so that its last word is a number.
  const nlohmann::json frequentist = nlohmann::json::parse(answer_to(report["commands"][2]["command"], "2000").out);
  ASSERT_FALSE(report["infer"]["frequentist"].empty());
  for (const auto& [key, value] : report["infer"]["frequentist"].items()) EXPECT_EQ(value, frequentist[key]) << key;
  EXPECT_EQ(answer_to(report["commands"][3]["command"], "again.html").code, 0);
  EXPECT_EQ(read_file("again.html"), page) << "the same report";
}

TEST_F(ReportCommand, RefusesFurtherQuestionsBeforeTheWork) {
  const auto refused = [&](const std::string& run, std::vector<std::string> words, const std::string& why) {
    words.insert(words.begin(), {"report", run, "--data", "events.csv", "--out", "r.html", "--sets", "0"});
    const Answer answer = run_words(words);
    EXPECT_EQ(answer.code, 2) << answer.out << answer.err;
    EXPECT_THAT(answer.err, HasSubstr(why));
  };
  refused("bump-hunt", {"--prior", "beta(2)"}, "beta");
  refused("bump-hunt", {"--training-prior", "uniform(0, 1)"}, "name that with --prior");
  refused("bump-hunt", {"--local-test", "5"}, "too few simulated sets");
  refused("gaussian", {"--confidence", "1000"}, "has no confidence intervals");
  refused("gaussian", {"--observations"}, "--observations cannot serve this run");
}

TEST_F(ReportCommand, CarriesAsManySamplesAsInferDraws) {
  made({"--sets", "0"});
  ASSERT_EQ(run_words({"infer", "bump-hunt", "--data", "events.csv", "--out", "samples.csv"}).code, 0);
  EXPECT_THAT(read_file("report.html"), HasSubstr(base64(read_file("samples.csv"))));
}

// The report does not call a run miscalibrated if its tests do not, even with few sets.
TEST_F(ReportCommand, CallsNothingMiscalibratedThatTestsDoNot) {
  const nlohmann::json report = made({"--sets", "60", "--n", "1"});
  EXPECT_THAT(read_file("report.html"), testing::Not(HasSubstr("the run is not calibrated"))) << report["evaluate"];
}

TEST_F(ReportCommand, SaysWhatWasNotMeasured) {
  const nlohmann::json report = made({"--sets", "0", "--n", "5"});
  EXPECT_FALSE(report.contains("evaluate"));
  EXPECT_EQ(report["commands"].size(), 3u);
  EXPECT_EQ(report["infer"]["n"], 5);
  EXPECT_THAT(read_file("report.html"), HasSubstr("Warning: calibration at this size was not measured"));
  EXPECT_FALSE(report["infer"].contains("predictive"));
  EXPECT_THAT(read_file("report.html"), HasSubstr("was not made: no set was simulated for this report"));
}

TEST_F(ReportCommand, WritesPdf) {
  made({"--sets", "0"}, "report.pdf");
  EXPECT_TRUE(read_file("report.pdf").starts_with("%PDF-"));
}

TEST_F(ReportCommand, TellsAWarningFirst) {
  std::string lines = "x\n";
  for (int i = 0; i < 40; ++i) lines += std::to_string(20 + 0.1 * i) + "\n";
  write_file("events.csv", lines);
  const nlohmann::json report = made({"--sets", "0"});
  ASSERT_TRUE(report["infer"]["outside_training"]);
  ASSERT_FALSE(report["warnings"].empty());
  const std::string page = read_file("report.html");
  EXPECT_LT(page.find("class=\"warning\">Warning: "), page.find("id=\"data\""));
}

TEST_F(ReportCommand, RefusesWithASentence) {
  const auto refused = [&](std::vector<std::string> words, int code, const std::string& why) {
    words.insert(words.begin(), "report");
    const Answer answer = run_words(words);
    EXPECT_EQ(answer.code, code) << why;
    EXPECT_THAT(answer.err, HasSubstr(why));
  };
  refused({"bump-hunt", "--data", "events.csv", "--out", "report.txt"}, 2, ".html");
  refused({"bump-hunt", "--data", "nothing.csv", "--out", "report.html"}, 1, "nothing.csv");
  refused({"bump-hunt", "--data", "events.csv", "--n", "41", "--out", "report.html"}, 1, "holds 40");
  refused({"bump-hunt", "--data", "events.csv"}, 2, "--out");
  refused({"bump-hunt", "--data", "events.csv", "--sets", "5", "--out", "report.html"}, 2, "--sets 5 are too few");
  EXPECT_FALSE(std::filesystem::exists("report.html"));
}

}  // namespace
}  // namespace pairs::batch
