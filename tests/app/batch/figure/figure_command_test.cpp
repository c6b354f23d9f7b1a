#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <filesystem>

#include "app/scores/run_evaluation.h"
#include "core/base/files/files.h"
#include "tasks/registry.h"
#include "tests/app/batch/program.h"
#include "tests/app/model/small_run.h"

// What `figure` and `evaluate` do with runs' scores.

namespace pairs::batch {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const TemporaryFolder& folder() {
  static const TemporaryFolder folder;
  return folder;
}

const std::string& run_a() {
  static const std::string run = model::small_run(folder().path(), "a", "gaussian");
  return run;
}

std::string out(const std::string& name) {
  return (folder() / name).string();
}

bool exists(const std::string& file) {
  return std::filesystem::exists(file);
}

TEST(FigureCommand, RefusesHeightsAndIndicesThatMeanNothing) {
  const auto refused = [](std::vector<std::string> more) {
    std::vector<std::string> words = {"figure", "posterior", run_a(), "--n", "2", "--out", out("refused.svg")};
    words.insert(words.end(), more.begin(), more.end());
    const Answer ran = run_words(words);
    EXPECT_EQ(ran.code, 2) << ran.err;
    EXPECT_FALSE(exists(out("refused.svg")));
    return ran.err;
  };
  EXPECT_THAT(refused({"--height=-1,2"}), HasSubstr("not above zero"));
  EXPECT_THAT(refused({"--data", out("set.csv"), "--index", "1"}), HasSubstr("--index chooses a simulated set"));
  EXPECT_THAT(refused({"--random", "3"}), HasSubstr("name one with --data"));
}

// The help of an option names the figures that read it. All other figures refuse it before they open a run.
TEST(FigureCommand, RefusesOptionsThatItDoesNotRead) {
  CLI::App app;
  const Action action = add_figure(app, built_in_tasks());
  const nlohmann::json listed = nlohmann::json::parse(run_words({"figure", "list", "--json"}).out).at("figures");
  int refused = 0, read = 0;
  for (const CLI::Option* option : app.get_options()) {
    const std::string name = option->get_name(), help = option->get_description();
    if (!name.starts_with("--") || name == "--help") continue;
    const bool any = listed.dump().find('"' + help.substr(0, help.find_first_of(",:")) + '"') == std::string::npos;
    const std::string value = name == "--out"        ? out("never.svg")
                              : name == "--up"       ? "z"
                              : name == "--interval" ? "central"
                              : name == "--device"   ? "cpu"
                              : name == "--data"     ? "x"
                              : name == "--columns"  ? "a"
                              : name == "--missing"  ? "drop"
                                                     : "2";
    for (const nlohmann::json& figure : listed) {
      const std::string figure_name = figure.at("name").get<std::string>();
      const bool network = figure_name != "loss" || (name != "--device" && name != "--threads");
      const bool reads = network && (any || help.substr(0, help.find(':')).find(figure_name) != std::string::npos ||
                                     help.find("; " + figure_name + ":") != std::string::npos);
      std::vector<std::string> words = {"figure", figure_name, "no-such-run", name};
      if (name != "--allow" && name != "--overwrite") words.push_back(value);
      const Answer answer = run_words(words);
      EXPECT_EQ(answer.code, 2) << figure_name << " " << name << ": " << answer.err;
      EXPECT_EQ(answer.err.find("does not read " + name) != std::string::npos, !reads) << answer.err;
      ++(reads ? read : refused);
    }
    EXPECT_EQ(run_words({"figure", "list", name, name == "--allow" || name == "--overwrite" ? "--json" : value}).code,
              2)
        << name;
  }
  EXPECT_GT(refused, 100);
  EXPECT_GT(read, 50);
}

TEST(FigureCommand, TakesOtherEpochsForAnotherRunAndOtherSeedsForSeeds) {
  const std::string seed = model::small_run(folder().path(), "seed", "gaussian", 2);
  const std::string longer = model::small_run(folder().path(), "longer", "gaussian", 2, "pairs", {"finetune.epochs=3"});
  const std::string file = out("nll.csv");
  ASSERT_EQ(run_words({"figure", "nll", run_a(), seed, "--out", file}).code, 0);
  EXPECT_THAT(read_file(file), HasSubstr("(2 seeds)"));
  ASSERT_EQ(run_words({"figure", "nll", run_a(), longer, "--out", file}).code, 0);
  EXPECT_THAT(read_file(file), Not(HasSubstr("seeds")));
  for (const char* name : {",a,line,", ",longer,line,"}) EXPECT_THAT(read_file(file), HasSubstr(name));
  const Answer twice = run_words({"figure", "nll", run_a(), run_a() + "/", "--out", file});
  EXPECT_EQ(twice.code, 2);
  EXPECT_THAT(twice.err, HasSubstr("a is named twice"));
}

TEST(FigureCommand, RefusesAtOnceWhatATaskCannotShow) {
  for (const auto& [figure, text] :
       {std::pair("gap", "no exact posterior"), std::pair("mse", "draw the figure rmae")}) {
    const Answer answer = run_words({"figure", figure, "digits", "--out", out("never.svg")});
    EXPECT_EQ(answer.code, 1);
    EXPECT_THAT(answer.err, HasSubstr(text));
    EXPECT_THAT(answer.err, Not(HasSubstr("evaluating")));
  }
  EXPECT_FALSE(exists(out("never.svg")));
}

TEST(FigureCommand, DrawsThePosteriorOfHeadsForSomeSizes) {
  const std::string run = model::small_run(folder().path(), "heads", "gaussian", 1, "pairs",
                                           {"cache.sizes=2,10", "cache.pieces=2", "finetune.heads=per-n",
                                            "finetune.size_distribution=list", "evaluate.sizes=2,10"});
  const Answer answer = run_words({"figure", "posterior", run, "--out", out("heads.csv")});
  ASSERT_EQ(answer.code, 0) << answer.err;
  EXPECT_THAT(read_file(out("heads.csv")), HasSubstr("N = 2"));
  EXPECT_THAT(read_file(out("heads.csv")), HasSubstr("N = 10"));
}

// The figure gives the warnings that infer gives for a set, in the same words.
TEST(FigureCommand, WarnsAsInferDoes) {
  std::string text = "x1,x2\n";
  for (int i = 0; i < 20; ++i) text += "5000,5000\n";
  write_file(out("far.csv"), text);
  const Answer figure =
      run_words({"figure", "posterior", "gaussian", "--data", out("far.csv"), "--n", "20", "--out", out("far.svg")});
  const Answer infer = run_words({"infer", "gaussian", "--data", out("far.csv"), "--out", out("far.npz")});
  const std::string warning = "warning: Model rejected (within the set, p ";
  ASSERT_THAT(infer.err, HasSubstr(warning));
  const std::size_t at = infer.err.find(warning);
  EXPECT_THAT(figure.err, HasSubstr(infer.err.substr(at, infer.err.find('\n', at) - at)));
  const std::string advice = "--predictive 200 tests whether the model makes such sets";
  EXPECT_THAT(infer.out, HasSubstr(advice));
  const Answer alone = run_words(
      {"infer", "gaussian", "--data", out("far.csv"), "--out", out("far.npz"), "--overwrite", "--predictive", "0"});
  EXPECT_THAT(alone.err, HasSubstr("warning: Out of distribution (above the 99.99th percentile of training)"));
  write_file(out("near.csv"), "x1,x2\n0.1,-0.2\n0.3,0.1\n");
  EXPECT_THAT(
      run_words({"infer", "gaussian", "--data", out("near.csv"), "--out", out("near.npz"), "--predictive", "0"}).out,
      Not(HasSubstr(advice)));
}

TEST(FigureCommand, RunsMcmcBesideTheReferences) {
  for (const auto& [name, sets] : {std::pair("width", 21), std::pair("location", 42)}) {
    const std::string file = out(std::string(name) + ".csv");
    const std::vector<std::string> words = {"figure",        name,  "bump-hunt",    "--sets", "3",     "--mcmc", "1",
                                            "--mcmc-tuning", "200", "--mcmc-draws", "200",    "--out", file};
    const Answer reported = run_words(words);
    ASSERT_EQ(reported.code, 0) << reported.err;
    for (const char* part : {"worst R-hat", "least effective sample size", "seconds a data set"})
      EXPECT_THAT(reported.out, HasSubstr(part));
    EXPECT_THAT(read_file(file), HasSubstr("MCMC (NUTS)"));
    std::vector<std::string> document = words;
    document.push_back("--json");
    const nlohmann::json mcmc = nlohmann::json::parse(run_words(document).out).at("mcmc");
    EXPECT_EQ(mcmc.at("sets"), sets);
    EXPECT_GE(mcmc.at("effective_sample_size"), 1);
    EXPECT_GT(mcmc.at("seconds"), 0);
    EXPECT_GT(mcmc.at("exact_seconds"), 0);
  }
  const auto refused = [](std::vector<std::string> more) {
    std::vector<std::string> words = {"figure", "width", "bump-hunt", "--out", out("refused.svg")};
    words.insert(words.end(), more.begin(), more.end());
    const Answer answer = run_words(words);
    EXPECT_EQ(answer.code, 2) << answer.err;
    return answer.err;
  };
  EXPECT_THAT(refused({"--mcmc-chains", "3"}), HasSubstr("ask for them with --mcmc M"));
  EXPECT_THAT(refused({"--mcmc", "1", "--mcmc-draws", "7"}), HasSubstr("give 8 or more"));
}

TEST(FigureCommand, DrawsTheLearnedProduct) {
  const Answer answer =
      run_words({"figure", "posterior", "bump-hunt", "--n", "10", "--learned-product", "--out", out("product.csv")});
  ASSERT_EQ(answer.code, 0) << answer.err;
  EXPECT_THAT(read_file(out("product.csv")), HasSubstr("learned product"));
  const Answer none =
      run_words({"figure", "posterior", "digits", "--n", "5", "--learned-product", "--out", out("none.csv")});
  ASSERT_EQ(none.code, 0) << none.err;
  EXPECT_THAT(none.err, HasSubstr("learned product is left out: task digits knows no density of its prior"));
}

TEST(FigureCommand, RefusesPicturesAsCsv) {
  const Answer answer = run_words({"figure", "samples", "digits", "--out", out("samples.csv")});
  EXPECT_EQ(answer.code, 2);
  EXPECT_THAT(answer.err, HasSubstr("nothing but pictures"));
  EXPECT_FALSE(exists(out("samples.csv")));
}

TEST(EvaluateCommand, ReplacesAMetricsFileThatCannotBeRead) {
  const std::string file = run_a() + "/" + run_file::metrics;
  for (const char* text : {"{\"task\": ", "{\"task\":\"gaussian\",\"rows\":[{\"log_prob\":[null]}]}"}) {
    write_file(file, text);
    const Answer answer = run_words({"evaluate", run_a(), "--sets", "30", "--samples", "19"});
    ASSERT_EQ(answer.code, 0) << answer.err;
    EXPECT_THAT(answer.err, HasSubstr("cannot be read and will be replaced"));
    EXPECT_EQ(read_metrics(built_in_tasks(), file)->rows.size(), 2u);
    for (const char* part : {"location z", "width z", "rank p", "Family-wise false-alarm rate"})
      EXPECT_THAT(answer.out, HasSubstr(part));
  }
  const Answer again = run_words({"evaluate", run_a(), "--sets", "40", "--samples", "19", "--json"});
  EXPECT_THAT(again.err, Not(HasSubstr("cannot be read")));
  for (const nlohmann::json& row : nlohmann::json::parse(again.out)["rows"])
    for (const char* key : {"location_z", "width_z", "rank_p"}) EXPECT_EQ(row.at(key).size(), 2u) << key;
}

// At N = 1 the run's own answer; at N = 10 near the product of exact answers, a nat behind the run's own answer to the
// set. Ten answers that are each off by a hundredth of a nat are off by a tenth together.
TEST(EvaluateCommand, ScoresTheLearnedProduct) {
  const Answer answer = run_words({"evaluate", "bump-hunt", "--sizes", "1,10", "--sets", "100", "--samples", "19",
                                   "--learned-product", "100", "--json"});
  ASSERT_EQ(answer.code, 0) << answer.err;
  const nlohmann::json rows = nlohmann::json::parse(answer.out).at("rows");
  const auto nll = [&](std::size_t k, const char* name) {
    return rows.at(k).at("reference_nll").at(name).get<double>();
  };
  EXPECT_NEAR(nll(0, "learned product"), rows.at(0).at("nll").get<double>(), 2e-3);
  EXPECT_NEAR(nll(1, "learned product"), nll(1, "naive product"), 0.15);
  EXPECT_GT(nll(1, "learned product"), rows.at(1).at("nll").get<double>() + 0.5);
  const Answer none = run_words({"evaluate", "digits", "--sizes", "1", "--learned-product", "5"});
  EXPECT_EQ(none.code, 2);
  EXPECT_THAT(none.err, HasSubstr("task digits knows no density of its prior"));
}

TEST(EvaluateCommand, ScoresTheRefinedPosterior) {
  const Answer answer = run_words({"evaluate", "bump-hunt", "--sizes", "1,10", "--sets", "25", "--samples", "19",
                                   "--refine", "20", "--json", "--out", out("refined.json")});
  ASSERT_EQ(answer.code, 0) << answer.err;
  const nlohmann::json document = nlohmann::json::parse(answer.out);
  for (const nlohmann::json& row : document.at("rows")) {
    const nlohmann::json& gain = row.at("reference_gain").at("refined");
    EXPECT_EQ(gain.at("sets"), 20);
    EXPECT_LE(gain.at("left_out"), 2);
    EXPECT_NEAR(gain.at("gain").get<double>(), 0, 0.15);
    EXPECT_NEAR(row.at("reference_gap").at("refined").at(0).get<double>(), 0, 0.08) << "it is nearly exact";
  }
  EXPECT_EQ(read_metrics(built_in_tasks(), out("refined.json"))->rows.at(1).reference_gain.at("refined").sets, 20);
  const Answer none = run_words({"evaluate", "digits", "--sizes", "1", "--refine", "5"});
  EXPECT_EQ(none.code, 2);
  EXPECT_THAT(none.err, HasSubstr("--refine cannot serve this run: its observations are images"));
}

TEST(FigureCommand, DrawsTheRefinedPosterior) {
  const Answer answer =
      run_words({"figure", "posterior", "bump-hunt", "--n", "10", "--refine", "--out", out("refined.csv")});
  ASSERT_EQ(answer.code, 0) << answer.err;
  EXPECT_THAT(read_file(out("refined.csv")), HasSubstr("refined"));
  const Answer none = run_words({"figure", "posterior", "digits", "--n", "5", "--refine", "--out", out("none2.csv")});
  EXPECT_EQ(none.code, 2);
  EXPECT_THAT(none.err, HasSubstr("--refine cannot serve this run: its observations are images"));
}

TEST(EvaluateCommand, ScoresLargerSetsWhereItIsForced) {
  const std::string run = model::small_run(folder().path(), "small", "gaussian");
  const std::vector<std::string> words = {"evaluate", run, "--sizes", "1,500", "--sets", "30", "--samples", "19"};
  EXPECT_THAT(run_words(words).err, HasSubstr("--force scores it all the same"));
  std::vector<std::string> forced = words;
  forced.push_back("--force");
  const Answer answer = run_words(forced);
  ASSERT_EQ(answer.code, 0) << answer.err;
  EXPECT_THAT(answer.out, HasSubstr("500, extrapolation"));
  forced[3] = "1,200000";
  EXPECT_THAT(run_words(forced).err, HasSubstr("the maximum for task gaussian"));
}

TEST(EvaluateCommand, WritesNothingForWeightsThatAreNotNumbers) {
  const std::string run = model::small_run(folder().path(), "nan", "gaussian");
  const LoadedRun loaded = load_run(built_in_tasks(), run, "", "cpu");
  {
    torch::NoGradGuard no_grad;
    for (auto& [name, weight] : loaded.estimator->head_parameters()) weight.fill_(NAN);
  }
  loaded.estimator->save(std::filesystem::path(run) / run_file::estimator);
  for (const char* samples : {"0", "19"}) {
    const Answer answer = run_words({"evaluate", run, "--samples", samples});
    EXPECT_EQ(answer.code, 1);
    EXPECT_THAT(answer.err, HasSubstr("nan"));
    EXPECT_EQ(answer.out, "");
    EXPECT_FALSE(exists(run + "/" + run_file::metrics));
  }
}

TEST(CompareCommand, TellsCalibrationOfEachRun) {
  const std::string other = model::small_run(folder().path(), "other", "gaussian", 5);
  const Answer answer = run_words({"compare", run_a(), other, "--sets", "30", "--samples", "19", "--json"});
  ASSERT_EQ(answer.code, 0) << answer.err;
  for (const nlohmann::json& run : nlohmann::json::parse(answer.out)["runs"])
    EXPECT_EQ(run["rows"][0].at("location_z").size(), 2u);
}

}  // namespace
}  // namespace pairs::batch
