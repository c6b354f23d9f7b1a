#pragma once

#include <string>

#include "core/input_scale.h"

namespace pairs {

// How networks see the observations of a task that standardizes them, one sentence: "Networks see (y - 65012) / 9998."
// `scale` is empty if it is measured later. "" if x is not standardized.
std::string input_text(const Task& task, const InputScale& scale);

}  // namespace pairs
