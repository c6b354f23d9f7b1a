#include "app/posterior/source/set_simulator.h"

#include <fmt/format.h>

#include <optional>

#include "app/posterior/source/refined_source.h"
#include "core/base/text/error.h"
#include "core/likelihood/likelihood_task.h"
#include "core/train/stages/likelihood_stage.h"

namespace pairs {

std::string no_simulator(const LoadedRun& run) {
  if (run.task->stored() == nullptr) return "";
  std::string why = not_refined(run);
  if (why.empty())
    if (const std::optional<RunLikelihood> known = load_likelihood(run.folder, *run.task)) why = known->unusable();
  if (why.empty()) return "";
  return fmt::format("its sets are read from files, and no learned likelihood can simulate others: {}", why);
}

std::shared_ptr<const Task> set_simulator(const LoadedRun& run) {
  if (run.task->stored() == nullptr) return run.task;
  if (const std::string why = no_simulator(run); !why.empty()) fail("Task {}: {}", run.task->info().name, why);
  return simulated_by(load_likelihood(run.folder, *run.task)->likelihood, run.task);
}

}  // namespace pairs
