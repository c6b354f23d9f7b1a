#pragma once

#include <ATen/Functions.h>

#include <cmath>
#include <cstdio>
#include <functional>
#include <vector>

#include "core/train/run/run.h"
#include "tests/tasks/sets.h"

namespace pairs::own {

// log p(θ | x) of each set in nat: θ [B, d], x [B, N, ...] -> [B].
using ExactPosterior = std::function<torch::Tensor(const torch::Tensor& theta, const torch::Tensor& x)>;

// The gap of a run to the exact posterior for sets of n, in nat: the mean over 2,000 test sets. Prints it to stdout
// with its standard error.
inline double gap_to(const ExactPosterior& exact, const LoadedRun& run, std::int64_t n) {
  constexpr std::int64_t kSets = 2000, kAtOnce = 100;
  std::vector<torch::Tensor> gaps;
  for (std::int64_t first = 0; first < kSets; first += kAtOnce) {
    const Latents latents = pairs::testing::latents_of(*run.task, 1, Purpose::test, first, kAtOnce);
    const torch::Tensor x = pairs::testing::sets_of(*run.task, latents, 1, Purpose::test, first, n);
    const torch::Tensor embeddings = run.estimator->embed(Observations(x.flatten(0, 1)));
    const torch::Tensor log_prob =
        run.estimator->log_prob(latents.theta, embeddings.view({kAtOnce, n, -1}).to(torch::kFloat64).mean(1),
                                torch::full({kAtOnce}, n, torch::kInt64));
    gaps.push_back(exact(latents.theta, x) - log_prob.to(torch::kFloat64));
  }
  const torch::Tensor gap = torch::cat(gaps);
  const double mean = gap.mean().item<double>();
  std::printf("N = %ld: gap to the exact posterior %.4f ± %.4f\n", static_cast<long>(n), mean,
              gap.std().item<double>() / std::sqrt(static_cast<double>(kSets)));
  std::fflush(stdout);
  return mean;
}

}  // namespace pairs::own
