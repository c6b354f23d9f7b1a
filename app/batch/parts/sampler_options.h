#pragma once

#include <cstdint>
#include <string>

#include "core/train/run/run.h"

namespace CLI {
class App;
}

namespace pairs::batch {

// How samples of images are integrated, if other than by the run's head.steps and head.solver.
struct SamplerOptions {
  std::int64_t steps = 0;  // 0: the run's
  std::string solver;      // "": the run's
  bool any() const { return steps > 0 || !solver.empty(); }
};
void add_sampler_options(CLI::App& app, SamplerOptions& options);

// Applies the options to the heads of an opened run. Throws a usage error if the task's samples are not integrated.
void set_sampler(const LoadedRun& run, const SamplerOptions& options);

}  // namespace pairs::batch
