// A task of a person's own whose simulator fails now and then, from its file to answers.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/batch/infer/infer_sets.h"
#include "core/base/files/files.h"
#include "tests/app/batch/program.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs::batch {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// An observation is invalid with a probability of 0.1 theta.
constexpr const char* kFailing = R"(import numpy as np
from pairs_simulator import serve

def prior(rng, size):
    return rng.random(size)

def simulate(theta, psi, n, rng):
    x = rng.normal(theta[0], 0.3, (n, 2))
    x[rng.random(n) < 0.1 * theta[0], 1] = np.nan
    return x

serve(prior, simulate)
)";

class OwnInvalid : public ::testing::Test {
 protected:
  OwnInvalid() { ::setenv("XDG_CONFIG_HOME", (folder_ / "config").c_str(), 1); }
  ~OwnInvalid() override { ::unsetenv("XDG_CONFIG_HOME"); }
  std::string task(const std::string& more, const std::string& behind = "", int workers = 1) const {
    write_file(folder_ / "simulate.py", kFailing);
    write_file(folder_ / "task.toml",
               "name = \"failing\"\nmax_n = 20\n[[targets]]\nname = \"theta\"\nsupport = [0, 1]\n[x]\n"
               "columns = [\"u\", \"w\"]\n[simulator]\ncommand = [\"/usr/bin/python3\", \"simulate.py\"]\n" +
                   fmt::format("workers = {}\n", workers) + more + behind);
    return (folder_ / "task.toml").string();
  }
  Answer run(const std::string& file, const std::string& out, std::vector<std::string> more = {}) const {
    std::vector<std::string> words = {
        "run", file, "--allow", "--device", "cpu", "--threads", "1", "--out", (folder_ / out).string()};
    for (const char* setting :
         {"likelihood.enabled=false", "embedder.layers=16", "embedder.size=8", "head.hidden=16", "pretrain.epochs=2",
          "pretrain.steps=60", "pretrain.batch=128", "pretrain.validation_sets=500", "cache.sizes=20", "cache.sets=500",
          "finetune.epochs=2", "finetune.steps=40", "finetune.validation_draws=500"})
      words.insert(words.end(), {"--set", setting});
    words.insert(words.end(), more.begin(), more.end());
    return run_words(words);
  }
  TemporaryFolder folder_;
};

void expect_counted(const json& invalid) {
  ASSERT_TRUE(invalid.is_object()) << invalid;
  EXPECT_NEAR(invalid.at("share").get<double>(), 0.05, 0.02);
  const json& bins = invalid.at("targets").at(0).at("bins");
  ASSERT_EQ(bins.size(), 5u);
  const auto share = [&](std::size_t k) {
    return bins[k].at("invalid").get<double>() / bins[k].at("attempts").get<double>();
  };
  EXPECT_LT(share(0), share(4)) << invalid;
}

TEST_F(OwnInvalid, EndsARunUnlessTheTaskDrawsThemAgain) {
  const Answer stopped = run(task(""), "stopped");
  EXPECT_EQ(stopped.code, 1);
  EXPECT_THAT(stopped.err, AllOf(HasSubstr("holds nan"), HasSubstr("invalid = \"redraw\"")));

  const std::string file = task("invalid = \"redraw\"\n");
  const Answer trained = run(file, "run");
  ASSERT_EQ(trained.code, 0) << trained.err;
  EXPECT_THAT(trained.out,
              AllOf(HasSubstr("held numbers that are not finite and were drawn again"), HasSubstr("theta")));
  EXPECT_THAT(trained.err, HasSubstr("warning: "));
  EXPECT_THAT(trained.err, HasSubstr("conditional on observations being valid"));

  const std::string folder = (folder_ / "run").string();
  const Answer evaluated = run_words({"evaluate", folder, "--sizes", "2", "--sets", "200", "--json"});
  ASSERT_EQ(evaluated.code, 0) << evaluated.err;
  expect_counted(json::parse(evaluated.out).at("invalid"));

  const Answer planned = run_words({"data", file, "--plan", "--json"});
  ASSERT_EQ(planned.code, 0) << planned.err;
  expect_counted(json::parse(planned.out).at("invalid"));
  const Answer checked = run_words({"data", file, "--check"});
  ASSERT_EQ(checked.code, 0) << checked.out;
  EXPECT_THAT(checked.out, HasSubstr("were drawn again"));

  // Whatever the number of workers, the weights are the same.
  const std::string weights = read_file(folder_ / "run" / "estimator.safetensors");
  const Answer again = run(task("invalid = \"redraw\"\n", "", 3), "others");
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(read_file(folder_ / "others" / "estimator.safetensors"), weights);
}

TEST_F(OwnInvalid, WithinABudgetTheyAreCountedInTheRunsFolder) {
  const Answer trained = run(task("invalid = \"redraw\"\n"), "run", {"--simulations", "4000", "--json"});
  ASSERT_EQ(trained.code, 0) << trained.err;
  expect_counted(json::parse(trained.out).at("invalid"));
}

TEST_F(OwnInvalid, AConstantStatisticIsRefusedByThePlanAsByTheRun) {
  const std::string file = task("invalid = \"redraw\"\n", "[sufficient]\nstatistics = [\"u\", \"w - w\"]\n");
  const Answer trained = run(file, "run");
  EXPECT_EQ(trained.code, 1);
  const Answer planned = run_words({"data", file, "--plan"}), checked = run_words({"data", file, "--check"});
  for (const std::string& text : {trained.err, planned.err, checked.out + checked.err})
    EXPECT_THAT(text, HasSubstr("statistic w - w of task failing is the same for all observations"));
  EXPECT_NE(planned.code, 0);
  EXPECT_NE(checked.code, 0);
}

TEST(ProgressOfSets, IsTheRateOfAllThatAreDone) {
  EXPECT_EQ(progress_text(100, 200, 50), "100 of 200 sets, 2 a second, 0:50 left\n");
  EXPECT_THAT(progress_text(1, 200, 64), HasSubstr("0.0156 a second"));
  EXPECT_THAT(progress_text(1, 200, 64), Not(HasSubstr(", 0 a second")));
}

}  // namespace
}  // namespace pairs::batch
