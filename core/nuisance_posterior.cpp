#include "core/nuisance_posterior.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/base/fields/face.h"
#include "core/base/text/error.h"

namespace pairs {

CellDensity kernel_density(std::vector<double> draws) {
  constexpr std::size_t kCells = 240;
  PAIRS_CHECK(!draws.empty(), "There are no draws to estimate a density from");
  std::sort(draws.begin(), draws.end());
  const auto count = static_cast<double>(draws.size());
  const auto quantile = [&](double level) { return draws[static_cast<std::size_t>(level * (count - 1))]; };
  const double sd = (quantile(0.75) - quantile(0.25)) / 1.349;
  const double width = std::max(0.9 * sd * std::pow(count, -0.2), 1e-12 * (1 + std::abs(draws.front())));
  CellDensity out{quantile(0.001) - 3 * width, quantile(0.999) + 3 * width, std::vector<double>(kCells, 0)};
  const double cell = (out.high - out.low) / static_cast<double>(kCells);
  for (std::size_t i = 0; i < kCells; ++i) {
    const double at = out.low + cell * (static_cast<double>(i) + 0.5);
    const auto from = std::lower_bound(draws.begin(), draws.end(), at - 6 * width);
    const auto to = std::upper_bound(from, draws.end(), at + 6 * width);
    for (auto draw = from; draw != to; ++draw) {
      const double z = (at - *draw) / width;
      out.density[i] += std::exp(-0.5 * z * z);
    }
    out.density[i] /= count * width * std::sqrt(2 * std::numbers::pi);
  }
  return out;
}

std::unique_ptr<NuisancePosterior> nuisance_posterior(const Task& task, const Observations& x) {
  const auto* infers = face<InfersNuisances>(task);
  return infers != nullptr && x.count() > 0 ? infers->nuisance_posterior(x) : nullptr;
}

}  // namespace pairs
