#pragma once

#include <memory>

#include "core/nuisance_posterior.h"

namespace pairs::gaussian {

// A symmetric 2 x 2 matrix [[a, b], [b, c]].
struct Matrix {
  double a = 0, b = 0, c = 0;
};

// The prior of the covariance ψ, and of the mean given ψ, θ | ψ ~ N(mean, ψ / strength).
struct CovariancePrior {
  bool inverse_wishart = true;  // ψ ~ inverse Wishart(scale, freedom); else ψ ~ Wishart(scale⁻¹, freedom)
  Matrix scale;
  double freedom = 0;
  double mean[2] = {0, 0};
  double strength = 1;
};

// The posterior of the covariance given the mean and points x [N, 2], as (ψ₁₁, ψ₁₂, ψ₂₂). With an inverse Wishart prior
// it is inverse Wishart again, in closed form; with a Wishart prior it is matrix generalized inverse Gaussian, sampled
// from its exact density on a grid.
std::unique_ptr<NuisancePosterior> make_nuisance_posterior(const CovariancePrior& prior, const torch::Tensor& x);

}  // namespace pairs::gaussian
