// Priors that a task file states: they are those of the draws, or the task is refused.
#include <ATen/Functions.h>
#include <gmock/gmock.h>

#include <cmath>

#include "core/prior_density.h"
#include "tasks/parts/chosen_targets.h"
#include "tasks/registry.h"
#include "tests/core/base/message.h"
#include "tests/tasks/own/own_files.h"
#include "tests/tasks/own/stored/stored_files.h"

namespace pairs::own {
namespace {

using ::testing::HasSubstr;

class StatedPriors : public OwnFolder {
 protected:
  // A task with the target theta and the nuisance psi, whose program draws them by `draws`, two expressions.
  std::shared_ptr<const Task> task(const std::string& theta, const std::string& psi, const std::string& draws) {
    write("simulate.py",
          "import numpy as np\nfrom pairs_simulator import serve\ndef prior(rng, size):\n    " + draws +
              "\ndef simulate(theta, psi, n, rng):\n    return rng.normal(theta[0], 1, n)\nserve(prior, simulate)\n");
    const auto file = write("task.toml", "name = \"stated\"\nmax_n = 10\n[[targets]]\nname = \"theta\"\n" + theta +
                                             "\n[[nuisances]]\nname = \"psi\"\n" + psi +
                                             "\n[x]\ncolumns = [\"x\"]\n[simulator]\ncommand = "
                                             "[\"/usr/bin/python3\", \"simulate.py\"]\nworkers = 1\n");
    allow(read_task_file(file));
    return tasks_->make(tasks_->open(file));
  }
  std::string refusal(const std::string& theta, const std::string& psi, const std::string& draws) {
    return message_of([&] { task(theta, psi, draws); });
  }

  const Catalog tasks_ = built_in_tasks();
};

constexpr const char* kOwnDraws = "return rng.gamma(2, 1.5, size), rng.normal(1, 2, size)";
constexpr const char* kGammaPrior = "prior = \"gamma(2, 3)\"";
constexpr const char* kNormalPrior = "prior = \"normal(1, 2)\"";

TEST_F(StatedPriors, AreThoseOfTheTargetsAndNuisances) {
  const auto made = task(kGammaPrior, kNormalPrior, kOwnDraws);
  const TaskInfo& info = made->info();
  EXPECT_EQ(info.targets[0].low, 0) << "the support is that of the prior";
  EXPECT_EQ(info.targets[0].high, INFINITY);
  EXPECT_THAT(info.theta_text, HasSubstr("gamma(2, 3)"));
  EXPECT_TRUE(states_priors(info));
  const torch::Tensor at = torch::tensor({{0.5}, {3.0}, {-1.0}}, torch::kFloat64), log = log_prior(*made, at);
  for (const std::int64_t k : {0, 1}) {
    const double x = at[k][0].item<double>();
    EXPECT_NEAR(log[k].item<double>(), std::log(x) - x / 1.5 - 2 * std::log(1.5), 1e-9);
  }
  EXPECT_EQ(log[2].item<double>(), -INFINITY);
  // A nuisance that a run infers keeps its own.
  const auto both = with_targets(made, "psi,theta");
  EXPECT_EQ(both->info().targets[1].prior->text(), "normal(1, 2)");
  EXPECT_TRUE(log_prior(*both, torch::zeros({1, 2}, torch::kFloat64)).defined());
  EXPECT_FALSE(log_prior(*task("support = [0, inf]", kNormalPrior, kOwnDraws), at).defined());
}

TEST_F(StatedPriors, OfOtherDrawsAreRefused) {
  EXPECT_THAT(refusal("prior = \"gamma(2, 2.7)\"", kNormalPrior, kOwnDraws),
              HasSubstr("theta is not drawn from its prior gamma(2, 2.7): "));
  EXPECT_THAT(refusal(kGammaPrior, "prior = \"normal(1, 2.3)\"", kOwnDraws),
              HasSubstr("psi is not drawn from its prior"));
  // Too little for the distributions' distance, but not for the width of 4,096 draws.
  EXPECT_THAT(refusal(kGammaPrior, "prior = \"normal(1, 2.16)\"", kOwnDraws),
              HasSubstr("psi is not drawn from its prior normal(1, 2.16): 4,096 draws are narrower than it"));
  // Draws of a prior that is infinite at both ends are often exactly at one.
  EXPECT_NO_THROW(
      task("prior = \"beta(0.1, 0.1)\"", kNormalPrior, "return rng.beta(0.1, 0.1, size), rng.normal(1, 2, size)"));
  // The margin is right, but it depends on θ.
  EXPECT_THAT(refusal("prior = \"normal(0, 1)\"", "prior = \"normal(0, 1)\"",
                      "t = rng.normal(0, 1, size); return t, 0.6 * t + 0.8 * rng.normal(0, 1, size)"),
              HasSubstr("theta depends on psi, and a prior that the file states is independent of all else"));
}

TEST_F(StatedPriors, ThatCannotBeReadAreRefusedWithTheirLine) {
  EXPECT_THAT(refusal("prior = \"norml(0, 1)\"", "", kOwnDraws), HasSubstr("there is no family norml"));
  EXPECT_THAT(refusal("prior = \"normal(0, -1)\"", "", kOwnDraws),
              HasSubstr("task.toml, line 5: 'targets.prior' normal(0, -1): its last number"));
  EXPECT_THAT(refusal("prior = \"table.csv\"", "", kOwnDraws), HasSubstr("write a family"));
  EXPECT_THAT(refusal("support = [0, 10]\nprior = \"gamma(2, 3)\"", "", kOwnDraws),
              HasSubstr("'targets.prior' reaches beyond the support"));
  EXPECT_THAT(refusal(kGammaPrior, "support = [0, 1]\nprior = \"normal(0, 1)\"", kOwnDraws),
              HasSubstr("'nuisances.prior' reaches beyond the support"));
  EXPECT_THAT(refusal("", "", kOwnDraws), HasSubstr("or state the prior, as in prior = \"normal(0, 1)\""));
}

// Stored sets are few, and are drawn several times for what is measured.
TEST_F(StatedPriors, AreComparedWithStoredSets) {
  const std::int64_t sets = 300;
  at::manual_seed(3);
  const torch::Tensor theta = at::randn({sets, 1}, at::kDouble);
  pairs::testing::write_stored_npz(
      folder_ / "sets.npz", {{"theta", theta}, {"x", theta.unsqueeze(1) + at::randn({sets, 10, 1}, at::kDouble)}});
  const auto open = [&](const std::string& prior) {
    return tasks_->open(write("task.toml", "name = \"kept\"\nmax_n = 10\n[[targets]]\nname = \"theta\"\nprior = \"" +
                                               prior +
                                               "\"\n[x]\ncolumns = [\"x\"]\n[simulations]\nfiles = [\"sets.npz\"]\n"));
  };
  EXPECT_EQ(tasks_->make(open("normal(0, 1)"))->info().targets[0].prior->text(), "normal(0, 1)");
  EXPECT_THAT(message_of([&] { tasks_->make(open("normal(1, 1)")); }), HasSubstr("theta is not drawn from its prior"));
}

}  // namespace
}  // namespace pairs::own
