#include "core/heads/truncated_logistic.h"

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>

#include <cmath>

namespace pairs {

using torch::Tensor;

namespace {

// The locations of w, -1 and 1 in units of the scale, and 1 - e^{a - b}.
struct InScales {
  Tensor w, rate, t, a, b, whole;
};
InScales in_scales(const Tensor& theta, const Tensor& mu, const Tensor& log_scale) {
  const Tensor rate = at::exp(-log_scale), w = theta * 2 - 1;
  return {w, rate, (w - mu) * rate, (-1 - mu) * rate, (1 - mu) * rate, -at::expm1(rate * -2)};
}

Tensor log_slope(const InScales& at, const Tensor& log_scale) {
  return at::log_sigmoid(at.t) + at::log_sigmoid(-at.t) - log_scale - at::log_sigmoid(at.b) - at::log_sigmoid(-at.a) -
         at.whole.log() + std::log(2.0);
}

}  // namespace

// σ(y) - σ(x) = σ(y) σ(-x) (1 - e^{x - y}) keeps every difference of tails exact, for any location of the mode.
std::tuple<Tensor, Tensor> truncated_logistic(const Tensor& theta, const Tensor& mu, const Tensor& log_scale) {
  const InScales at = in_scales(theta, mu, log_scale);
  const Tensor u =
      at::exp(at::log_sigmoid(at.t) - at::log_sigmoid(at.b)) * (-at::expm1((at.w + 1) * -at.rate) / at.whole);
  return {u, log_slope(at, log_scale)};
}

Tensor truncated_logistic_log_density(const Tensor& theta, const Tensor& mu, const Tensor& log_scale) {
  return log_slope(in_scales(theta, mu, log_scale), log_scale);
}

Tensor truncated_logistic_inverse(const Tensor& u, const Tensor& mu, const Tensor& log_scale) {
  at::NoGradGuard no_grad;
  const Tensor v = u.to(torch::kFloat64), m = mu.to(torch::kFloat64), s = log_scale.to(torch::kFloat64);
  const Tensor rate = at::exp(-s), a = (-1 - m) * rate, b = (1 - m) * rate;
  // In logs, because far outside the range both tails underflow.
  const Tensor difference = at::log_sigmoid(b) + at::log_sigmoid(-a) + (-at::expm1(rate * -2)).log();
  const Tensor below = at::logaddexp(at::log_sigmoid(a), v.log() + difference),
               above = at::logaddexp(at::log_sigmoid(-b), at::log1p(-v) + difference);
  const Tensor w = (below - above) / rate + m;
  return ((w + 1) * 0.5).clamp(0, 1).to(u.scalar_type());
}

}  // namespace pairs
