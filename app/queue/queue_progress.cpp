#include "app/queue/queue_progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "app/studies/study_entry.h"
#include "app/studies/study_plan.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/report/number_text.h"
#include "core/train/run.h"
#include "core/train/run_progress.h"

namespace pairs {
namespace {

constexpr std::size_t kQueueStages = 3;

QueueProgress progress_of_run(const Catalogue& tasks, const QueueItem& item) {
  const RunConfig config = read_run_toml(tasks, item.folder / run_file::config);
  const RunStatus status = run_status(item.folder);
  const RunProgress told = read_recent_progress(item.folder / run_file::events);
  const std::array<bool, kQueueStages> done = {status.pretrained, status.cached, status.finished};
  const auto current = std::min(static_cast<std::size_t>(told.current()), kQueueStages - 1);
  QueueProgress progress;
  const double share = told.begun() ? told.share(config) : 0;
  // How far stage 2 is, its log does not tell.
  const std::string percent = current == static_cast<std::size_t>(Stage::cache) ? "" : " " + percent_text(share);
  if (told.begun() && !done[current]) progress.text = stage_name(static_cast<Stage>(current)) + percent;
  if (item.seconds.size() != kQueueStages) return progress;
  progress.left = 0;
  for (std::size_t k = 0; k < kQueueStages; ++k)
    if (!done[k]) progress.left += item.seconds[k] * (k == current && std::isfinite(share) ? 1 - share : 1);
  return progress;
}

QueueProgress progress_of_study(const Catalogue& tasks, const QueueItem& item) {
  const StudyEntry study = read_study_entry(tasks, item.data, item.folder);
  QueueProgress progress;
  if (!study.problem.empty() || study.all == 0) return progress;
  progress.text = fmt::format("{} of {} done", study.done, counted(study.all, "run"));
  if (item.seconds.size() != 1) return progress;
  const double open = static_cast<double>(study.all - study.done - study.failed);
  progress.left = item.seconds[0] * open / static_cast<double>(study.all);
  return progress;
}

}  // namespace

QueueProgress queue_progress(const Catalogue& tasks, const QueueItem& item) {
  try {
    if (item.state == QueueState::failed) return {};
    return item.kind == QueueKind::run ? progress_of_run(tasks, item) : progress_of_study(tasks, item);
  } catch (const std::exception&) {
    return {};  // why it cannot be trained is told by who trains it
  }
}

double seconds_left(const QueueView& view, const std::vector<QueueProgress>& progress) {
  double left = 0;
  for (std::size_t k = 0; k < view.items.size(); ++k)
    if (view.items[k].state != QueueState::failed) left += progress[k].left;
  return left;
}

std::vector<double> expected_seconds(const Catalogue& tasks, const QueueItem& item, const std::function<bool()>& stop) {
  if (item.kind == QueueKind::run) {
    const ExpectedCost need = expected_cost(read_run_toml(tasks, item.folder / run_file::config), stop);
    return {need.pretrain_seconds, need.cache_seconds, need.finetune_seconds};
  }
  const std::vector<StudyRun> runs = on_share_of_cores(runs_of_study(tasks, item.data, item.folder), item.processes);
  return {study_seconds(plan_study(runs, {}, stop), item.processes)};
}

}  // namespace pairs
