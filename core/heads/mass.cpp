#include "core/heads/mass.h"

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/base/text/error.h"
#include "core/heads/head.h"

namespace pairs {

using torch::Tensor;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Key of the samples that measure a head without a distribution function, and their numbers: at first; if these come
// close to a bound; and at most, if most of them lie beyond it.
constexpr std::uint64_t kMassKey = 0x6d617373;
constexpr std::int64_t kFirst = 256, kSome = 2048, kMany = 65536;
constexpr double kKnown = 0.03;  // required relative error of the share within the support
constexpr double kMargin = 0.5;  // between samples and bounds, in units of the samples' range

// log(F(high) - F(low)) from log F, for a distribution function that is symmetric about zero: differences are taken in
// the lower tail, where they are exact.
template <class LogCdf>
Tensor log_difference(const Tensor& low, const Tensor& high, const LogCdf& log_cdf) {
  const Tensor upper = low + high > 0;
  const Tensor a = log_cdf(at::where(upper, -high, low)), b = log_cdf(at::where(upper, -low, high));
  return at::where(high > low, b + (-at::expm1(a - b)).log(), -kInfinity);
}

// The share of `count` samples of one context [1, c] that lie between low and high [d], and whether all do and are so
// far from both bounds that the rest is negligible.
struct Share {
  double within;
  bool clear;
};
Share measured_share(Head& head, const Tensor& context, const Tensor& low, const Tensor& high, std::int64_t count) {
  const Tensor drawn = head.sample(context, count, kMassKey)[0].to(torch::kCPU, torch::kFloat64);
  const Tensor within = ((drawn >= low) & (drawn <= high)).all(1);
  const Tensor least = drawn.amin(0), most = drawn.amax(0), margin = kMargin * (most - least);
  // For damaged weights, and for sets that overflow, the share is not a number.
  if (drawn.isnan().any().item<bool>()) return {std::numeric_limits<double>::quiet_NaN(), false};
  return {within.to(torch::kFloat64).mean().item<double>(),
          ((least - margin >= low) & (most + margin <= high)).all().item<bool>()};
}

}  // namespace

bool restricts(const HeadConfig& config) {
  return config.of<SupportSettings>().restrict && !head_kind(config.kind).images && !confines(config);
}

Tensor normal_log_mass(const Tensor& low, const Tensor& high) {
  return log_difference(low, high, [](const Tensor& z) { return at::special_log_ndtr(z); });
}

Tensor logistic_log_mass(const Tensor& low, const Tensor& high) {
  return log_difference(low, high, [](const Tensor& z) { return at::log_sigmoid(z); });
}

Tensor base_of_bound(const Tensor& bound, const Tensor& like, const std::function<Tensor(const Tensor&)>& map) {
  const Tensor finite = bound.isfinite();
  const Tensor to = map(at::where(finite, bound, 0.0).to(like.options())).to(torch::kCPU, torch::kFloat64);
  return at::where(finite.cpu(), to, bound.to(torch::kCPU, torch::kFloat64));
}

Tensor Head::log_mass(const Tensor& context, const Tensor& low, const Tensor& high) {
  at::NoGradGuard no_grad;
  PAIRS_CHECK(low.sizes() == high.sizes() && low.size(0) == context.size(0), "bounds do not fit their contexts");
  const Tensor least = low.to(torch::kCPU, torch::kFloat64), most = high.to(torch::kCPU, torch::kFloat64);
  std::vector<double> out;
  for (std::int64_t b = 0; b < context.size(0); ++b) {  // one by one: samples depend on the place in a batch
    const auto share = [&](std::int64_t count) {
      return measured_share(*this, context.slice(0, b, b + 1), least[b], most[b], count);
    };
    Share one = share(kFirst);
    if (!one.clear) one = share(kSome);
    // A share w estimated from `count` draws has the binomial relative error sqrt((1 - w) / (w count)).
    const double enough = one.within > 0 ? (1 - one.within) / (one.within * kKnown * kKnown) : kMany;
    if (!one.clear && enough > kSome) one = share(std::min(kMany, static_cast<std::int64_t>(enough)));
    out.push_back(one.clear ? 0 : std::log(one.within));
  }
  return torch::tensor(out, torch::kFloat64);
}

}  // namespace pairs
