#include "core/likelihood/sequential_sampler.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/text/error.h"

namespace pairs {
namespace {

using torch::Tensor;

constexpr double kEffectiveShare = 0.7;  // of the samples, from one temperature to the next
constexpr double kFewAccepted = 0.15, kManyAccepted = 0.35, kStepChange = 1.25;
constexpr double kWholeStep = 0.1;  // share of moves by whole differences, which lead to other modes
constexpr double kJitter = 1e-3;    // of a move, in standard deviations
constexpr std::int64_t kMostTemperatures = 1000;

// Samples that move.
class Particles {
 public:
  Particles(const TemperedTarget& target, const SequentialOptions& options)
      : target_(target), options_(options), generator_(at::detail::createCPUGenerator(options.key)) {
    PAIRS_CHECK(options.particles >= 4 && options.particles % 2 == 0,
                "Sequential sampling needs an even number of "
                "samples, four at least");
    z_ = target.samples(options.particles, options.key);
    log_ = bounded(target.log(z_));
  }

  SequentialSamples run() {
    SequentialSamples out;
    double power = 0;
    while (power < 1) {
      PAIRS_CHECK(out.steps < kMostTemperatures, "the posterior is too narrow to be reached by steps");
      const double step = next_step(1 - power);
      out.log_normalizer += temper(step);
      power = step == 1 - power ? 1 : power + step;
      out.effective = move(power, options_.moves * (power == 1 ? 2 : 1));
      ++out.steps;
    }
    out.z = z_;
    return out;
  }

 private:
  static Tensor bounded(const Tensor& log) {
    return at::nan_to_num(log, -std::numeric_limits<double>::infinity(), std::numeric_limits<double>::max(),
                          -std::numeric_limits<double>::infinity());
  }
  Tensor factor() const { return log_.select(1, 1); }
  double effective_share(double step) const {
    const Tensor weight = at::softmax(step * factor(), 0);
    return 1 / (weight.square().sum().item<double>() * static_cast<double>(weight.numel()));
  }

  // The increase of the power, at most `most`, after which enough samples are effective.
  double next_step(double most) const {
    PAIRS_CHECK(at::isfinite(factor()).any().item<bool>(), "the likelihood is 0 at all samples of the prior");
    if (effective_share(most) >= kEffectiveShare) return most;
    double low = 0, high = most;
    for (int k = 0; k < 60; ++k) {
      const double middle = 0.5 * (low + high);
      (effective_share(middle) >= kEffectiveShare ? low : high) = middle;
    }
    // Where many have no likelihood at all, no step keeps enough: those that have one are kept.
    return low > 0 ? low : std::min(most, 1e-12);
  }

  // Resamples by weights factor^step (systematic); the logarithm of their mean.
  double temper(double step) {
    const Tensor log = step * factor(), weight = at::softmax(log, 0), total = weight.cumsum(0);
    const auto count = static_cast<double>(log.numel());
    share_ = 1 / (weight.square().sum().item<double>() * count);
    const Tensor offset = at::rand({1}, generator_, at::TensorOptions(at::kDouble));
    const Tensor which = at::searchsorted(total, (at::arange(log.numel(), at::kDouble) + offset) / count * total[-1])
                             .clamp_max(log.numel() - 1);
    // Copies stand next to each other, and are shuffled so that both halves have some.
    const Tensor order = at::randperm(log.numel(), generator_, at::TensorOptions(at::kLong));
    z_ = z_.index_select(0, which.index_select(0, order));
    log_ = log_.index_select(0, which.index_select(0, order));
    return at::logsumexp(log, 0).item<double>() - std::log(count);
  }

  // Moves all samples at this power until each was accepted `wanted` times on average. How many independent samples
  // they are then.
  double move(double power, double wanted) {
    const Tensor before = z_.clone();
    double accepted = 0;
    for (std::int64_t k = 0; k < options_.most_moves && accepted < wanted; ++k) {
      const double share = 0.5 * (move_half(power, 0) + move_half(power, 1));
      accepted += share;
      if (share < kFewAccepted) scale_ /= kStepChange;
      if (share > kManyAccepted) scale_ *= kStepChange;
    }
    // Copies of a sample are as good as one until they have moved apart.
    const auto standard = [](const Tensor& all) { return (all - all.mean(0)) / all.std(0).clamp_min(1e-300); };
    const double kept = (standard(before) * standard(z_)).mean(0).abs().max().item<double>();
    const auto count = static_cast<double>(z_.size(0));
    return count / (1 + kept * kept * (1 / std::max(share_, 1e-12) - 1));
  }

  // Moves the samples of one half by differences of two of the other half; the share that was accepted.
  double move_half(double power, std::int64_t half) {
    const std::int64_t count = z_.size(0) / 2, d = z_.size(1);
    Tensor own = z_.slice(0, half * count, (half + 1) * count);
    const Tensor others = z_.slice(0, (1 - half) * count, (2 - half) * count);
    const auto uniform = [&](std::int64_t columns) {
      return at::rand({count, columns}, generator_, at::TensorOptions(at::kDouble));
    };
    // Two different ones for each.
    const Tensor first = at::randint(count, {count}, generator_, at::TensorOptions(at::kLong));
    const Tensor second =
        at::remainder(first + 1 + at::randint(count - 1, {count}, generator_, at::TensorOptions(at::kLong)), count);
    const Tensor step = at::where(uniform(1) < kWholeStep, at::ones({count, 1}, at::kDouble),
                                  scale_ * 2.38 / std::sqrt(2.0 * static_cast<double>(d)) * (0.5 + uniform(1)));
    const Tensor jitter = kJitter * others.std(0) * at::randn({count, d}, generator_, at::TensorOptions(at::kDouble));
    const Tensor proposed = own + step * (others.index_select(0, first) - others.index_select(0, second)) + jitter;
    const Tensor log = bounded(target_.log(proposed));
    Tensor log_own = log_.slice(0, half * count, (half + 1) * count);
    const auto tempered = [&](const Tensor& all) { return all.select(1, 0) + power * all.select(1, 1); };
    const Tensor accept = uniform(1).squeeze(1).log() < tempered(log) - tempered(log_own);
    own.copy_(at::where(accept.unsqueeze(1), proposed, own));
    log_own.copy_(at::where(accept.unsqueeze(1), log, log_own));
    return accept.to(at::kDouble).mean().item<double>();
  }

  const TemperedTarget& target_;
  const SequentialOptions& options_;
  at::Generator generator_;
  Tensor z_, log_;  // [S, D], [S, 2]
  double scale_ = 1, share_ = 1;
};

}  // namespace

SequentialSamples sequential_samples(const TemperedTarget& target, const SequentialOptions& options) {
  return Particles(target, options).run();
}

}  // namespace pairs
