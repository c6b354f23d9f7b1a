#pragma once

#include "tasks/parts/task_entry.h"

namespace pairs {

TaskEntry novel_view_entry();

}  // namespace pairs
