#include "core/periodic.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "core/base/numbers/random.h"

namespace pairs {
namespace {
constexpr double kNoDirection = 0.1;  // the length of a mean unit vector below which it says nothing
constexpr std::size_t kBins = 48;     // of a circle, to see where values are few
constexpr double kEmpty = 0.01;       // mass of a bin, of the largest one's, below which it counts as empty,
constexpr double kFewer = 0.5;        // and of the mean, below which values are fewer than elsewhere

// The start of the range of one period, cut open where weighted values are fewest: in the middle of the longest empty
// arc, else at the emptiest place, else, where values go all around, at `low`.
double emptiest(const double* values, const double* weights, std::int64_t count, double low, double period) {
  std::array<double, kBins> mass = {}, smooth = {};
  for (std::int64_t i = 0; i < count; ++i) {
    const double share = (wrapped(values[i], low, period) - low) / period;
    mass[std::min(static_cast<std::size_t>(share * kBins), kBins - 1)] += weights != nullptr ? weights[i] : 1;
  }
  const double weight[] = {1, 2, 3, 2, 1};
  for (std::size_t k = 0; k < kBins; ++k)
    for (std::size_t j = 0; j < 5; ++j) smooth[k] += weight[j] * mass[(k + kBins + j - 2) % kBins];
  const double top = *std::max_element(smooth.begin(), smooth.end());
  std::size_t longest = 0, end = 0, run = 0;
  for (std::size_t k = 0; k < 2 * kBins && run < kBins; ++k) {
    run = smooth[k % kBins] < kEmpty * top ? run + 1 : 0;
    if (run > longest) {
      longest = run;
      end = k + 1;
    }
  }
  const auto place = [&](double bin) { return low + period * bin / static_cast<double>(kBins); };
  if (longest > 0) return place(static_cast<double>(end) - 0.5 * static_cast<double>(longest));
  const auto least = std::min_element(smooth.begin(), smooth.end());
  const double mean = std::accumulate(smooth.begin(), smooth.end(), 0.0) / static_cast<double>(kBins);
  return *least < kFewer * mean ? place(static_cast<double>(least - smooth.begin()) + 0.5) : low;
}

// The start of that range for which the mean of the values in it lies within [low, low + period).
double window_start(const double* values, const double* weights, std::int64_t count, double low, double period) {
  const double cut = emptiest(values, weights, count, low, period);
  double sum = 0, all = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const double weight = weights != nullptr ? weights[i] : 1;
    sum += weight * wrapped(values[i], cut, period);
    all += weight;
  }
  const double mean = sum / all;
  return cut + (wrapped(mean, low, period) - mean);
}
}  // namespace

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
  Unrolled out{samples.clone(), theta.clone()};
  for (std::size_t t = 0; t < targets.size(); ++t) {
    if (!targets[t].periodic) continue;
    const auto k = static_cast<std::int64_t>(t);
    const double low = targets[t].low, period = targets[t].period();
    const torch::Tensor columns = samples.select(2, k).contiguous();
    for (std::int64_t b = 0; b < samples.size(0); ++b) {
      const torch::Tensor own = columns[b];
      const double start = window_start(own.const_data_ptr<double>(), nullptr, own.numel(), low, period);
      const torch::Tensor values = wrapped(own, start, period);
      out.samples[b].select(1, k).copy_(values);
      out.theta[b][k].copy_(near(theta[b][k], values.mean(), period));
    }
  }
  return out;
}

torch::Tensor unrolled(const std::vector<Target>& targets, const torch::Tensor& samples) {
  return wrapped(turned(targets, samples), samples);
}

double cut_open_at(const torch::Tensor& values, double low, double period, const torch::Tensor& weight) {
  const torch::Tensor own = values.to(torch::kFloat64).contiguous();
  const torch::Tensor weights = weight.defined() ? weight.to(torch::kFloat64).contiguous() : weight;
  return window_start(own.const_data_ptr<double>(), weights.defined() ? weights.const_data_ptr<double>() : nullptr,
                      own.numel(), low, period);
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

std::vector<Target> turned(std::vector<Target> targets, const torch::Tensor& samples, const torch::Tensor& weight) {
  for (std::size_t t = 0; t < targets.size(); ++t) {
    Target& target = targets[t];
    if (!target.periodic) continue;
    const double period = target.period();
    target.low = cut_open_at(samples.select(1, static_cast<std::int64_t>(t)), target.low, period, weight);
    target.high = target.low + period;
  }
  return targets;
}

}  // namespace pairs
