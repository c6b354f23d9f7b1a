#include "core/likelihood/covariate_law.h"

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/base/text/error.h"

namespace pairs {
namespace {

using torch::Tensor;

constexpr std::int64_t kPairs = 512, kMostObservations = 20;
constexpr std::int64_t kTogether = 32;  // of sets that are simulated together

// The standardized sum of signed ranks of values [P], whose signs are even if their sets can be exchanged.
double signed_ranks(const Tensor& values) {
  const Tensor kept = values.index_select(0, (values != 0).nonzero().squeeze(1));
  if (kept.numel() == 0) return 0;
  const Tensor rank = kept.abs().argsort(0, false).argsort(0, false).to(torch::kFloat64) + 1;
  return (rank * kept.sign()).sum().item<double>() / std::sqrt(rank.square().sum().item<double>());
}

double one_sided(double z) {
  return 0.5 * std::erfc(z * M_SQRT1_2);
}

// log q of the covariates of each set under its row of the context -> [P] float64.
Tensor log_density(const LearnedLikelihood& likelihood, const Tensor& x, const Tensor& z, const Tensor& given,
                   std::int64_t n) {
  const Tensor context = likelihood.context(z, given).repeat_interleave(n, 0);
  Tensor sum;
  for (std::int64_t k = 0; k < likelihood.members(); ++k) {
    const Tensor one = likelihood.density(k).log_prob_of_first(x, context, likelihood.covariates());
    sum = sum.defined() ? sum + one : one;
  }
  return at::nan_to_num(sum.to(torch::kCPU, torch::kFloat64), 0, 0, 0).view({-1, n}).sum(1);
}

std::string parameter_of(const TaskInfo& info, std::int64_t k) {
  const auto d = static_cast<std::int64_t>(info.targets.size());
  return k < d ? info.targets[static_cast<std::size_t>(k)].label
               : info.nuisances[static_cast<std::size_t>(k - d)].label;
}

}  // namespace

std::string CovariateTest::text() const {
  if (pairs == 0) return "Whether the covariates depend on the parameters was not tested";
  if (!rejected())
    return fmt::format("The covariates appear not to depend on the parameters (p = {:.2g}, {} pairs of sets)",
                       std::min(p, 1.0), pairs);
  return fmt::format(
      "The covariates depend on the parameters ({}; p = {:.1g}), so that a likelihood given them loses what they say: "
      "take them out of x.covariates",
      worst, std::max(p, 1e-99));
}

CovariateTest test_covariates(const LearnedLikelihood& likelihood, const TaskInfo& info, const CovariatePairs& pairs) {
  const at::NoGradGuard no_grad;
  CovariateTest out;
  out.pairs = pairs.z1.size(0);
  if (out.pairs == 0) return out;
  std::int64_t count = 0;
  double least = 1;
  const auto add = [&](double p, const std::string& of) {
    ++count;
    if (p >= least) return;
    least = p;
    out.worst = of;
  };
  const auto log = [&](const Tensor& x, const Tensor& z) {
    return log_density(likelihood, x, z, pairs.given, pairs.n);
  };
  add(one_sided(signed_ranks(log(pairs.x1, pairs.z1) + log(pairs.x2, pairs.z2) - log(pairs.x1, pairs.z2) -
                             log(pairs.x2, pairs.z1))),
      "by their learned density");
  const auto means = [&](const Tensor& x) {
    const Tensor own = x.to(torch::kCPU, torch::kFloat64).slice(1, 0, likelihood.covariates());
    return at::cat({own, own.square()}, 1).view({out.pairs, pairs.n, -1}).mean(1);
  };
  const Tensor apart = means(pairs.x1) - means(pairs.x2), parameters = pairs.z1 - pairs.z2;
  for (std::int64_t j = 0; j < apart.size(1); ++j)
    for (std::int64_t k = 0; k < parameters.size(1); ++k)
      add(2 * one_sided(std::abs(signed_ranks(apart.select(1, j) * parameters.select(1, k)))),
          fmt::format("{} and {}", column_name(info, likelihood.column(j % likelihood.covariates())),
                      parameter_of(info, k)));
  out.p = std::min(1.0, least * static_cast<double>(count));
  return out;
}

CovariatePairs simulated_pairs(const LearnedLikelihood& likelihood, const Task& task, std::uint64_t seed,
                               const std::function<bool()>& keep_going) {
  CovariatePairs out;
  out.n = std::min(task.info().max_n, kMostObservations);
  std::vector<Tensor> x1, x2, z1, z2, given;
  for (std::int64_t from = 0; from < kPairs; from += kTogether) {
    if (keep_going && !keep_going()) throw Stopped();
    std::vector<std::int64_t> indices(static_cast<std::size_t>(2 * kTogether));
    std::iota(indices.begin(), indices.end(), likelihood_sets::kCovariates + 2 * from);
    Latents all = task.latents(seed, Purpose::likelihood, indices);
    // The second half of the sets takes the conditions of the first.
    if (all.given.defined()) all.given = all.given.slice(0, 0, kTogether).repeat({2, 1});
    std::vector<SetRange> ranges;
    for (const std::int64_t index : indices) ranges.push_back({index, 0, out.n});
    const Observations x = task.observe(all, seed, Purpose::likelihood, ranges, torch::kCPU);
    const Tensor rows = likelihood.standardized(x.block());
    const Tensor z = likelihood.space().coordinates(at::cat({all.theta, all.psi}, 1));
    x1.push_back(rows.slice(0, 0, kTogether * out.n));
    x2.push_back(rows.slice(0, kTogether * out.n));
    z1.push_back(z.slice(0, 0, kTogether));
    z2.push_back(z.slice(0, kTogether));
    if (all.given.defined()) given.push_back(all.given.slice(0, 0, kTogether));
  }
  out.x1 = at::cat(x1);
  out.x2 = at::cat(x2);
  out.z1 = at::cat(z1);
  out.z2 = at::cat(z2);
  if (!given.empty()) out.given = at::cat(given);
  return out;
}

CovariatePairs stored_pairs(const LearnedLikelihood& likelihood, const LikelihoodDraws& draws) {
  CovariatePairs out;
  const std::int64_t sets = draws.prior_parameters.size(0) / 2 * 2;
  out.z1 = out.z2 = at::zeros({0, likelihood.space().size()}, at::TensorOptions(at::kDouble));
  if (sets == 0 || draws.given.defined()) return out;
  const Tensor counts = at::bincount(draws.set, {}, draws.prior_parameters.size(0));
  const Tensor first = counts.cumsum(0) - counts;
  out.n = std::min(counts.slice(0, 0, sets).min().item<std::int64_t>(), kMostObservations);
  if (out.n == 0) return out;
  const auto rows_of = [&](std::int64_t start) {
    return (first.slice(0, start, sets, 2).unsqueeze(1) + at::arange(out.n, at::kLong)).reshape({-1});
  };
  const Tensor z = likelihood.space().coordinates(draws.prior_parameters);
  out.x1 = likelihood.standardized(draws.x.cpu().index_select(0, rows_of(0)));
  out.x2 = likelihood.standardized(draws.x.cpu().index_select(0, rows_of(1)));
  out.z1 = z.slice(0, 0, sets, 2);
  out.z2 = z.slice(0, 1, sets, 2);
  return out;
}

}  // namespace pairs
