#pragma once

#include "app/kinds/observation_room.h"
#include "app/kinds/target_room.h"

namespace pairs {

// The rooms of each kind; room_of and target_room_of choose among them.
const ObservationRoom& points_room();
const ObservationRoom& image_room();
const ObservationRoom& rows_room();
const TargetRoom& parameters_room();
const TargetRoom& image_target_room();

}  // namespace pairs
