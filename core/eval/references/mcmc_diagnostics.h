#pragma once

#include <torch/types.h>

#include <cmath>

namespace pairs {

// Diagnostics of MCMC chains for one number, after Vehtari, Gelman, Simpson, Carpenter and Bürkner (2021). NaN if
// chains do not move.
struct McmcDiagnostics {
  double r_hat = NAN;           // rank-normalized and split; the larger of the number's and its folded version's
  double bulk_size = NAN;       // effective sample size in the bulk (rank-normalized)
  double tail_size = NAN;       // and in the tails: the smaller of the .05 and .95 quantiles'
  double mean = NAN, sd = NAN;  // of all samples
  double mean_error = NAN;      // Monte Carlo standard error of the mean
  double sd_error = NAN;        // Monte Carlo standard error of the sd
};

// Diagnoses chains [C, S] of one number, floating type on the CPU, C >= 1 and S >= 8. Throws Error for other shapes,
// and if a sample is not finite.
McmcDiagnostics mcmc_diagnostics(const torch::Tensor& chains);

}  // namespace pairs
