#include "core/eval/metrics/prior_gain.h"

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/linalg_cholesky_ex.h>

#include <algorithm>
#include <numbers>
#include <vector>

#include "core/base/fields/face.h"
#include "core/base/text/error.h"
#include "core/eval/metrics/mean_error.h"
#include "core/heads/mass.h"
#include "core/target_support.h"

namespace pairs {
namespace {

constexpr std::int64_t kMostScored = 2048, kMostImages = 256, kFewest = 32;
// A density that is restricted to its supports by samples takes a hundredth of a second each time.
constexpr std::int64_t kMostSampled = 256;
constexpr std::int64_t kOthers = 8, kFewOthers = 4;  // sets whose posteriors form the marginal
constexpr std::int64_t kImageRows = 8;               // images whose loss is computed together

bool restricted_by_samples(const Estimator& estimator) {
  const TaskInfo& info = estimator.task().info();
  return info.target_size() > 1 && restricts(estimator.config().head) && TargetSupport(info.targets).bounded();
}

void ask(const std::function<bool()>& stop) {
  if (stop && stop()) throw Stopped();
}

ScoredSets first_of(const ScoredSets& sets, std::int64_t count) {
  const auto cut = [&](const torch::Tensor& t) { return t.defined() ? t.narrow(0, 0, count) : t; };
  return {cut(sets.theta), cut(sets.aggregates), cut(sets.n), cut(sets.given)};
}

// log density [V] of a normal fitted to the rows `fitted` of θ at its rows `scored`; undefined if the covariance is
// singular.
torch::Tensor normal_log_density(const torch::Tensor& fitted, const torch::Tensor& scored) {
  const torch::Tensor mean = fitted.mean(0), centered = fitted - mean;
  const torch::Tensor covariance = centered.t().matmul(centered) / static_cast<double>(fitted.size(0) - 1);
  const auto [factor, failed] = at::linalg_cholesky_ex(covariance);
  if (failed.item<int>() != 0) return {};
  const torch::Tensor white = at::linalg_solve_triangular(factor, (scored - mean).t(), false);
  const double constant = factor.diagonal().log().sum().item<double>() +
                          0.5 * static_cast<double>(scored.size(1)) * std::log(2 * std::numbers::pi);
  return -0.5 * white.square().sum(0) - constant;
}

// Scores each half of the sets by the normal fitted to the other half.
torch::Tensor cross_fitted_normal(const torch::Tensor& theta) {
  const torch::Tensor all = at::arange(theta.size(0)), even = all.slice(0, 0, {}, 2), odd = all.slice(0, 1, {}, 2);
  const torch::Tensor a = theta.index_select(0, even), b = theta.index_select(0, odd);
  const torch::Tensor of_even = normal_log_density(b, a), of_odd = normal_log_density(a, b);
  if (!of_even.defined() || !of_odd.defined()) return {};
  torch::Tensor out = torch::empty({theta.size(0)}, torch::kFloat64);
  out.index_copy_(0, even, of_even);
  out.index_copy_(0, odd, of_odd);
  return out;
}

torch::Tensor uniform_log_density(const TaskInfo& info, std::int64_t sets) {
  double sum = 0;
  for (const Target& target : info.targets) {
    if (!std::isfinite(target.low) || !std::isfinite(target.high)) return {};
    sum -= std::log(target.high - target.low);
  }
  return torch::full({sets}, sum, torch::kFloat64);
}

// log of the mean of other sets' posteriors at each set's θ.
torch::Tensor marginal_log_density(Estimator& estimator, const ScoredSets& sets, const std::function<bool()>& stop) {
  const std::int64_t all = sets.theta.size(0), posteriors = restricted_by_samples(estimator) ? kFewOthers : kOthers;
  std::vector<torch::Tensor> scores;
  for (std::int64_t k = 0; k < posteriors; ++k) {
    ask(stop);
    const std::int64_t by = 1 + k * (all - 1) / posteriors;
    const auto other = [&](const torch::Tensor& t) { return t.defined() ? t.roll(by, 0) : t; };
    scores.push_back(estimator.log_prob(sets.theta, other(sets.aggregates), other(sets.n), other(sets.given)));
  }
  return at::stack(scores).logsumexp(0) - std::log(static_cast<double>(posteriors));
}

PriorGain gain_of(const torch::Tensor& differences) {
  const torch::Tensor host = differences.to(torch::kCPU, torch::kFloat64).contiguous();
  const double* first = host.const_data_ptr<double>();
  const MeanAndError mean = mean_and_error({first, first + host.numel()});
  return {mean.mean, mean.se};
}

PriorGain density_gain(Estimator& estimator, const ScoredSets& sets, const std::function<bool()>& stop) {
  const torch::Tensor own = estimator.log_prob(sets.theta, sets.aggregates, sets.n, sets.given);
  const std::vector<std::int64_t> sizes = estimator.sizes();
  const bool point = face<ResidualSpread>(estimator.head(sizes.empty() ? 1 : sizes.front())) != nullptr;
  std::vector<torch::Tensor> priors = {cross_fitted_normal(sets.theta), marginal_log_density(estimator, sets, stop)};
  if (!point) priors.push_back(uniform_log_density(estimator.task().info(), sets.theta.size(0)));
  torch::Tensor best;
  double score = -INFINITY;
  for (const torch::Tensor& prior : priors) {
    const double mean = prior.defined() ? prior.mean().item<double>() : -INFINITY;
    if (!(mean > score)) continue;
    score = mean;
    best = prior;
  }
  return best.defined() ? gain_of(own - best) : PriorGain();
}

// Losses are computed for a few rows at a time, whose mean counts as one value.
PriorGain loss_gain(Estimator& estimator, const ScoredSets& sets, const std::function<bool()>& stop) {
  if (!estimator.sizes().empty()) return {};
  const torch::Tensor others = sets.aggregates.roll(1, 0), sizes = sets.n.roll(1, 0);
  std::vector<torch::Tensor> differences;
  for (std::int64_t first = 0; first + kImageRows <= sets.theta.size(0); first += kImageRows) {
    ask(stop);
    const auto rows = [&](const torch::Tensor& t) { return t.defined() ? t.narrow(0, first, kImageRows) : t; };
    const auto loss = [&](const torch::Tensor& aggregates, const torch::Tensor& n) {
      return estimator.loss(0, rows(sets.theta), rows(aggregates).to(estimator.device()), rows(n), rows(sets.given))
          .value.to(torch::kCPU, torch::kFloat64);
    };
    differences.push_back(loss(others, sizes) - loss(sets.aggregates, sets.n));
  }
  return gain_of(at::stack(differences));
}

}  // namespace

std::int64_t prior_gain_sets(const Estimator& estimator) {
  return !estimator.has_density() ? kMostImages : restricted_by_samples(estimator) ? kMostSampled : kMostScored;
}

PriorGain prior_gain(Estimator& estimator, const ScoredSets& all, const std::function<bool()>& stop) {
  at::NoGradGuard no_grad;
  const std::int64_t count = std::min(all.n.size(0), prior_gain_sets(estimator));
  if (count < kFewest) return {};
  const ScoredSets sets = first_of(all, count);
  return estimator.has_density() ? density_gain(estimator, sets, stop) : loss_gain(estimator, sets, stop);
}

}  // namespace pairs
