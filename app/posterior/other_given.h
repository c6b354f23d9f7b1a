#pragma once

#include <torch/types.h>

#include <string>

#include "core/task.h"

namespace pairs {

// A sentence where the conditions that a file gives for one set, `told` [1, g], differ from those that are used; ""
// where they agree, or one of them is undefined.
std::string other_given_text(const Task& task, const torch::Tensor& told, const torch::Tensor& taken);

}  // namespace pairs
