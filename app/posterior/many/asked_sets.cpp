#include "app/posterior/many/asked_sets.h"

#include <algorithm>

#include "app/kinds/observed.h"
#include "app/kinds/target/parameters_room.h"
#include "app/kinds/target_room.h"
#include "app/posterior/answer/known_reference.h"
#include "app/posterior/caveats/disagreement_text.h"
#include "app/posterior/set/chosen_sets.h"
#include "app/posterior/set/listed_items.h"
#include "app/posterior/set/observed_set.h"
#include "app/posterior/set/set_kind.h"
#include "app/posterior/set/set_size.h"
#include "app/posterior/source/refined_source.h"
#include "app/posterior/validation/external_validation_file.h"
#include "core/base/fields/face.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/given.h"
#include "core/periodic.h"
#include "core/report/number_text.h"
#include "tasks/parts/items.h"

namespace pairs {

namespace {

void open_listed(const LoadedRun& run, const AskedSets& asked, SetsQuestion& question) {
  if (asked.question.n > run.task->info().max_n)
    fail_usage("--n {} goes beyond N = {}, the maximum for task {}", count_text(asked.question.n),
               count_text(run.task->info().max_n), run.task->info().name);
  // More observations can always be made; uses no more than in training.
  question.asked.size = [&run, n = asked.question.n, force = asked.force](const std::string& name, std::int64_t held) {
    const std::int64_t wanted = n > 0 ? n : largest_size(run, force);
    return file_set_size(run, {std::min(wanted, held), false, force}, name, held);
  };
  question.sets = open_items(*run.task, asked.question.set.file, asked.question.seed, asked.question.set.up);
  question.items = true;
  question.asked.within = false;  // sets made from items are slow to simulate
}

}  // namespace

SetsQuestion sets_question(const LoadedRun& run, const AskedSets& asked) {
  const TaskInfo& info = run.task->info();
  SetsQuestion question;
  if (!asked.question.set.given.empty()) question.asked.given = read_given(asked.question.set.given, "", info);
  check_given(*run.task, question.asked.given, "--conditions");
  if (asked.exact && !knows_exact(*run.task))
    fail_usage("The task {} knows no exact posterior of observed sets; leave --exact out", info.name);
  question.asked.exact = asked.exact;
  question.asked.source = asked.question.source;
  question.asked.refiner = refiner_of(run, asked.question.source);
  question.asked.seed = asked.question.seed;
  question.asked.draws = target_room_of(info).draws();
  check_fields(*run.task, asked.question.set);
  if (chooses_items(*run.task, asked.question.set)) {
    open_listed(run, asked, question);
    return question;
  }
  std::error_code error;
  question.asked.files = std::filesystem::is_directory(asked.question.set.file, error);
  question.asked.random = asked.question.set.random;
  question.asked.size = [&run, n = asked.question.n, force = asked.force,
                         random = asked.question.set.random.has_value()](const std::string& name, std::int64_t held) {
    SetSizeChoice of_set{n, random, force};
    if (of_set.n > 0) of_set.n = std::min(of_set.n, held);
    return file_set_size(run, of_set, name, held);
  };
  question.sets = open_sets(many_sets(*run.task, asked.question.set), info);
  return question;
}

AskedRun asked_run(const LoadedRun& run, const SetsQuestion& question) {
  AskedRun asked{.loaded = run, .trained = training_record(run)};
  if (question.items) asked.validated = external_validation_of(run);
  return asked;
}

nlohmann::json sets_about(const LoadedRun& run, const AskedSets& asked, const SetsQuestion& question) {
  const TaskInfo& info = run.task->info();
  nlohmann::json reported = {{"task", info.name},
                             {"run", run.name},
                             {"trained_on", run.estimator->data_source()},
                             {"data", printable(asked.question.set.file.string(), 4096)},
                             {"count", question.sets->count()},
                             {"targets", nlohmann::json::array()}};
  for (const Target& target : info.targets) reported["targets"].push_back(target.name);
  if (any_periodic(info.targets)) reported["periods"] = periods_document(info);
  for (const Given& one : info.given) reported["conditions"].push_back(one.name);
  if (!run.config.ensemble.empty()) reported["ensemble"] = members_document(run.config.ensemble);
  if (question.items) reported["items"] = face<Items>(*run.task)->item();
  if (!asked.question.set.group.empty()) reported["group"] = printable(asked.question.set.group, 4096);
  if (asked.question.set.missing == Missing::drop) reported["missing"] = missing_word(asked.question.set.missing);
  return reported;
}

std::string to_know_text(const SetRow& row) {
  const std::size_t others = row.warnings.size() - (row.verdict.warns() ? 1 : 0);
  std::string know = row.verdict.rejected() ? "model rejected" : row.verdict.warns() ? "out of distribution" : "";
  if (others > 0) know += (know.empty() ? "" : ", ") + counted(others, "warning");
  return know;
}

}  // namespace pairs
