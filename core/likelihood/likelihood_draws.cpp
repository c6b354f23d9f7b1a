#include "core/likelihood/likelihood_draws.h"

#include <ATen/Functions.h>

#include <numeric>
#include <vector>

#include "core/base/text/error.h"

namespace pairs {

LikelihoodDraws draw_observations(const Task& task, std::uint64_t seed, std::int64_t first, std::int64_t sets,
                                  const torch::Device& device) {
  std::vector<std::int64_t> indices(static_cast<std::size_t>(sets));
  std::iota(indices.begin(), indices.end(), first);
  std::vector<SetRange> ranges;
  for (const std::int64_t index : indices) ranges.push_back({index, 0, kObservationsOfASet});
  const Latents latents = task.latents(seed, Purpose::likelihood, indices);
  const Observations x = task.observe(latents, seed, Purpose::likelihood, ranges, device);
  PAIRS_CHECK(!x.is_ragged(),
              "The observations of task {} have different numbers of rows, for which there is no density",
              task.info().name);
  LikelihoodDraws out;
  out.x = x.block().reshape({x.count(), -1}).to(torch::kFloat32);
  out.parameters = at::cat({latents.theta, latents.psi}, 1).repeat_interleave(kObservationsOfASet, 0);
  if (latents.given.defined() && latents.given.size(1) > 0)
    out.given = latents.given.repeat_interleave(kObservationsOfASet, 0);
  return out;
}

}  // namespace pairs
