#include "app/kinds/rooms.h"
#include "core/base/text/error.h"

// The one place that chooses a room by its kind.

namespace pairs {

const ObservationRoom& room_of(const TaskInfo& info) {
  switch (info.kind) {
    case ObservationKind::points:
      return points_room();
    case ObservationKind::image:
      return image_room();
    case ObservationKind::rows:
      return rows_room();
  }
  fail("The observations of task {} are of no kind that is known", info.name);
}

const TargetRoom& target_room_of(const TaskInfo& info) {
  switch (info.target_kind) {
    case TargetKind::parameters:
      return parameters_room();
    case TargetKind::image:
      return image_target_room();
  }
  fail("The target of task {} is of no kind that is known", info.name);
}

}  // namespace pairs
