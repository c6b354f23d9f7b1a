// A line with unknown slope (the target), offset and size of the noise, whose exact posterior is Student's t.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <vector>

#include "core/base/threads/clock.h"
#include "core/train/run/run.h"
#include "tasks/file_facts.h"
#include "tasks/registry.h"
#include "tests/core/train/test_monitor.h"
#include "tests/long_tests.h"
#include "tests/tasks/own/exact_gap.h"
#include "tests/tasks/own/own_files.h"
#include "tests/tasks/sets.h"

namespace pairs::own {
namespace {

// sigma^2 ~ InverseGamma(3, 1); slope and offset ~ Normal(0, 4 sigma^2); u ~ Uniform(-1, 1).
constexpr double kShape = 3, kRate = 1, kPriorWidth2 = 4;

const char* const kLine =
    "import numpy as np\nfrom pairs_simulator import serve\n"
    "def prior(rng, size):\n"
    "    sigma = np.sqrt(1 / rng.gamma(3, 1, size))\n"
    "    return 2 * sigma * rng.standard_normal(size), np.stack([2 * sigma * rng.standard_normal(size), sigma], 1)\n"
    "def simulate(theta, psi, n, rng):\n"
    "    u = 2 * rng.random(n) - 1\n"
    "    return np.stack([u, theta[0] * u + psi[0] + psi[1] * rng.standard_normal(n)], 1)\n"
    "serve(prior, simulate)\n";

const char* const kTask =
    "name = \"line\"\nmax_n = 1000\n"
    "[[targets]]\nname = \"slope\"\nsupport = [-inf, inf]\n"
    "[[nuisances]]\nname = \"offset\"\nsupport = [-inf, inf]\n"
    "[[nuisances]]\nname = \"sigma\"\nsupport = [0, inf]\n"
    "[x]\ncolumns = [\"u\", \"v\"]\n"
    "[simulator]\ncommand = [\"/usr/bin/python3\", \"simulate.py\"]\nworkers = 1\n";

// log p(slope | x) for each set: of a normal with unknown mean and variance by conjugacy. x (B, N, 2), slope (B, 1).
torch::Tensor exact_log_prob(const torch::Tensor& slope, const torch::Tensor& x) {
  const double n = static_cast<double>(x.size(1));
  const torch::Tensor u = x.select(2, 0), v = x.select(2, 1);
  const torch::Tensor uu = (u * u).sum(1) + 1 / kPriorWidth2, su = u.sum(1), uv = (u * v).sum(1), sv = v.sum(1);
  const double ones = n + 1 / kPriorWidth2;
  const torch::Tensor determinant = uu * ones - su * su;
  const torch::Tensor mean = (ones * uv - su * sv) / determinant, offset = (uu * sv - su * uv) / determinant;
  const double shape = kShape + n / 2, freedom = 2 * shape;
  const torch::Tensor rate = kRate + ((v * v).sum(1) - mean * uv - offset * sv) / 2;
  const torch::Tensor scale2 = rate / shape * ones / determinant;
  const torch::Tensor z2 = (slope.squeeze(1) - mean).square() / scale2;
  return std::lgamma((freedom + 1) / 2) - std::lgamma(freedom / 2) - 0.5 * (freedom * M_PI * scale2).log() -
         (freedom + 1) / 2 * (1 + z2 / freedom).log();
}

class OwnLine : public OwnFolder {
 protected:
  std::string task(const std::string& max_n = "1000") const {
    write("simulate.py", kLine);
    std::string text = kTask;
    text.replace(text.find("1000"), 4, max_n);
    const auto file = write("task.toml", text);
    allow_task_file(file);
    return tasks_->open(file);
  }

  const Catalog tasks_ = built_in_tasks();
};

// The density written above integrates to one, and has most of its mass where the truth is.
TEST_F(OwnLine, ExactPosteriorIsADensity) {
  const auto line = tasks_->make(task());
  const Latents latents = pairs::testing::latents_of(*line, 3, Purpose::test, 0, 1);
  const torch::Tensor x = pairs::testing::sets_of(*line, latents, 3, Purpose::test, 0, 50);
  const double width = 8, step = 1e-3;
  const torch::Tensor grid =
      latents.theta.item<double>() + at::arange(-width, width, step, torch::kFloat64).unsqueeze(1);
  const torch::Tensor density = exact_log_prob(grid, x.expand({grid.size(0), 50, 2})).exp();
  EXPECT_NEAR(density.sum().item<double>() * step, 1, 1e-3);
}

// A gap of 0.04 is what a scientist would not see: a mean off by 0.28 of the exact sd, or an sd off by a seventh.
TEST_F(OwnLine, TwoThousandSetsAreAnsweredNearTheExactPosterior) {
  if (!long_tests()) GTEST_SKIP() << "takes minutes; set PAIRS_LONG_TESTS=1";
  const auto line = tasks_->make(task());
  const RunConfig config = load_preset(tasks_, line->info(), "quick", "pairs", {"device=cpu", "threads=1"});
  const Stopwatch watch;
  const auto run = create_run(config, folder_ / "run");
  TestMonitor monitor;
  execute_run(tasks_, run, monitor, Stage::finetune);
  std::printf("%.0f s of training\n", watch.seconds());
  const LoadedRun trained = load_run(tasks_, run.string());
  for (const std::int64_t n : {1, 10, 100, 1000}) EXPECT_LE(gap_to(exact_log_prob, trained, n), 0.04) << "N = " << n;
}

// How the gap depends on the number of simulations; docs/how-to/own-task.md quotes these numbers.
TEST_F(OwnLine, ABudgetOfSimulationsLosesMoreAtLargeN) {
  if (!long_tests()) GTEST_SKIP() << "takes minutes; set PAIRS_LONG_TESTS=1";
  const auto line = tasks_->make(task("100"));
  for (const auto& [budget, most] :
       std::map<std::int64_t, std::vector<double>>{{20000, {0.1, 0.35, 0.8}}, {100000, {0.05, 0.2, 0.5}}}) {
    std::printf("%ld simulations\n", static_cast<long>(budget));
    const RunConfig config = load_preset(tasks_, line->info(), "quick", "pairs",
                                         {fmt::format("task.simulations={}", budget), "device=cpu", "threads=1"});
    const auto run = create_run(config, folder_ / fmt::format("run-{}", budget));
    TestMonitor monitor;
    execute_run(tasks_, run, monitor, Stage::finetune);
    LoadedRun trained = load_run(tasks_, run.string());
    trained.task = line;  // fresh sets
    const std::int64_t sizes[] = {1, 10, 100};
    for (std::size_t k = 0; k < most.size(); ++k)
      EXPECT_LE(gap_to(exact_log_prob, trained, sizes[k]), most[k]) << budget << " simulations, N = " << sizes[k];
  }
}

}  // namespace
}  // namespace pairs::own
