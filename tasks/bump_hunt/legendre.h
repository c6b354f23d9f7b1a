#pragma once

#include <cstdint>
#include <vector>

namespace pairs::bump_hunt {

struct Quadrature {
  std::vector<double> node, weight;
};

// Gauss-Legendre on [0, 1] with n nodes; kept, so that asking again costs nothing. Thread-safe.
const Quadrature& legendre(std::int64_t n);

// The nodes on which the likelihood of `events` events, a polynomial of θ, is integrated exactly.
const Quadrature& legendre_for(std::int64_t events);

}  // namespace pairs::bump_hunt
