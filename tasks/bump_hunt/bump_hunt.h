#pragma once

#include <memory>

#include "core/task.h"

namespace pairs {

// Bump hunt (docs/explanation/tasks.md, "Bump hunt"): events x from the mixture θ N(ψ, 0.1) + (1 − θ) N(0, 1), where θ
// ~ U(0, 1) is the signal fraction to infer and ψ ~ N(1, 2) the unknown place of the signal (second arguments are
// standard deviations).
std::shared_ptr<const Task> make_bump_hunt();

}  // namespace pairs
