// A task of a person's own that asks for a direction, from its file to answers.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>

#include "core/base/files/files.h"
#include "core/base/files/npz.h"
#include "tests/app/batch/program.h"
#include "tests/core/base/temporary_folder.h"

namespace pairs::batch {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

constexpr const char* kWindSource = R"(import numpy as np
from pairs_simulator import serve

def prior(rng, size):
    return np.stack([rng.uniform(0, 360, size), 10 ** rng.uniform(0, 6, size), rng.exponential(1, size)], 1)

def simulate(theta, psi, n, rng):
    return np.stack([rng.normal(theta[0], 30, n) % 360, rng.normal(0, 1, n)], 1)

serve(prior, simulate)
)";

constexpr const char* kWindTask = R"(name = "wind"
max_n = 20
[[targets]]
name = "direction"
unit = "°"
support = [0, 360]
periodic = true
[[targets]]
name = "speed"
support = [0, inf]
[[targets]]
name = "wait"
support = [0, inf]
[x]
columns = ["wind", "noise"]
periodic = { wind = 360 }
[simulator]
command = ["/usr/bin/python3", "simulate.py"]
workers = 1
)";

class OwnPeriodic : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<TemporaryFolder>();
    ::setenv("XDG_CONFIG_HOME", (*folder_ / "config").c_str(), 1);
    write_file(path("simulate.py"), kWindSource);
    write_file(path("task.toml"), kWindTask);
    // Twelve directions around 2 degrees, of which half lie below 0.
    for (const double turn : {0.0, -360.0, 720.0}) {
      std::string rows = "wind,noise\n";
      for (int k = 0; k < 12; ++k) {
        const double degrees = std::fmod(362 + 11 * (k - 5.5), 360);
        rows += fmt::format("{},{}\n", degrees + (turn == 0 ? 0 : (k % 3) * turn), 0.1 * k - 0.55);
      }
      write_file(path(fmt::format("x{}.csv", turn)), rows);
    }
    std::vector<std::string> words = {"run", path("task.toml"), "--allow",   "--device", "cpu",      "--threads",
                                      "1",   "--targets",       "direction", "--out",    path("run")};
    for (const char* setting :
         {"likelihood.steps=400", "likelihood.compared=4", "embedder.layers=32", "embedder.size=8", "head.hidden=32",
          "pretrain.epochs=5", "pretrain.steps=80", "pretrain.batch=256", "pretrain.rate=3e-3",
          "pretrain.validation_sets=500", "cache.sizes=20", "cache.sets=1000", "finetune.epochs=5", "finetune.steps=80",
          "finetune.rate=3e-3", "finetune.validation_draws=500"})
      words.insert(words.end(), {"--set", setting});
    trained_ = run_words(words);
  }
  static void TearDownTestSuite() {
    ::unsetenv("XDG_CONFIG_HOME");
    folder_.reset();
  }
  void SetUp() override { ASSERT_EQ(trained_.code, 0) << trained_.err; }

  static std::string path(const std::string& name) { return (*folder_ / name).string(); }
  static json answer_of(std::vector<std::string> words) {
    words.insert(words.end(), {"--json"});
    const Answer answer = run_words(words);
    EXPECT_EQ(answer.code, 0) << answer.err;
    return json::parse(answer.out);
  }
  static json infer(const std::string& data, std::vector<std::string> more = {}) {
    std::vector<std::string> words = {"infer", path("run"), "--data", path(data), "--overwrite"};
    words.insert(words.end(), more.begin(), more.end());
    return answer_of(words);
  }

  static inline std::unique_ptr<TemporaryFolder> folder_;
  static inline Answer trained_;
};

// The posterior of a set on both sides of 0 is one piece, in the support and around it, by either source.
TEST_F(OwnPeriodic, PosteriorsGoAroundTheCircle) {
  for (const char* source : {"run", "refined"}) {
    const json one = infer("x0.csv", {"--source", source, "--predictive", "0", "--out", path("draws.npz")});
    const double mean = one.at("mean")[0], sd = one.at("sd")[0];
    EXPECT_GE(mean, 0) << source;
    EXPECT_LT(mean, 360) << source;
    EXPECT_LT(std::abs(std::remainder(mean - 2, 360)), 8) << source << ": " << mean;
    EXPECT_NEAR(sd, 30 / std::sqrt(12), 5) << source;
    const double low = one.at("intervals").at("0.9")[0][0], high = one.at("intervals").at("0.9")[0][1];
    EXPECT_LT(low, mean) << source;
    EXPECT_GT(high, mean) << source;
    EXPECT_NEAR(high - low, 3.29 * sd, 0.3 * sd) << source;
    const torch::Tensor theta = read_npz(path("draws.npz")).at("samples").flatten();
    EXPECT_GE(theta.min().item<double>(), 0);
    EXPECT_LT(theta.max().item<double>(), 360);
    const torch::Tensor near = (theta - 2 + 180).remainder(360) - 180;
    EXPECT_LT(near.abs().max().item<double>(), 120) << source;
  }
}

// Observations may be written in any turn.
TEST_F(OwnPeriodic, ObservationsAreOfAnyTurn) {
  const std::vector<std::string> brief = {"--predictive", "0"};
  const json one = infer("x0.csv", brief), below = infer("x-360.csv", brief), above = infer("x720.csv", brief);
  for (const json& other : {below, above}) {
    EXPECT_NEAR(other.at("mean")[0].get<double>(), one.at("mean")[0].get<double>(), 1e-2);
    EXPECT_NEAR(other.at("sd")[0].get<double>(), one.at("sd")[0].get<double>(), 1e-2);
  }
  const json tested = infer("x-360.csv", {"--predictive", "100"});
  EXPECT_GT(tested.at("predictive").at("p").get<double>(), 0.01) << tested.at("predictive");
}

TEST_F(OwnPeriodic, ReadersAreToldWhatPassesTheEnd) {
  const auto printed = [&](const std::string& interval) {
    const Answer answer = run_words(
        {"infer", path("run"), "--data", path("x0.csv"), "--overwrite", "--predictive", "0", "--interval", interval});
    EXPECT_EQ(answer.code, 0) << answer.err;
    return answer.out;
  };
  EXPECT_THAT(printed("central"), HasSubstr(" of direction, which repeats after 360."));
  EXPECT_THAT(printed("upper"), HasSubstr("Upper limits of direction, which is periodic"));
}

TEST_F(OwnPeriodic, ScoresAndFiguresGoAround) {
  const json scores = answer_of({"evaluate", path("run"), "--sizes", "1,10", "--sets", "400", "--refine", "0"});
  for (const json& row : scores.at("rows")) {
    EXPECT_LT(row.at("sd").get<double>(), row.at("n") == 1 ? 45 : 18) << "none is spread over both ends";
    EXPECT_LT(row.at("rmae").get<double>(), 0.1);
  }
  const Answer drawn =
      run_words({"figure", "posterior", path("run"), "--data", path("x0.csv"), "--out", path("p.csv")});
  ASSERT_EQ(drawn.code, 0) << drawn.err;
}

TEST_F(OwnPeriodic, TheTaskIsDescribed) {
  const Answer described = run_words({"tasks", "--task-file", path("task.toml")});
  ASSERT_EQ(described.code, 0) << described.err;
  EXPECT_THAT(described.out, HasSubstr("whose ends are the same"));
  EXPECT_THAT(described.out, HasSubstr("cos(2π wind / 360) and sin(2π wind / 360)"));
  const Answer checked = run_words({"data", path("task.toml"), "--check"});
  ASSERT_EQ(checked.code, 0) << checked.out;
  EXPECT_THAT(checked.out,
              HasSubstr("decades: let the target be its logarithm, and the program simulate from 10^speed"));
  EXPECT_THAT(checked.out, ::testing::Not(HasSubstr("% of direction")));
  EXPECT_THAT(checked.out, ::testing::Not(HasSubstr("% of wait"))) << "an exponential is no matter of scales";
}

}  // namespace
}  // namespace pairs::batch
