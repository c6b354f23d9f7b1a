#include "core/periodic.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <cmath>

#include "core/base/numbers/random.h"

namespace pairs {
namespace {
constexpr double kNoDirection = 0.1;  // the length of a mean unit vector below which it says nothing
}

double wrapped(double value, double low, double period) {
  const double turns = std::floor((value - low) / period), at = value - turns * period;
  return at < low + period ? std::max(at, low) : low;
}

torch::Tensor wrapped(const torch::Tensor& values, double low, double period) {
  const torch::Tensor at = (values - ((values - low) / period).floor() * period).clamp_min(low);
  return at::where(at < low + period, at, at::full_like(at, low));
}

bool any_periodic(const std::vector<Target>& targets) {
  return std::any_of(targets.begin(), targets.end(), [](const Target& target) { return target.periodic; });
}

namespace {

// θ with f(target, index, column [..]) in place of each periodic target's column.
template <class F>
torch::Tensor each_periodic(const std::vector<Target>& targets, const torch::Tensor& theta, F&& f) {
  if (!any_periodic(targets)) return theta;
  torch::Tensor out = theta.clone();
  for (std::size_t t = 0; t < targets.size(); ++t) {
    const auto k = static_cast<std::int64_t>(t);
    if (targets[t].periodic) out.select(-1, k).copy_(f(targets[t], k, theta.select(-1, k)));
  }
  return out;
}

// The value next to `center` by less than half a period.
torch::Tensor near(const torch::Tensor& values, const torch::Tensor& center, double period) {
  return center + wrapped(values - center, -0.5 * period, period);
}

}  // namespace

torch::Tensor wrapped(const std::vector<Target>& targets, const torch::Tensor& theta) {
  return each_periodic(targets, theta, [](const Target& target, std::int64_t, const torch::Tensor& column) {
    return wrapped(column, target.low, target.period());
  });
}

torch::Tensor circular_mean(const torch::Tensor& values, double low, double period, const torch::Tensor& weight) {
  const torch::Tensor angle = (values - low) * (2 * M_PI / period);
  const auto mean = [&](const torch::Tensor& one) {
    return weight.defined() ? at::tensordot(weight, one, {0}, {0}) : one.mean(0);
  };
  const torch::Tensor sine = mean(angle.sin()), cosine = mean(angle.cos());
  const torch::Tensor center = wrapped(low + at::atan2(sine, cosine) * (period / (2 * M_PI)), low, period);
  return at::where(at::hypot(sine, cosine) < kNoDirection, at::full_like(center, low + 0.5 * period), center);
}

torch::Tensor next_to(const std::vector<Target>& targets, const torch::Tensor& theta, const torch::Tensor& center) {
  return each_periodic(targets, theta, [&](const Target& target, std::int64_t k, const torch::Tensor& column) {
    return near(column, center.select(-1, k), target.period());
  });
}

Unrolled unrolled(const std::vector<Target>& targets, const torch::Tensor& samples, const torch::Tensor& theta) {
  if (!any_periodic(targets)) return {samples, theta};
  torch::Tensor center = theta.clone();
  for (std::size_t t = 0; t < targets.size(); ++t)
    if (const auto k = static_cast<std::int64_t>(t); targets[t].periodic)
      center.select(1, k).copy_(
          circular_mean(samples.select(2, k).transpose(0, 1), targets[t].low, targets[t].period()));
  return {next_to(targets, samples, center.unsqueeze(1)), next_to(targets, theta, center)};
}

torch::Tensor unrolled(const std::vector<Target>& targets, const torch::Tensor& samples) {
  const torch::Tensor none = at::zeros({1, samples.size(1)}, at::kDouble);
  return unrolled(targets, samples.unsqueeze(0), none).samples.squeeze(0);
}

Unrolled cut_open(const std::vector<Target>& targets, const torch::Tensor& samples, const torch::Tensor& theta,
                  std::uint64_t key) {
  if (!any_periodic(targets)) return {samples, theta};
  Stream stream(stream_key(key, Purpose::posterior), 3);
  torch::Tensor center = theta.clone();
  for (std::int64_t b = 0; b < theta.size(0); ++b)
    for (std::size_t t = 0; t < targets.size(); ++t) {
      const double cut = stream.uniform64();
      if (targets[t].periodic) center[b][static_cast<std::int64_t>(t)] = targets[t].low + cut * targets[t].period();
    }
  return {next_to(targets, samples, center.unsqueeze(1)), next_to(targets, theta, center)};
}

std::vector<Target> turned(std::vector<Target> targets, const torch::Tensor& samples) {
  for (std::size_t t = 0; t < targets.size(); ++t) {
    Target& target = targets[t];
    if (!target.periodic) continue;
    const double period = target.period();
    const double center =
        circular_mean(samples.select(1, static_cast<std::int64_t>(t)), target.low, period).item<double>();
    target.low = center - 0.5 * period;
    target.high = center + 0.5 * period;
  }
  return targets;
}

}  // namespace pairs
