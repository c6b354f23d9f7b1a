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

UsualPredictive usual_predictive(const SetPosterior& posterior, std::int64_t n, std::int64_t seed) {
  constexpr std::int64_t kEnough = 100;  // observations
  constexpr double kMostNumbers = 64;    // of an observation
  const AskedRun& run = posterior.runs().front();
  const Task& task = posterior.task();
  if (std::string why = no_predictive_test(task); !why.empty()) return {{}, std::move(why)};
  if (posterior.set().of_thing()) return {{}, "observations of a thing take long to simulate"};
  if (task.info().observation_numbers() > kMostNumbers ||
      compared_observations(run, n, kBriefSets, true) < std::min(n, kEnough))
    return {{}, "its sets take long to simulate and embed"};
  const Stopwatch watch;
  PredictiveOptions options;
  options.brief = true;
  options.seed = static_cast<std::uint64_t>(seed);
  options.keep_going = [&] { return keep_going() && watch.seconds() < kUsualSeconds; };
  try {
    if (!changed_simulator(run.loaded.folder, task, [&] { return !options.keep_going(); }).empty())
      return {{}, "the simulator has changed since the run was trained"};
    return {posterior.predictive_test(n, options), ""};
  } catch (const Stopped&) {
    if (!keep_going()) throw;
    return {{}, fmt::format("simulating sets takes more than {:.0f} s", kUsualSeconds)};
  } catch (const Error& error) {
    return {{}, sentence(error)};
  }
}

}  // namespace pairs::batch
