#include "tasks/gaussian/entry.h"

#include "tasks/gaussian/gaussian.h"
#include "tasks/gaussian/self_check.h"

namespace pairs {

TaskEntry gaussian_entry() {
  return {.name = "gaussian",
          .make = [](const TaskOptions& o) { return make_gaussian(o.settings.as<GaussianSettings>().convention); },
          .settings = GaussianSettings(),
          .checks = {{"exact posterior of a known Gaussian set", 1e-6, gaussian::posterior_deviation}}};
}

}  // namespace pairs
