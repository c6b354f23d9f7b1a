#pragma once

#include "tasks/parts/task_entry.h"

namespace pairs {

TaskEntry objects_entry();

}  // namespace pairs
