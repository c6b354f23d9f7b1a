#pragma once

#include "tasks/parts/task_entry.h"

namespace pairs {

TaskEntry molecules_entry();

}  // namespace pairs
