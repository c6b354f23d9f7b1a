#pragma once

#include <torch/types.h>

#include <string>

#include "core/task.h"

namespace pairs {

// A sentence where a file tells of one set that something else is given, `told` [1, g], than what is taken; "" where it
// does not, or one of them is undefined.
std::string other_given_text(const Task& task, const torch::Tensor& told, const torch::Tensor& taken);

}  // namespace pairs
