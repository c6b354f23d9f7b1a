#include "tasks/bump_hunt/joint_posterior.h"

#include <ATen/Functions.h>

#include <cmath>

#include "core/base/gpu/transfer.h"
#include "core/base/text/error.h"
#include "tasks/bump_hunt/posterior.h"

namespace pairs::bump_hunt {
namespace {

// log(1 + e^a) and its derivative.
struct Softplus {
  double value, slope;
};
Softplus softplus(double a) {
  const double e = std::exp(-std::abs(a));
  return {std::max(a, 0.0) + std::log1p(e), a > 0 ? 1 / (1 + e) : e / (1 + e)};
}

class JointOfEvents final : public JointPosterior {
 public:
  explicit JointOfEvents(const torch::Tensor& x) : events_(doubles(x)) {
    PAIRS_CHECK(x.dim() == 2 && x.size(1) == 1, "The bump hunt takes observations [N, 1]");
    for (const double event : events_) check_event(event);
  }

  std::vector<double> center() const override { return {0.0, psi_mean}; }

  // Each event contributes log(1 − θ) + softplus of the log odds that it is signal, minus the background's log density,
  // which is constant.
  double log_density(std::span<const double> u, std::span<double> gradient) const override {
    constexpr double precision = 1 / (signal_sd * signal_sd);
    const double logit = u[0], psi = u[1], from_prior = (psi - psi_mean) / psi_sd;
    const Softplus none = softplus(logit);  // −log(1 − θ), and θ
    double sum = 0, signal = 0, pull = 0;
    for (const double x : events_) {
      const double off = x - psi;
      const Softplus event = softplus(logit - std::log(signal_sd) + 0.5 * x * x - 0.5 * precision * off * off);
      sum += event.value;
      signal += event.slope;
      pull += event.slope * off;
    }
    const auto count = static_cast<double>(events_.size());
    gradient[0] = signal - count * none.slope + 1 - 2 * none.slope;
    gradient[1] = precision * pull - from_prior / psi_sd;
    return sum - count * none.value + (logit - 2 * none.value) - 0.5 * from_prior * from_prior;
  }

  torch::Tensor parameters(const torch::Tensor& u) const override {
    return at::stack({u.select(-1, 0).sigmoid(), u.select(-1, 1)}, -1);
  }

 private:
  std::vector<double> events_;
};

}  // namespace

std::unique_ptr<JointPosterior> make_joint_posterior(const torch::Tensor& x) {
  return std::make_unique<JointOfEvents>(x);
}

}  // namespace pairs::bump_hunt
