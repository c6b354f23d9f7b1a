#include "app/batch/infer/infer_local_test.h"

#include "app/batch/parts/drive.h"
#include "app/batch/parts/progress.h"

namespace pairs::batch {

LocalTest infer_local_test(const SetPosterior& posterior, std::int64_t n, std::int64_t sets, std::uint64_t seed) {
  ProgressPrinter printer = stderr_printer();
  LocalTestOptions options;
  options.sets = sets;
  options.seed = seed;
  options.keep_going = keep_going;
  options.step = sets_step(printer);
  const LocalTest test = posterior.local_test(n, options);
  printer.finish();
  return test;
}

}  // namespace pairs::batch
