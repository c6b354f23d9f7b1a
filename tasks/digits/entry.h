#pragma once

#include "tasks/parts/task_entry.h"

namespace pairs {

TaskEntry digits_entry();

}  // namespace pairs
