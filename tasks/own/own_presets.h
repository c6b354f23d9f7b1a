#pragma once

#include <string>

#include "core/task.h"

namespace pairs::own {

// The text of a preset, quick, small or paper, generated for the size of a task without presets in the assets: the
// embedder depends on the kind of observation, the head on the supports, budgets on the largest N.
std::string preset_text(const TaskInfo& task, const std::string& preset);

}  // namespace pairs::own
