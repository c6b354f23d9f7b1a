#include "app/posterior/theta_draws.h"

#include <vector>

namespace pairs {

torch::Tensor theta_draws(const PosteriorNumbers& numbers, const PosteriorSource& source, std::int64_t count) {
  if (numbers.targets.size() > 1) return source.sample(count, kFigureSeed).to(torch::kCPU, torch::kFloat64);
  std::vector<double> draws;
  for (std::int64_t k = 0; k < count; ++k)
    draws.push_back(cell_quantile(numbers.cells[0], numbers.marginals[0],
                                  (static_cast<double>(k) + 0.5) / static_cast<double>(count)));
  return torch::tensor(draws, torch::kFloat64).unsqueeze(1);
}

}  // namespace pairs
