#include "core/train/settings/ensemble_width.h"

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/aggregate.h"
#include "core/base/text/error.h"

namespace pairs {
namespace {

constexpr std::int64_t kSets = 500;
constexpr double kLeast = 0.5, kMost = 2, kTolerance = 0.002;

// Held-out sets of one N.
struct HeldOut {
  Latents latents;
  torch::Tensor aggregates, n, center;
};

HeldOut held_out(Ensemble& ensemble, std::uint64_t seed, std::int64_t n) {
  const Task& task = ensemble.task();
  const std::int64_t subjects = task.subjects(Purpose::finetune_validation);
  std::vector<std::int64_t> indices(static_cast<std::size_t>(subjects > 0 ? std::min(kSets, subjects) : kSets));
  std::iota(indices.begin(), indices.end(), 0);
  HeldOut out;
  out.latents = task.latents(seed, Purpose::finetune_validation, indices);
  out.aggregates = aggregate_sets(ensemble, out.latents, seed, Purpose::finetune_validation, indices, n);
  out.n = at::full({static_cast<std::int64_t>(indices.size())}, n, torch::kInt64);
  out.center = ensemble.center(out.aggregates, out.n, out.latents.given);
  return out;
}

// The minimum of a unimodal function, by golden-section search.
template <class F>
double minimum(double low, double high, double tolerance, F&& of) {
  const double golden = (std::sqrt(5.0) - 1) / 2;
  double a = high - golden * (high - low), b = low + golden * (high - low), at_a = of(a), at_b = of(b);
  while (high - low > tolerance) {
    if (at_a < at_b) {
      high = b, b = a, at_b = at_a;
      at_a = of(a = high - golden * (high - low));
    } else {
      low = a, a = b, at_a = at_b;
      at_b = of(b = low + golden * (high - low));
    }
  }
  return (low + high) / 2;
}

}  // namespace

double fitted_width(const std::vector<std::shared_ptr<Estimator>>& members, const RunConfig& config,
                    const Preparation& preparation) {
  at::NoGradGuard no_grad;
  static_cast<void>(Ensemble(members, kLeast));  // throws if a width is not allowed
  Ensemble plain(members);
  plain.train(false);
  if (plain.task().stored() != nullptr)
    fail_usage(
        "The simulations of task {} are stored, and all of those that may be used have been: no set is left to find a "
        "width by; average the runs without calibrating",
        plain.task().info().name);
  plain.task().prepare(preparation);
  std::vector<HeldOut> all;
  const std::vector<std::int64_t> served = plain.sizes();
  std::vector<std::int64_t> sizes = config.evaluate.sizes;
  std::erase_if(sizes, [&](std::int64_t n) {
    return n > plain.max_n() || (!served.empty() && std::find(served.begin(), served.end(), n) == served.end());
  });
  if (sizes.empty()) fail_usage("{} has no N that the runs serve", "evaluate.sizes"_key);
  for (const std::int64_t n : sizes) {
    if (preparation.stop && preparation.stop()) throw Stopped();
    if (preparation.progress)
      preparation.progress("set sizes of the width", static_cast<std::int64_t>(all.size()),
                           static_cast<std::int64_t>(sizes.size()));
    all.push_back(held_out(plain, static_cast<std::uint64_t>(config.seed), n));
  }
  const auto loss = [&](double log_width) {
    double sum = 0;
    for (const HeldOut& sets : all) {
      const torch::Tensor theta = sets.latents.theta.unsqueeze(1);  // [B, 1, d]
      const torch::Tensor at = sets.center + (theta - sets.center) / std::exp(log_width);
      sum += static_cast<double>(theta.size(2)) * log_width -
             plain.log_prob_grid(at, sets.aggregates, sets.n, sets.latents.given).mean().item<double>();
    }
    return sum;
  };
  return std::exp(minimum(std::log(kLeast), std::log(kMost), kTolerance, loss));
}

}  // namespace pairs
