#pragma once

#include <memory>

#include "core/joint_posterior.h"

namespace pairs::bump_hunt {

// Signal fraction and place given events x [N, 1], in the coordinates (logit θ, ψ); the logit's Jacobian is counted.
std::unique_ptr<JointPosterior> make_joint_posterior(const torch::Tensor& x);

}  // namespace pairs::bump_hunt
