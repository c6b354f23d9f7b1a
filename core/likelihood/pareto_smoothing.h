#pragma once

#include <vector>

namespace pairs {

// Pareto-smoothed importance weights (Vehtari, Simpson, Gelman, Yao and Gabry 2024).
struct SmoothedWeights {
  std::vector<double> weight;  // normalized to sum 1
  double shape = 0;  // k̂ of the generalized Pareto distribution fitted to the largest weights; above 0.7 the
                     // weights are not reliable. Infinite if too few are finite or all the largest are equal.
};
// From log weights, which may be -infinity; the largest min(S / 5, 3 √S) are replaced by the expected order statistics
// of the fitted distribution, cut at the largest.
SmoothedWeights pareto_smoothed(const std::vector<double>& log_weight);

// The effective number of samples with normalized weights, 1 / Σ w².
double effective_samples(const std::vector<double>& weight);

// Fits a generalized Pareto distribution to excesses above 0 (Zhang and Stephens 2009, with the weak prior of Vehtari
// et al. on the shape).
struct ParetoFit {
  double shape = 0, scale = 1;
};
ParetoFit fit_pareto(std::vector<double> excess);

}  // namespace pairs
