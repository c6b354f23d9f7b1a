#pragma once

#include <string>

#include "core/input_scale.h"

namespace pairs {

// How networks see the observations of a task that standardises them, one sentence: "Networks see (y - 65012) / 9998."
// `scale` is empty where it is measured later. "" where x enters as it is.
std::string input_text(const Task& task, const InputScale& scale);

}  // namespace pairs
