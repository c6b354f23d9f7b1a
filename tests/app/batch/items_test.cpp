// Sets of things that people have: infer and figure.
#include <gmock/gmock.h>

#include <fstream>
#include <limits>
#include <tuple>

#include "app/posterior/validation/recalibration.h"
#include "core/base/files/files.h"
#include "core/base/files/npz.h"
#include "tests/app/batch/action.h"
#include "tests/app/batch/pebble_task.h"
#include "tests/app/model/small_run.h"

namespace pairs::batch {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::int64_t kTrained = 10;  // the largest set of small_run

class ItemsOfPeople : public ::testing::Test {
 protected:
  ItemsOfPeople() { run_ = model::small_run(folder_.path(), "run", "gaussian", 1, "pairs", {}, tasks_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  Acted infer(std::vector<std::string> words) const {
    words.insert(words.begin(), {run_, "--data"});
    words.insert(words.end(), {"--samples", "30", "--threads", "1", "--device", "cpu"});
    if (std::find(words.begin(), words.end(), "--out") == words.end())
      words.insert(words.end(), {"--out", path("out.npz")});
    return act(add_infer, words, tasks_);
  }
  // Runs infer on all sets of a list.
  Acted infer_all(const std::string& list, const std::string& out, std::vector<std::string> words = {}) const {
    words.insert(words.begin(), {run_, "--data", path(list), "--out", path(out), "--threads", "1", "--device", "cpu"});
    return act(add_infer, words, tasks_);
  }
  Acted figure(std::vector<std::string> words) const {
    words.insert(words.begin(), {"posterior", run_, "--data"});
    words.insert(words.end(), {"--threads", "1", "--device", "cpu", "--out", path("figure.csv")});
    return act(add_figure, words, tasks_);
  }
  torch::Tensor samples(const std::string& name) const { return read_npz(folder_ / name).at("samples"); }
  void write_set(const std::string& name, const std::string& item, std::int64_t n, std::uint64_t seed) const {
    write_npz(folder_ / name, {{"x", PebbleTask().read_item(item, n, seed).x.block()}});
  }

  TemporaryFolder folder_;
  Catalog tasks_ = pebbles();
  std::string run_;
};

TEST_F(ItemsOfPeople, InferTellsItsOwnThetaBesideThePosterior) {
  const Acted answer = infer({"pebble:1.5"});
  ASSERT_EQ(answer.code, 0) << answer.err;
  EXPECT_THAT(answer.text, HasSubstr("first N = 10 observations of pebble 1.5"));
  EXPECT_THAT(answer.text, HasSubstr("By the pebble itself: θ = 1.50\n"));
  EXPECT_EQ(answer.document.at("item"), "pebble 1.5");
  EXPECT_EQ(answer.document.at("own"), nlohmann::json({{"theta", 1.5}}));
  EXPECT_EQ(answer.document.at("n"), kTrained) << "as many as training saw";
  EXPECT_EQ(samples("out.npz").size(0), 30);
  EXPECT_THAT(answer.err, Not(HasSubstr("heavy")));
  EXPECT_THAT(infer({"pebble:4"}).err, HasSubstr("warning: pebble 4 is a heavy one"));

  write_set("set.npz", "pebble:1.5", kTrained, 1);
  const Acted array = infer({path("set.npz")});
  ASSERT_EQ(array.code, 0) << array.err;
  EXPECT_FALSE(array.document.contains("item"));
  EXPECT_FALSE(array.document.contains("own"));
  EXPECT_THAT(array.text, Not(HasSubstr("itself")));
}

TEST_F(ItemsOfPeople, InferIsOfTheObservationsThatTheTaskMakes) {
  for (const char* seed : {"1", "7"}) {
    write_set("set.npz", "pebble:1.5", 4, std::stoull(seed));
    ASSERT_EQ(infer({"pebble:1.5", "--n", "4", "--seed", seed, "--out", path("thing.npz")}).code, 0);
    ASSERT_EQ(infer({path("set.npz"), "--seed", seed, "--out", path("array.npz")}).code, 0);
    EXPECT_TRUE(samples("thing.npz").equal(samples("array.npz"))) << seed;
  }
  const torch::Tensor seventh = samples("thing.npz");
  write_set("set.npz", "pebble:1.5", 4, 1);
  ASSERT_EQ(infer({path("set.npz"), "--seed", "7", "--out", path("array.npz")}).code, 0);
  EXPECT_FALSE(samples("array.npz").equal(seventh)) << "another seed, other observations";
}

TEST_F(ItemsOfPeople, InferTakesFilesAndWordsOfAnyForm) {
  std::ofstream(folder_ / "round.pebble") << "0.25";
  const Acted file = infer({path("round.pebble")});
  ASSERT_EQ(file.code, 0) << file.err;
  EXPECT_EQ(file.document.at("item"), "round.pebble");
  EXPECT_EQ(file.document.at("own").at("theta"), 0.25);
  EXPECT_THAT(infer({path("round.pebble"), "--out", path("round.pebble")}).err, HasSubstr("must end in .npz"));
  const Acted brackets = infer({"[-2]"});
  ASSERT_EQ(brackets.code, 0) << brackets.err;
  EXPECT_EQ(brackets.document.at("own").at("theta"), -2);
  // Longer than a file system takes a name for.
  const Acted exact = infer({"pebble:0." + std::string(6000, '0')});
  ASSERT_EQ(exact.code, 0) << exact.err;
  EXPECT_EQ(exact.document.at("item"), "pebble 0");
}

TEST_F(ItemsOfPeople, InferUsesMoreThanTrainingSawWhenForced) {
  EXPECT_EQ(infer({"pebble:1", "--n", "11"}).code, 1);
  const Acted forced = infer({"pebble:1", "--force"});
  ASSERT_EQ(forced.code, 0) << forced.err;
  EXPECT_EQ(forced.document.at("n"), kPebbles);
  EXPECT_TRUE(forced.document.at("extrapolates").get<bool>());
}

TEST_F(ItemsOfPeople, InferRefusesBadItemsInASentence) {
  const auto refused = [&](int code, const std::vector<std::string>& words, const std::string& text) {
    const Acted answer = infer(words);
    EXPECT_EQ(answer.code, code) << answer.err;
    EXPECT_THAT(answer.err, HasSubstr(text));
    EXPECT_FALSE(std::filesystem::exists(folder_ / "out.npz"));
  };
  refused(1, {"pebble:soft"}, "pebble:soft is no pebble");
  refused(1, {path("gone.pebble")}, "gone.pebble");
  refused(2, {"pebble:1", "--n", "61"}, "--n 61 goes beyond N = 60");
  refused(2, {"pebble:1", "--conditions", "1"}, "no conditions besides");
  refused(2, {"pebble:1", "--camera", "1,2"}, "--camera belongs to folders of views; pebble:1 names a pebble");
  refused(1, {"stone"},
          "stone is no file that is there, and no pebble; for the task gaussian give a file of observations, or "
          "pebble:NUMBER");
  EXPECT_EQ(figure({"stone"}).code, 1);
}

TEST_F(ItemsOfPeople, InfersHelpNamesWhatTasksTake) {
  CLI::App app;
  const Action action = add_infer(app, tasks_);
  EXPECT_THAT(app.help(), HasSubstr("  gaussian: pebble:NUMBER, or a file of one (.pebble)\n"));
  EXPECT_THAT(app.help(), Not(HasSubstr("bump-hunt: ")));
  CLI::App without;
  const TaskEntry toy{.name = "gaussian",
                      .make = [](const TaskOptions&) { return std::make_shared<ToyTask>("gaussian"); }};
  const Action other = add_infer(without, std::make_shared<TaskCatalog>(std::vector{toy}));
  EXPECT_THAT(without.help(), Not(HasSubstr("item you have")));
}

TEST_F(ItemsOfPeople, TheFigureShowsItsOwnThetaAsTheTruth) {
  const Acted drawn = figure({"pebble:4.25", "--n", "5"});
  ASSERT_EQ(drawn.code, 0) << drawn.err;
  EXPECT_THAT(drawn.err, HasSubstr("warning: pebble 4.25 is a heavy one"));
  EXPECT_EQ(drawn.err.find("heavy"), drawn.err.rfind("heavy")) << "said once";
  EXPECT_THAT(read_file(folder_ / "figure.csv"), HasSubstr("4.25"));
  EXPECT_EQ(drawn.document.at("source"), "pebble:4.25; run");

  write_set("set.npz", "pebble:4.25", 5, 1);
  const std::string of_item = read_file(folder_ / "figure.csv");
  ASSERT_EQ(figure({path("set.npz"), "--n", "5"}).code, 0);
  EXPECT_THAT(read_file(folder_ / "figure.csv"), Not(HasSubstr("truth")));
  EXPECT_THAT(of_item, HasSubstr("truth"));

  EXPECT_EQ(figure({"pebble:soft"}).code, 1);
  EXPECT_THAT(figure({"pebble:soft"}).err, HasSubstr("is no pebble"));
  EXPECT_THAT(figure({"pebble:1", "--index", "3"}).err, HasSubstr("--index chooses a simulated set"));
  EXPECT_THAT(figure({"pebble:1", "--theta=2"}).err, HasSubstr("is one already"));
  EXPECT_EQ(figure({"pebble:1", "--n", "61"}).code, 2);
}

TEST_F(ItemsOfPeople, AnotherQuantityIsNamedAndNoTruth) {
  const Acted answer = infer({"pebble:-1"});
  ASSERT_EQ(answer.code, 0) << answer.err;
  EXPECT_THAT(answer.text, HasSubstr("θ = −1.00 (the weight of its hole, which is another quantity and no truth of"));
  EXPECT_EQ(answer.document.at("own").at("theta"), -1);
  EXPECT_EQ(answer.document.at("own_other"), nlohmann::json({{"theta", "weight of its hole"}}));
  EXPECT_FALSE(infer({"pebble:1"}).document.contains("own_other"));
  ASSERT_EQ(figure({"pebble:-1", "--n", "5"}).code, 0);
  EXPECT_THAT(read_file(folder_ / "figure.csv"), Not(HasSubstr("truth")));
  ASSERT_EQ(figure({"pebble:1", "--n", "5"}).code, 0);
  EXPECT_THAT(read_file(folder_ / "figure.csv"), HasSubstr("truth"));
}

TEST_F(ItemsOfPeople, WarningsStandInTheDocumentAndBesideTheSamples) {
  const Acted heavy = infer({"pebble:4"});
  ASSERT_EQ(heavy.code, 0) << heavy.err;
  EXPECT_THAT(heavy.document.at("warnings").dump(), HasSubstr("pebble 4 is a heavy one"));
  EXPECT_EQ(read_npz(folder_ / "out.npz").at("warned").item<std::int64_t>(), 1);
  EXPECT_THAT(heavy.document.at("warnings").dump(), HasSubstr("run is no better than the prior"));
  std::filesystem::remove(std::filesystem::path(run_) / "events.jsonl");  // which tells so
  write_set("set.npz", "pebble:1", kTrained, 1);
  const Acted plain = infer({path("set.npz")});
  EXPECT_EQ(plain.document.at("warnings"), nlohmann::json::array()) << plain.err;
  EXPECT_EQ(read_npz(folder_ / "out.npz").at("warned").item<std::int64_t>(), 0);
  EXPECT_EQ(read_npz(folder_ / "out.npz").at("percentile").item<double>(), plain.document.at("percentile"));
}

TEST_F(ItemsOfPeople, WhatPointsUpIsChosenToldAndDrawn) {
  const Acted usual = infer({"pebble:1"});
  EXPECT_EQ(usual.document.at("read_as"), "pebble 1 is read as z-up");
  EXPECT_THAT(usual.text, HasSubstr("pebble 1 is read as z-up: the views stand in " + path("out-views.png")));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "out-views.png"));
  EXPECT_EQ(infer({"pebble:1", "--up", "y"}).document.at("read_as"), "pebble 1 is read as y-up");
  EXPECT_EQ(figure({"pebble:1", "--up", "y"}).code, 0);
  EXPECT_THROW(infer({"pebble:1", "--up", "w"}), CLI::ValidationError);
  write_set("set.npz", "pebble:1", 4, 1);
  EXPECT_THAT(infer({path("set.npz"), "--up", "y"}).err, HasSubstr("--up belongs to items such as a mesh"));
  EXPECT_THAT(figure({path("set.npz"), "--up", "y"}).err, HasSubstr("--up belongs to items such as a mesh"));
}

TEST_F(ItemsOfPeople, AListIsAnsweredItemByItem) {
  std::ofstream(folder_ / "list.txt") << "# pebbles\npebble:1.5\n\npebble:40\npebble:-1\npebble:soft\n";
  const Acted all = infer_all("list.txt", "all.csv");
  EXPECT_EQ(all.code, 1) << "one cannot be read";
  const nlohmann::json& rows = all.document.at("sets");
  ASSERT_EQ(rows.size(), 4u) << all.err;
  EXPECT_EQ(rows.at(3),
            nlohmann::json({{"set", "pebble:soft"}, {"error", "line 6: pebble:soft is no pebble: write pebble:1.5"}}));
  EXPECT_EQ(all.document.at("items"), "pebble");
  for (const auto& [row, name, own] :
       {std::tuple(0, "pebble:1.5", nlohmann::json(1.5)), std::tuple(1, "pebble:40", nlohmann::json(40.0)),
        std::tuple(2, "pebble:-1", nlohmann::json())}) {
    const nlohmann::json& reported = rows.at(static_cast<std::size_t>(row));
    const Acted alone = infer({name});
    EXPECT_EQ(reported.at("set"), name);
    EXPECT_EQ(reported.at("n"), kTrained) << "as many as training saw";
    for (const char* number : {"mean", "sd", "quantiles", "distance"})
      EXPECT_EQ(reported.at(number), alone.document.at(number));
    EXPECT_EQ(reported.at("own").at("theta"), own) << "of pebble:-1 it is another quantity";
    for (const nlohmann::json& text : reported.at("warnings"))
      EXPECT_THAT(alone.document.at("warnings").dump(), HasSubstr(text.dump()));
    EXPECT_EQ(reported.at("warnings").size(), alone.document.at("warnings").size()) << reported.at("warnings");
    const Acted member = infer({path("list.txt"), "--member", name});
    EXPECT_EQ(member.document.at("mean"), alone.document.at("mean")) << member.err;
  }
  EXPECT_THAT(rows.at(1).at("warnings").dump(), HasSubstr("heavy"));
  EXPECT_THAT(
      all.err,
      HasSubstr("what speaks against the posterior of one item or another:\n  pebble:40: The pebble's own value"));
  EXPECT_THAT(read_file(path("all.csv")), HasSubstr("theta_own"));
  EXPECT_EQ(infer_all("list.txt", "all.json", {"--n", "4"}).document.at("sets").at(0).at("n"), 4);
  ASSERT_EQ(infer_all("list.txt", "all.npz").code, 1);
  EXPECT_EQ(read_npz(folder_ / "all.npz")
                .at("own")
                .select(1, 0)
                .slice(0, 0, 2)
                .equal(torch::tensor({1.5, 40.0}, torch::kFloat64)),
            true);
  EXPECT_EQ(infer_all("list.txt", "up.csv", {"--up", "y"}).code, 1) << "as without it";
  EXPECT_THAT(infer_all("list.txt", "all.csv", {"--n", "61"}).err, HasSubstr("goes beyond N = 60"));
  EXPECT_THAT(infer_all("list.txt", "all.csv", {"--predictive", "20"}).err,
              HasSubstr("name one of them with --member"));
  EXPECT_THAT(figure({path("list.txt")}).err, HasSubstr("query one of them with --member"));
  EXPECT_THAT(infer({path("list.txt"), "--member", "pebble:2"}).err, HasSubstr("names no pebble called pebble:2"));
  EXPECT_THAT(infer_all("list.txt", "all.csv", {"--random"}).err,
              HasSubstr("--random belongs to sets of observations"));
  EXPECT_THAT(infer_all("list.txt", "all.csv", {"--columns", "x"}).err,
              HasSubstr("--columns belongs to sets of observations"));

  std::filesystem::create_directory(folder_ / "stones");
  for (const char* name : {"b", "a"}) std::ofstream(folder_ / "stones" / (std::string(name) + ".pebble")) << "0.5";
  const Acted folder = infer_all("stones", "stones.csv");
  ASSERT_EQ(folder.code, 0) << folder.err;
  EXPECT_EQ(folder.document.at("sets").at(0).at("set"), "a.pebble");
  EXPECT_EQ(folder.document.at("sets").size(), 2u);

  std::ofstream(folder_ / "stones" / "readme.md") << "about them";
  EXPECT_THAT(infer_all("stones", "stones.csv").err, HasSubstr("readme.md"));
  std::ofstream(folder_ / "twice.txt") << "pebble:1 a\n"
                                       << path("stones/a.pebble") << " a\n"
                                       << path("stones/b.pebble") << " a\n";
  EXPECT_THAT(infer({path("twice.txt"), "--member", "a"}).err,
              HasSubstr("calls 2 items a; name the one by its own text"));
  std::ofstream(folder_ / "named.txt") << "\xef\xbb\xbf" << path("stones/a.pebble") << "\tround one \r\npebble:2\n";
  const Acted named = infer_all("named.txt", "named.csv");
  ASSERT_EQ(named.code, 0) << named.err;
  EXPECT_EQ(named.document.at("sets").at(0).at("set"), "round one");
  EXPECT_EQ(infer({path("named.txt"), "--member", "round one"}).document.at("own").at("theta"), 0.5);
}

TEST_F(ItemsOfPeople, PartsThatTrainingNeverHadAreTriedApartAndTold) {
  std::ofstream(folder_ / "list.txt") << "pebble:100\npebble:150\npebble:200\n";
  const Acted validated =
      act(add_external_validation, {run_, "--data", path("list.txt"), "--threads", "1", "--device", "cpu"}, tasks_);
  ASSERT_EQ(validated.code, 0) << validated.err;
  const nlohmann::json &like = validated.document.at("kinds").at(0), &unlike = validated.document.at("kinds").at(1);
  EXPECT_EQ(like.at("kind"), "large pebble");
  EXPECT_EQ(like.at("count"), 1);
  EXPECT_EQ(unlike.at("kind"), "large pebble, out of distribution");
  EXPECT_EQ(unlike.at("count"), 2) << "one in fifty held out has the mark 150, and two that were learned from";
  EXPECT_EQ(unlike.at("out_of_distribution"), 2);
  const std::filesystem::path parts = std::filesystem::path(run_) / "external-validation-parts.npz";
  ASSERT_TRUE(std::filesystem::exists(parts));

  const Acted answer = infer({"pebble:200"});
  ASSERT_EQ(answer.code, 0) << answer.err;
  const std::string text = "pebble 200: it is out of distribution, since hardly any of training has a mark 200";
  EXPECT_THAT(answer.err, HasSubstr("warning: " + text));
  EXPECT_THAT(answer.err, HasSubstr("own values in its 90 % interval: θ 0 %; do not trust the posterior"));
  EXPECT_THAT(answer.err, Not(HasSubstr(text + ": do not trust"))) << "its kind says so";
  EXPECT_THAT(answer.document.at("warnings").dump(), HasSubstr(text));
  EXPECT_EQ(answer.document.at("kind"), "large pebble, out of distribution");
  EXPECT_EQ(read_npz(folder_ / "out.npz").at("warned").item<std::int64_t>(), 1);
  EXPECT_THAT(figure({"pebble:200", "--n", "5"}).err, HasSubstr(text));
  EXPECT_THAT(infer({"pebble:100"}).err, Not(HasSubstr("out of distribution, since hardly")));
  EXPECT_THAT(infer({"pebble:1"}).err, Not(HasSubstr("out of distribution, since hardly"))) << "without parts";

  const std::filesystem::path table = std::filesystem::path(run_) / "external-validation.json";
  const std::string sound = read_file(table);
  std::ofstream(table) << "{";
  EXPECT_THAT(infer({"pebble:200"}).err,
              AllOf(HasSubstr("external-validation.json is damaged"), HasSubstr(text + ": do not trust")))
      << "parts are known as before";
  std::ofstream(table) << sound;

  std::ofstream(parts) << "no archive";
  EXPECT_THAT(infer({"pebble:200"}).err, HasSubstr("external-validation-parts.npz"));
  for (const auto& most : {torch::zeros({1}), torch::full({1}, -1, torch::kFloat64),
                           torch::full({1}, 1e9, torch::kFloat64), torch::full({1}, std::nan(""), torch::kFloat64)}) {
    write_npz(parts, {{"hashes", torch::ones({3}, torch::kInt64)}, {"most", most}});
    const Acted reported = infer({"pebble:200"});
    EXPECT_EQ(reported.code, 0) << reported.err;
    EXPECT_THAT(reported.err, HasSubstr("external-validation-parts.npz is damaged"));
    EXPECT_THAT(reported.err, HasSubstr("remove it, or write it again with pairs --batch external-validation"));
  }
}

// Things without parts: θ of training is N(0, 1).
TEST_F(ItemsOfPeople, ValuesThatTrainingHardlyHasAreReportedAndAreNoKind) {
  tasks_ = pebbles(false);
  std::ofstream(folder_ / "list.txt") << "pebble:1\npebble:2.5\npebble:3\n";
  const Acted validated =
      act(add_external_validation, {run_, "--data", path("list.txt"), "--threads", "1", "--device", "cpu"}, tasks_);
  ASSERT_EQ(validated.code, 0) << validated.err;
  // The kind must not depend on the thing's own θ, which nobody knows of the things that a posterior is needed for.
  ASSERT_EQ(validated.document.at("kinds").size(), 1);
  EXPECT_EQ(validated.document.at("kinds").at(0).at("kind"), "small pebble");
  EXPECT_EQ(validated.document.at("kinds").at(0).at("count"), 3);
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::path(run_) / "external-validation-parts.npz"));

  const Acted answer = infer({"pebble:2.5"});
  ASSERT_EQ(answer.code, 0) << answer.err;
  const std::string text =
      "pebble 2.5: it is out of distribution, since hardly any set in training has values like its own (θ 2.5)";
  EXPECT_THAT(answer.err, HasSubstr("warning: " + text));
  EXPECT_THAT(answer.document.at("warnings").dump(), HasSubstr(text));
  EXPECT_EQ(answer.document.at("kind"), "small pebble");
  EXPECT_EQ(answer.document.at("out_of_distribution"), true);
  const Acted usual = infer({"pebble:1"});
  EXPECT_THAT(usual.err, Not(HasSubstr("out of distribution, since hardly")));
  EXPECT_EQ(usual.document.at("out_of_distribution"), false);

  // Whatever is wrong with the file, the set gets its posterior, with a note that such items are not known.
  const std::filesystem::path values = std::filesystem::path(run_) / "external-validation-values.npz";
  const auto sound = read_npz(values);
  const auto shown_with = [&](const char* name, const torch::Tensor& array) {
    auto arrays = sound;
    arrays[name] = array;
    write_npz(values, arrays);
    const Acted reported = infer({"pebble:2.5"});
    EXPECT_EQ(reported.code, 0) << reported.err;
    EXPECT_THAT(reported.err, HasSubstr("external-validation-values.npz is damaged")) << name << array;
    EXPECT_THAT(reported.err, HasSubstr("remove it, or write it again with pairs --batch external-validation"));
  };
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  shown_with("values", torch::zeros({3, 1}, torch::kFloat64));
  shown_with("values", torch::zeros({30, 2}, torch::kFloat64));
  shown_with("values", torch::full({30, 1}, nan, torch::kFloat64));
  shown_with("values", torch::zeros({30, 1}, torch::kInt64));
  shown_with("ends", torch::tensor({{nan, 1.0}}, torch::kFloat64));
  shown_with("ends", torch::tensor({{5.0, 1.0}}, torch::kFloat64));
  shown_with("ends", torch::tensor({{100.0, 200.0}}, torch::kFloat64));
  shown_with("most", torch::full({1}, nan, torch::kFloat64));
  shown_with("most", torch::full({1}, inf, torch::kFloat64));
  shown_with("most", torch::full({1}, -1.0, torch::kFloat64));
  std::filesystem::remove(values);
  EXPECT_THAT(infer({"pebble:2.5"}).err,
              HasSubstr("it finds items out of distribution by external-validation-values.npz, which is missing"));
}

// Large ones lie far beyond the prior, whose posterior is drawn away from all of them.
TEST_F(ItemsOfPeople, PosteriorsAreWidenedUntilTheyHoldWhatWasTried) {
  std::string list;
  for (int k = 0; k < 80; ++k) list += fmt::format("pebble:{}\n", 4 + 0.05 * ((k * 37) % 80));
  std::ofstream(folder_ / "list.txt") << list << "pebble:0\npebble:1\n";
  const nlohmann::json before = infer({"pebble:6.51"}).document;
  const Acted validated =
      act(add_external_validation, {run_, "--data", path("list.txt"), "--threads", "1", "--device", "cpu"}, tasks_);
  ASSERT_EQ(validated.code, 0) << validated.err;
  EXPECT_GT(validated.document.at("kinds").at(0).at("missed_99"), 20) << "else there is nothing to widen";
  ASSERT_EQ(validated.document.at("recalibrated").size(), 1) << "of two small ones nothing can be learned";
  const nlohmann::json& widened = validated.document.at("recalibrated").at(0);
  EXPECT_EQ(widened.at("kind"), "large pebble");
  EXPECT_EQ(widened.at("count"), 80);
  EXPECT_GE(widened.at("inside_90"), 0.8);
  EXPECT_LE(widened.at("missed_99"), 4);

  const auto interval = [](const nlohmann::json& answer) {
    return std::pair(answer.at("quantiles").at("0.05").at(0).get<double>(),
                     answer.at("quantiles").at("0.95").at(0).get<double>());
  };
  const Acted answer = infer({"pebble:6.51"});
  const auto [low, high] = interval(answer.document);
  EXPECT_LT(low, 6.51);
  EXPECT_GT(high, 6.51);
  EXPECT_LT(interval(before).second, 6.51);
  EXPECT_GT(high - low, 1.2 * (interval(before).second - interval(before).first));
  EXPECT_THAT(answer.err, Not(HasSubstr("validated on")));
  EXPECT_THAT(answer.text, HasSubstr("The posterior shown is widened by what these showed"));
  EXPECT_EQ(answer.document.at("external_validation").at("recalibrated").at(0).at("count"), 80);
  // Shares of one kind are no business of another's answer, which is not widened either.
  EXPECT_THAT(answer.text, Not(HasSubstr("small pebble")));
  EXPECT_EQ(answer.document.at("external_validation").at("kinds").size(), 1);
  const Acted small = infer({"pebble:1"});
  EXPECT_THAT(small.text, AllOf(Not(HasSubstr("large pebble")), Not(HasSubstr("widened"))));
  EXPECT_TRUE(small.document.at("external_validation").at("recalibrated").empty());

  std::ofstream(folder_ / "asked.txt") << "pebble:6.51\npebble:7\n";
  const Acted all = infer_all("asked.txt", "all.csv");
  ASSERT_EQ(all.code, 0) << all.err;
  const auto [low_of_many, high_of_many] = interval(all.document.at("sets").at(0));
  EXPECT_NEAR(low_of_many, low, 1e-6);
  EXPECT_NEAR(high_of_many, high, 1e-6);
  for (const nlohmann::json& row : all.document.at("sets")) {
    EXPECT_EQ(row.at("kind"), "large pebble");
    EXPECT_EQ(row.at("recalibrated"), validated.document.at("recalibrated"));
  }

  const std::filesystem::path file = std::filesystem::path(run_) / "external-validation.json";
  nlohmann::json sound = nlohmann::json::parse(read_file(file));
  sound.erase("check");
  for (const auto& [key, value] : std::vector<std::pair<const char*, nlohmann::json>>{{"factor_90", -1},
                                                                                      {"factor_99", "1"},
                                                                                      {"added", -0.5},
                                                                                      {"target", "phi"},
                                                                                      {"inside_90", 1.5},
                                                                                      {"missed_99", 81}}) {
    nlohmann::json document = sound;
    document["recalibrated"][0][key] = value;
    write_file(file, document.dump());
    EXPECT_THAT(infer({"pebble:6.51"}).err, HasSubstr("write it again with pairs --batch external-validation"))
        << key << value;
  }
}

// A density that is widened stays a density, its samples follow it, and none leaves the range of the target.
TEST(Recalibration, WidensSamplesAndDensityAlike) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const auto& [ends_low, ends_high] :
       std::vector<std::pair<double, double>>{{-infinity, infinity}, {0, infinity}, {-infinity, 1}, {0, 1}}) {
    const Target target{"t", "t", "", ends_low, ends_high, 0.5, 0.2, 1, 0, 1};
    PosteriorSource source;  // uniform on [.4, .5]
    source.log_density = [](const torch::Tensor& theta) {
      const torch::Tensor value = theta.select(1, 0);
      return torch::where((value >= 0.4) & (value <= 0.5), torch::full_like(value, std::log(10.0)),
                          torch::full_like(value, -infinity));
    };
    source.sample = [](std::int64_t draws, std::uint64_t) {
      return 0.4 + 0.1 * ((torch::arange(draws, torch::kFloat64) + 0.5) / static_cast<double>(draws)).unsqueeze(1);
    };
    const PosteriorSource widened =
        recalibrated(source, {target}, {{.kind = "k", .count = 99, .added = 0.2, .factor90 = 4, .factor99 = 6}});
    const torch::Tensor samples = widened.sample(20000, 1).select(1, 0);
    EXPECT_GT((samples.max() - samples.min()).item<double>(), 0.3);
    EXPECT_GE(samples.min().item<double>(), ends_low);
    EXPECT_LE(samples.max().item<double>(), ends_high);
    const double step = 1e-4;
    const torch::Tensor grid = torch::arange(-6.0, 7.0, step, torch::kFloat64) + step / 2;
    const torch::Tensor density = widened.log_density(grid.unsqueeze(1)).exp();
    EXPECT_NEAR(density.sum().item<double>() * step, 1, 2e-3) << ends_low << " " << ends_high;
    EXPECT_NEAR((density * (grid < 0.4)).sum().item<double>() * step,
                (samples < 0.4).to(torch::kFloat64).mean().item<double>(), 5e-3);
    // Never narrower.
    const PosteriorSource same =
        recalibrated(source, {target}, {{.kind = "k", .count = 99, .added = 0, .factor90 = 0.5, .factor99 = 0.5}});
    EXPECT_TRUE(same.sample(100, 1).equal(source.sample(100, 1)));
  }
}

TEST_F(ItemsOfPeople, ARecordThatCannotBeIsToldAndNotBelieved) {
  std::ofstream(folder_ / "list.txt") << "pebble:1\n";
  ASSERT_EQ(
      act(add_external_validation, {run_, "--data", path("list.txt"), "--threads", "1", "--device", "cpu"}, tasks_)
          .code,
      0);
  const std::filesystem::path file = std::filesystem::path(run_) / "external-validation.json";
  nlohmann::json sound = nlohmann::json::parse(read_file(file));
  nlohmann::json changed = sound;
  changed["kinds"][0]["count"] = sound["kinds"][0]["count"].get<int>() + 1;
  write_file(file, changed.dump());
  EXPECT_THAT(infer({"pebble:1"}).err, HasSubstr("does not fit its checksum"));
  sound.erase("check");
  const auto shown_with = [&](const char* key, const nlohmann::json& value) {
    nlohmann::json document = sound;
    (document.contains(key) ? document : document["kinds"][0])[key] = value;
    write_file(file, document.dump());
    const Acted reported = infer({"pebble:1"});
    EXPECT_EQ(reported.code, 0) << reported.err;
    EXPECT_THAT(reported.err, HasSubstr("external-validation.json")) << key << " " << value;
    EXPECT_THAT(reported.err, HasSubstr("remove it, or write it again with pairs --batch external-validation"))
        << key << " " << value;
    EXPECT_THAT(reported.text, Not(HasSubstr("External validation at N")));
  };
  shown_with("inside_90", {0.9, 0.9});
  shown_with("inside_90", {1.5});
  shown_with("count", -49);
  shown_with("count", 0);
  shown_with("count", 4.5);
  shown_with("count", 1e30);
  shown_with("n", 0);
  shown_with("missed_99", 2);
  shown_with("kinds", nlohmann::json::object());
  shown_with("learned_from", "something else");
  shown_with("weights", "00000000");
}

TEST_F(ItemsOfPeople, AItemNamedTwiceIsTriedOnce) {
  std::ofstream(folder_ / "one.pebble") << "0.5";
  std::ofstream(folder_ / "list.txt") << "pebble:0.5\npebble:0\n" << path("one.pebble") << "\npebble:0.50\n";
  const std::vector<std::string> machine = {"--threads", "1", "--device", "cpu"};
  const auto validated = [&](const std::string& data) {
    std::vector<std::string> words = {run_, "--data", data};
    words.insert(words.end(), machine.begin(), machine.end());
    return act(add_external_validation, words, tasks_);
  };
  const Acted listed = validated(path("list.txt"));
  ASSERT_EQ(listed.code, 0) << listed.err;
  EXPECT_EQ(listed.document.at("kinds").at(0).at("count"), 2);
  EXPECT_EQ(listed.document.at("repeated"), 2);
  const nlohmann::json& first = listed.document.at("items").at(0);
  EXPECT_EQ(first.at("name"), "pebble:0.5");
  EXPECT_EQ(first.at("kind"), "small pebble");
  EXPECT_EQ(first.at("own").at(0), 0.5);
  EXPECT_LT(first.at("low_90").at(0).get<double>(), 0.5);
  EXPECT_GT(first.at("high_90").at(0).get<double>(), 0.5);
  EXPECT_EQ(first.at("missed_99"), false);
  EXPECT_THAT(listed.text, HasSubstr("2 items named before were left out"));
  EXPECT_EQ(validated(path("one.pebble")).document.at("kinds").at(0).at("count"), 1) << "a thing in place of a list";

  const std::filesystem::path values = std::filesystem::path(run_) / "external-validation-values.npz";
  std::filesystem::remove(values);
  std::filesystem::create_directories(values);
  const Acted refused = validated(path("list.txt"));
  EXPECT_EQ(refused.code, 1) << refused.err;
  EXPECT_THAT(refused.err, HasSubstr("external-validation-values.npz"));
  EXPECT_THAT(refused.err, Not(HasSubstr("things")));
}

TEST_F(ItemsOfPeople, FewThatWereTriedSayLittle) {
  std::ofstream(folder_ / "one.pebble") << "1";
  std::ofstream(folder_ / "list.txt") << "# round ones\npebble:0\n \t\n" << path("one.pebble") << " a name\n";
  const std::vector<std::string> words = {run_, "--data", path("list.txt"), "--threads", "1", "--device", "cpu"};
  const Acted first = act(add_external_validation, words, tasks_), again = act(add_external_validation, words, tasks_);
  EXPECT_EQ(first.document.at("unread"), 0) << first.err << "blank lines and comments name nothing";
  EXPECT_THAT(infer({"pebble:1"}).err, HasSubstr("validated on 2 items like this one (small pebble) at N = 10"));
  EXPECT_THAT(infer({"pebble:1"}).err, HasSubstr("too few to show whether the posterior holds"));
  EXPECT_THAT(first.text, Not(HasSubstr("in place of")));
  EXPECT_THAT(again.text, HasSubstr("external-validation.json, in place of what was known of 2 items"));
}

TEST_F(ItemsOfPeople, WhatWasTriedIsKeptAndWarnsOfSuchItems) {
  EXPECT_THAT(infer({"pebble:1"}).err, HasSubstr("no external validation on items like this one (small pebble) with"));
  // Small ones are told 0, which the prior's posterior holds; one could not be read.
  std::string list;
  for (int k = 0; k < 20; ++k) list += fmt::format("pebble:{}\n", 40 + k);
  std::ofstream(folder_ / "list.txt") << list << "pebble:0\npebble:soft\n";
  const Acted validated =
      act(add_external_validation, {run_, "--data", path("list.txt"), "--threads", "1", "--device", "cpu"}, tasks_);
  ASSERT_EQ(validated.code, 0) << validated.err;
  EXPECT_EQ(validated.document.at("unread"), 1);
  const nlohmann::json &large = validated.document.at("kinds").at(0), &small = validated.document.at("kinds").at(1);
  EXPECT_EQ(large.at("kind"), "large pebble");
  EXPECT_EQ(large.at("count"), 20);
  EXPECT_EQ(large.at("n"), kTrained);
  EXPECT_EQ(large.at("inside_90"), nlohmann::json({0.0})) << "θ = 40 is far beyond the prior";
  EXPECT_EQ(large.at("missed_99"), 20);
  EXPECT_TRUE(large.at("warned").get<bool>());
  EXPECT_EQ(small.at("count"), 1);
  EXPECT_TRUE(std::filesystem::exists(std::filesystem::path(run_) / "external-validation.json"));
  const Acted elsewhere =
      act(add_external_validation, {run_, "--data", path("list.txt"), "--out", path("elsewhere.json")}, tasks_);
  EXPECT_EQ(elsewhere.document.at("kinds"), validated.document.at("kinds"));
  EXPECT_EQ(nlohmann::json::parse(read_file(path("elsewhere.json"))),
            nlohmann::json::parse(read_file(std::filesystem::path(run_) / "external-validation.json")));
  EXPECT_THAT(act(add_external_validation, {run_, "--data", path("list.txt"), "--out", path("list.txt")}, tasks_).err,
              HasSubstr(".json"));

  const Acted answer = infer({"pebble:41"});
  EXPECT_THAT(answer.err, HasSubstr("validated on 20 items like this one (large pebble) at N = 10: own values in its "
                                    "90 % interval: θ 0 %; do not trust the posterior"));
  EXPECT_THAT(answer.document.at("warnings").dump(), HasSubstr("validated on 20 items"));
  EXPECT_THAT(answer.text, HasSubstr("large pebble (20): θ 0 %"));
  const std::string outside = "lies outside the 99 % interval (θ, ";
  EXPECT_THAT(answer.err, HasSubstr("The pebble's own value " + outside));
  EXPECT_THAT(answer.document.at("warnings").dump(), HasSubstr(outside));
  EXPECT_THAT(infer({"pebble:0"}).err, Not(HasSubstr(outside)));
  EXPECT_EQ(answer.document.at("external_validation").at("kinds").at(0).at("count"), 20);
  const Acted drawn = figure({"pebble:41", "--n", "5"});
  EXPECT_THAT(drawn.err, HasSubstr("validated on 20 items"));
  EXPECT_THAT(drawn.document.at("source").get<std::string>(),
              HasSubstr("validated on 20 (large pebble) at N = 10: θ 0 %"));

  std::ofstream(std::filesystem::path(run_) / "external-validation.json") << "{";
  EXPECT_THAT(infer({"pebble:41"}).err, HasSubstr("external-validation.json is damaged"));
  EXPECT_THAT(act(add_external_validation, {run_, "--data", path("none.txt")}, tasks_).err, HasSubstr("none.txt"));
}

}  // namespace
}  // namespace pairs::batch
