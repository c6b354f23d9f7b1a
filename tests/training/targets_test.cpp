// Runs that infer other components of θ and ψ than the task's own targets.
#include <ATen/Functions.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "core/aggregate.h"
#include "core/base/files/files.h"
#include "core/base/files/safetensors.h"
#include "core/base/text/error.h"
#include "core/eval/evaluate/evaluate.h"
#include "core/train/run/run.h"
#include "tasks/registry.h"
#include "tests/core/base/temporary_folder.h"
#include "tests/core/train/test_monitor.h"
#include "tests/long_tests.h"

namespace pairs {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class ChosenTargetsRun : public ::testing::Test {
 protected:
  static RunConfig few(const std::string& task, std::vector<std::string> more, const std::string& strategy = "pairs") {
    std::vector<std::string> set = {
        "threads=1",         "device=cpu",       "checkpoint=1000",        "embedder.layers=[16]",
        "embedder.size=8",   "head.hidden=16",   "embedder.frequencies=8", "embedder.highest_frequency=8",
        "pretrain.epochs=2", "pretrain.steps=6", "pretrain.batch=64",      "pretrain.validation_sets=128"};
    if (strategy == "pairs")
      set.insert(set.end(), {"cache.sizes=[40]", "cache.sets=[60]", "cache.pieces=4", "finetune.epochs=2",
                             "finetune.steps=6", "finetune.batch=32", "finetune.validation_draws=64"});
    set.insert(set.end(), more.begin(), more.end());
    return load_preset(built_in_tasks(), built_in_tasks()->make(task)->info(), "quick", strategy, set);
  }
  std::filesystem::path trained(const RunConfig& config, const std::string& name, TestMonitor& monitor) {
    const auto run = create_run(config, folder_ / name);
    execute_run(built_in_tasks(), run, monitor);
    return run;
  }
  static std::map<std::string, torch::Tensor> embedder_of(const std::filesystem::path& file) {
    std::map<std::string, torch::Tensor> all = read_safetensors(file).tensors;
    std::erase_if(all, [](const auto& one) { return !one.first.starts_with("embedder."); });
    return all;
  }
  static std::string refusal(const std::string& task, const std::vector<std::string>& set) {
    try {
      few(task, set);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  TemporaryFolder folder_;
};

TEST_F(ChosenTargetsRun, AnswersForTheChosenTargetsAndSaysSoInItsFile) {
  TestMonitor monitor;
  const auto run = trained(few("bump-hunt", {"task.targets=psi,theta"}), "both", monitor);
  EXPECT_THAT(read_file(run / run_file::config), HasSubstr("targets = \"psi,theta\""));
  const LoadedRun loaded = load_run(built_in_tasks(), run.string());
  ASSERT_EQ(loaded.task->info().targets.size(), 2u);
  const std::vector<EvaluationRow> rows =
      evaluate(*loaded.estimator, {.sizes = {10}, .sets = {20}, .samples = 19, .references = {}});
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].ranks.size(), 2u);
  EXPECT_GT(rows[0].gap, 0) << "the exact posterior of both stands beside";
}

TEST_F(ChosenTargetsRun, OwnTargetsLeaveTheFileAsItWas) {
  const auto run = create_run(few("bump-hunt", {}), folder_ / "own");
  EXPECT_THAT(read_file(run / run_file::config), Not(HasSubstr("targets")));
}

TEST_F(ChosenTargetsRun, SeveralTargetsHaveSettingsOfTheirOwn) {
  const TaskInfo info = built_in_tasks()->make("bump-hunt")->info();
  const auto head = [&](const std::string& strategy, std::vector<std::string> set) {
    return load_preset(built_in_tasks(), info, "quick", strategy, set).estimator.head.kind;
  };
  EXPECT_EQ(head("pairs", {}), "spline");
  EXPECT_EQ(head("pairs", {"task.targets=psi"}), "spline");
  EXPECT_EQ(head("pairs", {"task.targets=theta,psi"}), "mixture");
  EXPECT_EQ(head("pairs", {"task.targets=theta,psi", "head.kind=spline"}), "spline");
  EXPECT_EQ(head("gaussian", {"task.targets=theta,psi"}), "gaussian") << "a strategy's head goes before";
}

TEST_F(ChosenTargetsRun, AFrozenEmbedderServesOtherTargets) {
  TestMonitor monitor;
  const auto both = trained(few("bump-hunt", {"task.targets=theta,psi"}), "both", monitor);
  const std::string from = "pretrain.from=" + both.string();
  TestMonitor reported;
  const auto place = trained(few("bump-hunt", {from, "pretrain.epochs=0", "task.targets=psi"}), "place", reported);
  const auto before = embedder_of(both / run_file::estimator), after = embedder_of(place / run_file::estimator);
  ASSERT_EQ(before.size(), after.size());
  for (const auto& [name, tensor] : before) EXPECT_TRUE(at::equal(tensor, after.at(name))) << name;
  EXPECT_TRUE(std::any_of(reported.events.begin(), reported.events.end(), [](const Event& event) {
    return event.type == EventType::warning &&
           event.values.at("text").get<std::string>().find("its targets are theta, psi, and here they are psi") !=
               std::string::npos;
  }));
  EXPECT_TRUE(std::none_of(reported.events.begin(), reported.events.end(), [](const Event& event) {
    return event.type == EventType::warning && event.stage == Stage::pretrain &&
           event.values.at("text").get<std::string>().find("no better than the prior") != std::string::npos;
  })) << "nobody has trained its head yet";
  EXPECT_EQ(load_run(built_in_tasks(), place.string()).task->info().targets.at(0).name, "psi");

  // Trained on, the embedder moves.
  const auto moved = trained(few("bump-hunt", {from, "seed=2"}), "moved", monitor);
  const auto other = embedder_of(moved / run_file::estimator);
  EXPECT_TRUE(std::any_of(before.begin(), before.end(),
                          [&](const auto& one) { return !at::equal(one.second, other.at(one.first)); }));
}

TEST_F(ChosenTargetsRun, AHeadThatNobodyWouldTrainIsRefused) {
  TestMonitor monitor;
  const auto own = trained(few("bump-hunt", {}, "e2e"), "own", monitor);
  const RunConfig config =
      few("bump-hunt", {"pretrain.from=" + own.string(), "pretrain.epochs=0", "task.targets=psi"}, "e2e");
  try {
    create_run(config, folder_ / "refused");
    FAIL() << "was not refused";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("no stage would train the fresh head"));
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ / "refused"));
}

TEST_F(ChosenTargetsRun, WhatCannotBeChosenIsRefusedBeforeAFolderIsMade) {
  EXPECT_THAT(refusal("bump-hunt", {"task.targets=theta,phi"}), HasSubstr("neither a target nor a nuisance"));
  EXPECT_THAT(refusal("digits", {"task.targets=angle"}), HasSubstr("task.targets"));
}

// Files of a run that is changed by hand belong to other weights.
TEST_F(ChosenTargetsRun, OtherTargetsInItsFileAreNoticed) {
  TestMonitor monitor;
  const auto run = trained(few("bump-hunt", {"task.targets=theta,psi"}), "both", monitor);
  std::string text = read_file(run / run_file::config);
  text.replace(text.find("theta,psi"), 9, "psi");
  write_file(run / run_file::config, text);
  EXPECT_THROW(load_run(built_in_tasks(), run.string()), Error);
}

// Log density of θ by a run of the preset at the truths of test sets of n observations -> [sets]. A joint density is
// summed over a grid of ψ.
torch::Tensor log_density_of_theta(const LoadedRun& run, std::int64_t n, std::int64_t sets, double step) {
  constexpr double low = -9, high = 11;  // five sd of ψ's prior
  constexpr std::int64_t at_once = 8;
  std::vector<std::int64_t> indices(static_cast<std::size_t>(sets));
  std::iota(indices.begin(), indices.end(), 0);
  const Latents latents = run.task->latents(1, Purpose::test, indices);
  const torch::Tensor aggregates = aggregate_sets(*run.estimator, latents, 1, Purpose::test, indices, n);
  const torch::Tensor sizes = at::full({sets}, n, torch::kInt64);
  if (latents.theta.size(1) == 1) return run.estimator->log_prob(latents.theta, aggregates, sizes);
  const torch::Tensor psi = at::arange(low + step / 2, high, step, torch::kFloat64);
  torch::Tensor out = at::empty({sets}, torch::kFloat64);
  for (std::int64_t first = 0; first < sets; first += at_once) {
    const std::int64_t count = std::min(at_once, sets - first), places = psi.size(0);
    const torch::Tensor theta = latents.theta.narrow(0, first, count).select(1, 0).unsqueeze(1).expand({count, places});
    const torch::Tensor at = at::stack({theta, psi.unsqueeze(0).expand({count, places})}, 2);
    const torch::Tensor log =
        run.estimator->log_prob_grid(at, aggregates.narrow(0, first, count), sizes.narrow(0, first, count));
    out.narrow(0, first, count).copy_(log.logsumexp(1) + std::log(step));
  }
  return out;
}

// The bump hunt's quick preset with the bump's place as a second target is no worse for θ than the preset for θ alone.
// Its gap to the exact joint posterior is at most a tenth of a nat, within the error.
TEST_F(ChosenTargetsRun, TheBumpHuntKnowsThetaAsWellWithItsPlace) {
  if (!long_tests()) GTEST_SKIP() << "takes a quarter of an hour; set PAIRS_LONG_TESTS=1";
  constexpr std::int64_t n = 100, sets = 2000;
  const auto quick = [&](const std::string& name, std::vector<std::string> set) {
    set.insert(set.end(), {"device=cpu", "threads=1"});
    const TaskInfo info = built_in_tasks()->make("bump-hunt")->info();
    TestMonitor monitor;
    const auto run = trained(load_preset(built_in_tasks(), info, "quick", "pairs", set), name, monitor);
    return load_run(built_in_tasks(), run.string());
  };
  const LoadedRun alone = quick("alone", {});
  const LoadedRun both = quick("both", {"task.targets=theta,psi"});
  const std::vector<EvaluationRow> rows =
      evaluate(*both.estimator, {.sizes = {n}, .sets = {sets}, .samples = 0, .references = {}});
  std::printf("gap of (θ, ψ) to quadrature at N = %d: %.4f ± %.4f nat\n", static_cast<int>(n), rows[0].gap,
              rows[0].gap_se);
  EXPECT_LE(rows[0].gap, 0.1 + rows[0].gap_se);
  const torch::Tensor of_both = log_density_of_theta(both, n, sets, 0.0025);
  EXPECT_TRUE(at::allclose(of_both.narrow(0, 0, 40), log_density_of_theta(both, n, 40, 0.00125), 0, 2e-3))
      << "the grid of ψ is fine enough";
  const torch::Tensor worse = log_density_of_theta(alone, n, sets, 0) - of_both;
  const double mean = worse.mean().item<double>(), error = (worse.std() / std::sqrt(double{sets})).item<double>();
  std::printf("log density of θ alone less that of θ's marginal: %.4f ± %.4f nat\n", mean, error);
  EXPECT_LE(mean, 0.02);
}

}  // namespace
}  // namespace pairs
