// p(ψ | θ, X) of the tasks that know it, against sums and draws of other kinds.
#include "core/nuisance_posterior.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/full.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/base/text/error.h"
#include "tasks/bump_hunt/bump_hunt.h"
#include "tasks/gaussian/gaussian.h"
#include "tasks/registry.h"
#include "tests/tasks/sets.h"

namespace pairs {
namespace {

using namespace pairs::testing;

struct CellMoments {
  double mass = 0, mean = 0, sd = 0;
};
CellMoments moments_of_cells(const CellDensity& density) {
  CellMoments m;
  const double step = (density.high - density.low) / static_cast<double>(density.density.size());
  double second = 0;
  for (std::size_t i = 0; i < density.density.size(); ++i) {
    const double at = density.low + step * (static_cast<double>(i) + 0.5), mass = step * density.density[i];
    m.mass += mass;
    m.mean += mass * at;
    second += mass * at * at;
  }
  m.mean /= m.mass;
  m.sd = std::sqrt(second / m.mass - m.mean * m.mean);
  return m;
}

Latents one_set(const Task& task, std::int64_t index) {
  return latents_of(task, 11, Purpose::check, index, 1);
}
torch::Tensor events_of(const Task& task, const Latents& latents, std::int64_t index, std::int64_t n) {
  return sets_of(task, latents, 11, Purpose::check, index, n)[0];
}

// Multiplies the densities of single events on a plain grid of ψ, and compares the product with marginal and draws.
TEST(BumpHuntNuisance, AgreesWithTheProductOfDensities) {
  const auto task = make_bump_hunt();
  for (std::int64_t set = 0; set < 12; ++set) {
    const std::int64_t n = set % 3 == 0 ? 3 : set % 3 == 1 ? 20 : 100;
    const Latents truth = one_set(*task, set);
    const torch::Tensor x = events_of(*task, truth, set, n);
    const torch::Tensor theta = set < 6 ? truth.theta : torch::rand_like(truth.theta);
    double mass = 0, mean = 0, second = 0;
    for (double psi = -9; psi < 11; psi += 0.0021) {
      const Latents at{theta, at::full({1, 1}, psi, torch::kFloat64)};
      const double log_density = task->density(at, x).log().sum().item<double>() - 0.125 * (psi - 1) * (psi - 1) +
                                 1.4 * static_cast<double>(n);
      mass += std::exp(log_density);
      mean += psi * std::exp(log_density);
      second += psi * psi * std::exp(log_density);
    }
    mean /= mass;
    const double sd = std::sqrt(second / mass - mean * mean);
    const auto posterior = nuisance_posterior(*task, x);
    ASSERT_TRUE(posterior);
    const CellMoments got = moments_of_cells(posterior->marginal(theta, 0));
    EXPECT_NEAR(got.mass, 1, 1e-9);
    EXPECT_NEAR(got.mean, mean, 0.003 * sd) << set;
    EXPECT_NEAR(got.sd, sd, 0.003 * sd) << set;
    Stream stream(3, static_cast<std::uint64_t>(set));
    const torch::Tensor draws = posterior->sample(theta.expand({4000, 1}), stream);
    EXPECT_NEAR(draws.mean().item<double>(), mean, 4 * sd / std::sqrt(4000.0)) << set;
  }
}

// Draws follow the density they belong to, rows with their own θ each.
TEST(BumpHuntNuisance, DrawsFollowTheMarginal) {
  const auto task = make_bump_hunt();
  const Latents truth = one_set(*task, 4);
  const torch::Tensor x = events_of(*task, truth, 4, 12);
  const auto posterior = nuisance_posterior(*task, x);
  const torch::Tensor theta = at::tensor({0.1, 0.4, 0.9}, torch::kFloat64).unsqueeze(1);
  const CellDensity density = posterior->marginal(theta, 0);
  Stream stream(3, 1);
  const torch::Tensor draws = posterior->sample(theta.repeat({2000, 1}), stream);
  const double step = (density.high - density.low) / static_cast<double>(density.density.size());
  const auto cdf = [&](double psi) {
    double below = 0;
    for (std::size_t i = 0; i < density.density.size(); ++i)
      below += density.density[i] * std::clamp(psi - density.low - step * static_cast<double>(i), 0.0, step);
    return below;
  };
  EXPECT_LT(kolmogorov(doubles(draws.flatten()), cdf), 1.95);
}

TEST(BumpHuntNuisance, StandsExtremes) {
  const auto task = make_bump_hunt();
  const auto theta = at::tensor({0.0, 1.0, 0.5, 1.0 - 1e-16, 3.0, -1.0}, torch::kFloat64).unsqueeze(1);
  for (const std::vector<double>& values : std::vector<std::vector<double>>{{40, -40}, {95}, {0, 0, 0}, {12.99}}) {
    const auto posterior = nuisance_posterior(*task, at::tensor(values, torch::kFloat64).unsqueeze(1));
    Stream stream(1, 1);
    EXPECT_TRUE(posterior->sample(theta, stream).isfinite().all().item<bool>());
    EXPECT_NEAR(moments_of_cells(posterior->marginal(theta, 0)).mass, 1, 1e-9);
  }
  for (const double value : {static_cast<double>(NAN), 900.0, -900.0})
    EXPECT_THROW(nuisance_posterior(*task, at::tensor({value}, torch::kFloat64).unsqueeze(1)), Error);
}

// Ranks of the true ψ among draws of p(ψ | θ, X) at the true θ are uniform.
TEST(NuisancePosterior, HoldsTheTruthUniformly) {
  for (const char* name : {"bump-hunt", "precision", "covariance", "literal"}) {
    const auto task = name == std::string("bump-hunt") ? make_bump_hunt() : make_gaussian(name);
    const std::int64_t sets = 400, draws = 99;
    const auto components = static_cast<std::int64_t>(task->info().nuisances.size());
    for (const std::int64_t n : {2, 40}) {
      const Latents truth = latents_of(*task, 21, Purpose::check, 0, sets);
      const torch::Tensor x = sets_of(*task, truth, 21, Purpose::check, 0, n);
      std::vector<std::vector<double>> ranks(static_cast<std::size_t>(components));
      for (std::int64_t s = 0; s < sets; ++s) {
        Stream stream(5, static_cast<std::uint64_t>(s));
        const auto posterior = nuisance_posterior(*task, x[s]);
        const torch::Tensor psi = posterior->sample(truth.theta[s].unsqueeze(0).expand({draws, -1}), stream);
        for (std::int64_t k = 0; k < components; ++k)
          ranks[static_cast<std::size_t>(k)].push_back(
              ((psi.select(1, k) < truth.psi[s][k]).sum().item<double>() + stream.uniform64()) / (draws + 1));
      }
      for (std::size_t k = 0; k < ranks.size(); ++k)
        EXPECT_LT(kolmogorov(ranks[k], [](double u) { return u; }), 1.95)
            << name << " N = " << n << ", component " << k;
    }
  }
}

// Marginals against a great many draws, at some and at many observations.
TEST(GaussianNuisance, MarginalsAreThoseOfTheDraws) {
  for (const char* convention : {"precision", "covariance", "literal"}) {
    const auto task = make_gaussian(convention);
    const Latents truth = one_set(*task, 3);
    for (const std::int64_t n : {12, 2000}) {
      const auto posterior = nuisance_posterior(*task, events_of(*task, truth, 3, n));
      const torch::Tensor theta = at::cat({truth.theta, truth.theta + 0.2 / std::sqrt(n)});
      Stream stream(5, 2);
      const torch::Tensor draws = posterior->sample(theta.repeat({3000, 1}), stream);
      for (std::int64_t k = 0; k < 3; ++k) {
        const CellMoments got = moments_of_cells(posterior->marginal(theta, k));
        const torch::Tensor values = draws.select(1, k);
        const double mean = values.mean().item<double>(), sd = values.std().item<double>();
        EXPECT_NEAR(got.mass, 1, 4e-3) << convention << n << k;
        EXPECT_NEAR(got.mean, mean, 0.05 * sd) << convention << n << k;
        EXPECT_NEAR(got.sd, sd, 0.05 * sd) << convention << n << k;
      }
    }
  }
}

TEST(NuisancePosterior, IsKnownOnlyWhereThereIsADensity) {
  for (const std::string& name : built_in_tasks()->names()) {
    const auto task = built_in_tasks()->make(name);
    std::vector<std::int64_t> shape = task->info().observation_shape;
    shape.insert(shape.begin(), 2);
    const bool known = name == "bump-hunt" || name == "gaussian";
    EXPECT_EQ(nuisance_posterior(*task, torch::zeros(shape)) != nullptr, known) << name;
  }
}

}  // namespace
}  // namespace pairs
