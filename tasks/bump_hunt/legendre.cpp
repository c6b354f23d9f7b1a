#include "tasks/bump_hunt/legendre.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <numbers>

namespace pairs::bump_hunt {
namespace {

// Finds the nodes by Newton's method on the Legendre polynomial.
Quadrature made_legendre(std::int64_t n) {
  Quadrature q{std::vector<double>(static_cast<std::size_t>(n)), std::vector<double>(static_cast<std::size_t>(n))};
  for (std::int64_t i = 0; i < n; ++i) {
    double x = std::cos(std::numbers::pi * (static_cast<double>(i) + 0.75) / (static_cast<double>(n) + 0.5)),
           slope = 1.0;
    for (int step = 0; step < 100; ++step) {
      double p0 = 1.0, p1 = x;
      for (std::int64_t k = 2; k <= n; ++k) {
        const auto d = static_cast<double>(k);
        const double p2 = ((2.0 * d - 1.0) * x * p1 - (d - 1.0) * p0) / d;
        p0 = p1;
        p1 = p2;
      }
      slope = static_cast<double>(n) * (x * p1 - p0) / (x * x - 1.0);
      const double change = p1 / slope;
      x -= change;
      if (std::abs(change) < 1e-15) break;
    }
    q.node[static_cast<std::size_t>(i)] = 0.5 * (1.0 - x);
    q.weight[static_cast<std::size_t>(i)] = 1.0 / ((1.0 - x * x) * slope * slope);
  }
  return q;
}

}  // namespace

const Quadrature& legendre(std::int64_t n) {
  static std::mutex mutex;
  static std::map<std::int64_t, Quadrature> known;
  const std::lock_guard lock(mutex);
  const auto found = known.find(n);
  return found != known.end() ? found->second : known.emplace(n, made_legendre(n)).first->second;
}

const Quadrature& legendre_for(std::int64_t events) {
  return legendre(std::max<std::int64_t>(64, (events + 3 + 31) / 32 * 16));
}

}  // namespace pairs::bump_hunt
