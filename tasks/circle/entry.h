#pragma once

#include "tasks/parts/task_entry.h"

namespace pairs {

TaskEntry circle_entry();

}  // namespace pairs
