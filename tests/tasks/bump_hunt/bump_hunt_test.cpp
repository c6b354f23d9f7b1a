#include "tasks/bump_hunt/bump_hunt.h"

#include <ATen/ops/full.h>
#include <ATen/ops/linspace.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/normal.hpp>
#include <map>

#include "core/base/fields/face.h"
#include "core/base/files/npz.h"
#include "core/base/text/error.h"
#include "core/eval/references/mcmc_diagnostics.h"
#include "core/eval/references/nuts.h"
#include "core/joint_posterior.h"
#include "tests/tasks/sets.h"

namespace pairs {
namespace {

using namespace pairs::testing;

torch::Tensor events(const std::vector<double>& values) {
  return at::tensor(values, torch::kFloat64).view({-1, 1});
}

std::vector<double> unit_set() {
  const boost::math::normal normal;
  std::vector<double> x;
  for (int i = 0; i < 80; ++i) x.push_back(boost::math::quantile(normal, (i + 0.5) / 80));
  for (int i = 0; i < 20; ++i) x.push_back(1.5 + 0.1 * boost::math::quantile(normal, (i + 0.5) / 20));
  return x;
}

std::unique_ptr<JointPosterior> joint_of(const Task& task, const torch::Tensor& x) {
  return face<HasJointPosterior>(task)->joint_posterior(x);
}

// Draws [chains, draws, 2] of θ and ψ.
torch::Tensor mcmc_parameters(const JointPosterior& joint, const NutsSettings& settings) {
  const LogDensity density = [&](auto at, auto gradient) { return joint.log_density(at, gradient); };
  return joint.parameters(sample_nuts(density, joint.center(), settings).draws);
}

TEST(BumpHunt, PosteriorsOfTheUnitSetMatchTheReference) {
  const auto task = make_bump_hunt();
  const torch::Tensor table = read_csv(PAIRS_SOURCE_DIR "/tests/reference/bump_hunt_unit.csv");
  const std::vector<std::string> names = task->references();
  ASSERT_EQ(table.size(0), static_cast<std::int64_t>(names.size()));
  for (std::size_t k = 0; k < names.size(); ++k) {
    const auto posterior = task->reference(names[k]);
    posterior->add(events(unit_set()));
    const double mean = table[static_cast<std::int64_t>(k)][0].item<double>();
    const double sd = table[static_cast<std::int64_t>(k)][1].item<double>();
    EXPECT_NEAR(posterior->mean().item<double>(), mean, 5.1e-9) << names[k];
    EXPECT_NEAR(std::sqrt(posterior->covariance().item<double>()), sd, 5.1e-9) << names[k];
  }
}

// The likelihood summed directly, in another order, on another grid of psi and of theta.
TEST(BumpHunt, ExactDensityMatchesBruteForce) {
  const auto task = make_bump_hunt();
  const std::vector<double> x = {-0.4, 1.93, 2.11, 0.2, 2.02, -3.9, 6.3, 1.98};
  const auto likelihood = [&](double theta) {
    double sum = 0.0;
    for (int r = 0; r <= 4800; ++r) {
      const double psi = -11.0 + 24.0 * r / 4800.0;
      double product = std::exp(-0.125 * (psi - 1.0) * (psi - 1.0));
      for (const double v : x)
        product *= theta * 10.0 * std::exp(-50.0 * (v - psi) * (v - psi)) + (1.0 - theta) * std::exp(-0.5 * v * v);
      sum += product;
    }
    return sum;
  };
  double evidence = 0.0;  // by Simpson's rule
  for (int k = 0; k <= 200; ++k) evidence += likelihood(k / 200.0) * (k == 0 || k == 200 ? 1 : k % 2 ? 4 : 2) / 600.0;
  const auto exact = task->reference("exact");
  exact->add(events({x.begin(), x.begin() + 3}));
  exact->add(events({x.begin() + 3, x.end()}));
  for (const double theta : {0.0, 0.01, 0.3, 0.77, 0.999})
    EXPECT_NEAR(exact->log_density(events({theta})).item<double>(), std::log(likelihood(theta) / evidence), 1e-7)
        << theta;
}

// log p(X | θ) less the background's density of the events, summed over ψ on another grid, all in logs.
double log_likelihood_by_logs(const std::vector<double>& x, double theta, double low, double high) {
  constexpr int kPlaces = 40000;
  std::vector<double> logs;
  for (int r = 0; r <= kPlaces; ++r) {
    const double psi = low + (high - low) * r / kPlaces;
    double sum = -0.125 * (psi - 1.0) * (psi - 1.0);
    for (const double v : x) {
      const double signal = std::log(10.0 * theta) - 50.0 * (v - psi) * (v - psi) + 0.5 * v * v;
      const double background = std::log1p(-theta);
      const double top = std::max(signal, background);
      sum += top + std::log(std::exp(signal - top) + std::exp(background - top));
    }
    logs.push_back(sum);
  }
  const double top = *std::max_element(logs.begin(), logs.end());
  double sum = 0;
  for (const double value : logs) sum += std::exp(value - top);
  return top + std::log(sum);
}

// A signal may be far out in its prior, so far that the relative density of the background underflows in float64.
TEST(BumpHunt, ExactPosteriorsOfEventsFarFromThePriorsPlace) {
  const auto task = make_bump_hunt();
  const std::vector<std::vector<double>> sets = {{20.0},
                                                 {0.3, -1.1, 0.5, -0.2, 1.4, 0.1, -0.7, 0.9, -0.4, -13.0},
                                                 {0.3, -1.1, 0.5, -0.2, 1.4, 0.1, -0.7, 0.9, -0.4, 12.0},
                                                 {10.0},
                                                 {15.0, 15.1, 0.2},
                                                 {-99.5, 0.4, 60.0}};
  for (const std::vector<double>& x : sets) {
    const auto [least, most] = std::minmax_element(x.begin(), x.end());
    const double low = std::min(-15.0, *least - 3), high = std::max(17.0, *most + 3);
    const auto at = [&](double theta) { return log_likelihood_by_logs(x, theta, low, high); };
    std::vector<double> logs;
    for (int k = 0; k <= 200; ++k) logs.push_back(at(k / 200.0));
    const double top = *std::max_element(logs.begin(), logs.end());
    double evidence = 0, first = 0;  // by Simpson's rule
    for (int k = 0; k <= 200; ++k) {
      const double mass = std::exp(logs[static_cast<std::size_t>(k)] - top) *
                          (k == 0 || k == 200 ? 1
                           : k % 2            ? 4
                                              : 2) /
                          600.0;
      evidence += mass;
      first += mass * k / 200.0;
    }
    const auto exact = task->reference("exact");
    exact->add(events(x));
    EXPECT_NEAR(exact->mean().item<double>(), first / evidence, 1e-6) << x.back();
    for (const double theta : {0.0, 0.3, 0.9}) {
      const double expected = at(theta) - top - std::log(evidence);
      EXPECT_NEAR(exact->log_density(events({theta})).item<double>(), expected, 1e-6 * std::max(1.0, -expected))
          << x.back() << " at " << theta;
    }
  }
}

TEST(BumpHunt, EveryPosteriorIsADensityWithItsMomentsAndSamples) {
  const auto task = make_bump_hunt();
  for (const std::string& name : task->references()) {
    for (const std::int64_t n : {1, 7, 100, 180}) {
      const Latents l = latents_of(*task, 21, Purpose::test, n, 1);
      const auto posterior = task->reference(name);
      posterior->add(sets_of(*task, l, 21, Purpose::test, n, n)[0]);
      const torch::Tensor grid = at::linspace(0, 1, 4001, torch::kFloat64);
      const torch::Tensor density = posterior->log_density(grid.unsqueeze(1)).exp();
      std::vector<double> simpson(4001);
      for (int i = 0; i <= 4000; ++i)
        simpson[static_cast<std::size_t>(i)] = (i % 4000 == 0 ? 1 : i % 2 ? 4 : 2) / 12000.0;
      const torch::Tensor mass = density * at::tensor(simpson, torch::kFloat64);
      EXPECT_NEAR(mass.sum().item<double>(), 1.0, 1e-7) << name << " N = " << n;
      const double mean = (mass * grid).sum().item<double>();
      const double variance = (mass * (grid - mean) * (grid - mean)).sum().item<double>();
      EXPECT_NEAR(posterior->mean().item<double>(), mean, 1e-7);
      EXPECT_NEAR(posterior->covariance().item<double>() / variance, 1.0, 1e-6);
      Stream stream(stream_key(2, Purpose::posterior), static_cast<std::uint64_t>(n));
      const torch::Tensor cdf = (density / 4000.0).cumsum(0);
      const double* steps = cdf.const_data_ptr<double>();
      EXPECT_LT(kolmogorov(doubles(posterior->sample(4000, stream)),
                           [&](double v) { return steps[static_cast<std::int64_t>(v * 4000.0)]; }),
                2.2)
          << name << " N = " << n;
      EXPECT_EQ(posterior->log_density(events({-0.1})).item<double>(), -std::numeric_limits<double>::infinity());
    }
  }
}

TEST(BumpHunt, FarSignalGivesTheBetaPosterior) {
  const auto task = make_bump_hunt();
  std::vector<double> x(unit_set());
  for (std::size_t i = 80; i < 100; ++i) x[i] += 6.0;  // twenty events that only signal explains
  const auto exact = task->reference("exact");
  exact->add(events(x));
  const boost::math::beta_distribution<double> beta(21, 81);
  EXPECT_NEAR(exact->mean().item<double>(), boost::math::mean(beta), 1e-9);
  EXPECT_NEAR(exact->covariance().item<double>(), boost::math::variance(beta), 1e-10);
  EXPECT_NEAR(exact->log_density(events({0.25})).item<double>(), std::log(boost::math::pdf(beta, 0.25)), 1e-8);
}

TEST(BumpHunt, PosteriorWidthsMatchTheReferenceCells) {
  const auto task = make_bump_hunt();
  const torch::Tensor table = read_csv(PAIRS_SOURCE_DIR "/tests/reference/bump_hunt_posterior_std.csv");
  const std::int64_t sets = 200;
  ASSERT_EQ(table.size(0), 16);
  for (std::int64_t row = 0; row < table.size(0); ++row) {
    const double theta = table[row][0].item<double>(), psi = table[row][1].item<double>();
    const Latents l{at::full({sets, 1}, theta, torch::kFloat64), at::full({sets, 1}, psi, torch::kFloat64)};
    const torch::Tensor x = sets_of(*task, l, 31, Purpose::test, row * 1000, 100);
    const std::map<std::string, std::pair<int, int>> columns = {
        {"exact", {2, 3}}, {"naive product", {5, 6}}, {"per-event classifier", {7, 8}}};
    for (const auto& [name, column] : columns) {
      std::vector<double> sd, mean;
      for (std::int64_t k = 0; k < sets; ++k) {
        const auto posterior = task->reference(name);
        posterior->add(x[k]);
        sd.push_back(std::sqrt(posterior->covariance().item<double>()));
        mean.push_back(posterior->mean().item<double>());
      }
      std::sort(sd.begin(), sd.end());
      const torch::Tensor m = at::tensor(mean, torch::kFloat64);
      // Errors of both sides: 200 sets here, 400 in the reference; the error of a median from its central half.
      const double both = std::sqrt(1.0 + 200.0 / 400.0);
      const double median_error = 1.2533 * (sd[150] - sd[50]) / 1.349 / std::sqrt(200.0) * both;
      const double mean_error = m.std().item<double>() / std::sqrt(200.0) * both;
      EXPECT_NEAR(0.5 * (sd[99] + sd[100]), table[row][column.first].item<double>(), 4.0 * median_error)
          << name << " theta " << theta << " psi " << psi;
      EXPECT_NEAR(m.mean().item<double>(), table[row][column.second].item<double>(), 4.0 * mean_error)
          << name << " theta " << theta << " psi " << psi;
    }
  }
}

TEST(BumpHunt, SimulatedNllMatchesTheReference) {
  const auto task = make_bump_hunt();
  const torch::Tensor table = read_csv(PAIRS_SOURCE_DIR "/tests/reference/bump_hunt_nll.csv");
  ASSERT_EQ(table.size(0), 4);
  for (std::int64_t row = 0; row < table.size(0); ++row) {
    const std::int64_t n = table[row][0].item<std::int64_t>(), sets = n < 100 ? 4000 : 1000;
    const Latents l = latents_of(*task, 41, Purpose::test, 0, sets);
    const torch::Tensor x = sets_of(*task, l, 41, Purpose::test, 0, n);
    std::vector<double> exact, naive;
    for (std::int64_t k = 0; k < sets; ++k) {
      for (auto* nll : {&exact, &naive}) {
        const auto posterior = task->reference(nll == &exact ? "exact" : "naive product");
        posterior->add(x[k]);
        nll->push_back(-posterior->log_density(l.theta.slice(0, k, k + 1)).item<double>());
      }
    }
    const torch::Tensor e = at::tensor(exact, torch::kFloat64), p = at::tensor(naive, torch::kFloat64);
    EXPECT_NEAR(e.mean().item<double>(), table[row][2].item<double>(), 4.0 * e.std().item<double>() / std::sqrt(sets));
    EXPECT_NEAR(p.mean().item<double>(), table[row][6].item<double>(),
                4.0 * std::hypot(p.std().item<double>() / std::sqrt(sets), table[row][7].item<double>()));
    if (n == 1) {  // one event has no coupling
      EXPECT_LT((e - p).abs().max().item<double>(), 1e-8);
    }
  }
}

TEST(BumpHunt, ObservationsFollowTheMixture) {
  const auto task = make_bump_hunt();
  const Latents l{events({0.3}), events({1.7})};
  const boost::math::normal background, signal(1.7, 0.1);
  EXPECT_LT(kolmogorov(doubles(sets_of(*task, l, 6, Purpose::test, 0, 200000)),
                       [&](double v) { return 0.3 * cdf(signal, v) + 0.7 * cdf(background, v); }),
            1.95);
}

TEST(BumpHunt, JointPosteriorIsTheDensityOfTheEventsTimesThePrior) {
  const auto task = make_bump_hunt();
  const torch::Tensor x = events(unit_set());
  const auto joint = joint_of(*task, x);
  // log prior and likelihood of θ and ψ, with the Jacobian of the logit.
  const auto reported = [&](double logit, double psi) {
    const double theta = 1 / (1 + std::exp(-logit));
    const Latents at = {at::full({1, 1}, theta, torch::kFloat64), at::full({1, 1}, psi, torch::kFloat64)};
    return task->density(at, x).log().sum().item<double>() - 0.125 * (psi - 1) * (psi - 1) +
           std::log(theta * (1 - theta));
  };
  const std::vector<std::vector<double>> points = {{-1.4, 1.5}, {0.3, -2.0}, {4.0, 1.6}, {-6.0, 9.0}};
  std::vector<double> gradient(2);
  const double constant = joint->log_density(points[0], gradient) - reported(points[0][0], points[0][1]);
  for (const auto& u : points) {
    EXPECT_NEAR(joint->log_density(u, gradient) - reported(u[0], u[1]), constant, 1e-9 * std::abs(constant) + 1e-9);
    constexpr double h = 1e-6;
    EXPECT_NEAR(gradient[0], (reported(u[0] + h, u[1]) - reported(u[0] - h, u[1])) / (2 * h),
                1e-5 * (1 + std::abs(gradient[0])));
    EXPECT_NEAR(gradient[1], (reported(u[0], u[1] + h) - reported(u[0], u[1] - h)) / (2 * h),
                1e-5 * (1 + std::abs(gradient[1])));
  }
}

// Within four Monte Carlo standard errors of the quadrature, at several places of the signal.
TEST(BumpHunt, McmcAgreesWithQuadrature) {
  const auto task = make_bump_hunt();
  for (const double psi : {-3.0, 1.5, 3.0, 5.0}) {
    const Latents l = {at::full({1, 1}, 0.3, torch::kFloat64), at::full({1, 1}, psi, torch::kFloat64)};
    const torch::Tensor x = task->observe(l, 3, Purpose::test, std::vector<SetRange>{{0, 0, 100}}, torch::kCPU);
    const auto exact = task->reference("exact");
    exact->add(x);
    const torch::Tensor drawn = mcmc_parameters(*joint_of(*task, x), {.draws = 4000});
    const McmcDiagnostics theta = mcmc_diagnostics(drawn.select(-1, 0)), place = mcmc_diagnostics(drawn.select(-1, 1));
    EXPECT_LT(std::max(theta.r_hat, place.r_hat), 1.01) << psi;
    EXPECT_LT(theta.mean_error, 0.05 * theta.sd) << psi;
    EXPECT_NEAR(theta.mean, exact->mean().item<double>(), 4 * theta.mean_error) << psi;
    EXPECT_NEAR(theta.sd, std::sqrt(exact->covariance().item<double>()), 4 * theta.sd_error) << psi;
    EXPECT_NEAR(place.mean, psi, 0.2);
  }
}

// Two equally good bumps: chains stay at the one that they find, and R-hat shows it.
TEST(BumpHunt, RHatTellsWhereMcmcMissesAPlaceOfTheSignal) {
  std::vector<double> values;
  for (const double x : unit_set())
    if (values.size() < 80) values.push_back(x);  // its background alone
  for (const double off : {-0.1, -0.05, 0.0, 0.05, 0.1}) {
    values.push_back(4 + off);
    values.push_back(-2 + off);
  }
  const torch::Tensor x = events(values);
  const torch::Tensor drawn = mcmc_parameters(*joint_of(*make_bump_hunt(), x), {.chains = 8});
  EXPECT_GT(mcmc_diagnostics(drawn.select(-1, 1)).r_hat, 1.05);
}

TEST(BumpHunt, PriorIsUniformTimesNormal) {
  const Latents l = latents_of(*make_bump_hunt(), 6, Purpose::pretrain, 0, 50000);
  const boost::math::normal place(1.0, 2.0);
  EXPECT_LT(kolmogorov(doubles(l.theta), [](double v) { return v; }), 1.95);
  EXPECT_LT(kolmogorov(doubles(l.psi), [&](double v) { return cdf(place, v); }), 1.95);
}

TEST(BumpHunt, IsAddressableAndDescribed) {
  const auto task = make_bump_hunt();
  expect_addressable(*task);
  expect_described(*task);
  EXPECT_TRUE(std::isnan(task->exact_nll(10)));
}

TEST(BumpHunt, RefusesWhatItCannotUse) {
  const auto task = make_bump_hunt();
  EXPECT_THROW(task->reference("exakt"), Error);
  const auto exact = task->reference("exact");
  EXPECT_THROW(exact->add(events({std::nan("")})), Error);
  EXPECT_THROW(exact->add(at::zeros({2, 2})), Error);
}

}  // namespace
}  // namespace pairs
