#pragma once

#include "tasks/parts/task_entry.h"

namespace pairs {

TaskEntry gaussian_entry();

}  // namespace pairs
