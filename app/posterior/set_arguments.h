#pragma once

#include <string>

#include "app/posterior/set_choice.h"

namespace pairs {

// Which command the words of a set are for: `infer` and `report`, whose --seed is that of the samples as well and
// stands elsewhere in the command, or `figure` and `embed`. The former take no simulated sets.
enum class SetCommand { infer, figure };

// The words that name a set to a command, each with a blank before it: " --data events.csv --columns=x".
std::string set_arguments(const SetChoice& set, SetCommand command);

}  // namespace pairs
