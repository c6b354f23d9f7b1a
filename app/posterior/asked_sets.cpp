#include "app/posterior/asked_sets.h"

#include <algorithm>

#include "app/kinds/observed.h"
#include "app/kinds/target_room.h"
#include "app/posterior/disagreement_text.h"
#include "app/posterior/known_reference.h"
#include "app/posterior/listed_things.h"
#include "app/posterior/observed_set.h"
#include "app/posterior/tried_file.h"
#include "core/base/error.h"
#include "core/base/face.h"
#include "core/base/text.h"
#include "core/given.h"
#include "core/report/number_text.h"
#include "tasks/parts/things.h"

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

namespace {

bool are_things(const Task& task, const std::filesystem::path& data, const std::string& group,
                const std::string& reader) {
  return group.empty() && reader.empty() && lists_things(task, data);
}

void open_listed(const LoadedRun& run, const AskedSets& asked, SetsQuestion& question) {
  const Things& known = *face<Things>(*run.task);
  if (!asked.columns.empty())
    fail_usage("Columns are those of a table; {} names things, each a {}", printable(asked.data.string(), 300),
               known.thing());
  if (asked.size.random)
    fail_usage("Leave --random out: of a {} as many observations are made as are used", known.thing());
  if (asked.size.n > run.task->info().max_n)
    fail_usage("--n {} goes beyond N = {}, the most that task {} knows", count_text(asked.size.n),
               count_text(run.task->info().max_n), run.task->info().name);
  // More can always be made: no more than training saw.
  question.asked.size = [&run, choice = asked.size](const std::string& name, std::int64_t held) {
    const std::int64_t wanted = choice.n > 0 ? choice.n : largest_size(run, choice.force);
    return file_set_size(run, {std::min(wanted, held), false, choice.force}, name, held);
  };
  question.sets = open_things(*run.task, asked.data, asked.seed, asked.up);
  question.things = true;
}

}  // namespace

bool holds_many_sets(const Task& task, const std::filesystem::path& data, const std::string& group,
                     const std::string& reader) {
  if (!group.empty() || are_things(task, data, group, reader)) return true;
  ManySets sets{data, "", {.files = file_columns(task)}};
  sets.reader = set_readers(task, reader);
  return holds_sets(sets, task.info()) && !(face<Things>(task) && things_named(task, data.string()));
}

SetsQuestion sets_question(const LoadedRun& run, const AskedSets& asked) {
  const TaskInfo& info = run.task->info();
  SetsQuestion question;
  if (!asked.given.empty()) question.asked.given = read_given(asked.given, "", info);
  check_given(*run.task, question.asked.given, "--given");
  if (asked.exact && !knows_exact(*run.task))
    fail_usage("The task {} knows no exact posterior of observed sets; leave --exact out", info.name);
  question.asked.exact = asked.exact;
  question.asked.seed = asked.seed;
  question.asked.draws = target_room_of(info).draws();
  if (are_things(*run.task, asked.data, asked.group, asked.reader)) {
    open_listed(run, asked, question);
    return question;
  }
  std::error_code error;
  question.asked.files = std::filesystem::is_directory(asked.data, error);
  question.asked.random = asked.size.random;
  question.asked.size = [&run, choice = asked.size](const std::string& name, std::int64_t held) {
    SetSizeChoice of_set = choice;
    if (of_set.n > 0) of_set.n = std::min(of_set.n, held);
    return file_set_size(run, of_set, name, held);
  };
  ManySets sets{asked.data, asked.group, {asked.columns, file_columns(*run.task)}};
  sets.reader = set_readers(*run.task, asked.reader);
  if (!asked.size.random) sets.most = info.max_n;
  sets.given_known = question.asked.given.defined();
  question.sets = open_sets(sets, info);
  return question;
}

AskedRun asked_run(const LoadedRun& run, const SetsQuestion& question) {
  AskedRun asked{.loaded = run, .learnt_nothing = learnt_nothing(run)};
  if (question.things) asked.tried = tried_of(run);
  return asked;
}

nlohmann::json sets_told(const LoadedRun& run, const AskedSets& asked, const SetsQuestion& question) {
  const TaskInfo& info = run.task->info();
  nlohmann::json told = {{"task", info.name},
                         {"run", run.name},
                         {"trained_on", run.estimator->data_source()},
                         {"data", printable(asked.data.string(), 4096)},
                         {"count", question.sets->count()},
                         {"targets", nlohmann::json::array()}};
  for (const Target& target : info.targets) told["targets"].push_back(target.name);
  for (const Given& one : info.given) told["given"].push_back(one.name);
  if (!run.config.ensemble.empty()) told["ensemble"] = members_document(run.config.ensemble);
  if (question.things) told["things"] = face<Things>(*run.task)->thing();
  if (!asked.group.empty()) told["group"] = printable(asked.group, 4096);
  return told;
}

std::string to_know_text(const SetRow& row) {
  const std::size_t others = row.warnings.size() - (row.typicality.outside ? 1 : 0);
  std::string know = row.typicality.outside ? "out of distribution" : "";
  if (others > 0) know += (know.empty() ? "" : ", ") + counted(others, "warning");
  return know;
}

}  // namespace pairs
