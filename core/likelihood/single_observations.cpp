#include "core/likelihood/single_observations.h"

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/base/gpu/transfer.h"
#include "core/base/text/error.h"
#include "core/likelihood/pareto_smoothing.h"

namespace pairs {
namespace {

using torch::Tensor;

constexpr int kRounds = 4;  // of leaving out what is foreign
// Simulated observations for each of the set: as many as the verdict needs, and as the rule of Holm needs in large
// sets.
constexpr std::int64_t kPerObservation = 100, kLeastPerObservation = 25;
constexpr std::int64_t kMostSimulated = 100'000;
constexpr double kContamination = 0.01;  // of the first posterior
constexpr double kImpossible = -1e299;
constexpr std::int64_t kSimulatedFrom = std::int64_t{1} << 40;  // indices of sets, apart from those of training

// Coordinates z [count, d + p] and values of as many unweighted draws of the posterior.
struct Draws {
  Tensor z, theta, psi;
};
Draws draws_of(const RefinedPosterior& posterior, const ParameterSpace& space, std::int64_t count, std::uint64_t seed) {
  Stream stream(stream_key(seed, Purpose::check), 11);
  const Tensor total = posterior.weight.cumsum(0);
  const Tensor levels =
      (at::arange(count, at::kDouble) + stream.uniform64()) * (total[-1].item<double>() / static_cast<double>(count));
  const Tensor which = at::searchsorted(total, levels).clamp_max(total.numel() - 1);
  Draws out{{}, posterior.theta.index_select(0, which), posterior.psi.index_select(0, which)};
  out.z = space.coordinates(at::cat({out.theta, out.psi}, 1));
  return out;
}

// Observations of the model, the same number at each draw, standardized.
Tensor simulated_at(const LearnedLikelihood& likelihood, const Task& task, const Draws& draws, const Tensor& given,
                    std::int64_t each, const SingleOptions& options) {
  const std::int64_t count = draws.z.size(0);
  if (task.stored() != nullptr) {
    const Tensor x =
        likelihood.simulate(draws.z.repeat_interleave(each, 0), given, stream_key(options.seed, Purpose::check));
    return likelihood.standardized(x);
  }
  const Latents at{draws.theta, draws.psi, given.defined() ? given.expand({count, given.size(1)}).contiguous() : given};
  std::vector<SetRange> ranges;
  for (std::int64_t k = 0; k < count; ++k) ranges.push_back({kSimulatedFrom + k, 0, each});
  return likelihood.standardized(task.observe(at, options.seed, Purpose::check, ranges, torch::kCPU).block());
}

// log of the mean density over all draws [T, M] -> [M].
Tensor predictive(const Tensor& log) {
  return at::logsumexp(log, 0) - std::log(static_cast<double>(log.size(0)));
}

// Fills density, influence and shape of an observation of the posterior that `log` [T] are its densities under.
void leave_out(const Tensor& log, const Tensor& theta, SingleObservation& out) {
  // The posterior cannot be without an observation that no draw can make.
  out = {log.max().item<double>(), 1, NAN, INFINITY};
  if (out.log_density < kImpossible) return;
  const SmoothedWeights weights = pareto_smoothed(doubles(-log));
  const Tensor weight = torch::tensor(weights.weight, torch::kFloat64);
  out.shape = weights.shape;
  out.log_density = at::logsumexp(log + weight.clamp_min(1e-300).log(), 0).item<double>();
  const Tensor shift = (at::matmul(weight, theta) - theta.mean(0)).abs() / theta.std(0).clamp_min(1e-300);
  out.influence = shift.max().item<double>();
}

}  // namespace

std::vector<std::int64_t> rejected_by_holm(const std::vector<double>& p, double probability) {
  std::vector<std::int64_t> order(p.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    return p[static_cast<std::size_t>(a)] < p[static_cast<std::size_t>(b)];
  });
  std::size_t count = 0;
  while (count < order.size() &&
         p[static_cast<std::size_t>(order[count])] * static_cast<double>(p.size() - count) <= probability)
    ++count;
  order.resize(count);
  std::sort(order.begin(), order.end());
  return order;
}

double SingleObservations::p() const {
  std::vector<double> sorted;
  for (const SingleObservation& one : all) sorted.push_back(one.p);
  std::sort(sorted.begin(), sorted.end());
  double least = 1;
  for (std::size_t k = 0; k < sorted.size(); ++k)
    least = std::min(least, sorted[k] * static_cast<double>(sorted.size()) / static_cast<double>(k + 1));
  return least;
}

SingleObservations single_observations(const LearnedLikelihood& likelihood, const Task& task, const Observations& x,
                                       const Tensor& given, const SingleOptions& options) {
  const at::NoGradGuard no_grad;
  const auto targets = static_cast<std::int64_t>(task.info().targets.size());
  RefineOptions refining;
  refining.seed = options.seed;
  refining.start = options.start;
  refining.keep_going = options.keep_going;
  refining.contamination = kContamination;
  const RefinedPosterior posterior = refine(likelihood, targets, x.block(), given, refining);
  refining.contamination = 0;
  const std::int64_t n = x.count();
  const Tensor block = x.block(), rows = likelihood.standardized(block);
  SingleObservations out;
  out.by_likelihood = task.stored() != nullptr;
  out.all.resize(static_cast<std::size_t>(n));
  const std::int64_t most = std::max(kMostSimulated, kLeastPerObservation * n);
  const std::int64_t wanted = std::max(options.simulated, std::min(kPerObservation * n, most));
  const std::int64_t each = (wanted + options.draws - 1) / options.draws;
  out.simulated = each * options.draws;
  const RefinedPosterior* now = &posterior;
  for (int round = 0; round < kRounds; ++round) {
    const Draws draws = draws_of(*now, likelihood.space(), options.draws, options.seed);
    const Tensor own = likelihood.log_densities(draws.z, rows, given, options.keep_going);  // [T, N]
    const Tensor of_model = std::get<0>(
        predictive(likelihood.log_densities(draws.z, simulated_at(likelihood, task, draws, given, each, options), given,
                                            options.keep_going))
            .sort());
    const Tensor all = predictive(own);
    std::vector<double> p;
    for (std::int64_t i = 0; i < n; ++i) {
      SingleObservation& one = out.all[static_cast<std::size_t>(i)];
      if (std::binary_search(out.foreign.begin(), out.foreign.end(), i)) {
        one = {all[i].item<double>(), 1, NAN, NAN};  // the posterior is without it
      } else {
        leave_out(own.select(1, i), draws.theta, one);
      }
      const auto below =
          at::searchsorted(of_model, at::full({1}, one.log_density, at::kDouble), false, true).item<std::int64_t>();
      one.p = static_cast<double>(1 + below) / static_cast<double>(1 + out.simulated);
      p.push_back(one.p);
    }
    std::vector<std::int64_t> foreign = rejected_by_holm(p, SingleObservations::kFalse);
    if (foreign == out.foreign) break;
    out.foreign = std::move(foreign);
    out.without = {};
    out.not_without.clear();
    now = &posterior;
    if (out.foreign.empty()) break;
    if (2 * static_cast<std::int64_t>(out.foreign.size()) >= n) {
      out.not_without = "half of the observations or more are foreign";
      break;
    }
    Tensor kept = at::ones({n}, at::kBool);
    kept.index_fill_(0, torch::tensor(out.foreign), false);
    out.without = refine(likelihood, targets, block.index_select(0, kept.nonzero().squeeze(1).to(block.device())),
                         given, refining);
    if (!out.without.refused.empty()) {
      out.not_without = out.without.refused;
      break;
    }
    now = &out.without;
  }
  if (out.foreign.empty() && !posterior.refused.empty()) fail("{}", posterior.refused);
  return out;
}

}  // namespace pairs
