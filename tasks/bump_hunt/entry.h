#pragma once

#include "tasks/parts/task_entry.h"

namespace pairs {

TaskEntry bump_hunt_entry();

}  // namespace pairs
