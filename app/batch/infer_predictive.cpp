#include "app/batch/infer_predictive.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/batch/drive.h"
#include "app/batch/progress.h"
#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/streams.h"
#include "core/train/simulator_record.h"

namespace pairs::batch {

std::string check_predictive(const LoadedRun& run, std::int64_t sets) {
  if (const std::string why = no_predictive_test(*run.task); !why.empty())
    fail_usage("--predictive cannot be asked of task {}: {}", run.task->info().name, why);
  if (sets < kFewestPredictiveSets)
    fail_usage("--predictive {} are too few simulated sets to tell what is rare; give {} or more, 200 say", sets,
               kFewestPredictiveSets);
  const std::string changed = changed_simulator(run.folder, *run.task, [] { return !keep_going(); });
  if (changed.empty()) return "";
  std::string warning = changed + "; it is the test of another model";
  tell(fmt::format("warning: {}\n", warning));
  return warning;
}

SetPredictiveTest infer_predictive(const SetPosterior& posterior, std::int64_t n, std::int64_t sets,
                                   std::int64_t seed) {
  ProgressPrinter printer = stderr_printer();
  PredictiveOptions options;
  options.sets = sets;
  options.seed = static_cast<std::uint64_t>(seed);
  options.keep_going = keep_going;
  options.step = sets_step(printer);
  SetPredictiveTest test = posterior.predictive_test(n, options);
  printer.finish();
  return test;
}

UsualTests usual_tests(const SetPosterior& posterior, std::int64_t n, std::int64_t seed) {
  const AskedRun& run = posterior.runs().front();
  const Task& task = posterior.task();
  if (posterior.set().of_thing()) return {.why_not = "observations of a thing take long to simulate"};
  if (std::string why = within_sets_missing(run.loaded, n); !why.empty()) return {.why_not = std::move(why)};
  const Stopwatch watch;
  WithinOptions options;
  options.seed = static_cast<std::uint64_t>(seed);
  options.given = posterior.set().latents().given;
  options.keep_going = [&] { return keep_going() && watch.seconds() < kLongestUsual; };
  UsualTests out;
  try {
    if (!changed_simulator(run.loaded.folder, task, [&] { return !options.keep_going(); }).empty())
      return {.why_not = "the simulator has changed since the run was trained"};
    out.within = WithinSets(run.loaded, n, options).test(posterior.set().first(n));
    if (out.within->p > kUnlikeWithin) return out;
    PredictiveOptions brief;
    brief.brief = true;
    brief.seed = options.seed;
    brief.keep_going = options.keep_going;
    out.predictive = posterior.predictive_test(n, brief);
  } catch (const Stopped&) {
    if (!keep_going()) throw;
    if (!out.within)
      out.why_not = fmt::format("simulating sets takes more than {:.0f} s on this machine", kLongestUsual);
  } catch (const Error& error) {
    if (!out.within) out.why_not = sentence(error);
  }
  return out;
}

}  // namespace pairs::batch
