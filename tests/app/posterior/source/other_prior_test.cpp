// Posteriors under another prior: conjugate normals in closed form, the bump hunt by quadrature, and what is refused.
#include "app/posterior/source/other_prior.h"

#include <ATen/CPUGeneratorImpl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "app/posterior/figures/prior_figure.h"
#include "app/posterior/files/posterior_samples.h"
#include "app/posterior/source/derived.h"
#include "core/base/files/files.h"
#include "core/base/files/npz.h"
#include "core/base/gpu/transfer.h"
#include "core/base/text/error.h"
#include "core/prior_density.h"
#include "tasks/parts/chosen_targets.h"
#include "tasks/registry.h"
#include "tests/core/base/temporary_folder.h"
#include "tests/core/train/toy_task.h"

namespace pairs {
namespace {

using ::testing::HasSubstr;

double log_normal_at(double x, double mean, double sd) {
  return -0.5 * std::pow((x - mean) / sd, 2) - std::log(sd) - 0.5 * std::log(2 * M_PI);
}

// N(mean, sd) in each of d targets.
PosteriorSource known_normal(double mean, double sd, std::int64_t d) {
  PosteriorSource source;
  source.name = "PAIRS";
  source.ours = true;
  source.log_density = [=](const torch::Tensor& theta) {
    return (-0.5 * ((theta - mean) / sd).square() - std::log(sd) - 0.5 * std::log(2 * M_PI)).sum(1);
  };
  source.sample = [=](std::int64_t count, std::uint64_t seed) {
    Stream stream(stream_key(seed, Purpose::check), 5);
    torch::Tensor out = torch::empty({count, d}, torch::kFloat64);
    for (std::int64_t k = 0; k < out.numel(); ++k) out.data_ptr<double>()[k] = mean + sd * stream.normal64();
    return out;
  };
  return source;
}

// The prior N(0, 2) of an unbounded target. `tells`: whether the task provides its density.
class NormalPriorTask : public ToyTask, public HasPriorDensity {
 public:
  explicit NormalPriorTask(bool tells) : ToyTask("toy"), tells_(tells), own_(ToyTask::info()) {
    constexpr double inf = std::numeric_limits<double>::infinity();
    own_.targets = {{"t", "θ", "", -inf, inf, 0, 2, 1, -6, 6}};
  }
  const TaskInfo& info() const override { return own_; }
  Latents latents(std::uint64_t seed, Purpose purpose, std::span<const std::int64_t> indices) const override {
    Latents out = ToyTask::latents(seed, purpose, indices);
    for (std::size_t k = 0; k < indices.size(); ++k) {
      Stream stream(stream_key(seed, purpose), static_cast<std::uint64_t>(indices[k]), 9);
      out.theta[static_cast<std::int64_t>(k)][0] = 2 * stream.normal64();
    }
    return out;
  }
  torch::Tensor log_prior(const torch::Tensor& theta) const override {
    if (!tells_) return {};
    return -0.5 * (theta.select(1, 0) / 2).square() - std::log(2) - 0.5 * std::log(2 * M_PI);
  }

 private:
  bool tells_;
  TaskInfo own_;
};

// One observation x = 1.2 of N(θ, 0.8): the posterior under N(m, s) is N((m / s² + x / 0.64) p⁻¹, p⁻¹ᐟ²).
struct Conjugate {
  double mean, sd;
};
Conjugate conjugate(double m, double s) {
  const double precision = 1 / (s * s) + 1 / 0.64;
  return {(m / (s * s) + 1.2 / 0.64) / precision, 1 / std::sqrt(precision)};
}

TEST(OtherPrior, IsTheConjugatePosteriorUnderTheNewPrior) {
  const auto task = std::make_shared<NormalPriorTask>(true);
  const Conjugate old = conjugate(0, 2), now = conjugate(0.5, 0.6);
  const OtherPrior prior(task, {"normal(0.5, 0.6)"}, {});
  const ReweighedPosterior answer = reweighed(prior, known_normal(old.mean, old.sd, 1));
  ASSERT_EQ(answer.density.size(), 1u);
  EXPECT_NEAR(answer.density[0].mean, now.mean, 1e-6);
  EXPECT_NEAR(answer.density[0].sd, now.sd, 1e-5);
  EXPECT_NEAR(answer.density[0].quantiles[4], now.mean + 1.6448536 * now.sd, 1e-3);
  ASSERT_EQ(answer.targets.size(), 1u);
  const double error = now.sd / std::sqrt(answer.effective);
  EXPECT_NEAR(answer.targets[0].mean, now.mean, 4 * error);
  EXPECT_NEAR(answer.targets[0].sd, now.sd, 4 * error);
  EXPECT_NEAR(answer.targets[0].quantiles[2], now.mean, 6 * error);
  // p(x | new) / p(x | old) = N(1.2; 0.5, √(0.36 + 0.64)) / N(1.2; 0, √(4 + 0.64))
  const double evidence = std::exp(log_normal_at(1.2, 0.5, 1) - log_normal_at(1.2, 0, std::sqrt(4.64)));
  EXPECT_NEAR(answer.evidence, evidence, 1e-6 * evidence);
  EXPECT_GT(answer.effective, 1500);
  EXPECT_LT(answer.effective, kDerivedDraws);
  EXPECT_TRUE(reweighed_warnings(answer).empty());
  // Under its own prior nothing changes, and all draws count.
  const ReweighedPosterior same =
      reweighed(OtherPrior(task, {"t = normal(0, 2)"}, {}), known_normal(old.mean, old.sd, 1));
  EXPECT_NEAR(same.effective, kDerivedDraws, 1e-6);
  EXPECT_NEAR(same.evidence, 1, 1e-6);
  EXPECT_NEAR(same.density[0].mean, old.mean, 1e-6);
}

TEST(OtherPrior, ItsSourceHasTheDensityAndTheDraws) {
  const auto task = std::make_shared<NormalPriorTask>(true);
  const Conjugate old = conjugate(0, 2), now = conjugate(0.5, 0.6);
  const auto prior =
      std::make_shared<OtherPrior>(task, std::vector<std::string>{"normal(0.5, 0.6)"}, std::vector<std::string>{});
  const PosteriorSource source = known_normal(old.mean, old.sd, 1);
  const ReweighedPosterior answer = reweighed(*prior, source);
  const PosteriorSource under = source_under(prior, source, answer);
  for (const double theta : {-1.0, 0.3, 0.9, 2.0})
    EXPECT_NEAR(under.log_density(torch::full({1, 1}, theta, torch::kFloat64)).item<double>(),
                log_normal_at(theta, now.mean, now.sd), 1e-5);
  for (const std::int64_t draws : {500, 4000, 20000}) {
    const torch::Tensor samples = under.sample(draws, 3);
    ASSERT_EQ(samples.sizes(), (std::vector<std::int64_t>{draws, 1}));
    // Draws are taken of no fewer than kDerivedDraws.
    const double error = now.sd / std::sqrt(0.3 * static_cast<double>(std::max<std::int64_t>(draws, kDerivedDraws)));
    EXPECT_NEAR(samples.mean().item<double>(), now.mean, 4 * error);
    EXPECT_NEAR(samples.std().item<double>(), now.sd, 4 * error);
    EXPECT_TRUE(torch::equal(samples, under.sample(draws, 3)));
  }
  const auto nowhere =
      std::make_shared<OtherPrior>(task, std::vector<std::string>{"uniform(100, 101)"}, std::vector<std::string>{});
  EXPECT_THROW(source_under(nowhere, source, {.evidence = 1}).sample(10, 1), Error);
}

TEST(OtherPrior, ReadsSeveralOfOneLine) {
  const PriorTexts texts = prior_texts("theta = beta(2, 8);psi = normal(1, 1) ; training theta = normal(0, 1);");
  EXPECT_EQ(texts.now, (std::vector<std::string>{"theta = beta(2, 8)", "psi = normal(1, 1) "}));
  EXPECT_EQ(texts.learned, (std::vector<std::string>{"theta = normal(0, 1)"}));
  EXPECT_TRUE(prior_texts(" ; ").now.empty());
}

TEST(OtherPrior, WarnsWherePriorsAndDataDisagree) {
  const auto task = std::make_shared<NormalPriorTask>(true);
  const Conjugate old = conjugate(0, 2);
  const ReweighedPosterior far =
      reweighed(OtherPrior(task, {"normal(-3, 0.2)"}, {}), known_normal(old.mean, old.sd, 1));
  EXPECT_LT(far.effective, kFewEffective);
  ASSERT_EQ(reweighed_warnings(far).size(), 1u);
  EXPECT_THAT(reweighed_warnings(far)[0], HasSubstr("the numbers are those of the density"));
  EXPECT_NEAR(far.density[0].mean, conjugate(-3, 0.2).mean, 0.01) << "which the grid still reaches";
  const ReweighedPosterior none =
      reweighed(OtherPrior(task, {"uniform(100, 101)"}, {}), known_normal(old.mean, old.sd, 1));
  EXPECT_TRUE(none.targets.empty());
  EXPECT_THAT(reweighed_text(none, task->info()), HasSubstr("there is no posterior"));
  EXPECT_EQ(prior_weights(OtherPrior(task, {"uniform(100, 101)"}, {}), torch::zeros({3, 1}, torch::kFloat64))
                .sum()
                .item<double>(),
            0);
}

TEST(OtherPrior, ReweighsTheBumpHuntsExactPosterior) {
  const auto task = built_in_tasks()->make("bump-hunt");
  const torch::Tensor x = torch::tensor({2.5, 2.52, 0.3, -0.4, 2.6, 1.1}, torch::kFloat64).unsqueeze(1);
  const PosteriorSource exact = reference_source(*task, "exact", x);
  const OtherPrior prior(task, {"beta(2, 8)"}, {});
  const ReweighedPosterior answer = reweighed(prior, exact);
  // By a plain sum over θ, with the beta's density written out.
  double mass = 0, first = 0;
  constexpr int kCells = 20000;
  const torch::Tensor at = (torch::arange(kCells, torch::kFloat64) + 0.5) / kCells;
  const std::vector<double> density = doubles(exact.log_density(at.unsqueeze(1)).exp());
  for (int k = 0; k < kCells; ++k) {
    const double theta = (k + 0.5) / kCells,
                 weight = density[static_cast<std::size_t>(k)] * theta * std::pow(1 - theta, 7);
    mass += weight;
    first += weight * theta;
  }
  ASSERT_EQ(answer.density.size(), 1u);
  EXPECT_NEAR(answer.density[0].mean, first / mass, 1e-4);
  EXPECT_NEAR(answer.evidence, 72 * mass / kCells, 1e-3 * answer.evidence) << "B(2, 8) = 1/72";
  EXPECT_THAT(reweighed_text(answer, task->info()), HasSubstr("The prior of ψ given θ stays"));
  const OtherPrior wide(task, {"theta = normal(0, 1)"}, {});
  EXPECT_NEAR(wide.outside(), 1 - 0.3413447, 1e-6);
  EXPECT_THAT(reweighed_warnings(reweighed(wide, exact)), testing::Contains(HasSubstr("65.9 % of its probability")));
}

// Where the task does not provide the density of its prior, the user states it, and it is checked against the task's
// draws.
TEST(OtherPrior, ChecksThePriorThatIsSaid) {
  const auto task = std::make_shared<NormalPriorTask>(false);
  const Conjugate old = conjugate(0, 2), now = conjugate(0.5, 0.6);
  const OtherPrior prior(task, {"normal(0.5, 0.6)"}, {"normal(0, 2)"});
  EXPECT_NEAR(reweighed(prior, known_normal(old.mean, old.sd, 1)).density.at(0).mean, now.mean, 1e-6);
  const auto refused = [&](const std::vector<std::string>& texts, const std::vector<std::string>& learned) {
    try {
      OtherPrior(task, texts, learned);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(refused({"normal(0, 1)"}, {}), HasSubstr("--training-prior \"t = normal(0, 1)\""));
  EXPECT_THAT(refused({"normal(0, 1)"}, {"normal(0, 1.7)"}), HasSubstr("are not those of normal(0, 1.7)"));
  EXPECT_THAT(refused({"u = normal(0, 1)"}, {}), HasSubstr("there is no target u"));
  EXPECT_THAT(refused({"normal(0, 1)", "t = normal(0, 2)"}, {}), HasSubstr("given twice"));
  EXPECT_THAT(refused({"normal"}, {}), HasSubstr("write a family with its numbers"));
}

// A prior that the task states needs no word of the user, for one of several targets, too.
TEST(OtherPrior, KnowsThePriorThatATaskStates) {
  class StatedTask : public ToyTask {
   public:
    StatedTask() : ToyTask("toy"), own_(ToyTask::info()) {
      own_.targets.clear();
      for (const char* name : {"a", "b"}) {
        own_.targets.push_back({name, name, "", -INFINITY, INFINITY, 0, 1, 1, -3, 3});
        own_.targets.back().prior = prior_family("normal(0, 1)", "prior");
      }
    }
    const TaskInfo& info() const override { return own_; }
    Latents latents(std::uint64_t seed, Purpose, std::span<const std::int64_t> indices) const override {
      const auto sets = static_cast<std::int64_t>(indices.size());
      auto generator = at::make_generator<at::CPUGeneratorImpl>(seed);
      return {at::randn({sets, 2}, generator, at::TensorOptions(at::kDouble)), at::zeros({sets, 0}, at::kDouble)};
    }

   private:
    TaskInfo own_;
  };
  const auto task = std::make_shared<StatedTask>();
  const torch::Tensor theta = torch::tensor({{0.2, 1.0}, {0.6, -3.0}}, torch::kFloat64);
  const std::vector<double> one = doubles(OtherPrior(task, {"b = normal(1, 2)"}, {}).log_ratio(theta)),
                            two = doubles(
                                OtherPrior(task, {"a = normal(0, 1)", "b = normal(1, 2)"}, {}).log_ratio(theta));
  for (const std::size_t k : {0, 1}) {
    const double b = k == 0 ? 1 : -3;
    EXPECT_NEAR(one[k], log_normal_at(b, 1, 2) - log_normal_at(b, 0, 1), 1e-9);
    EXPECT_NEAR(two[k], one[k], 1e-9);
  }
}

TEST(OtherPrior, IsOfTargetsOneByOne) {
  // θ uniform and ψ normal, both known: the task does not provide the prior of one target alone, but θ's draws show it.
  const auto both = with_targets(built_in_tasks()->make("bump-hunt"), "theta,psi");
  const torch::Tensor theta = torch::tensor({{0.2, 1.0}, {0.6, 3.0}}, torch::kFloat64);
  const std::vector<double> one = doubles(OtherPrior(both, {"theta = beta(1, 2)"}, {}).log_ratio(theta));
  EXPECT_NEAR(one[0], std::log(2 * 0.8), 1e-9);
  EXPECT_NEAR(one[1], std::log(2 * 0.4), 1e-9);
  const std::vector<double> two =
      doubles(OtherPrior(both, {"theta = beta(1, 2)", "psi = normal(1, 1)"}, {}).log_ratio(theta));
  EXPECT_NEAR(two[1] - one[1], log_normal_at(3, 1, 1) - log_normal_at(3, 1, 2), 1e-6);
  EXPECT_THROW(OtherPrior(both, {"normal(0, 1)"}, {}), Error) << "of which of the two?";
  EXPECT_THROW(OtherPrior(built_in_tasks()->make("bump-hunt"), {"psi = normal(0, 1)"}, {}), Error);
  EXPECT_THROW(OtherPrior(built_in_tasks()->make("novel-view"), {"normal(0, 1)"}, {}), Error);
}

// Three targets on [0, 1], whose posterior crowds at 0 and at 1: curves of samples are smoothed, and stay on the
// supports.
TEST(OtherPrior, NothingIsDrawnOutsideASupport) {
  class UnitTask : public ToyTask {
   public:
    UnitTask() : ToyTask("toy"), own_(ToyTask::info()) {
      own_.targets.clear();
      for (const char* name : {"a", "b", "c"}) own_.targets.push_back({name, name, "", 0, 1, 0.5, 0.3, 1, 0, 1});
    }
    const TaskInfo& info() const override { return own_; }
    Latents latents(std::uint64_t seed, Purpose purpose, std::span<const std::int64_t> indices) const override {
      Latents out = ToyTask::latents(seed, purpose, indices);
      out.theta = torch::empty({static_cast<std::int64_t>(indices.size()), 3}, torch::kFloat64);
      for (std::size_t k = 0; k < indices.size(); ++k) {
        Stream stream(stream_key(seed, purpose), static_cast<std::uint64_t>(indices[k]), 9);
        for (int t = 0; t < 3; ++t) out.theta[static_cast<std::int64_t>(k)][t] = stream.uniform64();
      }
      return out;
    }

   private:
    TaskInfo own_;
  };
  const auto task = std::make_shared<UnitTask>();
  const auto prior =
      std::make_shared<OtherPrior>(task, std::vector<std::string>{"a = beta(1, 2)"}, std::vector<std::string>{});
  PosteriorSource source = known_normal(0, 1, 3);
  source.sample = [inner = source.sample](std::int64_t count, std::uint64_t seed) {
    torch::Tensor near = (0.02 * inner(count, seed)).abs();
    near.select(1, 1) = 1 - near.select(1, 1);
    return near;
  };
  const std::optional<PosteriorNumbers> under = numbers_under(task->info().targets, prior, source, {.evidence = 1});
  ASSERT_TRUE(under);
  ASSERT_EQ(under->cells.size(), 3u);
  for (std::size_t t = 0; t < 3; ++t) {
    EXPECT_GE(under->cells[t].low, -1e-12) << t;
    EXPECT_LE(under->cells[t].high, 1 + 1e-12) << t;
    double mass = 0;
    for (const double density : under->marginals[t]) mass += density * under->cells[t].width();
    EXPECT_NEAR(mass, 1, 0.02) << t;
  }
}

TEST(OtherPrior, WeightsGoWithTheSamples) {
  const TemporaryFolder folder;
  const auto task = std::make_shared<NormalPriorTask>(true);
  const torch::Tensor samples = torch::tensor({{0.0}, {1.0}, {-2.0}}, torch::kFloat64);
  const torch::Tensor weights = prior_weights(OtherPrior(task, {"normal(1, 1)"}, {}), samples);
  EXPECT_NEAR(weights.mean().item<double>(), 1, 1e-12);
  EXPECT_NEAR(
      (weights[1] / weights[0]).item<double>(),
      std::exp(log_normal_at(1, 1, 1) - log_normal_at(0, 1, 1) - log_normal_at(1, 0, 2) + log_normal_at(0, 0, 2)),
      1e-9);
  write_samples(folder / "s.npz", {{"samples", samples}}, task->info(), {.weights = weights});
  EXPECT_TRUE(torch::equal(read_npz(folder / "s.npz").at("weight"), weights));
  write_samples(folder / "s.csv", {{"samples", samples}}, task->info(), {.weights = weights});
  EXPECT_THAT(read_file(folder / "s.csv"), testing::StartsWith("t,weight\n0,"));
  EXPECT_TRUE(torch::equal(read_csv(folder / "s.csv").select(1, 1), weights));
}

}  // namespace
}  // namespace pairs
