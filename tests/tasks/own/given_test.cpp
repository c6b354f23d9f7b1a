// Conditions of a set: the size of the noise of a normal with unknown mean, whose exact posterior depends on it.
#include "core/given.h"

#include <ATen/Functions.h>
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>

#include "core/base/fields/face.h"
#include "core/base/gpu/transfer.h"
#include "core/base/text/error.h"
#include "core/train/run/run.h"
#include "tasks/file_facts.h"
#include "tasks/own/simulated_task.h"
#include "tasks/registry.h"
#include "tests/core/train/test_monitor.h"
#include "tests/tasks/own/own_files.h"
#include "tests/tasks/own/stored/stored_files.h"
#include "tests/tasks/sets.h"

namespace pairs::own {
namespace {

using ::testing::HasSubstr;

constexpr const char* kStated = "log_uniform = [0.2, 5]\n";

// θ ~ N(0, 1); x ~ N(θ, σ) with σ given, drawn by the file (`stated`) or by the program.
std::string known_noise(const std::string& stated) {
  const std::string prior = stated.empty()
                                ? "    return rng.standard_normal(size), None, np.exp(rng.uniform(np.log(0.2), "
                                  "np.log(5), size))\n"
                                : "    return rng.standard_normal(size)\n";
  return "import numpy as np\nfrom pairs_simulator import serve\ndef prior(rng, size):\n" + prior +
         "def simulate(theta, psi, n, rng, given):\n    return rng.normal(theta[0], given[0], n)\nserve(prior, "
         "simulate)\n";
}

std::string known_noise_task(const std::string& stated, const std::string& more = "") {
  return "name = \"known-noise\"\nmax_n = 20\n[[targets]]\nname = \"theta\"\nsupport = [-inf, inf]\n" +
         std::string("[[conditions]]\nname = \"sigma\"\nlabel = \"σ\"\nunit = \"mV\"\nsupport = [0, inf]\n") + stated +
         more + "[x]\ncolumns = [\"x\"]\n[simulator]\ncommand = [\"/usr/bin/python3\", \"simulate.py\"]\nworkers = 1\n";
}

// log p(θ | x, σ) by conjugacy: θ [B, 1], x [B, N, 1], σ [B, 1] -> [B].
torch::Tensor known_noise_log_prob(const torch::Tensor& theta, const torch::Tensor& x, const torch::Tensor& sigma) {
  const torch::Tensor weight = 1 / sigma.squeeze(1).square();
  const torch::Tensor precision = 1 + static_cast<double>(x.size(1)) * weight;
  const torch::Tensor mean = weight * x.squeeze(2).to(torch::kFloat64).sum(1) / precision;
  return 0.5 * (precision / (2 * M_PI)).log() - 0.5 * precision * (theta.squeeze(1) - mean).square();
}

class GivenOfSets : public OwnFolder {
 protected:
  std::string task(const std::string& stated = kStated) const {
    write("simulate.py", known_noise(stated));
    const auto file = write("task.toml", known_noise_task(stated));
    allow_task_file(file);
    return tasks_->open(file);
  }
  std::string refusal(const std::string& more) const {
    try {
      (void)parse_task(known_noise_task("", more), folder_ / "task.toml");
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  const Catalog tasks_ = built_in_tasks();
};

TEST_F(GivenOfSets, FilesAreReadAndWrongOnesRefused) {
  const TaskFile file = parse_task(known_noise_task(kStated), folder_ / "task.toml");
  ASSERT_EQ(file.info.given.size(), 1u);
  EXPECT_EQ(file.info.given[0].name, "sigma");
  EXPECT_EQ(file.info.given[0].label, "σ / mV");
  EXPECT_TRUE(file.given_ranges[0].log);
  EXPECT_NEAR(file.given_ranges[0].location, 0, 1e-12);
  EXPECT_NEAR(file.given_ranges[0].scale, std::log(25.0) / std::sqrt(12.0), 1e-12);
  EXPECT_EQ(file.given_by_prior(), 0u);
  EXPECT_THAT(file.info.psi_text, HasSubstr("Given with a set: σ / mV."));
  EXPECT_EQ(parse_task(known_noise_task(""), folder_ / "task.toml").given_by_prior(), 1u);

  EXPECT_THAT(refusal("uniform = [1, 2]\nnormal = [0, 1]\n"), HasSubstr("both state how it is drawn"));
  EXPECT_THAT(refusal("uniform = [2, 1]\n"), HasSubstr("'given.uniform' must be [low, high], low below high"));
  EXPECT_THAT(refusal("uniform = [-1, 2]\n"), HasSubstr("draws beyond 'given.support'"));
  EXPECT_THAT(refusal("log_uniform = [0, 2]\n"), HasSubstr("above 0"));
  EXPECT_THAT(refusal("normal = [1, 0]\n"), HasSubstr("[mean, standard deviation]"));
  EXPECT_THAT(refusal("normal = [1, 2]\n"), HasSubstr("leave the support out"));
  EXPECT_THAT(refusal("values = []\n"), HasSubstr("1 to 10000 numbers"));
  EXPECT_THAT(refusal("unifrom = [1, 2]\n"), HasSubstr("did you mean 'uniform'?"));
  EXPECT_THAT(refusal("[[conditions]]\nname = \"theta\"\n"), HasSubstr("appears twice"));
  EXPECT_THAT(refusal("[[conditions]]\nname = \"other\"\nuniform = [0, 1]\n"), HasSubstr("let all state it, or none"));
}

TEST_F(GivenOfSets, IsDrawnBySeedAndReachesTheSimulator) {
  for (const std::string stated : {kStated, ""}) {
    const auto noise = tasks_->make(task(stated));
    constexpr std::int64_t kSets = 2000;
    const Latents latents = pairs::testing::latents_of(*noise, 3, Purpose::test, 0, kSets);
    ASSERT_EQ(latents.given.sizes(), torch::IntArrayRef({kSets, 1}));
    const Latents part = pairs::testing::latents_of(*noise, 3, Purpose::test, 100, 50);
    EXPECT_TRUE(part.given.equal(latents.given.slice(0, 100, 150)));
    EXPECT_FALSE(pairs::testing::latents_of(*noise, 4, Purpose::test, 0, kSets).given.equal(latents.given));
    // Log-uniform between 0.2 and 5: Kolmogorov's distance beyond 1.95 / sqrt(n) comes once in a thousand.
    const torch::Tensor u = std::get<0>((latents.given / 0.2).log().div(std::log(25.0)).flatten().sort());
    const torch::Tensor place = (at::arange(kSets, torch::kFloat64) + 0.5) / kSets;
    EXPECT_LT((u - place).abs().max().item<double>(), 1.95 / std::sqrt(static_cast<double>(kSets)));
    const torch::Tensor x = pairs::testing::sets_of(*noise, latents, 3, Purpose::test, 0, 20).to(torch::kFloat64);
    const torch::Tensor z = (x.squeeze(2) - latents.theta) / latents.given;
    EXPECT_NEAR(z.square().mean().item<double>(), 1, 4 * std::sqrt(2.0 / (20 * kSets)));
    const GivenRange& range = face<HasGivenRanges>(*noise)->given_ranges()[0];
    EXPECT_NEAR(range.seen_low, 0.2, 0.02);
    EXPECT_NEAR(range.seen_high, 5, 0.3);
    tasks_->renew(folder_ / "task.toml");
  }
}

TEST_F(GivenOfSets, AProgramThatKnowsNothingOfItIsRefused) {
  write("simulate.py", "import sys\nsys.stdin.readline()\nprint('pairs 1', flush=True)\nsys.stdin.read()\n");
  try {
    (void)make_simulated_task(allowed(known_noise_task(kStated) + "timeout = 5\n"));
    FAIL() << "it was accepted";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("version 2 is needed, which hands over what is given of a set"));
  }
}

// The exact posterior depends on what is given: a head that did not know it would lose 0.2 nat and more.
TEST_F(GivenOfSets, AShortTrainingComesNearTheExactPosterior) {
  const auto noise = tasks_->make(task());
  const RunConfig config = load_preset(
      tasks_, noise->info(), "quick", "pairs",
      {"device=cpu", "threads=1", "embedder.layers=32,32", "embedder.size=16", "head.hidden=32", "pretrain.epochs=6",
       "pretrain.steps=150", "pretrain.batch=256", "pretrain.validation_sets=2000", "cache.sizes=20", "cache.sets=6000",
       "finetune.epochs=10", "finetune.steps=150", "finetune.batch=256", "finetune.validation_draws=2000"});
  const auto run = create_run(config, folder_ / "run");
  TestMonitor monitor;
  execute_run(tasks_, run, monitor, Stage::finetune);
  const LoadedRun trained = load_run(tasks_, run.string());
  const auto log_prob = [&](const Latents& latents, const torch::Tensor& x, const torch::Tensor& given) {
    const torch::Tensor embeddings = trained.estimator->embed(Observations(x.flatten(0, 1)));
    return trained.estimator->log_prob(latents.theta,
                                       embeddings.view({x.size(0), x.size(1), -1}).to(torch::kFloat64).mean(1),
                                       torch::full({x.size(0)}, x.size(1), torch::kInt64), given);
  };
  constexpr std::int64_t kSets = 2000;
  for (const std::int64_t n : {1, 5, 20}) {
    const Latents latents = pairs::testing::latents_of(*trained.task, 1, Purpose::test, 0, kSets);
    const torch::Tensor x = pairs::testing::sets_of(*trained.task, latents, 1, Purpose::test, 0, n);
    const torch::Tensor exact = known_noise_log_prob(latents.theta, x.to(torch::kFloat64), latents.given);
    const double gap = (exact - log_prob(latents, x, latents.given)).mean().item<double>();
    const double unreported = (exact - log_prob(latents, x, latents.given.flip(0))).mean().item<double>();
    std::printf("N = %d: gap %.4f, with the σ of another set %.2f\n", static_cast<int>(n), gap, unreported);
    EXPECT_LE(gap, 0.05) << "N = " << n;
    EXPECT_GE(unreported, 0.2) << "N = " << n;
  }
  // The run's copy knows what networks see, whatever becomes of the file.
  EXPECT_EQ(face<HasGivenRanges>(*trained.task)->given_ranges()[0].scale, std::log(25.0) / std::sqrt(12.0));
  EXPECT_EQ(unseen_given_text(*trained.task, torch::full({1, 1}, 4.9, torch::kFloat64)), "");
  EXPECT_THAT(unseen_given_text(*trained.task, torch::full({1, 1}, 7.0, torch::kFloat64)),
              HasSubstr("lie outside of training (sigma = 7 outside of 0.2 to 5): do not trust"));
}

TEST_F(GivenOfSets, StoredSimulationsHoldIt) {
  at::manual_seed(5);
  const torch::Tensor theta = torch::randn({400, 1}, torch::kFloat64),
                      sigma = 0.5 + torch::rand({400, 1}, torch::kFloat64);
  const torch::Tensor x = theta.unsqueeze(1) + sigma.unsqueeze(1) * torch::randn({400, 20, 1}, torch::kFloat64);
  std::string text = known_noise_task("");
  text = text.substr(0, text.find("[simulator]")) + "[simulations]\nfiles = [\"sets.npz\"]\n";
  const auto file = write("task.toml", text);
  pairs::testing::write_stored_npz(folder_ / "sets.npz", {{"theta", theta}, {"x", x}});
  EXPECT_THROW((void)tasks_->make(tasks_->open(file)), Error);
  pairs::testing::write_stored_npz(folder_ / "sets.npz", {{"theta", theta}, {"x", x}, {"given", sigma}});
  const auto stored = tasks_->make(tasks_->open(file));
  const Latents latents = pairs::testing::latents_of(*stored, 1, Purpose::pretrain, 0, 50);
  for (std::int64_t k = 0; k < 50; ++k) {
    const torch::Tensor at = (theta.squeeze(1) == latents.theta[k][0]).nonzero();
    ASSERT_EQ(at.numel(), 1);
    EXPECT_EQ(sigma[at.item<std::int64_t>()][0].item<double>(), latents.given[k][0].item<double>());
  }
  (void)pairs::testing::sets_of(*stored, latents, 1, Purpose::pretrain, 0, 20);
  Latents other = latents;
  other.given = latents.given + 1;
  EXPECT_THROW((void)pairs::testing::sets_of(*stored, other, 1, Purpose::pretrain, 0, 20), Error);
}

}  // namespace
}  // namespace pairs::own
