#pragma once

#include <string>

#include "app/posterior/question/set_choice.h"

namespace pairs {

// The command that receives the arguments: `infer` and `report`, whose --seed also seeds the samples and is written
// elsewhere, or `figure` and `embed`. The former take no simulated sets.
enum class SetCommand { infer, figure };

// The arguments that name a set to a command, each preceded by a blank: " --data events.csv --columns=x".
std::string set_arguments(const SetChoice& set, SetCommand command);

}  // namespace pairs
