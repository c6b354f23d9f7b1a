#include "core/eval/references/mcmc_diagnostics.h"

#include <ATen/Functions.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "core/base/files/npz.h"
#include "core/base/text/error.h"
#include "tests/core/eval/normals.h"

namespace pairs {
namespace {

// Chains as in tests/reference/mcmc_diagnostics.py: autoregression of uniform numbers, the chains apart by `shift`.
torch::Tensor made_up_chains(double autoregression, double shift, std::int64_t count, std::int64_t draws) {
  torch::Tensor out = torch::empty({count, draws}, torch::kFloat64);
  std::uint64_t state = 12345;
  for (std::int64_t c = 0; c < count; ++c) {
    double value = 0;
    for (std::int64_t t = 0; t < draws; ++t) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      value = autoregression * value + (static_cast<double>(state >> 11) * 0x1p-53 - 0.5);
      out[c][t] = value + static_cast<double>(c) * shift;
    }
  }
  return out;
}

// Stationary first-order autoregression [chains, draws] of unit variance.
torch::Tensor autoregression(double rho, std::int64_t chains, std::int64_t draws, std::uint64_t index) {
  const torch::Tensor noise = seeded_normals({chains, draws}, 1, index);
  std::vector<torch::Tensor> columns = {noise.select(1, 0)};
  for (std::int64_t t = 1; t < draws; ++t)
    columns.push_back(rho * columns.back() + std::sqrt(1 - rho * rho) * noise.select(1, t));
  return at::stack(columns, 1);
}

TEST(McmcDiagnostics, MatchAPublishedImplementation) {
  const torch::Tensor table = read_csv(PAIRS_SOURCE_DIR "/tests/reference/mcmc_diagnostics.csv");
  ASSERT_EQ(table.size(0), 5);
  for (std::int64_t k = 0; k < table.size(0); ++k) {
    const auto at = [&](std::int64_t column) { return table[k][column].item<double>(); };
    const McmcDiagnostics reported = mcmc_diagnostics(
        made_up_chains(at(0), at(1), static_cast<std::int64_t>(at(2)), static_cast<std::int64_t>(at(3))));
    EXPECT_NEAR(reported.r_hat, at(4), 1e-10) << k;
    EXPECT_NEAR(reported.bulk_size, at(5), 1e-8 * at(5)) << k;
    EXPECT_NEAR(reported.tail_size, at(6), 1e-8 * at(6)) << k;
    EXPECT_NEAR(reported.mean_error, at(7), 1e-8 * at(7)) << k;
    EXPECT_NEAR(reported.sd_error, at(8), 1e-8 * at(8)) << k;
  }
}

// The mean of n draws has the variance (1 + ρ) / (1 − ρ) / n.
TEST(McmcDiagnostics, EffectiveSizeOfAnAutoregressionIsTheClosedForm) {
  std::uint64_t index = 0;
  for (const double rho : {-0.3, 0.0, 0.5, 0.9}) {
    const McmcDiagnostics reported = mcmc_diagnostics(autoregression(rho, 4, 20000, ++index));
    const double size = 80000 * (1 - rho) / (1 + rho);
    EXPECT_NEAR(reported.bulk_size / size, 1, 0.08) << rho;
    EXPECT_NEAR(reported.mean_error * std::sqrt(size), 1, 0.05) << rho;
    EXPECT_LT(reported.r_hat, 1.01) << rho;
    EXPECT_NEAR(reported.sd, 1, 4 * reported.sd_error) << rho;
    // Squares are correlated by ρ²: the sd's variance is (1 + ρ²) / (1 − ρ²) / 2n.
    EXPECT_NEAR(reported.sd_error * std::sqrt(160000 * (1 - rho * rho) / (1 + rho * rho)), 1, 0.08) << rho;
  }
}

TEST(McmcDiagnostics, RHatTellsChainsApartByPlaceWidthAndDrift) {
  const torch::Tensor alike = seeded_normals({4, 1000}, 1, 21);
  EXPECT_LT(mcmc_diagnostics(alike).r_hat, 1.01);
  torch::Tensor shifted = alike.clone(), wider = alike.clone();
  shifted[0] += 1;
  // Variance between chain means .25, within 1; ranks see about the same.
  EXPECT_NEAR(mcmc_diagnostics(shifted).r_hat, std::sqrt(1.25 / 1.0), 0.03);
  wider[0] *= 3;
  EXPECT_GT(mcmc_diagnostics(wider).r_hat, 1.05);
  const torch::Tensor drifting = alike + torch::linspace(-1, 1, 1000, torch::kFloat64);
  EXPECT_GT(mcmc_diagnostics(drifting).r_hat, 1.05);
}

TEST(McmcDiagnostics, RefuseWhatIsNoChain) {
  EXPECT_THROW(mcmc_diagnostics(torch::zeros({2, 7})), Error);
  EXPECT_THROW(mcmc_diagnostics(torch::zeros({20})), Error);
  EXPECT_THROW(mcmc_diagnostics(torch::full({2, 20}, INFINITY)), Error);
  EXPECT_TRUE(std::isnan(mcmc_diagnostics(torch::zeros({2, 20})).r_hat));
}

}  // namespace
}  // namespace pairs
