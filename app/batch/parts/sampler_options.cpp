#include "app/batch/parts/sampler_options.h"

#include <CLI/CLI.hpp>

#include "app/batch/parts/numbers.h"
#include "core/base/fields/face.h"
#include "core/base/text/error.h"

namespace pairs::batch {

void add_sampler_options(CLI::App& app, SamplerOptions& options) {
  app.add_option("--steps", options.steps, "Steps of each sampled image (default: the run's head.steps)")
      ->type_name("K")
      ->transform(whole_number(1, 10000));
  app.add_option("--solver", options.solver, "Integrator of sampled images (default: the run's head.solver)")
      ->type_name("NAME")
      ->check(CLI::IsMember({"euler", "heun"}));
}

void set_sampler(const LoadedRun& run, const SamplerOptions& options) {
  if (!options.any()) return;
  const auto set = [&](std::int64_t n) {
    SteppedSampler* sampler = face<SteppedSampler>(run.estimator->head(n));
    if (sampler == nullptr)
      fail_usage("--steps and --solver belong to samples of images; the task {} has none", run.task->info().name);
    sampler->set_sampler(options.steps, options.solver);
  };
  const std::vector<std::int64_t> sizes = run.estimator->sizes();
  if (sizes.empty()) set(1);
  for (const std::int64_t n : sizes) set(n);
}

}  // namespace pairs::batch
