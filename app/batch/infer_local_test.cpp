#include "app/batch/infer_local_test.h"

#include "app/batch/drive.h"
#include "app/batch/progress.h"
#include "app/kinds/target_room.h"
#include "core/base/error.h"

namespace pairs::batch {

void check_local_test(const LoadedRun& run, std::int64_t sets) {
  target_room_of(run.task->info()).check_density(run.task->info(), "but --local-test is of densities of parameters");
  if (sets < TwoSample::kFewestSets)
    fail_usage("--local-test {} learns nothing from so few sets; give {} or more, 1000 for a fair chance", sets,
               TwoSample::kFewestSets);
}

LocalTest infer_local_test(const SetPosterior& posterior, std::int64_t n, std::int64_t sets, std::int64_t seed) {
  ProgressPrinter printer = stderr_printer();
  LocalTestOptions options;
  options.sets = sets;
  options.seed = static_cast<std::uint64_t>(seed);
  options.keep_going = keep_going;
  options.step = sets_step(printer);
  const LocalTest test = posterior.local_test(n, options);
  printer.finish();
  return test;
}

}  // namespace pairs::batch
