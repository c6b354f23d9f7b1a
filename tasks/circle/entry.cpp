#include "tasks/circle/entry.h"

#include "tasks/circle/circle.h"

namespace pairs {

TaskEntry circle_entry() {
  return {.name = "circle",
          .make = [](const TaskOptions& o) { return make_circle(o.settings.as<CircleSettings>()); },
          .settings = CircleSettings()};
}

}  // namespace pairs
