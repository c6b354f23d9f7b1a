#pragma once

#include <memory>

#include "core/nuisance_posterior.h"

namespace pairs::bump_hunt {

// The place of the signal given its fraction and events x [N, 1]: p(ψ | θ, X) on cells of ψ (places_of) that are narrow
// compared with the posterior.
std::unique_ptr<NuisancePosterior> make_nuisance_posterior(const torch::Tensor& x);

}  // namespace pairs::bump_hunt
