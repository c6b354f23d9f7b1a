#pragma once

#include <string>

#include "core/task.h"

namespace pairs::own {

// The text of a preset, quick, small or paper, made to the size of a task that has none in the assets: the embedder by
// what an observation is, the head by the supports, budgets by the largest N.
std::string preset_text(const TaskInfo& task, const std::string& preset);

}  // namespace pairs::own
