#include "core/eval/evaluate/local_test.h"

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <vector>

#include "core/aggregate.h"
#include "core/base/text/error.h"
#include "core/eval/evaluate/evaluate.h"
#include "core/sets/amounts.h"

namespace pairs {
namespace {

// The number of simulated sets available for training.
std::int64_t sets_to_learn_from(const Estimator& estimator, std::int64_t n, const LocalTestOptions& options) {
  const TaskInfo& info = estimator.task().info();
  PAIRS_CHECK(estimator.has_density(),
              "A local test compares posteriors of parameters; the target of task {} is an image", info.name);
  PAIRS_CHECK(TwoSample::fewest_samples(info.target_size()) <= kLocalDraws,
              "A local test of {} targets is not possible; it takes {} at most", info.target_size(),
              (kLocalDraws - TwoSample::fewest_samples(0)) / 3);
  if (options.sets < TwoSample::kFewestSets)
    fail_usage("A local test learns from {} simulated sets or more, not {}", TwoSample::kFewestSets, options.sets);
  EvaluationOptions wanted;
  wanted.sizes = {n};
  wanted.sets = {options.sets};
  const std::int64_t sets = evaluated_sets(estimator.task(), wanted, 0);
  PAIRS_CHECK(sets >= TwoSample::kFewestSets,
              "Task {} has {} test sets of N = {} observations; a local test learns from {} or more", info.name, sets,
              n, TwoSample::kFewestSets);
  return sets;
}

}  // namespace

LocalTest local_test(Estimator& estimator, const ObservedAggregate& observed, const LocalTestOptions& options) {
  const at::NoGradGuard no_grad;
  const Task& task = estimator.task();
  const std::int64_t n = observed.n, sets = sets_to_learn_from(estimator, n, options);
  estimator.train(false);
  task.prepare({[&] { return options.keep_going && !options.keep_going(); }, {}});
  const std::int64_t at_once = std::clamp<std::int64_t>(estimator.observations_at_once() / n, 1,
                                                        sets_at_once(task.info().observation_numbers()));
  TwoSample learned;
  for (std::int64_t first = 0, count; first < sets; first += count) {
    count = std::min(at_once, sets - first);
    std::vector<std::int64_t> indices;
    for (std::int64_t i = first; i < first + count; ++i) indices.push_back(i);
    const Latents latents = task.latents(options.seed, Purpose::test, indices);
    StreamOptions stream;
    stream.keep_going = options.keep_going;
    const torch::Tensor aggregates =
        aggregate_sets(estimator, latents, options.seed, Purpose::test, indices, n, stream);
    const std::uint64_t key = stream_key(options.seed + static_cast<std::uint64_t>(first) * 977, Purpose::posterior);
    learned.add(estimator.sample(aggregates, torch::full({count}, n, torch::kInt64), kLocalDraws, key, latents.given),
                latents.theta, aggregates.to(torch::kCPU, torch::kFloat64));
    if (options.step) options.step(first + count, sets);
  }
  const torch::Tensor samples =
      estimator.sample(observed.aggregate, torch::full({1}, n, torch::kInt64), kLocalObservedDraws,
                       stream_key(options.seed, Purpose::explore), observed.given);
  return learned.local(samples[0].to(torch::kCPU, torch::kFloat64),
                       observed.aggregate[0].to(torch::kCPU, torch::kFloat64), options.seed);
}

}  // namespace pairs
