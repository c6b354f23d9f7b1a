#include "app/posterior/checks/likelihood_check.h"

#include <cmath>
#include <numbers>
#include <vector>

namespace pairs {
namespace {

constexpr std::int64_t kSets = 999, kLargestSet = 250, kPool = 50000;

// The log likelihoods of `sets` simulated sets of n observations each at one θ and ψ -> [sets].
torch::Tensor simulated_log_likelihoods(const Task& task, const Latents& latents, std::int64_t sets, std::int64_t n,
                                        std::uint64_t seed) {
  const Latents rows{latents.theta.expand({sets, -1}).contiguous(), latents.psi.expand({sets, -1}).contiguous()};
  std::vector<SetRange> ranges;
  for (std::int64_t k = 0; k < sets; ++k) ranges.push_back({k, 0, n});
  const Observations x = task.observe(rows, seed, Purpose::explore, ranges, torch::kCPU);
  return task.density(latents, x).log().view({sets, n}).sum(1);
}

}  // namespace

std::optional<double> likelihood_point(const Task& task, const Latents& latents, const Observations& x,
                                       std::uint64_t seed) {
  const torch::Tensor density = task.density(latents, x);
  if (!density.defined()) return std::nullopt;
  const torch::Tensor logs = density.log();
  const std::int64_t n = x.count();
  const double observed = logs.sum().item<double>();
  if (std::isnan(observed)) return std::nullopt;
  if (n <= kLargestSet) {
    const torch::Tensor sets = simulated_log_likelihoods(task, latents, kSets, n, seed);
    const double below = (sets < observed).sum().item<double>(), ties = (sets == observed).sum().item<double>();
    return (below + 0.5 * (ties + 1)) / (kSets + 1);
  }
  if (std::isinf(observed)) return 0.5 / (kSets + 1);
  const torch::Tensor pool = simulated_log_likelihoods(task, latents, kPool, 1, seed);
  const double spread = pool.std().item<double>();
  const double error = spread * std::sqrt(1 / static_cast<double>(n) + 1 / static_cast<double>(kPool));
  const double z = (observed / static_cast<double>(n) - pool.mean().item<double>()) / error;
  return 0.5 * std::erfc(-z / std::numbers::sqrt2);
}

}  // namespace pairs
