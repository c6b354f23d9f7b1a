#include "core/eval/references/sufficiency.h"

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/gpu/transfer.h"
#include "core/base/text/error.h"
#include "core/eval/references/affine_map.h"
#include "core/sets/index_map.h"
#include "core/sufficient_statistics.h"

namespace pairs {
namespace {

constexpr std::int64_t kSets = 2048, kSetsPerNumber = 8;
constexpr std::int64_t kCheckedSets = 32;
constexpr double kCentral = 0.99;

// The first two observations of sets of the prior, one after another.
Observations pairs_of_prior(const Task& task, std::int64_t sets) {
  std::vector<std::int64_t> indices(static_cast<std::size_t>(sets));
  std::iota(indices.begin(), indices.end(), index_map::kTheoremSets);
  std::vector<SetRange> ranges;
  for (const std::int64_t index : indices) ranges.push_back({index, 0, 2});
  return task.observe(task.latents(kFigureSeed, Purpose::check, indices), kFigureSeed, Purpose::check, ranges,
                      torch::kCPU);
}

// The observations [M] int64 that belong to pairs whose statistics [M, d] all lie in the central part.
torch::Tensor central_pairs(const torch::Tensor& statistics) {
  const torch::Tensor ends =
      at::quantile(statistics, torch::tensor({(1 - kCentral) / 2, (1 + kCentral) / 2}, torch::kFloat64), 0);  // [2, d]
  const torch::Tensor inside = ((statistics >= ends[0]) & (statistics <= ends[1])).all(1);
  return inside.view({-1, 2}).all(1).repeat_interleave(2).nonzero().squeeze(1);
}

// The name of the first statistic [M, d] that is equal for all observations; "" if each varies.
std::string constant_statistic(const torch::Tensor& statistics, const std::vector<std::string>& names) {
  for (std::size_t k = 0; k < names.size(); ++k) {
    const torch::Tensor values = statistics.select(1, static_cast<std::int64_t>(k));
    if (!(values.min().item<double>() < values.max().item<double>())) return names[k];
  }
  return "";
}

}  // namespace

void check_sufficient_statistics(const Task& task) {
  const auto* const knows = sufficient_statistics_of(task);
  if (!knows) return;
  // A rare value may be missing from a few sets: only what a run would refuse is refused.
  const torch::Tensor few = knows->statistics(pairs_of_prior(task, kCheckedSets));
  if (!constant_statistic(few, knows->statistic_names()).empty()) theorem_sample(task, 1);
}

TheoremSample theorem_sample(const Task& task, std::int64_t embedding_size) {
  const auto* const knows = sufficient_statistics_of(task);
  if (!knows) return {};
  const Observations x = pairs_of_prior(task, std::max(kSets, kSetsPerNumber * embedding_size));
  const torch::Tensor statistics = knows->statistics(x);
  TheoremSample sample{{}, {}, knows->statistic_names()};
  PAIRS_CHECK(statistics.dim() == 2 && statistics.size(0) == x.count() &&
                  statistics.size(1) == static_cast<std::int64_t>(sample.names.size()),
              "Task {} names {} sufficient statistics and gives others", task.info().name, sample.names.size());
  const std::string constant = constant_statistic(statistics, sample.names);
  PAIRS_CHECK(constant.empty(),
              "The sufficient statistic {} of task {} is the same for all observations and carries no information: "
              "leave it out",
              constant, task.info().name);
  const torch::Tensor kept = central_pairs(statistics);
  sample.x = x.pick(kept);
  sample.statistics = statistics.index_select(0, kept);
  return sample;
}

torch::Tensor embeddings_of(Estimator& estimator, const TheoremSample& sample) {
  return estimator.embed(sample.x.to(estimator.device())).to(torch::kCPU, torch::kFloat32);
}

std::vector<double> unexplained_statistics(Estimator& estimator, const TheoremSample& sample) {
  const torch::Tensor embeddings = embeddings_of(estimator, sample);
  if (!embeddings.isfinite().all().item<bool>()) return std::vector<double>(sample.names.size(), NAN);
  return doubles(unexplained(embeddings, sample.statistics));
}

double worst_of(const std::vector<double>& unexplained) {
  double worst = unexplained.empty() ? NAN : unexplained.front();
  for (const double one : unexplained)
    if (std::isnan(one) || one > worst) worst = one;
  return worst;
}

}  // namespace pairs
