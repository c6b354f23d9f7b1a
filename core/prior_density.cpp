#include "core/prior_density.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/base/fields/face.h"
#include "core/base/gpu/transfer.h"

namespace pairs {

torch::Tensor log_prior(const Task& task, const torch::Tensor& theta) {
  if (const auto* known = face<HasPriorDensity>(task))
    if (torch::Tensor log = known->log_prior(theta); log.defined()) return log;
  const std::vector<Target>& targets = task.info().targets;
  if (targets.empty() ||
      !std::all_of(targets.begin(), targets.end(), [](const Target& t) { return t.prior != nullptr; }))
    return {};
  torch::Tensor out = at::zeros({theta.size(0)}, torch::kFloat64);
  for (std::size_t t = 0; t < targets.size(); ++t)
    out += targets[t].prior->log_density(theta.select(1, static_cast<std::int64_t>(t)));
  return out;
}

bool states_priors(const TaskInfo& info) {
  return !info.targets.empty() && std::all_of(info.targets.begin(), info.targets.end(), [](const Target& t) {
    return t.prior != nullptr;
  }) && std::all_of(info.nuisances.begin(), info.nuisances.end(), [](const Nuisance& n) { return n.prior != nullptr; });
}

PriorDistance prior_distance(const torch::Tensor& draws, const PriorFamily& prior) {
  std::vector<double> sorted = doubles(draws);
  std::sort(sorted.begin(), sorted.end());
  const auto count = static_cast<double>(sorted.size());
  PriorDistance out;
  double sum = 0, away = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const double expected = prior.below(sorted[i]);
    sum += (2 * expected - 1) / count;
    away += std::abs(2 * expected - 1) / count;
    for (const std::size_t below : {i, i + 1}) {
      const double share = static_cast<double>(below) / count, distance = std::abs(expected - share) * std::sqrt(count);
      if (distance > out.distance) out = {distance, sorted[i], share, expected};
    }
  }
  out.location_z = sum * std::sqrt(3 * count);
  out.width_z = (away - 0.5) * std::sqrt(12 * count);
  return out;
}

std::int64_t correlated_column(const torch::Tensor& values, const torch::Tensor& others) {
  constexpr double kErrors = 4;
  const auto ranks = [](const torch::Tensor& x) {
    return x.argsort(true, 0, false).argsort(true, 0, false).to(torch::kFloat64);
  };
  const torch::Tensor own = ranks(values);
  double most = kErrors / std::sqrt(static_cast<double>(values.size(0)));
  std::int64_t found = -1;
  for (std::int64_t k = 0; k < others.size(1); ++k) {
    const double one = std::abs(at::corrcoef(at::stack({own, ranks(others.select(1, k))}))[0][1].item<double>());
    if (one > most) most = one, found = k;
  }
  return found;
}

torch::Tensor uniform_log_prior(const TaskInfo& info, const torch::Tensor& theta) {
  torch::Tensor out = at::zeros({theta.size(0)}, torch::kFloat64);
  for (std::size_t k = 0; k < info.targets.size(); ++k) {
    const Target& target = info.targets[k];
    const torch::Tensor at = theta.select(1, static_cast<std::int64_t>(k));
    out -= std::log(target.high - target.low);
    out.masked_fill_((at < target.low).logical_or(at > target.high), -std::numeric_limits<double>::infinity());
  }
  return out;
}

}  // namespace pairs
