#pragma once

#include <torch/types.h>

#include <string>

#include "core/task.h"

namespace pairs {

// A sentence if the conditions in a file for one set, `reported` [1, g], differ from those used; "" if they agree or
// one of them is undefined.
std::string other_given_text(const Task& task, const torch::Tensor& reported, const torch::Tensor& taken);

}  // namespace pairs
