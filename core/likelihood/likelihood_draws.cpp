#include "core/likelihood/likelihood_draws.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "core/base/text/error.h"
#include "core/stored_sets.h"

namespace pairs {
namespace {

constexpr std::int64_t kMostNumbers = std::int64_t{1} << 25;  // of stored observations in memory
constexpr std::int64_t kMostSets = std::int64_t{1} << 20;     // stored sets that are read
constexpr std::size_t kPart = 1024;                           // sets read at once

LikelihoodDraws observed(const Task& task, const Latents& latents, std::uint64_t seed, Purpose purpose,
                         const std::vector<SetRange>& ranges, const torch::Device& device) {
  const Observations x = task.observe(latents, seed, purpose, ranges, device);
  PAIRS_CHECK(!x.is_ragged(),
              "The observations of task {} have different numbers of rows, for which there is no density",
              task.info().name);
  std::vector<std::int64_t> counts;
  for (const SetRange& range : ranges) counts.push_back(range.count);
  const torch::Tensor times = torch::tensor(counts, torch::kInt64);
  LikelihoodDraws out;
  out.x = x.block().reshape({x.count(), -1}).to(torch::kFloat32);
  out.prior_parameters = at::cat({latents.theta, latents.psi}, 1);
  out.parameters = out.prior_parameters.repeat_interleave(times, 0);
  out.set = at::arange(times.numel(), torch::kInt64).repeat_interleave(times, 0);
  if (latents.given.defined() && latents.given.size(1) > 0) {
    out.prior_given = latents.given;
    out.given = latents.given.repeat_interleave(times, 0);
  }
  return out;
}

}  // namespace

LikelihoodDraws LikelihoodDraws::chosen(const torch::Tensor& rows, const torch::Tensor& sets) const {
  LikelihoodDraws out;
  out.x = x.index_select(0, rows);
  out.parameters = parameters.index_select(0, rows);
  out.set = set.index_select(0, rows);
  out.prior_parameters = prior_parameters.index_select(0, sets);
  if (given.defined()) {
    out.given = given.index_select(0, rows);
    out.prior_given = prior_given.index_select(0, sets);
  }
  return out;
}

LikelihoodDraws draw_observations(const Task& task, std::uint64_t seed, std::int64_t first, std::int64_t sets,
                                  const torch::Device& device) {
  std::vector<std::int64_t> indices(static_cast<std::size_t>(sets));
  std::iota(indices.begin(), indices.end(), first);
  std::vector<SetRange> ranges;
  for (const std::int64_t index : indices) ranges.push_back({index, 0, kObservationsOfASet});
  return observed(task, task.latents(seed, Purpose::likelihood, indices), seed, Purpose::likelihood, ranges, device);
}

LikelihoodDraws stored_observations(const Task& task, std::uint64_t seed, Purpose purpose,
                                    const std::function<void()>& stop) {
  PAIRS_CHECK(task.stored() != nullptr, "The sets of {} are not stored", task.info().name);
  const std::int64_t sets = std::min(task.stored()->sets(purpose, 1), kMostSets);
  const SetDemand demand{purpose, 0, sets, sets, 1, "the likelihood"};
  const std::shared_ptr<const Task> served = task.stored()->serving({&demand, 1});
  std::vector<std::int64_t> held;
  for (std::int64_t k = 0; k < sets; ++k) held.push_back(served->stored()->held(seed, purpose, k));
  // As many observations of each set as fit.
  const auto numbers = std::max<std::int64_t>(1, static_cast<std::int64_t>(task.info().observation_numbers()));
  std::int64_t most = held.empty() ? 0 : *std::max_element(held.begin(), held.end());
  const auto all = [&] {
    std::int64_t sum = 0;
    for (const std::int64_t n : held) sum += std::min(n, most);
    return sum;
  };
  while (most > 1 && all() > kMostNumbers / numbers) most = most * 3 / 4;
  std::vector<LikelihoodDraws> parts;
  for (std::size_t from = 0; from < held.size(); from += kPart) {
    if (stop) stop();
    std::vector<std::int64_t> indices;
    std::vector<SetRange> ranges;
    for (std::size_t k = from; k < std::min(from + kPart, held.size()); ++k) {
      indices.push_back(static_cast<std::int64_t>(k));
      ranges.push_back({indices.back(), 0, std::min(held[k], most)});
    }
    parts.push_back(observed(*served, served->latents(seed, purpose, indices), seed, purpose, ranges, torch::kCPU));
  }
  return joined(parts);
}

LikelihoodDraws joined(const std::vector<LikelihoodDraws>& parts) {
  const auto all = [&](torch::Tensor LikelihoodDraws::*member) {
    std::vector<torch::Tensor> tensors;
    for (const LikelihoodDraws& one : parts)
      if ((one.*member).defined()) tensors.push_back(one.*member);
    return tensors.empty() ? torch::Tensor() : at::cat(tensors);
  };
  LikelihoodDraws out{all(&LikelihoodDraws::x),
                      all(&LikelihoodDraws::parameters),
                      all(&LikelihoodDraws::given),
                      {},
                      all(&LikelihoodDraws::prior_parameters),
                      all(&LikelihoodDraws::prior_given)};
  std::vector<torch::Tensor> sets;
  std::int64_t before = 0;
  for (const LikelihoodDraws& one : parts) {
    sets.push_back(one.set + before);
    before += one.prior_parameters.size(0);
  }
  out.set = at::cat(sets);
  return out;
}

}  // namespace pairs
