#include "app/posterior/set/set_size.h"

#include <algorithm>

#include "core/base/text/error.h"
#include "core/report/number_text.h"

namespace pairs {

std::int64_t largest_size(const LoadedRun& run, bool force) {
  return force ? run.task->info().max_n : std::min(run.estimator->max_n(), run.task->info().max_n);
}

void check_set_size(const LoadedRun& run, bool force, const std::string& name, std::int64_t size) {
  const TaskInfo& info = run.task->info();
  if (size > info.max_n)
    fail(
        "{} observations of {} are asked for, but task {} is defined up to N = {}{}; give at most {}, or use the first "
        "with --n or as many at random with --random",
        count_text(size), name, info.name, count_text(info.max_n), force ? ", which --force does not change" : "",
        info.max_n);
  if (!force && size > run.estimator->max_n())
    fail(
        "{} observations of {} are asked for, but {} saw sets of at most {}; use fewer with --n, train with larger "
        "sets, or pass --force to extrapolate",
        count_text(size), name, run.name, count_text(run.estimator->max_n()));
}

void check_held(std::int64_t n, const std::string& name, std::int64_t held) {
  if (n > held)
    fail_usage("--n asks for the first {} observations, but {} holds {}; give at most {}", count_text(n), name,
               count_text(held), held);
}

std::int64_t file_set_size(const LoadedRun& run, const SetSizeChoice& choice, const std::string& name,
                           std::int64_t held) {
  check_held(choice.n, name, held);
  std::int64_t size = held;
  if (choice.random) size = std::min(held, largest_size(run, choice.force));
  if (choice.n > 0) size = choice.n;
  check_set_size(run, choice.force, name, size);
  return size;
}

}  // namespace pairs
