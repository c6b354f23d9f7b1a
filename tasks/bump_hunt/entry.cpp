#include "tasks/bump_hunt/entry.h"

#include "tasks/bump_hunt/bump_hunt.h"
#include "tasks/bump_hunt/self_check.h"

namespace pairs {

TaskEntry bump_hunt_entry() {
  return {.name = "bump-hunt",
          .make = [](const TaskOptions&) { return make_bump_hunt(); },
          .checks = {{"exact posterior of a known bump-hunt set", 1e-6, bump_hunt::posterior_deviation}}};
}

}  // namespace pairs
