#include "core/train/stages/held_out_sets.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <cmath>

#include "core/base/text/error.h"
#include "core/stored_sets.h"
#include "core/train/stages/refined_density.h"

namespace pairs {
namespace {

constexpr std::int64_t kMostHeldOut = 24, kMostObservations = 1000, kFewestObservations = 16;
constexpr std::int64_t kLargestOver = 16;
constexpr double kLeastWeight = 1e-290;
constexpr std::int64_t kMostSearched = 1 << 16;  // sets whose sizes are looked at

}  // namespace

std::vector<HeldOutSet> largest_sets(const Task& task, std::uint64_t seed, Purpose purpose, std::int64_t most) {
  PAIRS_CHECK(task.stored() != nullptr, "The sets of {} are not stored", task.info().name);
  const std::int64_t count = std::min(task.stored()->sets(purpose, kFewestObservations), kMostSearched);
  if (count == 0) return {};
  const SetDemand demand{purpose, 0, count, count, kFewestObservations, "held-out sets"};
  const std::shared_ptr<const Task> served = task.stored()->serving({&demand, 1});
  std::vector<SetRange> ranges;
  std::int64_t largest = 0;
  for (std::int64_t k = 0; k < count; ++k) {
    ranges.push_back({k, 0, std::min(served->stored()->held(seed, purpose, k), kMostObservations)});
    largest = std::max(largest, ranges.back().count);
  }
  std::stable_sort(ranges.begin(), ranges.end(),
                   [](const SetRange& a, const SetRange& b) { return a.count > b.count; });
  std::vector<HeldOutSet> out;
  for (const SetRange& range : ranges) {
    if (static_cast<std::int64_t>(out.size()) == std::min(most, kMostHeldOut) || range.count * kLargestOver < largest)
      break;
    Latents own = served->latents(seed, purpose, {&range.index, 1});
    Observations x = served->observe(own, seed, purpose, {&range, 1}, torch::kCPU);
    out.push_back({std::move(x), std::move(own)});
  }
  return out;
}

std::optional<PowerScore> power_score(const LearnedLikelihood& likelihood, const Task& task, const HeldOutSet& set,
                                      const std::function<bool()>& keep_going) {
  const RefinedPosterior posterior = refined_by(likelihood, task, set.x, set.own.given, {}, kFigureSeed, keep_going);
  if (!posterior.refused.empty()) return std::nullopt;
  const torch::Tensor x = likelihood.standardized(set.x.block());
  const auto log_likelihood = [&](const torch::Tensor& theta, const torch::Tensor& psi) {
    const torch::Tensor values = at::cat({theta, psi}, 1).to(torch::kFloat64);
    return likelihood.log_likelihood(likelihood.space().coordinates(values), x, set.own.given, keep_going);
  };
  torch::Tensor draws = log_likelihood(posterior.theta, posterior.psi),
                truth = log_likelihood(set.own.theta, set.own.psi);
  // By what the draws were weighted, and without it: the prior over the proposal.
  torch::Tensor weighted = draws.select(1, 0);
  if (posterior.evidences.defined()) {
    draws = draws.slice(1, 1);
    truth = truth.slice(1, 1);
    weighted = at::logsumexp(draws - posterior.evidences, 1);
  } else {
    draws = draws.slice(1, 0, 1);
    truth = truth.slice(1, 0, 1);
  }
  // Weights too small for a number say nothing of the density that their draws are from.
  const torch::Tensor ratio =
      at::where(posterior.weight > kLeastWeight, posterior.weight.log() - weighted, at::full_like(weighted, -INFINITY))
          .unsqueeze(1);
  return PowerScore{
      set.x.count(), [draws, truth, ratio](double power) -> PowerScore::Value {
        const torch::Tensor log = ratio + power * draws, sums = at::logsumexp(log, 0),
                            weight = at::exp(log - sums).mean(1), own = at::logsumexp(power * draws - sums, 1);
        return {at::logsumexp(power * truth.squeeze(0) - sums, 0).item<double>(), at::dot(weight, own).item<double>()};
      }};
}

}  // namespace pairs
