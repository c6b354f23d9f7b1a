#pragma once

#include <string>

#include "app/posterior/observed_set.h"

namespace pairs {

// Which command the words of a set are for: those that take the set as --data (`infer`, `report`), or `figure`.
enum class SetCommand { infer, figure };

// The words that name a set to a command, each with a blank before it: " --data events.csv --columns=x". Simulated sets
// are named to figures alone.
std::string set_arguments(const SetChoice& set, SetCommand command);

}  // namespace pairs
