// A run may infer other components of θ and ψ than the task's own targets.
#include "tasks/parts/chosen_targets.h"

#include <ATen/Functions.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <numeric>

#include "core/base/fields/face.h"
#include "core/base/text/error.h"
#include "core/eval/references/mcmc_diagnostics.h"
#include "core/eval/references/nuts.h"
#include "core/input_scale.h"
#include "core/joint_posterior.h"
#include "core/nuisance_posterior.h"
#include "core/null_value.h"
#include "core/prior_density.h"
#include "core/sufficient_statistics.h"
#include "core/target_choice.h"
#include "tasks/bump_hunt/bump_hunt.h"
#include "tasks/circle/circle.h"
#include "tasks/gaussian/gaussian.h"
#include "tasks/parts/outlines.h"
#include "tasks/registry.h"
#include "tests/tasks/sets.h"

namespace pairs {
namespace {

using namespace pairs::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::shared_ptr<const Task> made(const std::string& name, const std::string& targets) {
  return built_in_tasks()->make(name, {"", TargetedSettings{{}, targets}});
}

std::string refusal_of(const std::string& name, const std::string& targets) {
  try {
    with_targets(built_in_tasks()->make(name), targets);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_TRUE(error.is_about(kTaskTargets)) << error.what();
    return error.what();
  }
  return "";
}

template <class Quantity>
std::vector<std::string> names_of(const std::vector<Quantity>& all) {
  std::vector<std::string> names;
  for (const Quantity& one : all) names.push_back(one.name);
  return names;
}

TEST(ChosenTargets, AreInTheTasksOrderAndTheRestIsNuisances) {
  const auto both = made("bump-hunt", " psi , theta");
  EXPECT_THAT(names_of(both->info().targets), ElementsAre("theta", "psi"));
  EXPECT_TRUE(both->info().nuisances.empty());
  EXPECT_EQ(both->info().targets[1].title(), "ψ, bump position");
  EXPECT_EQ(both->info().variant, "targets theta,psi");
  EXPECT_THAT(both->info().question.text(5, "5"), HasSubstr("signal fraction θ and bump position ψ do these 5"));
  const auto place = made("bump-hunt", "psi");
  EXPECT_THAT(names_of(place->info().targets), ElementsAre("psi"));
  EXPECT_THAT(names_of(place->info().nuisances), ElementsAre("theta"));
  const auto some = made("gaussian", "psi22,theta2");
  EXPECT_THAT(names_of(some->info().targets), ElementsAre("theta2", "psi22"));
  EXPECT_THAT(names_of(some->info().nuisances), ElementsAre("theta1", "psi11", "psi12"));
  EXPECT_EQ(some->info().variant, "precision, targets theta2,psi22");
}

TEST(ChosenTargets, TheTasksOwnAreTheTaskItself) {
  const auto task = make_bump_hunt();
  EXPECT_EQ(with_targets(task, ""), task);
  EXPECT_EQ(with_targets(task, "theta"), task);
  EXPECT_EQ(made("gaussian", "theta2,theta1")->info().variant, "precision");
  // Settings that are a task's own alone choose nothing.
  GaussianSettings literal;
  literal.convention = "literal";
  EXPECT_EQ(built_in_tasks()->make("gaussian", {"", literal})->info().variant, "literal");
  TargetedSettings both{literal, "theta1"};
  EXPECT_EQ(built_in_tasks()->make("gaussian", {"", both})->info().variant, "literal, targets theta1");
}

TEST(ChosenTargets, WhatCannotBeInferredIsRefused) {
  EXPECT_THAT(refusal_of("bump-hunt", "theta,phi"),
              HasSubstr("\"phi\", which is neither a target nor a nuisance of bump-hunt (did you mean psi?); choose "
                        "among theta, psi"));
  EXPECT_THAT(refusal_of("bump-hunt", "theta,theta"), HasSubstr("names theta twice"));
  for (const char* gap : {"theta,", ",theta", "theta,,psi", " "})
    EXPECT_THAT(refusal_of("bump-hunt", gap), HasSubstr("leaves a name out")) << gap;
  for (const auto& [task, name] :
       std::vector<std::pair<std::string, std::string>>{{"digits", "angle"}, {"novel-view", "light_azimuth"}}) {
    EXPECT_THAT(refusal_of(task, name), HasSubstr("nothing but the task's own target can be inferred of " + task));
    EXPECT_TRUE(choosable_targets(*built_in_tasks()->make(task)).empty());
  }
  EXPECT_THAT(choosable_targets(*built_in_tasks()->make("circle")), ElementsAre("radius", "x", "y"));
}

// Sets are the task's own to the bit, whichever components are inferred.
TEST(ChosenTargets, SetsAreTheTasksOwn) {
  for (const auto& [name, targets] : std::vector<std::pair<std::string, std::string>>{
           {"bump-hunt", "theta,psi"}, {"bump-hunt", "psi"}, {"gaussian", "theta2,psi12"}, {"circle", "radius,x,y"}}) {
    const auto own = built_in_tasks()->make(name), chosen = made(name, targets);
    const Latents a = latents_of(*own, 7, Purpose::pretrain, 2, 5), b = latents_of(*chosen, 7, Purpose::pretrain, 2, 5);
    const torch::Tensor all = at::cat({a.theta, a.psi}, 1);
    std::vector<std::string> order = names_of(own->info().targets);
    for (const std::string& nuisance : names_of(own->info().nuisances)) order.push_back(nuisance);
    const auto expect_columns = [&](const torch::Tensor& got, const std::vector<std::string>& names) {
      ASSERT_EQ(got.size(1), static_cast<std::int64_t>(names.size()));
      for (std::size_t k = 0; k < names.size(); ++k) {
        const auto column = std::find(order.begin(), order.end(), names[k]) - order.begin();
        EXPECT_TRUE(at::equal(got.select(1, static_cast<std::int64_t>(k)), all.select(1, column))) << names[k];
      }
    };
    expect_columns(b.theta, names_of(chosen->info().targets));
    expect_columns(b.psi, names_of(chosen->info().nuisances));
    EXPECT_TRUE(
        at::equal(sets_of(*own, a, 7, Purpose::pretrain, 2, 3), sets_of(*chosen, b, 7, Purpose::pretrain, 2, 3)))
        << name << " " << targets;
  }
  expect_addressable(*made("bump-hunt", "theta,psi"));
  expect_addressable(*made("gaussian", "theta2,psi12"));
}

TEST(ChosenTargets, DensityAndConstraintsAreTheTasksOwn) {
  const auto own = built_in_tasks()->make("gaussian"), chosen = made("gaussian", "theta2,psi22");
  const Latents a = latents_of(*own, 7, Purpose::test, 0, 1), b = latents_of(*chosen, 7, Purpose::test, 0, 1);
  const torch::Tensor x = sets_of(*own, a, 7, Purpose::test, 0, 4)[0];
  EXPECT_TRUE(at::equal(own->density(a, x), chosen->density(b, x)));
  // A variance that is set below zero comes back, and the covariance follows.
  Latents set{b.theta.clone(), b.psi.clone()};
  set.theta[0][1] = -3.0;
  chosen->constrain(set, {false, 1});
  EXPECT_EQ(set.theta[0][1].item<double>(), 1e-3);
  EXPECT_LE(std::abs(set.psi[0][2].item<double>()), std::sqrt(1e-3 * set.psi[0][1].item<double>()));
  EXPECT_EQ(set.theta[0][0].item<double>(), b.theta[0][0].item<double>());
}

// What the wrapped task knows of its own targets alone is not shown of others.
TEST(ChosenTargets, FacesAreThoseOfTheChoice) {
  const auto own = make_bump_hunt();
  const auto both = made("bump-hunt", "theta,psi"), place = made("bump-hunt", "psi");
  for (const auto& task : {both, place}) {
    EXPECT_EQ(face<InfersNuisances>(*task), nullptr);
    EXPECT_EQ(face<HasNullValue>(*task), nullptr);
    EXPECT_EQ(face<ChoosesTargets>(*task), nullptr);
    EXPECT_NE(face<HasJointPosterior>(*task), nullptr);
    EXPECT_NE(face<HasPriorDensity>(*task), nullptr);
    EXPECT_THAT(task->references(), ElementsAre("exact"));
    EXPECT_THROW(task->reference("naive product"), Error);
    EXPECT_TRUE(std::isnan(task->exact_nll(10)));
  }
  const auto subset = made("gaussian", "theta1");
  EXPECT_EQ(face<HasSufficientStatistics>(*subset), nullptr);
  EXPECT_FALSE(log_prior(*subset, at::zeros({1, 1}, torch::kFloat64)).defined());
  EXPECT_TRUE(subset->references().empty());
  EXPECT_FALSE(standardizes_input(*both));
}

TEST(ChosenTargets, PriorDensitiesHaveMassOne) {
  const double expected = -std::log(2 * std::sqrt(2 * std::numbers::pi)) - 0.5;
  const torch::Tensor at = at::tensor({0.3, 3.0, 0.5, -1.0}, torch::kFloat64).view({2, 2});
  const torch::Tensor both = log_prior(*made("bump-hunt", "theta,psi"), at);
  EXPECT_NEAR(both[0].item<double>(), expected, 1e-12) << "one sd away, and uniform in θ";
  EXPECT_NEAR(both[1].item<double>(), expected, 1e-12);
  EXPECT_NEAR(log_prior(*made("bump-hunt", "psi"), at.select(1, 1).unsqueeze(1))[0].item<double>(), expected, 1e-12);
  EXPECT_EQ(
      log_prior(*made("bump-hunt", "theta,psi"), at::tensor({1.5, 3.0}, torch::kFloat64).view({1, 2})).item<double>(),
      -std::numeric_limits<double>::infinity());
}

TEST(ChosenTargets, OutlinesStandWhereTheTasksDo) {
  const auto own = make_circle({});
  const auto chosen = made("circle", "x,y");
  const double radius[] = {20.0}, center[] = {30.0, 33.0};
  const Outline a = face<Outlines>(*own)->outlines(radius, center).front();
  const Outline b = face<Outlines>(*chosen)->outlines(center, radius).front();
  EXPECT_EQ(a.x, b.x);
  EXPECT_EQ(a.y, b.y);
  EXPECT_TRUE(own->info().rotation_invariant);
  EXPECT_FALSE(chosen->info().rotation_invariant) << "a turn moves the center";
}

// The robust scale of a nuisance as a target is that of its prior.
TEST(ChosenTargets, NuisancesAreStandardizedByTheirPrior) {
  for (const auto& [name, targets] : std::vector<std::pair<std::string, std::string>>{
           {"bump-hunt", "psi"}, {"circle", "x,y"}, {"gaussian", "psi11,psi12,psi22"}}) {
    const auto task = made(name, targets);
    const torch::Tensor theta = latents_of(*task, 3, Purpose::check, 0, 20000).theta;
    for (std::size_t k = 0; k < task->info().targets.size(); ++k) {
      const Target& target = task->info().targets[k];
      const torch::Tensor sorted = std::get<0>(theta.select(1, static_cast<std::int64_t>(k)).sort());
      const auto at = [&](double q) { return sorted[static_cast<std::int64_t>(q * 19999)].item<double>(); };
      EXPECT_GE(at(0), target.low);
      EXPECT_LE(at(1), target.high);
      const bool covariance = target.name == "psi12";  // whose scale is a rough one
      EXPECT_NEAR(at(0.5), target.location, (covariance ? 0.5 : 0.05) * target.scale) << target.name;
      const double scale = (at(0.8413) - at(0.1587)) / 2 / target.scale;
      EXPECT_GT(scale, covariance ? 0.4 : name == "circle" ? 1.1 : 0.95) << target.name;
      EXPECT_LT(scale, covariance ? 2 : name == "circle" ? 1.3 : 1.05) << target.name;
    }
  }
}

// Summed directly on another grid of θ and ψ.
class JointOfTheBumpHunt : public ::testing::Test {
 protected:
  static constexpr int kTheta = 400, kPsi = 6000;

  JointOfTheBumpHunt() {
    const auto task = make_bump_hunt();
    Latents latents{at::full({1, 1}, 0.35, torch::kFloat64), at::full({1, 1}, 1.4, torch::kFloat64)};
    x_ = sets_of(*task, latents, 9, Purpose::test, 0, 25)[0];
    const std::vector<double> events = doubles(x_);
    const torch::Tensor theta = ((at::arange(kTheta, torch::kFloat64) + 0.5) / kTheta).unsqueeze(1);
    const torch::Tensor psi = (-8 + 18 * (at::arange(kPsi, torch::kFloat64) + 0.5) / kPsi).unsqueeze(0);
    torch::Tensor log = -0.5 * ((psi - 1) / 2).square() + at::zeros({kTheta, kPsi}, torch::kFloat64);
    for (const double e : events)
      log += (theta * 10 * (-50 * (e - psi).square()).exp() + (1 - theta) * std::exp(-0.5 * e * e)).log();
    const double cell = 18.0 / kPsi / kTheta;
    log_density_ = log - log.flatten().logsumexp(0) - std::log(cell);
    theta_ = theta.flatten();
    psi_ = psi.flatten();
    mass_ = log_density_.exp() * cell;
  }

  std::unique_ptr<ReferencePosterior> exact(const std::string& targets) const {
    auto posterior = made("bump-hunt", targets)->reference("exact");
    posterior->add(x_.slice(0, 0, 10));
    posterior->add(x_.slice(0, 10, 25));
    return posterior;
  }

  torch::Tensor x_, theta_, psi_, log_density_, mass_;
};

TEST_F(JointOfTheBumpHunt, DensitiesMatchBruteForce) {
  const auto both = exact("theta,psi"), place = exact("psi");
  for (const std::int64_t i : {3, 100, 140, 333})
    for (const std::int64_t j : {500, 3100, 3133, 3140, 5000}) {
      const torch::Tensor at = at::stack({theta_[i], psi_[j]}).unsqueeze(0);
      EXPECT_NEAR(both->log_density(at).item<double>(), log_density_[i][j].item<double>(), 2e-3) << i << " " << j;
      const double marginal = std::log(mass_.select(1, j).sum().item<double>() / (18.0 / kPsi));
      EXPECT_NEAR(place->log_density(psi_[j].view({1, 1})).item<double>(), marginal, 2e-3) << j;
    }
  for (const double outside : {-0.1, 1.1})
    EXPECT_EQ(both->log_density(at::tensor({outside, 1.0}, torch::kFloat64).view({1, 2})).item<double>(),
              -std::numeric_limits<double>::infinity());
}

TEST_F(JointOfTheBumpHunt, MarginalOfThetaIsTheTasksOwnPosterior) {
  const auto both = exact("theta,psi");
  const auto own = make_bump_hunt()->reference("exact");
  own->add(x_);
  for (const double theta : {0.05, 0.3, 0.41, 0.9}) {
    const torch::Tensor at = at::stack({at::full({kPsi}, theta, torch::kFloat64), psi_}, 1);
    const double marginal = both->log_density(at).exp().sum().item<double>() * 18.0 / kPsi;
    EXPECT_NEAR(std::log(marginal), own->log_density(at::full({1, 1}, theta, torch::kFloat64)).item<double>(), 1e-6);
  }
}

TEST_F(JointOfTheBumpHunt, MomentsAndSamplesAreTheirs) {
  const auto both = exact("theta,psi"), place = exact("psi");
  const torch::Tensor of_theta = mass_.sum(1), of_psi = mass_.sum(0);
  const double means[2] = {(of_theta * theta_).sum().item<double>(), (of_psi * psi_).sum().item<double>()};
  const torch::Tensor off[2] = {(theta_ - means[0]).unsqueeze(1), (psi_ - means[1]).unsqueeze(0)};
  Stream stream(stream_key(2, Purpose::posterior), 1);
  const torch::Tensor draws = both->sample(20000, stream);
  const torch::Tensor cov = both->covariance();
  for (int a = 0; a < 2; ++a) {
    const double sd = std::sqrt(cov[a][a].item<double>());
    EXPECT_NEAR(both->mean()[a].item<double>(), means[a], 2e-3 * sd);
    EXPECT_NEAR(draws.select(1, a).mean().item<double>(), means[a], 4 * sd / std::sqrt(20000.0));
    EXPECT_NEAR(draws.select(1, a).std().item<double>() / sd, 1, 0.1);
    for (int b = 0; b < 2; ++b)
      EXPECT_NEAR(cov[a][b].item<double>(), (mass_ * off[a] * off[b]).sum().item<double>(),
                  2e-3 * std::sqrt(cov[a][a].item<double>() * cov[b][b].item<double>()));
  }
  EXPECT_NEAR(place->mean().item<double>(), means[1], 1e-3);
  EXPECT_NEAR(place->covariance().item<double>(), cov[1][1].item<double>(), 1e-9);
  const torch::Tensor steps = of_psi.cumsum(0);
  const double* cdf = steps.const_data_ptr<double>();
  Stream other(stream_key(3, Purpose::posterior), 1);
  EXPECT_LT(kolmogorov(doubles(place->sample(4000, other)),
                       [&](double v) {
                         const auto k = static_cast<std::int64_t>((v + 8) / 18 * kPsi);
                         return cdf[std::clamp<std::int64_t>(k, 0, kPsi - 1)];
                       }),
            1.95);
}

// Markov chains over the choice's parameters, targets first.
TEST_F(JointOfTheBumpHunt, MarkovChainsAgree) {
  const auto task = made("bump-hunt", "psi");
  const auto joint = face<HasJointPosterior>(*task)->joint_posterior(x_);
  const LogDensity density = [&](auto at, auto gradient) { return joint->log_density(at, gradient); };
  NutsSettings settings;
  settings.seed = 5;
  const torch::Tensor draws = joint->parameters(sample_nuts(density, joint->center(), settings).draws);
  const auto place = exact("psi");
  const double sd = std::sqrt(place->covariance().item<double>());
  const torch::Tensor psi = draws.select(-1, 0), theta = draws.select(-1, 1);
  EXPECT_NEAR(psi.median().item<double>(), place->mean().item<double>(), sd);
  EXPECT_GT(theta.min().item<double>(), 0);
  EXPECT_LT(theta.max().item<double>(), 1);
}

}  // namespace
}  // namespace pairs
