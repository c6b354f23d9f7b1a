#include "core/train/cache/cache_statistics.h"

#include <ATen/Functions.h>

#include <algorithm>

#include "core/base/gpu/transfer.h"
#include "core/base/text/error.h"
#include "core/base/threads/one_thread.h"
#include "core/sets/amounts.h"
#include "core/sets/index_map.h"
#include "core/stored_sets.h"
#include "core/train/cache/cache_groups.h"

namespace pairs {

StatisticsSample statistics_sample(const Task& task, std::int64_t embedding_size) {
  StatisticsSample sample = statistics_sample(task.info().observation_numbers());
  sample.sets = std::max(sample.sets, 6 * embedding_size);
  // For stored sets, uses sizes that many sets have: a handful of large sets would not show how sets differ.
  if (const StoredSets* stored = task.stored()) {
    const std::int64_t enough =
        std::max<std::int64_t>(1, std::min(sample.sets, stored->sets(Purpose::finetune, 2)) / 4);
    while (sample.observations > 2 && stored->sets(Purpose::finetune, sample.observations) < enough)
      sample.observations = std::max<std::int64_t>(2, sample.observations / 2);
  }
  return sample;
}

std::vector<double> measure_statistics(Estimator& estimator, std::uint64_t seed, const std::function<bool()>& stop,
                                       const EmbeddedPool* pool) {
  const std::int64_t l = estimator.embedding_size();
  const StatisticsSample sample = statistics_sample(estimator.task(), l);
  const std::int64_t sets = sample.sets, each = sample.observations;
  torch::Tensor sum = torch::zeros({l}, torch::kFloat64), outer = torch::zeros({l, l}, torch::kFloat64),
                within = torch::zeros({l, l}, torch::kFloat64);
  const std::int64_t group = std::max<std::int64_t>(1, estimator.observations_at_once() / each);
  for (std::int64_t first = 0; first < sets; first += group) {
    if (stop()) throw Stopped();
    const std::int64_t count = std::min(group, sets - first);
    std::vector<std::int64_t> indices(static_cast<std::size_t>(count));
    std::vector<SetRange> ranges(indices.size());
    for (std::int64_t i = 0; i < count; ++i) {
      indices[static_cast<std::size_t>(i)] = index_map::kStatisticsSets + first + i;
      ranges[static_cast<std::size_t>(i)] = {indices[static_cast<std::size_t>(i)], 0, each};
    }
    const Latents latents = estimator.task().latents(seed, Purpose::finetune, indices);
    const torch::Tensor embeddings =
        pool ? pool->embeddings(latents, seed, Purpose::finetune, ranges)
             : estimator.embed(estimator.task().observe(latents, seed, Purpose::finetune, ranges, estimator.device()));
    const OneThread one_thread;  // the number of threads affects how a sum is rounded
    const torch::Tensor e = embeddings.to(torch::kCPU, torch::kFloat64).view({count, each, l});
    const torch::Tensor mean = estimator.pool().finish(estimator.pool().accumulate(e), each);
    const torch::Tensor rest = (e - mean.unsqueeze(1)).view({count * each, l});
    sum += mean.sum(0);
    outer += mean.t().mm(mean);
    within += rest.t().mm(rest);
  }
  const OneThread one_thread;
  const double s = static_cast<double>(sets), m = static_cast<double>(each);
  const torch::Tensor mean = sum / s;
  within /= s * (m - 1);
  torch::Tensor between = (outer - s * at::outer(mean, mean)) / (s - 1) - within / m;
  // This is the difference of two estimates: keep it positive semi-definite, and its diagonal above rounding errors.
  auto [values, vectors] = at::linalg_eigh(between);
  const torch::Tensor floor = (within.diagonal().mean() + between.diagonal().abs().mean()) * 1e-12;
  between = vectors.mm(at::diag(at::maximum(values, floor))).mm(vectors.t());
  return doubles(at::cat({mean, between.flatten(), within.flatten()}));
}

AggregateStatistics unpack_statistics(const std::vector<double>& numbers, std::int64_t l) {
  const torch::Tensor all = torch::tensor(numbers, torch::kFloat64);
  return {all.slice(0, 0, l).clone(),
          all.slice(0, l, l + l * l).view({l, l}).clone(),
          all.slice(0, l + l * l, l + 2 * l * l).view({l, l}).clone(),
          {}};
}

}  // namespace pairs
