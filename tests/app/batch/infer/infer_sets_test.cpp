#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zip.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "core/base/files/files.h"
#include "core/base/files/npz.h"
#include "tests/app/batch/program.h"
#include "tests/core/base/temporary_folder.h"

// Many sets in one call, held to calls about each of them alone.

namespace pairs::batch {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

// Row `row` of set `set`: spread over the real line, never twice the same.
double value(int set, int row) {
  return 2 * std::sin(1.7 * set + 2.3 * row * row + 0.4 * row);
}

struct Row {
  std::string set;
  double x;
};

class InferSets : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string file(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((folder_ / name).parent_path());
    write_file(folder_ / name, text);
    return path(name);
  }
  // The sets of 1, 3, 17 and 60 events that most tests ask about, their rows together.
  static std::vector<Row> rows() {
    std::vector<Row> rows;
    const std::map<std::string, int> sizes = {{"alone", 1}, {"few", 3}, {"more", 17}, {"run 9", 60}};
    int set = 0;
    for (const auto& [name, size] : sizes) {
      for (int k = 0; k < size; ++k) rows.push_back({name, value(set, k)});
      ++set;
    }
    return rows;
  }
  static std::string table(const std::vector<Row>& rows, const std::string& header = "run,x\n") {
    std::string text = header;
    for (const Row& row : rows) text += fmt::format("{},{}\n", row.set, row.x);
    return text;
  }
  // The results of single calls on each set, by name.
  std::map<std::string, json> alone(const std::vector<Row>& rows, const std::vector<std::string>& more = {}) const {
    std::map<std::string, std::string> texts;
    for (const Row& row : rows) texts.try_emplace(row.set, "x\n").first->second += fmt::format("{}\n", row.x);
    std::map<std::string, json> said;
    for (const auto& [name, text] : texts) {
      std::vector<std::string> words = {"infer", "bump-hunt",       "--data", file("alone.csv", text),
                                        "--out", path("alone.npz"), "--json"};
      words.insert(words.end(), more.begin(), more.end());
      const Answer answer = run_words(words);
      EXPECT_EQ(answer.code, 0) << answer.err;
      said[name] = json::parse(answer.out);
    }
    return said;
  }
  json many(std::vector<std::string> words, int code = 0) const {
    words.insert(words.begin(), {"infer", "bump-hunt", "--json"});
    if (std::find(words.begin(), words.end(), "--out") == words.end())
      words.insert(words.end(), {"--out", path("answers.csv")});
    const Answer answer = run_words(words);
    EXPECT_EQ(answer.code, code) << answer.err;
    return code == 2 || answer.out.empty() ? json() : json::parse(answer.out);
  }
  static void expect_same(const json& sets, const std::map<std::string, json>& single) {
    ASSERT_EQ(sets.size(), single.size());
    for (const json& one : sets) {
      const json& other = single.at(one.at("set"));
      for (const char* key : {"n", "mean", "sd", "quantiles", "intervals", "distance", "percentile", "outside_training",
                              "extrapolates", "warnings", "verdict", "within"})
        EXPECT_EQ(one.at(key).dump(), other.at(key).dump()) << one.at("set") << " " << key;
    }
  }
  void refused(int code, const std::vector<std::string>& more, const std::string& text) const {
    std::vector<std::string> words = {"infer", "bump-hunt"};
    words.insert(words.end(), more.begin(), more.end());
    const Answer answer = run_words(words);
    EXPECT_EQ(answer.code, code) << answer.err;
    EXPECT_THAT(answer.err, HasSubstr(text));
    EXPECT_EQ(answer.out, "");
  }
  TemporaryFolder folder_;
};

TEST_F(InferSets, AnswersEverySetAsACallAboutItAloneToTheBit) {
  std::vector<Row> together = rows();
  const std::map<std::string, json> single = alone(together);
  expect_same(many({"--data", file("together.csv", table(together)), "--group", "run"})["sets"], single);

  std::vector<Row> scattered;  // each set's rows in their order, one of each in turn
  for (std::size_t k = 0; scattered.size() < together.size(); ++k)
    for (const auto& [name, said] : single) {
      std::size_t seen = 0;
      for (const Row& row : together)
        if (row.set == name && seen++ == k) scattered.push_back(row);
    }
  expect_same(many({"--data", file("scattered.csv", table(scattered)), "--group", "run"})["sets"], single);
  // A first row of 0 could be pandas' column numbers: a file without names begins with another one.
  std::rotate(scattered.begin(), scattered.begin() + 1, scattered.end());
  expect_same(many({"--data", file("nameless.csv", table(scattered, "")), "--group", "column 1"})["sets"], single);

  std::map<std::string, std::string> texts;
  for (const Row& row : together) texts.try_emplace(row.set, "x\n").first->second += fmt::format("{}\n", row.x);
  for (const auto& [name, text] : texts) file("folder/" + name + ".csv", text);
  json of_files = many({"--data", path("folder")})["sets"];
  for (json& one : of_files) one["set"] = std::filesystem::path(one["set"].get<std::string>()).stem().string();
  expect_same(of_files, single);
}

TEST_F(InferSets, OnSeveralThreadsTheSameAsOnOne) {
  const std::string data = file("sets.csv", table(rows()));
  const json one = many({"--data", data, "--group", "run", "--threads", "1"})["sets"];
  EXPECT_EQ(one.dump(), many({"--data", data, "--group", "run"})["sets"].dump());
}

TEST_F(InferSets, ArraysAreToldApartByAnotherArray) {
  std::vector<double> x, run;
  std::vector<Row> named;
  for (const Row& row : rows()) {
    x.push_back(row.x);
    run.push_back(static_cast<double>(row.set.size()) + 0.5);  // 5.5, 3.5, 4.5, 5.5: two sets are one
    named.push_back({fmt::format("{}", run.back()), row.x});
  }
  write_npz(folder_ / "sets.npz",
            {{"x", torch::tensor(x, torch::kFloat64)}, {"run", torch::tensor(run, torch::kFloat64)}});
  expect_same(many({"--data", path("sets.npz"), "--group", "run"})["sets"], alone(named));
  refused(1, {"--data", path("sets.npz"), "--group", "day"}, "sets.npz holds no array day to separate sets by");
}

TEST_F(InferSets, TakesTheOptionsOfASingleCall) {
  const std::vector<Row> all = rows();
  std::vector<Row> large;
  for (const Row& row : all)
    if (row.set == "more" || row.set == "run 9") large.push_back(row);
  const std::string data = file("sets.csv", table(large));
  for (const std::vector<std::string>& more : std::vector<std::vector<std::string>>{
           {"--n", "15"}, {"--n", "15", "--random", "--seed", "4"}, {"--interval", "hpd"}, {"--interval", "upper"}}) {
    std::vector<std::string> words = {"--data", data, "--group", "run"};
    words.insert(words.end(), more.begin(), more.end());
    expect_same(many(words)["sets"], alone(large, more));
  }
}

TEST_F(InferSets, OfSetsThatAreSmallerThanNAllIsUsed) {
  std::string text = "run,x\n";
  for (int k = 0; k < 30; ++k) text += fmt::format("{},{}\n", k < 20 ? "large" : "small", value(3, k));
  const json sets = many({"--data", file("sets.csv", text), "--group", "run", "--n", "15"})["sets"];
  EXPECT_EQ(sets[0]["n"], 15);
  EXPECT_EQ(sets[1]["n"], 10);
}

TEST_F(InferSets, ASetThatCannotBeAnsweredLosesNoOther) {
  std::vector<Row> with_large = rows();
  for (int k = 0; k < 101; ++k) with_large.push_back({"too many", value(9, k)});
  std::string text = table(with_large) + "bad,0.1\nbad,0.2x\nbad,0.3\n,0.4\nshort\ngood,1.5\n";
  const json said = many({"--data", file("sets.csv", text), "--group", "run"}, 1);
  EXPECT_EQ(said["failed"], 4);
  EXPECT_EQ(said["answered"], 5);
  std::map<std::string, json> sets;
  for (const json& one : said["sets"]) sets[one["set"]] = one;
  EXPECT_THAT(sets["too many"]["error"], HasSubstr("101 observations of too many are asked for"));
  const std::size_t bad = with_large.size() + 3;  // behind the first line and the first row of the set
  EXPECT_THAT(sets["bad"]["error"], HasSubstr(fmt::format("sets.csv, line {}: value 2 is '0.2x', not a number", bad)));
  EXPECT_THAT(sets["(none)"]["error"],
              HasSubstr(fmt::format("sets.csv, line {}: the row does not name the set it belongs to", bad + 2)));
  EXPECT_THAT(sets["short"]["error"], HasSubstr(fmt::format("line {}: 1 value where the first line has 2", bad + 3)));
  EXPECT_TRUE(sets["good"].contains("mean"));
  std::vector<json> whole;
  for (const json& one : said["sets"])
    if (!one.contains("error") && one["set"] != "good") whole.push_back(one);
  expect_same(whole, alone(rows()));

  const Answer reported =
      run_words({"infer", "bump-hunt", "--data", path("sets.csv"), "--group", "run", "--out", path("told.csv")});
  EXPECT_EQ(reported.code, 1);
  EXPECT_THAT(reported.err,
              HasSubstr("warning: 4 of 9 sets could not be answered, the first too many: 101 observations"));
  EXPECT_THAT(reported.out, HasSubstr("not answered: "));
  EXPECT_THAT(reported.out, HasSubstr("5 of 9 sets are answered"));
}

TEST_F(InferSets, AnEmptyFileIsASetThatCannotBeAnswered) {
  file("folder/a.csv", "");
  file("folder/b.csv", "0.3\n");
  file("folder/notes.txt", "about these");
  file("folder/README", "about these");
  const Answer answer = run_words({"infer", "bump-hunt", "--data", path("folder"), "--out", path("a.csv"), "--json"});
  EXPECT_EQ(answer.code, 1);
  EXPECT_THAT(answer.err, HasSubstr("warning: README, notes.txt are left out: no observations are read of them"));
  const json said = json::parse(answer.out);
  ASSERT_EQ(said["sets"].size(), 2u) << "what nobody reads is no set";
  EXPECT_THAT(said["sets"][0]["error"], HasSubstr("a.csv holds no numbers"));
  EXPECT_EQ(said["sets"][1]["n"], 1);
}

TEST_F(InferSets, OneOfThemIsAskedAboutAlone) {
  const std::vector<Row> all = rows();
  const std::string data = file("sets.csv", table(all));
  const std::map<std::string, json> single = alone(all);
  for (const auto& [name, said] : single) {
    const Answer answer = run_words(
        {"infer", "bump-hunt", "--data", data, "--group", "run", "--member", name, "--out", path("one.npz"), "--json"});
    ASSERT_EQ(answer.code, 0) << answer.err;
    const json one = json::parse(answer.out);
    for (const char* key : {"n", "mean", "sd", "quantiles", "distance"})
      EXPECT_EQ(one.at(key).dump(), said.at(key).dump()) << name << " " << key;
    EXPECT_TRUE(torch::equal(read_npz(path("one.npz")).at("samples"), read_npz(path("alone.npz")).at("samples")) ||
                name != single.rbegin()->first);
  }
  refused(1, {"--data", data, "--group", "run", "--member", "none of them"}, "holds no set none of them in its column");
  refused(2, {"--data", data, "--member", "few"}, "name the column that separates its sets with --group");
  refused(2, {"--data", data, "--group", "run", "--member", "few", "--follow"}, "leave --follow out");
  const Answer drawn = run_words({"figure", "posterior", "bump-hunt", "--data", data, "--group", "run", "--member",
                                  "more", "--n", "17", "--out", path("more.svg")});
  EXPECT_EQ(drawn.code, 0) << drawn.err;
  EXPECT_EQ(
      run_words({"figure", "posterior", "bump-hunt", "--data", data, "--group", "run", "--out", path("more.svg")}).code,
      2);
}

// Files and sets whose names are no UTF-8 are answered, and named in letters that are.
TEST_F(InferSets, NamesInLatin1AreAnswered) {
  file("caf\xe9.csv", "run,x\n\xe9t\xe9,0.3\n\xe9t\xe9,0.7\n");
  const json said = many({"--data", path("caf\xe9.csv"), "--group", "run", "--out", path("r\xe9sum\xe9.json")});
  ASSERT_EQ(said["sets"].size(), 1u);
  EXPECT_EQ(said["sets"][0]["n"], 2);
  EXPECT_EQ(json::parse(read_file(path("r\xe9sum\xe9.json")))["sets"][0]["set"], said["sets"][0]["set"]);
  const Answer text =
      run_words({"infer", "bump-hunt", "--data", path("caf\xe9.csv"), "--group", "run", "--out", path("a.csv")});
  EXPECT_THAT(text.out, HasSubstr("from 1 set of "));
  EXPECT_THAT(text.out, HasSubstr("1 of 1 set is answered"));
  file("folder/\xe9t\xe9.csv", "0.1\n");
  EXPECT_EQ(many({"--data", path("folder")})["sets"].size(), 1u);
}

TEST_F(InferSets, RowsWithoutTheNameOfASetAreRefused) {
  const json said = many({"--data", file("nan.csv", "run,x\na,0.1\nNaN,0.2\na,0.3\n"), "--group", "run"}, 1);
  EXPECT_EQ(said["failed"], 1);
  EXPECT_THAT(said["sets"].dump(), HasSubstr("nan.csv, line 3: the row does not name the set it belongs to"));
  write_npz(folder_ / "nan.npz", {{"x", torch::tensor({0.1, 0.2, 0.3}, torch::kFloat64)},
                                  {"run", torch::tensor({1.0, 1.0, static_cast<double>(NAN)}, torch::kFloat64)}});
  refused(1, {"--data", path("nan.npz"), "--group", "run"},
          "the array run does not name the set that observation 3 belongs to");
}

// A warning is given for one set and for many where the exact posterior is known and differs.
TEST_F(InferSets, AnExactPosteriorThatIsAnotherOneIsTold) {
  std::string text = "run,x\n";
  for (int k = 0; k < 49; ++k) text += fmt::format("a,{}\n", k < 20 ? 2 + 0.005 * (k - 10) : 0.08 * (k - 34));
  text += "a,12\n";  // no background has it, so that it is the signal, and the bump at 2 is none
  const std::vector<std::string> words = {"--data", file("far.csv", text), "--group", "run", "--exact"};
  std::vector<std::string> untested = words;
  untested.insert(untested.end(), {"--predictive", "0"});
  const json sets = many(untested)["sets"], tested = many(words)["sets"];
  EXPECT_FALSE(sets[0].contains("within"));
  EXPECT_TRUE(tested[0].contains("within"));
  EXPECT_EQ(sets[0]["mean"], tested[0]["mean"]);
  ASSERT_GT(sets[0]["kl"].get<double>(), 0.5);
  EXPECT_THAT(sets[0]["warnings"].dump(), HasSubstr("differs from the exact posterior of this very set"));
  const std::map<std::string, json> single = alone({{"b", 0.1}, {"b", 0.2}});
  EXPECT_THAT(single.at("b").at("warnings").dump(), Not(HasSubstr("this very set")));
}

TEST_F(InferSets, TextsOfAnNpzTellSetsApart) {
  const json numbers = many({"--data", file("sets.csv", table(rows())), "--group", "run"})["sets"];
  std::vector<double> x;
  std::string texts = "\x93NUMPY\x01";
  const std::vector<Row> all = rows();
  std::string head = fmt::format("{{'descr': '|S5', 'fortran_order': False, 'shape': ({},), }}", all.size());
  texts += '\0';
  texts += static_cast<char>(head.size());
  texts += '\0';
  texts += head;
  for (const Row& row : all) {
    x.push_back(row.x);
    std::string name = row.set;
    name.resize(5, '\0');
    texts += name;
  }
  write_npz(folder_ / "sets.npz", {{"x", torch::tensor(x, torch::kFloat64)}});
  int error = 0;
  zip_t* const archive = zip_open(path("sets.npz").c_str(), 0, &error);
  ASSERT_NE(archive, nullptr);
  ASSERT_GE(zip_file_add(archive, "run.npy", zip_source_buffer(archive, texts.data(), texts.size(), 0), 0), 0);
  ASSERT_EQ(zip_close(archive), 0);
  EXPECT_EQ(many({"--data", path("sets.npz"), "--group", "run"})["sets"].dump(), numbers.dump());
  // Next to x, the array is not an observation.
  EXPECT_EQ(run_words({"infer", "bump-hunt", "--data", path("sets.npz"), "--out", path("a.npz")}).code, 0);
}

TEST_F(InferSets, ColumnsAreChosenAndTheGroupIsNoneOfThem) {
  const std::string data = file("wide.csv", "day,y,energy\n1,9,0.5\n1,9,0.7\n2,9,0.1\n");
  refused(1, {"--data", data, "--group", "day"}, "wide.csv names its columns day, y, energy, but x is needed");
  refused(1, {"--data", data, "--group", "night"}, "has no column night to separate sets by; it has day, y, energy");
  refused(2, {"--data", data, "--group", "day", "--columns", "day"}, "Column day cannot both be");
  const json said = many({"--data", data, "--group", "day", "--columns", "energy"});
  expect_same(said["sets"], alone({{"1", 0.5}, {"1", 0.7}, {"2", 0.1}}));
  refused(1, {"--data", file("nameless.csv", "1,9,0.5\n"), "--group", "column 1"},
          "has 2 columns besides the one that separates sets, but task bump-hunt needs 1: x");
  refused(1, {"--data", file("empty.csv", "# nothing\n"), "--group", "run"}, "empty.csv holds no numbers");
  refused(1, {"--data", file("header.csv", "run,x\n"), "--group", "run"}, "header.csv holds no numbers");
  refused(1, {"--data", path("absent.csv"), "--group", "run"}, "absent.csv");
  refused(2, {"--data", file("x.csv", "x,g\n1,2\n"), "--group", "x"},
          "--group x names a column that the task bump-hunt reads");
}

TEST_F(InferSets, RefusesWhatIsAboutOneSet) {
  const std::string data = file("sets.csv", table(rows()));
  const std::vector<std::string> words = {"--data", data, "--group", "run"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), words.begin(), words.end());
    return more;
  };
  refused(2, with({"--follow"}), "--follow is about one set");
  refused(2, with({"--theta", data}), "posteriors.csv holds no log densities; write them to a file that ends in .npz");
  refused(2, with({"--out", path("sets.txt")}), "must end in .csv, .json, .npz, .tex, .nc, .h5");
  refused(2, with({"--out", path("answers.csv"), "--samples", "10"}), "holds no samples");
  refused(2, with({"--out", data}), "would replace");
  std::filesystem::create_directory(folder_ / "folder");
  file("folder/a.csv", "0.1\n");
  refused(2, {"--data", path("folder"), "--group", "run"}, "in which each file is a set");
  for (const char* name : {"folder/a.csv", "folder/new.csv"})
    refused(2, {"--data", path("folder"), "--out", path(name)}, "whose files are read; choose a place outside");
  const Answer forest =
      run_words({"figure", "forest", "bump-hunt", "--data", path("folder"), "--out", path("folder/a.csv")});
  EXPECT_EQ(forest.code, 2);
  EXPECT_THAT(forest.err, HasSubstr("whose files are read"));
  EXPECT_EQ(read_file(folder_ / "folder/a.csv"), "0.1\n");
}

TEST_F(InferSets, AFailureLeavesTheFileThatWasThere) {
  const std::string out = file("sets.csv", "kept\n");
  refused(1, {"--data", file("a.csv", "u,v\n1,2\n"), "--group", "w", "--out", out, "--overwrite"}, "has no column w");
  EXPECT_EQ(read_file(out), "kept\n");
}

TEST_F(InferSets, FilesHoldTheSameNumbers) {
  const std::string data = file("in.csv", table(rows()) + "bad,zero\n");
  const std::vector<std::string> words = {"--data", data, "--group", "run", "--out"};
  const auto written = [&](const std::string& name) {
    std::vector<std::string> more = words;
    more.push_back(path(name));
    return many(more, 1);
  };
  const json said = written("sets.csv")["sets"];
  EXPECT_EQ(written("sets.json")["sets"], said);
  written("sets.npz");
  written("sets.tex");
  EXPECT_EQ(json::parse(read_file(path("sets.json")))["sets"], said);
  std::string csv =
      "set,n,theta_mean,theta_sd,theta_q05,theta_q50,theta_q95,distance,percentile,outside_training,p_within,verdict,"
      "extrapolates,warnings,error\n";
  const auto arrays = read_npz(path("sets.npz"));
  for (std::size_t k = 0; k + 1 < said.size(); ++k) {
    const json& one = said[k];
    const auto& q = one["quantiles"];
    std::string warnings;
    for (const std::string text : one["warnings"]) warnings += (warnings.empty() ? "" : "; ") + text;
    csv += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},\n", one["set"].get<std::string>(),
                       one["n"].get<int>(), one["mean"][0].get<double>(), one["sd"][0].get<double>(),
                       q["0.05"][0].get<double>(), q["0.5"][0].get<double>(), q["0.95"][0].get<double>(),
                       one["distance"].get<double>(), one["percentile"].get<double>(),
                       one["outside_training"].get<bool>() ? 1 : 0, one["within"]["p"].get<double>(),
                       one["verdict"]["text"].get<std::string>(), one["extrapolates"].get<bool>() ? 1 : 0, warnings);
    const auto at = static_cast<std::int64_t>(k);
    EXPECT_EQ(arrays.at("mean")[at][0].item<double>(), one["mean"][0].get<double>());
    EXPECT_EQ(arrays.at("quantiles")[at][0][2].item<double>(), q["0.95"][0].get<double>());
    EXPECT_EQ(arrays.at("n")[at].item<std::int64_t>(), one["n"].get<std::int64_t>());
    EXPECT_EQ(std::string(reinterpret_cast<const char*>(arrays.at("set")[at].data_ptr())).substr(0, 3),
              one["set"].get<std::string>().substr(0, 3));
  }
  EXPECT_TRUE(read_file(path("sets.csv")).starts_with(csv)) << csv << read_file(path("sets.csv"));
  EXPECT_THAT(read_file(path("sets.csv")), HasSubstr("\nbad,,,,,,,,,,,,"));
  EXPECT_EQ(arrays.at("failed").sum().item<std::int64_t>(), 1);
  EXPECT_TRUE(std::isnan(arrays.at("mean")[-1][0].item<double>()));
  const std::string latex = read_file(path("sets.tex"));
  EXPECT_THAT(latex,
              HasSubstr("\\begin{tabular}{lrrr}\n\\toprule\nSet & $N$ & $\\theta$ & $\\theta$, 90\\,\\% \\\\\n"));
  EXPECT_THAT(latex, HasSubstr("\nbad & \\multicolumn{3}{l}{"));
  EXPECT_THAT(latex, HasSubstr("in.csv, line "));
}

// The columns of --exact: they hold the numbers of a call on each set alone, and the divergence as a plain sum over its
// log densities.
TEST_F(InferSets, ExactPosteriorsStandBesideWhereTheyAreAskedFor) {
  const std::vector<Row> all = rows();
  const std::string data = file("sets.csv", table(all));
  constexpr int kCells = 4000;
  std::string theta;
  for (int k = 0; k < kCells; ++k) theta += fmt::format("{}\n", (k + 0.5) / kCells);
  const std::map<std::string, json> single = alone(all, {"--theta", file("theta.csv", theta)});
  const json sets = many({"--data", data, "--group", "run", "--exact"})["sets"];
  expect_same(sets, single);
  for (const json& one : sets) {
    const json& other = single.at(one.at("set"));
    for (const char* key : {"mean", "sd", "quantiles"})
      EXPECT_EQ(one.at("exact").at(key).dump(), other.at("exact").at(key).dump()) << one.at("set") << " " << key;
    double mass = 0, kl = 0;
    for (int k = 0; k < kCells; ++k) {
      const double exact = other.at("exact").at("log_density")[static_cast<std::size_t>(k)];
      const double ours = other.at("log_density")[static_cast<std::size_t>(k)];
      mass += std::exp(exact) / kCells;
      kl += std::exp(exact) * (exact - ours) / kCells;
    }
    EXPECT_NEAR(mass, 1, 1e-3);
    EXPECT_NEAR(one.at("kl").get<double>(), kl, 0.02 * kl + 1e-3) << one.at("set");
  }
  EXPECT_FALSE(many({"--data", data, "--group", "run"})["sets"][0].contains("exact"));

  const std::string csv = read_file(path("answers.csv"));
  EXPECT_THAT(csv, Not(HasSubstr("exact")));
  many({"--data", data, "--group", "run", "--exact"});
  EXPECT_THAT(read_file(path("answers.csv")), HasSubstr(",theta_exact_mean,theta_exact_sd,kl,"));
  EXPECT_THAT(read_file(path("answers.csv")),
              HasSubstr(fmt::format(",{},{},{},", sets[1]["exact"]["mean"][0].get<double>(),
                                    sets[1]["exact"]["sd"][0].get<double>(), sets[1]["kl"].get<double>())));
  many({"--data", data, "--group", "run", "--exact", "--out", path("answers.npz")});
  const auto arrays = read_npz(path("answers.npz"));
  EXPECT_EQ(arrays.at("exact_mean")[1][0].item<double>(), sets[1]["exact"]["mean"][0].get<double>());
  EXPECT_EQ(arrays.at("exact_sd")[1][0].item<double>(), sets[1]["exact"]["sd"][0].get<double>());
  EXPECT_EQ(arrays.at("kl")[1].item<double>(), sets[1]["kl"].get<double>());
  many({"--data", data, "--group", "run", "--exact", "--out", path("answers.tex")});
  EXPECT_THAT(read_file(path("answers.tex")), HasSubstr("$\\theta$, exact"));
  const Answer reported =
      run_words({"infer", "bump-hunt", "--data", data, "--group", "run", "--exact", "--out", path("answers.csv")});
  EXPECT_EQ(reported.code, 0) << reported.err;
  for (const char* title : {"exact mean", "exact sd", "KL / nat"}) EXPECT_THAT(reported.out, HasSubstr(title));
  refused(2, {"--data", data, "--group", "run", "--exact", "--out", path("answers.nc")}, "holds samples alone");
  refused(2, {"--data", data, "--exact"}, "--exact adds columns to a table of many sets");
  const Answer circle = run_words({"infer", "circle", "--data", path("folder"), "--exact"});
  EXPECT_NE(circle.code, 0);
}

// Refined posteriors of many sets are those of calls on each, but for rounding, in every format that holds numbers.
TEST_F(InferSets, RefinedPosteriorsAreThoseOfSingleCalls) {
  std::vector<Row> asked = rows();
  const std::map<std::string, json> single = alone(asked, {"--refine"});
  for (int k = 0; k < 50; ++k) asked.push_back({"strange", 40});  // out of distribution: not refined
  const std::string data = file("sets.csv", table(asked));
  const json answered = many({"--data", data, "--group", "run", "--refine"});
  EXPECT_EQ(answered.at("unrefined"), 1);
  ASSERT_EQ(answered.at("sets").size(), single.size() + 1);
  std::map<std::string, double> means;
  for (const json& one : answered.at("sets")) {
    const std::string name = one.at("set");
    if (name == "strange") {
      EXPECT_FALSE(one.contains("refined"));
      EXPECT_THAT(one.at("warnings").dump(), HasSubstr("The posterior is not refined: "));
      continue;
    }
    const json &own = one.at("refined"), &other = single.at(name).at("refined");
    for (const char* key : {"mean", "sd"})
      EXPECT_NEAR(own.at(key)[0].get<double>(), other.at(key)[0].get<double>(), 1e-4) << name << " " << key;
    EXPECT_NE(own.at("mean"), one.at("mean")) << name;
    EXPECT_EQ(one.at("mean"), single.at(name).at("mean")) << "the run's own is as it was";
    means[name] = own.at("mean")[0];
  }
  EXPECT_THAT(read_file(path("answers.csv")), HasSubstr("theta_refined_mean,theta_refined_sd,theta_refined_q05"));
  many({"--data", data, "--group", "run", "--refine", "--out", path("answers.npz")});
  const torch::Tensor held = read_npz(path("answers.npz")).at("refined_mean").to(torch::kFloat64);
  EXPECT_EQ(held.sizes(), (std::vector<std::int64_t>{static_cast<std::int64_t>(means.size()) + 1, 1}));
  EXPECT_EQ(held.isnan().sum().item<int>(), 1);
  EXPECT_NEAR(held[0][0].item<double>(), means.at("alone"), 1e-12);
  many({"--data", data, "--group", "run", "--refine", "--out", path("answers.tex")});
  EXPECT_THAT(read_file(path("answers.tex")), HasSubstr(", refined"));
  refused(2, {"--data", data, "--group", "run", "--refine", "--out", path("answers.nc")}, "--refine: ");
}

TEST_F(InferSets, SamplesAndDensitiesOfEachAreThoseOfASingleCallToTheBit) {
  write_npz(folder_ / "theta.npz", {{"theta", torch::linspace(0.02, 0.98, 7, torch::kFloat64).view({7, 1})}});
  const std::vector<std::string> asked = {"--samples", "1200", "--seed", "5", "--theta", path("theta.npz")};
  std::vector<std::string> words = {"--data",        file("sets.csv", table(rows())), "--group", "run", "--out",
                                    path("sets.npz")};
  words.insert(words.end(), asked.begin(), asked.end());
  const json sets = many(words)["sets"];
  const auto arrays = read_npz(path("sets.npz"));
  EXPECT_EQ(arrays.at("samples").sizes(), torch::IntArrayRef({4, 1200, 1}));
  for (std::size_t k = 0; k < sets.size(); ++k) {
    std::vector<Row> own;
    for (const Row& row : rows())
      if (row.set == sets[k]["set"]) own.push_back(row);
    alone(own, asked);
    const auto single = read_npz(path("alone.npz"));
    const auto at = static_cast<std::int64_t>(k);
    EXPECT_TRUE(arrays.at("samples")[at].equal(single.at("samples"))) << sets[k]["set"];
    EXPECT_TRUE(arrays.at("log_density")[at].equal(single.at("log_density"))) << sets[k]["set"];
  }
}

TEST_F(InferSets, EachSetMayBeScoredAtValuesOfItsOwn) {
  const std::string data = file("sets.csv", table(rows()));
  const torch::Tensor own = torch::linspace(0.05, 0.95, 12, torch::kFloat64).view({4, 3, 1});
  const auto scored = [&](const torch::Tensor& theta) {
    write_npz(folder_ / "theta.npz", {{"theta", theta}});
    many({"--data", data, "--group", "run", "--theta", path("theta.npz"), "--out", path("sets.npz")});
    return read_npz(path("sets.npz")).at("log_density");
  };
  const torch::Tensor of_each = scored(own);
  EXPECT_EQ(of_each.sizes(), torch::IntArrayRef({4, 3}));
  for (std::int64_t k = 0; k < 4; ++k) EXPECT_TRUE(scored(own[k])[k].equal(of_each[k])) << k;
  write_npz(folder_ / "theta.npz", {{"theta", own.slice(0, 0, 3)}});
  refused(1, {"--data", data, "--group", "run", "--theta", path("theta.npz"), "--out", path("sets.npz")},
          "theta.npz has the shape [3, 3, 1] but the θ of task bump-hunt needs [S, 1], or [4, S, 1] of 4 sets");
}

TEST_F(InferSets, ASetThatCannotBeAnsweredHasNeitherSamplesNorDensities) {
  write_npz(folder_ / "theta.npz", {{"theta", torch::full({2, 1}, 0.5, torch::kFloat64)}});
  many({"--data", file("sets.csv", "run,x\na,0.5\nb,zero\nc,1.5\n"), "--group", "run", "--theta", path("theta.npz"),
        "--samples", "3", "--out", path("sets.npz")},
       1);
  const auto arrays = read_npz(path("sets.npz"));
  for (const char* name : {"samples", "log_density"}) {
    EXPECT_TRUE(arrays.at(name)[1].isnan().all().item<bool>()) << name;
    EXPECT_TRUE(arrays.at(name)[0].isfinite().all().item<bool>()) << name;
    EXPECT_TRUE(arrays.at(name)[2].isfinite().all().item<bool>()) << name;
  }
}

TEST_F(InferSets, ArraysThatCannotBeHeldAreRefusedBeforehand) {
  write_npz(folder_ / "sets.npz", {{"theta", torch::full({1, 1}, 0.5, torch::kFloat64)}});
  refused(2,
          {"--data", file("sets.csv", table(rows())), "--group", "run", "--samples", "10000000", "--out",
           path("sets.npz"), "--theta", path("sets.npz")},
          "would replace");
  std::string text = "run,x\n";
  for (int k = 0; k < 60; ++k) text += fmt::format("{},0.5\n", k);
  refused(2, {"--data", file("many.csv", text), "--group", "run", "--samples", "10000000", "--out", path("new.npz")},
          "60 sets, each with 10,000,000 samples and log densities at 0 values of θ, are 6e+08 numbers in all; an .npz "
          "file takes at most");
}

TEST_F(InferSets, SetsOfTwoUnknownsAreAnsweredAlike) {
  const std::string data = file("points.csv", "x2,who,x1\n0.5,a,1\n2.5,b,0.1\n1.5,a,-2\n");
  const Answer many =
      run_words({"infer", "gaussian", "--data", data, "--group", "who", "--json", "--out", path("sets.csv")});
  ASSERT_EQ(many.code, 0) << many.err;
  const json sets = json::parse(many.out)["sets"];
  const std::string texts[] = {"x1,x2\n1,0.5\n-2,1.5\n", "x1,x2\n0.1,2.5\n"};
  for (std::size_t k = 0; k < 2; ++k) {
    const Answer one =
        run_words({"infer", "gaussian", "--data", file("one.csv", texts[k]), "--json", "--out", path("one.npz")});
    ASSERT_EQ(one.code, 0) << one.err;
    const json single = json::parse(one.out);
    for (const char* key : {"mean", "sd", "quantiles", "percentile"})
      EXPECT_EQ(sets[k][key].dump(), single[key].dump());
  }
}

}  // namespace
}  // namespace pairs::batch
