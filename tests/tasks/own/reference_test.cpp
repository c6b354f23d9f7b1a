// The posterior that the user's program provides for a custom task: a line with unknown slope and offset and known
// noise.
#include <ATen/Functions.h>
#include <gmock/gmock.h>

#include <cmath>
#include <cstdio>

#include "core/base/text/error.h"
#include "tasks/own/simulated_task.h"
#include "tests/tasks/own/own_files.h"
#include "tests/tasks/sets.h"

namespace pairs::own {
namespace {

using ::testing::HasSubstr;

// slope, offset ~ N(0, 1); u ~ U(-1, 1); v = slope u + offset + 0.5 noise.
std::string line_program(const std::string& reference,
                         const std::string& serve = "serve(prior, simulate, reference)\n") {
  return "import numpy as np\nfrom pairs_simulator import serve\n"
         "def prior(rng, size):\n    return rng.standard_normal((size, 2))\n"
         "def simulate(theta, psi, n, rng):\n    u = 2 * rng.random(n) - 1\n"
         "    return np.stack([u, theta[0] * u + theta[1] + 0.5 * rng.standard_normal(n)], 1)\n"
         "def reference(theta, x):\n" +
         reference + serve;
}
const std::string kRight =
    "    away = x[:, 1] - theta[:, :1] * x[:, 0] - theta[:, 1:]\n"
    "    return 3 - (theta ** 2).sum(1) / 2 - 2 * (away ** 2).sum(1)\n";

class OwnReference : public OwnFolder {
 protected:
  std::shared_ptr<const Task> line(const std::string& program, const std::string& reference = "[reference]\n") const {
    write("simulate.py", program);
    return make_simulated_task(
        allowed("name = \"line\"\nmax_n = 20\n[[targets]]\nname = \"slope\"\nsupport = [-inf, inf]\n"
                "[[targets]]\nname = \"offset\"\nsupport = [-inf, inf]\n[x]\ncolumns = [\"u\", \"v\"]\n"
                "[simulator]\ncommand = [\"/usr/bin/python3\", \"simulate.py\"]\nworkers = 1\n" +
                reference));
  }
  static torch::Tensor set(const Task& task, std::int64_t n) {
    return pairs::testing::sets_of(task, pairs::testing::latents_of(task, 3, Purpose::test, 0, 1), 3, Purpose::test, 0,
                                   n)
        .squeeze(0)
        .to(torch::kFloat64);
  }
  static std::string failure(const Task& task) {
    const auto reference = task.reference("exact");
    reference->add(set(task, 5));
    try {
      (void)reference->log_density(torch::zeros({2, 2}, torch::kFloat64));
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
};

TEST_F(OwnReference, IsTheConjugatePosterior) {
  const auto task = line(line_program(kRight));
  EXPECT_EQ(task->references(), std::vector<std::string>{"exact"});
  for (const std::int64_t n : {1, 20}) {
    const torch::Tensor x = set(*task, n);
    const torch::Tensor design = at::stack({x.select(1, 0), at::ones({n}, torch::kFloat64)}, 1);
    const torch::Tensor covariance = at::linalg_inv(at::eye(2, torch::kFloat64) + 4 * design.t().matmul(design));
    const torch::Tensor mean = covariance.matmul(4 * design.t().matmul(x.select(1, 1)));
    const auto reference = task->reference("exact");
    reference->add(x.slice(0, 0, 1));
    if (n > 1) reference->add(x.slice(0, 1));
    EXPECT_LT((reference->mean() - mean).abs().max().item<double>(), 0.01) << n;
    EXPECT_LT((reference->covariance() - covariance).abs().max().item<double>(),
              0.03 * covariance.max().item<double>());
    const torch::Tensor theta = mean.unsqueeze(0) + torch::tensor({{0.0, 0.0}, {0.2, -0.1}}, torch::kFloat64);
    const torch::Tensor away = theta - mean;
    const torch::Tensor exact = -0.5 * (away.matmul(at::linalg_inv(covariance)) * away).sum(1) - std::log(2 * M_PI) -
                                0.5 * at::logdet(covariance);
    EXPECT_LT((reference->log_density(theta) - exact).abs().max().item<double>(), 0.02) << n;
  }
}

TEST_F(OwnReference, NormalizedOnesAreTakenAsTheyAre) {
  const auto task = line(line_program("    return np.full(len(theta), -1.25)\n"), "[reference]\nnormalized = true\n");
  const auto reference = task->reference("exact");
  reference->add(set(*task, 5));
  const torch::Tensor said = reference->log_density(torch::zeros({3, 2}, torch::kFloat64));
  EXPECT_TRUE(said.equal(torch::full({3}, -1.25, torch::kFloat64)));
}

TEST_F(OwnReference, WhatIsWrongIsToldInASentence) {
  EXPECT_THAT(failure(*line(line_program(kRight, "serve(prior, simulate)\n"))),
              HasSubstr("asked for its reference: task.toml has a table [reference]; pass the function"));
  EXPECT_THAT(failure(*line(line_program("    return theta\n"))), HasSubstr("shape (169, 2) instead of (169,)"));
  EXPECT_THAT(failure(*line(line_program("    return theta[:, 0] * float('nan')\n"))),
              HasSubstr("the log density of its value number 1 is nan"));
  EXPECT_THAT(failure(*line(line_program("    return np.full(len(theta), -np.inf)\n"))),
              HasSubstr("The reference posterior of line is nowhere a number"));
  EXPECT_THAT(failure(*line(line_program("    return 1 / 0\n"))), HasSubstr("ZeroDivisionError"));
  EXPECT_TRUE(line(line_program(kRight), "")->references().empty());
}

// `python3 simulate.py --check` asks values alone, too.
TEST_F(OwnReference, CheckByHandCountsOneFault) {
  const std::string alone = "    return -(theta ** 2).sum(1) + (len(theta) == 1)\n";
  (void)line(line_program(alone));
  const std::string command = "cd '" + folder_.path().string() +
                              "' && PYTHONPATH='" PAIRS_SOURCE_DIR
                              "/assets/python' /usr/bin/python3 simulate.py --check 2>&1";
  std::string text;
  FILE* pipe = ::popen(command.c_str(), "r");
  char part[4096];
  for (std::size_t got = 0; (got = std::fread(part, 1, sizeof part, pipe)) > 0;) text.append(part, got);
  EXPECT_EQ(WEXITSTATUS(::pclose(pipe)), 1);
  EXPECT_THAT(text, HasSubstr("WRONG  reference: the log density of a value is the same whichever values are queried"));
  EXPECT_THAT(text, HasSubstr("\n1 fault.\n"));
}

// A program that simulates many sets at once keeps the promise about seeds.
TEST_F(OwnReference, ManySetsAtOnceAreTheSameAsAlone) {
  const std::string many =
      "def many(theta, psi, n, seeds):\n"
      "    return np.concatenate([np.random.default_rng(int(s)).normal(t[0], 1, (k, 2))\n"
      "                           for t, k, s in zip(theta, n, seeds)])\n";
  const auto task = line(line_program(kRight + many, "serve(prior, simulate_many=many)\n"), "");
  const Latents latents = pairs::testing::latents_of(*task, 3, Purpose::test, 0, 40);
  const torch::Tensor all = pairs::testing::sets_of(*task, latents, 3, Purpose::test, 0, 20);
  const Latents one = pairs::testing::latents_of(*task, 3, Purpose::test, 17, 1);
  EXPECT_TRUE(pairs::testing::sets_of(*task, one, 3, Purpose::test, 17, 9).squeeze(0).equal(all[17].slice(0, 0, 9)));
  EXPECT_FALSE(all[0].equal(all[1]));
  // Blocks of one set, and other seeds, are other numbers.
  EXPECT_FALSE(all[0].slice(0, 0, 2).equal(all[0].slice(0, 2, 4)));
  EXPECT_FALSE(pairs::testing::sets_of(*task, latents, 4, Purpose::test, 0, 20).equal(all));
}

TEST_F(OwnReference, ManySetsOfOneSeedAreRefused) {
  const std::string shared =
      "def many(theta, psi, n, seeds):\n"
      "    return np.random.default_rng(int(seeds[0])).normal(size=(n.sum(), 2))\n";
  try {
    (void)line(line_program(kRight + shared, "serve(prior, simulate_many=many)\n"), "");
    FAIL() << "it was accepted";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("other values when it is asked with the same seed again"));
  }
}

}  // namespace
}  // namespace pairs::own
