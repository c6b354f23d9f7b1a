#include "app/kinds/image/image_room.h"
#include "app/kinds/points/points_room.h"
#include "app/kinds/rows/rows_room.h"
#include "app/kinds/target/image_target_room.h"
#include "app/kinds/target/parameters_room.h"
#include "core/base/error.h"

// The one place that chooses a room by its kind.

namespace pairs {

const ObservationRoom& room_of(const TaskInfo& info) {
  static const PointsRoom points;
  static const ImageRoom image;
  static const RowsRoom rows;
  switch (info.kind) {
    case ObservationKind::points:
      return points;
    case ObservationKind::image:
      return image;
    case ObservationKind::rows:
      return rows;
  }
  fail("The observations of task {} are of no kind that is known", info.name);
}

const TargetRoom& target_room_of(const TaskInfo& info) {
  static const ParametersRoom parameters;
  static const ImageTargetRoom image;
  switch (info.target_kind) {
    case TargetKind::parameters:
      return parameters;
    case TargetKind::image:
      return image;
  }
  fail("The target of task {} is of no kind that is known", info.name);
}

}  // namespace pairs
