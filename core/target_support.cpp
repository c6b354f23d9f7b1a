#include "core/target_support.h"

#include <ATen/Functions.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace pairs {
namespace {

// The mean of an exponential that starts at a target's finite bound; it reaches as far as the prior.
double reach(const Target& target) {
  const double end = std::isfinite(target.low) ? target.low : target.high;
  return std::abs(target.location - end) + target.scale;
}

bool two_ends(const Target& target) {
  return std::isfinite(target.low) && std::isfinite(target.high);
}

}  // namespace

TargetSupport::TargetSupport(const std::vector<Target>& targets) : targets_(targets) {
  std::vector<double> low, high;
  for (const Target& target : targets) {
    const double none = std::numeric_limits<double>::infinity();
    low.push_back(target.periodic ? -none : target.low);
    high.push_back(target.periodic ? none : target.high);
    bounded_ |= std::isfinite(low.back()) || std::isfinite(high.back());
  }
  low_ = torch::tensor(low, torch::kFloat64);
  high_ = torch::tensor(high, torch::kFloat64);
}

torch::Tensor TargetSupport::excludes(const torch::Tensor& theta) const {
  return ((theta < low_) | (theta > high_)).any(-1);
}

torch::Tensor TargetSupport::broad_log_density(const torch::Tensor& theta) const {
  torch::Tensor sum;
  for (std::size_t t = 0; t < targets_.size(); ++t) {
    const Target& target = targets_[t];
    const torch::Tensor at = theta.select(-1, static_cast<std::int64_t>(t));
    torch::Tensor one;
    if (two_ends(target)) {
      one = at::full_like(at, -std::log(target.high - target.low));
    } else if (std::isfinite(target.low) || std::isfinite(target.high)) {
      const double mean = reach(target);
      one = -(std::isfinite(target.low) ? at - target.low : target.high - at) / mean - std::log(mean);
    } else {
      const torch::Tensor z = (at - target.location) / target.scale;
      one = at::log_sigmoid(z) + at::log_sigmoid(-z) - std::log(target.scale);
    }
    sum = sum.defined() ? sum + one : one;
  }
  return sum;
}

torch::Tensor TargetSupport::broad_samples(std::int64_t count, Stream& stream) const {
  torch::Tensor out = at::empty({count, static_cast<std::int64_t>(targets_.size())}, at::kDouble);
  auto* to = out.mutable_data_ptr<double>();
  for (std::int64_t i = 0; i < count; ++i)
    for (const Target& target : targets_) {
      const double u = std::clamp(stream.uniform64(), 1e-15, 1 - 1e-15);
      if (two_ends(target))
        *to++ = target.low + u * (target.high - target.low);
      else if (std::isfinite(target.low))
        *to++ = target.low - reach(target) * std::log(u);
      else if (std::isfinite(target.high))
        *to++ = target.high + reach(target) * std::log(u);
      else
        *to++ = target.location + target.scale * (std::log(u) - std::log1p(-u));
    }
  return out;
}

std::string support_text(const Target& target) {
  const auto number = [](double value) { return fmt::format("{:.4g}", value); };
  if (target.periodic) return fmt::format("[{}, {}), whose ends are the same", number(target.low), number(target.high));
  return fmt::format("{}, {}", std::isfinite(target.low) ? "[" + number(target.low) : "(-∞",
                     std::isfinite(target.high) ? number(target.high) + "]" : "∞)");
}

}  // namespace pairs
