#pragma once

#include <torch/types.h>

#include <cmath>

namespace pairs {

// What chains say of one number, after Vehtari, Gelman, Simpson, Carpenter and Bürkner (2021). NaN where chains do not
// move.
struct McmcDiagnostics {
  double r_hat = NAN;           // rank-normalised and split, the larger of the number's and its folded one's
  double bulk_size = NAN;       // effective sample size in the bulk (rank-normalised),
  double tail_size = NAN;       // and the lesser of those of the quantiles .05 and .95
  double mean = NAN, sd = NAN;  // of all draws
  double mean_error = NAN;      // Monte Carlo standard error of the mean,
  double sd_error = NAN;        // and of the sd
};

// Of chains [C, S] of one number, floating type on the CPU, C >= 1 and S >= 8. Throws Error for other shapes, and where
// a draw is not finite.
McmcDiagnostics mcmc_diagnostics(const torch::Tensor& chains);

}  // namespace pairs
