#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "app/runs/run_labels.h"
#include "core/base/files/files.h"
#include "core/train/run/cost.h"
#include "core/train/run/run.h"
#include "tests/app/batch/program.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs::batch {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// Runs of a task, else the Gaussian, as training leaves them, whose weights are fresh.
class EnsembleCommand : public testing::Test {
 protected:
  std::string run(const std::string& name, std::int64_t seed, const std::vector<std::string>& set = {},
                  const std::string& strategy = "pairs", const std::string& task = "gaussian") {
    const auto tasks = built_in_tasks();
    std::vector<std::string> assignments = {"embedder.size=8", "head.hidden=16"};
    assignments.insert(assignments.end(), set.begin(), set.end());
    RunConfig config = load_preset(tasks, tasks->make(task)->info(), "quick", strategy, assignments);
    config.seed = seed;
    const std::filesystem::path folder = create_run(config, folder_ / name);
    Estimator estimator(config.make_task(), config.estimator, static_cast<std::uint64_t>(seed));
    estimator.set_max_n(100);
    const torch::Tensor mean = torch::zeros({estimator.embedding_size()}, torch::kFloat64),
                        eye = torch::eye(estimator.embedding_size(), torch::kFloat64);
    estimator.set_statistics({mean, eye, eye, torch::linspace(0, 9, 101, torch::kFloat64)}, false, 0);
    estimator.save(folder / run_file::estimator);
    return folder.string();
  }
  std::string csv(const std::string& text) {
    const std::filesystem::path file = folder_ / "data.csv";
    write_file(file, text);
    return file.string();
  }
  std::string why(std::vector<std::string> words) {
    words.insert(words.begin(), "ensemble");
    const Answer answer = run_words(words);
    EXPECT_EQ(answer.code, 2) << answer.out;
    return answer.err;
  }

  TemporaryFolder folder_;
  std::string a_ = run("a", 1), b_ = run("b", 2), c_ = run("c", 3), mean_ = folder_ / "mean";
};

TEST_F(EnsembleCommand, AveragesRunsThatEveryCommandThenTakes) {
  const Answer made = run_words({"--json", "ensemble", a_, b_, c_, "--out", mean_});
  ASSERT_EQ(made.code, 0) << made.err;
  const auto reported = nlohmann::json::parse(made.out);
  EXPECT_EQ(reported["runs"].size(), 3u);
  EXPECT_EQ(reported["runs"][1]["run"], "b");
  EXPECT_EQ(reported["runs"][1]["seed"], 2);
  // It depends on none of its runs.
  std::filesystem::remove_all(b_);
  const LoadedRun loaded = load_run(built_in_tasks(), mean_);
  EXPECT_EQ(loaded.estimator->members().size(), 3u);
  ASSERT_EQ(loaded.config.ensemble.size(), 3u);
  EXPECT_EQ(loaded.config.ensemble[2].seed, 3);
  EXPECT_EQ(reported["runs"][2]["weights"], loaded.config.ensemble[2].weights);

  const std::string data = csv("group,x1,x2\nu,0.1,1\nu,0.3,0\nv,0.2,1\nv,0.4,2\nv,-1,0\n");
  const Answer one = run_words({"--json", "infer", mean_, "--data", data, "--columns", "x1,x2", "--samples", "100"});
  ASSERT_EQ(one.code, 0) << one.err;
  const auto answer = nlohmann::json::parse(one.out);
  EXPECT_EQ(answer["ensemble"]["members"], 3);
  EXPECT_EQ(answer["ensemble"]["runs"][0]["run"], "a");
  EXPECT_TRUE(answer["ensemble"]["divergence"].is_number());
  EXPECT_EQ(answer["ensemble"]["spread"].size(), answer["targets"].size());
  const Answer said = run_words({"infer", mean_, "--data", data, "--columns", "x1,x2", "--samples", "100"});
  EXPECT_THAT(said.out, HasSubstr("The 3 runs of the ensemble differ by"));

  const std::string rows = folder_ / "rows.csv";
  const Answer many =
      run_words({"infer", mean_, "--data", data, "--group", "group", "--columns", "x1,x2", "--out", rows});
  ASSERT_EQ(many.code, 0) << many.err;
  EXPECT_THAT(read_file(rows), HasSubstr(",divergence,spread,distance,"));
  const Answer scored = run_words({"--json", "evaluate", mean_, "--sizes", "1,10", "--sets", "40", "--samples", "19"});
  ASSERT_EQ(scored.code, 0) << scored.err;
}

// Fresh weights know nothing, and their means lie apart: drawn together they give truths more probability, on other
// sets as well as on those that chose the width.
TEST_F(EnsembleCommand, DrawsTheMeanTogetherUntilItFits) {
  const std::string fitted = folder_ / "fitted";
  ASSERT_EQ(run_words({"ensemble", a_, b_, "--out", mean_}).code, 0);
  const Answer made = run_words({"--json", "ensemble", a_, b_, "--calibrate", "--out", fitted});
  ASSERT_EQ(made.code, 0) << made.err;
  const double width = nlohmann::json::parse(made.out)["width"];
  EXPECT_GE(width, 0.49);
  EXPECT_LE(width, 2.01);
  EXPECT_NE(width, 1);
  const auto nll = [&](const std::string& run) {
    const Answer scored =
        run_words({"--json", "evaluate", run, "--sizes", "1,10", "--sets", "200", "--samples", "0", "--seed", "9"});
    EXPECT_EQ(scored.code, 0) << scored.err;
    return nlohmann::json::parse(scored.out)["rows"][1]["nll"].get<double>();
  };
  EXPECT_LT(nll(fitted), nll(mean_));
}

// The numbers of the whole are those of the members' mean.
TEST_F(EnsembleCommand, AnswersWithTheMeanOfTheRuns) {
  ASSERT_EQ(run_words({"ensemble", a_, b_, "--out", mean_}).code, 0);
  const auto density = [&](const std::string& run) {
    const LoadedRun loaded = load_run(built_in_tasks(), run);
    const torch::Tensor x = torch::tensor({0.1, 0.3, 0.7, -1.0, 0.2, 2.0}).view({3, 2});
    const torch::Tensor aggregate = loaded.estimator->embed(Observations(x)).mean(0, true);
    return loaded.estimator
        ->log_prob(torch::full({1, loaded.task->info().target_size()}, 0.2, torch::kFloat64), aggregate,
                   torch::full({1}, 3, torch::kInt64))
        .exp()
        .item<double>();
  };
  EXPECT_NEAR(density(mean_), (density(a_) + density(b_)) / 2, 1e-6 * density(mean_));
}

TEST_F(EnsembleCommand, CostsWhatItsRunsCost) {
  ASSERT_EQ(run_words({"ensemble", a_, b_, "--out", mean_}).code, 0);
  const RunCost cost = cost_of(load_run(built_in_tasks(), mean_));
  EXPECT_FALSE(cost.known) << "the runs of this test have no whole record";
  EXPECT_THAT(cost.missing, HasSubstr("no training record"));
  Event reported;
  reported.type = EventType::started_from;
  reported.values = {{"from", "the mean of 2 runs"}, {"gflop", 5}, {"gflop_with_cache", 7}};
  append_event(std::filesystem::path(mean_) / run_file::events, reported);
  const RunCost known = cost_of(load_run(built_in_tasks(), mean_));
  ASSERT_TRUE(known.known);
  EXPECT_EQ(known.cost.paper(), 5);
  EXPECT_EQ(known.cost.with_cache(), 7);
}

TEST_F(EnsembleCommand, AFullDiskLeavesNoFolder) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const auto made = [&](const std::string& folder) {
    const rlimit full{10000, before.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &full);
    const Answer answer = run_words({"ensemble", a_, b_, "--out", folder});
    ::setrlimit(RLIMIT_FSIZE, &before);
    return answer;
  };
  EXPECT_EQ(made(mean_).code, 1);
  EXPECT_FALSE(std::filesystem::exists(mean_)) << "it would be taken for a run";
  std::filesystem::create_directory(mean_);
  EXPECT_EQ(made(mean_).code, 1);
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::path(mean_) / run_file::events));
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(run_words({"ensemble", a_, b_, "--out", mean_}).code, 0) << "the folder is as it was";
}

TEST_F(EnsembleCommand, IsNoSeedOfItsFirstRun) {
  ASSERT_EQ(run_words({"ensemble", a_, b_, "--out", mean_}).code, 0);
  std::vector<LabeledRun> runs;
  for (const std::string& one : {b_, c_, mean_}) {
    const LoadedRun loaded = load_run(built_in_tasks(), one);
    runs.push_back({loaded.name, loaded.config});
  }
  const std::vector<std::string> labels = seed_labels(runs);
  EXPECT_EQ(labels[0], labels[1]);
  EXPECT_NE(labels[0], labels[2]);
}

TEST_F(EnsembleCommand, RefusesRunsThatDoNotGoTogether) {
  const auto nothing_made = [&] { EXPECT_FALSE(std::filesystem::exists(mean_)); };
  EXPECT_THAT(why({a_, "--out", mean_}), HasSubstr("two runs or more"));
  EXPECT_THAT(why({a_, a_, "--out", mean_}), HasSubstr("name each run once"));
  EXPECT_THAT(why({a_, run("n1", 4, {}, "n1"), "--out", mean_}), HasSubstr("has the strategy"));
  EXPECT_THAT(why({a_, "circle", "--out", mean_}), HasSubstr("has the task"));
  EXPECT_THAT(why({a_, run("wide", 5, {"embedder.size=16"}), "--out", mean_}),
              HasSubstr("have embedder.size = 8 and 16"));
  nothing_made();
  ASSERT_EQ(run_words({"ensemble", a_, b_, "--out", mean_}).code, 0);
  EXPECT_THAT(why({a_, b_, "--out", mean_}), HasSubstr("already holds a run"));
  EXPECT_THAT(why({mean_, c_}), HasSubstr("not of other ensembles"));
}

TEST_F(EnsembleCommand, ABoundedTargetIsAveragedWithoutCalibrating) {
  const std::string d = run("d", 4, {}, "pairs", "bump-hunt"), e = run("e", 5, {}, "pairs", "bump-hunt");
  EXPECT_THAT(why({d, e, "--calibrate", "--out", mean_}),
              AllOf(HasSubstr("is bounded: made wider about its mean"), HasSubstr("without --calibrate")));
  EXPECT_FALSE(std::filesystem::exists(mean_));
  EXPECT_EQ(run_words({"ensemble", d, e, "--out", mean_}).code, 0);
}

TEST_F(EnsembleCommand, IsNotTrained) {
  ASSERT_EQ(run_words({"ensemble", a_, b_, "--out", mean_}).code, 0);
  const Answer resumed = run_words({"run", "--resume", mean_});
  EXPECT_EQ(resumed.code, 2);
  EXPECT_THAT(resumed.err, HasSubstr("is the mean of 2 runs and has nothing to train"));
  const Answer from = run_words({"run", "gaussian", "--set", "pretrain.from=" + mean_, "--out", folder_ / "next"});
  EXPECT_EQ(from.code, 2);
  EXPECT_THAT(from.err, HasSubstr("it is the mean of several runs; name one of these"));
}

}  // namespace
}  // namespace pairs::batch
