#pragma once

#include <cstdint>
#include <vector>

namespace pairs::bump_hunt {

struct Quadrature {
  std::vector<double> node, weight;
};

// Gauss-Legendre quadrature on [0, 1] with n nodes; cached. Thread-safe.
const Quadrature& legendre(std::int64_t n);

// The nodes that integrate the likelihood of `events` events, a polynomial in θ, exactly.
const Quadrature& legendre_for(std::int64_t events);

}  // namespace pairs::bump_hunt
