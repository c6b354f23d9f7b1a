#pragma once

#include <torch/types.h>

#include <functional>
#include <string>

namespace pairs {

// Velocity of the flow at x [R, ...] and time t in [0, 1] -> like x.
using Velocity = std::function<torch::Tensor(const torch::Tensor& x, double t)>;
// Called with every intermediate state, from step 0 (noise, t = 0) to `steps` (t = 1); false ends the integration
// there.
using FlowStep = std::function<bool(std::int64_t step, const torch::Tensor& x)>;

// Integrates dx/dt = velocity(x, t) from x at t = 0 to 1 without gradients in `steps` steps between the times (k /
// steps)^time_power; "euler" evaluates the velocity once per step, "heun" (trapezoidal) twice. Returns the last state.
// Throws Error for another solver or without steps.
torch::Tensor integrate_flow(const Velocity& velocity, torch::Tensor x, std::int64_t steps, const std::string& solver,
                             double time_power = 1, const FlowStep& on_step = {});

}  // namespace pairs
