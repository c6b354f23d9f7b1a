#include "app/batch/infer/infer_predictive.h"

#include <fmt/format.h>

#include <utility>

#include "app/batch/parts/drive.h"
#include "app/batch/parts/progress.h"
#include "core/base/system/streams.h"
#include "core/base/text/error.h"
#include "core/train/run/simulator_record.h"

namespace pairs::batch {

std::string check_predictive(const LoadedRun& run, std::int64_t sets) {
  if (const std::string why = no_predictive_test(run); !why.empty())
    fail_usage("--predictive cannot be asked of task {}: {}", run.task->info().name, why);
  if (sets < kFewestPredictiveSets)
    fail_usage("--predictive {} are too few simulated sets to resolve what is rare; give {} or more, e.g. 200", sets,
               kFewestPredictiveSets);
  const std::string changed = changed_simulator(run.folder, *run.task, [] { return !keep_going(); });
  if (changed.empty()) return "";
  std::string warning = changed + "; it is the test of another model";
  print(fmt::format("warning: {}\n", warning));
  return warning;
}

SetPredictiveTest infer_predictive(const SetPosterior& posterior, std::int64_t n, std::int64_t sets,
                                   std::uint64_t seed) {
  ProgressPrinter printer = stderr_printer();
  PredictiveOptions options;
  options.sets = sets;
  options.seed = seed;
  options.keep_going = keep_going;
  options.step = sets_step(printer);
  SetPredictiveTest test = posterior.predictive_test(n, options);
  printer.finish();
  return test;
}

}  // namespace pairs::batch
