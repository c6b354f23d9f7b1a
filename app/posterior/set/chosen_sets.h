#pragma once

#include "app/posterior/question/set_choice.h"
#include "app/posterior/set/set_stream.h"
#include "core/task.h"

namespace pairs {

// Whether the choice names several items of the task, each of which is a set.
bool chooses_items(const Task& task, const SetChoice& set);
// Whether the file or folder, with its column `group` if any, holds many sets for the task rather than one, or lists
// items.
bool holds_many_sets(const Task& task, const SetChoice& set);
// How to read tables and files of the sets; the task outlives it.
ManySets many_sets(const Task& task, const SetChoice& set);

}  // namespace pairs
