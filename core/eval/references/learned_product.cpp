#include "core/eval/references/learned_product.h"

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/gpu/transfer.h"
#include "core/base/text/error.h"
#include "core/prior_density.h"

namespace pairs {
namespace {

constexpr std::int64_t kAtOnce = 32768;  // evaluations of the head

}  // namespace

SingleLogDensity single_answers(Estimator& estimator, const torch::Tensor& given) {
  return [&estimator, given](const torch::Tensor& rows, const torch::Tensor& theta) {
    const std::int64_t count = rows.size(0);
    const torch::Tensor known = given.defined() ? given.expand({count, given.size(1)}) : given;
    return estimator.log_prob_grid(theta.unsqueeze(0).expand({count, theta.size(0), theta.size(1)}), rows,
                                   at::ones({count}, torch::kInt64), known);
  };
}

std::string no_learned_product(const Estimator& estimator) {
  const TaskInfo& info = estimator.task().info();
  if (!estimator.has_density()) return "its head draws samples and has no density";
  const std::vector<std::int64_t> sizes = estimator.sizes();
  if (!sizes.empty() && std::find(sizes.begin(), sizes.end(), 1) == sizes.end()) return "it has no head for N = 1";
  if (info.targets.empty() || info.targets.size() > 2)
    return fmt::format("task {} has {} targets, and the product is made a density of one or two", info.name,
                       info.targets.size());
  const torch::Tensor somewhere = at::zeros({1, info.target_size()}, torch::kFloat64);
  return log_prior(estimator.task(), somewhere).defined()
             ? ""
             : fmt::format("task {} knows no density of its prior", info.name);
}

LearnedProduct::LearnedProduct(const Task& task, SingleLogDensity single, torch::Tensor rows,
                               std::function<bool()> keep_going)
    : task_(task), single_(std::move(single)), rows_(std::move(rows)), keep_going_(std::move(keep_going)) {
  PAIRS_CHECK(rows_.dim() >= 1 && rows_.size(0) >= 1, "A product of answers needs an observation at least");
  const std::vector<Target>& targets = task.info().targets;
  PAIRS_CHECK(targets.size() == 1 || targets.size() == 2, "A product of answers is of one or two targets, not of {}",
              targets.size());
  density_.emplace(
      targets, [this](const torch::Tensor& theta) { return product(theta); },
      fmt::format("The product of the answers at N = 1 for this set of {} observations", rows_.size(0)));
}

torch::Tensor LearnedProduct::product(const torch::Tensor& theta) const {
  const at::NoGradGuard no_grad;
  const torch::Tensor prior = log_prior(task_, theta);
  PAIRS_CHECK(prior.defined(), "A product of answers needs the density of the prior, which task {} does not know",
              task_.info().name);
  const std::int64_t count = rows_.size(0), at_once = std::max<std::int64_t>(1, kAtOnce / theta.size(0));
  torch::Tensor sum = at::zeros({theta.size(0)}, torch::kFloat64);
  for (std::int64_t first = 0; first < count; first += at_once) {
    if (keep_going_ && !keep_going_()) throw Stopped();
    sum += single_(rows_.slice(0, first, std::min(first + at_once, count)), theta).sum(0);
  }
  sum -= static_cast<double>(count - 1) * prior;
  return at::where(prior.isfinite().logical_and(sum.isnan().logical_not()), sum,
                   at::full({}, -std::numeric_limits<double>::infinity(), sum.options()));
}

torch::Tensor LearnedProduct::log_density(const torch::Tensor& theta) const {
  return density_->log_density(theta);
}

torch::Tensor LearnedProduct::sample(std::int64_t count, Stream& stream) const {
  return density_->sample(count, stream);
}

}  // namespace pairs
