#pragma once

#include <memory>

#include "core/joint_posterior.h"

namespace pairs::bump_hunt {

// The joint posterior of signal fraction and place given events x [N, 1], in the coordinates (logit θ, ψ), including
// the Jacobian of the logit.
std::unique_ptr<JointPosterior> make_joint_posterior(const torch::Tensor& x);

}  // namespace pairs::bump_hunt
