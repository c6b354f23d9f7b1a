#pragma once

#include <string>

#include "app/posterior/question/set_fields.h"
#include "core/task.h"

namespace pairs {

// The kind of the chosen set for this task, or of each of the many sets that it names. Throws a usage Error if a task
// of items finds neither an item nor a file.
SetKind set_kind(const Task& task, const SetChoice& set);

// Throws a usage Error, naming the option, for a field that sets of this kind do not have, and Error for a file that
// does not exist. The index of the simulated set to return to may stay.
void check_fields(const Task& task, const SetChoice& set);

// The choice with this seed if the observations are made from an item.
SetChoice seeded_item(const Task& task, SetChoice set, std::uint64_t seed);

}  // namespace pairs
