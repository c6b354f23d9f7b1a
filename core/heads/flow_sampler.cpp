#include "core/heads/flow_sampler.h"

#include <ATen/core/grad_mode.h>

#include <cmath>

#include "core/base/text/error.h"
#include "core/base/text/text.h"

namespace pairs {

torch::Tensor integrate_flow(const Velocity& velocity, torch::Tensor x, std::int64_t steps, const std::string& solver,
                             double time_power, const FlowStep& on_step) {
  PAIRS_CHECK(steps >= 1, "a flow is integrated in one step or more, not {}: set {}", steps, "head.steps"_key);
  if (solver != "euler" && solver != "heun")
    fail_usage("there is no solver '{}' of a flow: use euler or heun", printable(solver));
  at::NoGradGuard no_grad;
  const auto time = [&](std::int64_t k) {
    return std::pow(static_cast<double>(k) / static_cast<double>(steps), time_power);
  };
  if (on_step && !on_step(0, x)) return x;
  for (std::int64_t k = 0; k < steps; ++k) {
    const double t = time(k), later = time(k + 1), h = later - t;
    const torch::Tensor v = velocity(x, t);
    torch::Tensor next = x + h * v;
    if (solver == "heun") next = x + (0.5 * h) * (v + velocity(next, later));
    x = next;
    if (on_step && !on_step(k + 1, x)) return x;
  }
  return x;
}

}  // namespace pairs
