#include "app/model/posterior/work/sample_saving.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "app/kinds/target_room.h"
#include "app/posterior/caveats/verdict.h"
#include "app/posterior/files/posterior_samples.h"
#include "app/posterior/set_posterior/set_posterior.h"
#include "app/posterior/set_posterior/usual_tests.h"
#include "core/base/files/files.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/report/number_text.h"
#include "core/train/run/run.h"

namespace pairs::model {
namespace {

// Returns false if stopped before anything was written.
bool write_asked_samples(const Tasks& tasks, const SamplesAsked& asked, const LatestWorker::Stale& stale) {
  const LoadedRun run = load_run(tasks, asked.question.run, asked.data, asked.device);
  const TaskInfo& info = run.task->info();
  if (asked.draws < 2 || asked.draws > most_samples(info))
    fail_usage("{} samples cannot be drawn; ask for 2 to {}", count_text(asked.draws), count_text(most_samples(info)));
  check_writable(asked.file);
  SetPosterior posterior(std::make_shared<ObservedSet>(run.task, asked.question.set), {{run}});
  posterior.embed_until(asked.question.n, [&] { return !stale(); });
  const SourceWish source = asked.question.source;
  posterior.refine_by(
      refiner_of(run, source), source, [&] { return !stale(); }, asked.question.seed);
  const PosteriorAnswer answer = posterior.answer(asked.question.n);
  PAIRS_CHECK(source != SourceWish::refined || answer.refined_first(), "{}",
              answer.problems.empty() ? "The posterior is not refined" : answer.problems.front());
  // Draws as many as infer does, because the last digits depend on their number.
  const TargetRoom& room = target_room_of(info);
  const std::int64_t draws = room.in_folder() ? asked.draws : std::max(asked.draws, room.draws());
  const torch::Tensor samples = posterior.samples(answer, draws, asked.question.seed);
  if (stale()) return false;
  // Uses infer's verdict, including the default tests.
  const ModelVerdict verdict = usual_tests(posterior, asked.question.n, asked.question.seed, [&] {
                                 return !stale();
                               }).verdict(answer.typicality);
  std::map<std::string, torch::Tensor> arrays =
      trust_arrays(answer.typicality, !answer_warnings(posterior, answer, verdict).empty());
  arrays["samples"] = samples.slice(0, 0, asked.draws).contiguous();
  write_samples(asked.file, arrays, info,
                {posterior.set().first(asked.question.n), {{"run", run.name}, {"data", posterior.set().words()}}});
  return true;
}

}  // namespace

void SampleSaving::save(SamplesAsked asked) {
  const std::filesystem::path file = asked.file;
  job_.start(file, [tasks = hub_.tasks, asked = std::move(asked)](const LatestWorker::Stale& stale) {
    return write_asked_samples(tasks, asked, stale);
  });
}

}  // namespace pairs::model
