#pragma once

#include <torch/types.h>

#include <cstdint>

#include "app/posterior/posterior_numbers.h"

namespace pairs {

// `count` draws of a posterior of θ -> [count, d] float64 on the CPU: of one target its even quantiles, which move
// smoothly as N does; of more, samples of the source.
torch::Tensor theta_draws(const PosteriorNumbers& numbers, const PosteriorSource& source, std::int64_t count);

}  // namespace pairs
