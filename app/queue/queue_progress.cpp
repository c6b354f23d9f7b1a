#include "app/queue/queue_progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "app/studies/study_entry.h"
#include "app/studies/study_plan.h"
#include "core/base/text/error.h"
#include "core/base/text/text.h"
#include "core/report/number_text.h"
#include "core/train/run/run.h"
#include "core/train/run/run_progress.h"
#include "core/train/stages/likelihood_stage.h"

namespace pairs {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kQueueStages = 4;

double seconds_since_1970(fs::file_time_type time) {
  return std::chrono::duration<double>(fs::file_time_type::clock::to_sys(time).time_since_epoch()).count();
}

// NaN stays NaN.
double not_below_zero(double value) {
  return value < 0 ? 0 : value;
}

// The time since the current item's last output, from its file's time; 0 if there is none since it was started or
// resumed.
double silence(const QueueItem& item, const fs::path& file, double now) {
  std::error_code error;
  const fs::file_time_type time = fs::last_write_time(file, error);
  if (error || item.state != QueueState::working) return 0;
  const double reported = seconds_since_1970(time);
  return reported < item.since ? 0 : std::max(0.0, now - reported);
}

// The pace of an epoch of the current stage, from this session's losses; NaN before there are any.
double seconds_an_epoch(const RunProgress& reported, const StageRecord& record) {
  const auto& losses = reported.losses(reported.current());
  const auto head = losses.find(record.head);
  if (head == losses.end() || head->second.empty() || !record.running) return NAN;
  const LossPoint& last = head->second.back();
  const LossPoint* first = &last;
  for (auto at = head->second.rbegin(); at != head->second.rend() && at->before == last.before; ++at) first = &*at;
  if (last.seconds <= 0 || last.before != record.before) return NAN;
  if (first == &last) return last.seconds;
  return (last.seconds - first->seconds) / static_cast<double>(std::max<std::int64_t>(1, last.epoch - first->epoch));
}

// The current stage of a run: its total and remaining time in seconds.
struct StageTime {
  double all = NAN, left = NAN;
  bool measured = false;  // from its own speed, else as expected
};

StageTime time_of_stage(const RunConfig& config, const RunProgress& reported, double expected, double silent) {
  const StageRecord& record = reported.stage(reported.current());
  const double share = reported.share(config);
  if (reported.current() == Stage::cache) return {expected, not_below_zero(expected - silent), false};
  const double heads = many_heads(config, reported.current()) ? static_cast<double>(config.cache.sizes.size()) : 1;
  const double epochs = heads * static_cast<double>(std::max<std::int64_t>(1, record.epochs));
  const double measured = seconds_an_epoch(reported, record);
  StageTime time;
  time.measured = std::isfinite(measured);
  double epoch = time.measured ? measured : expected / epochs;
  // An unusually slow epoch counts while it lasts.
  if (share < 1 && silent > epoch) {
    time.measured = true;
    epoch = silent;
  }
  time.all = epoch * epochs;
  time.left = not_below_zero(time.all * (1 - share) - silent);
  return time;
}

QueueProgress progress_of_run(const Catalog& tasks, const QueueItem& item, double now) {
  const RunConfig config = read_run_toml(tasks, item.folder / run_file::config);
  const RunStatus status = run_status(item.folder);
  const RunProgress trained = read_recent_progress(item.folder / run_file::events);
  const std::array<bool, kQueueStages> done = {status.pretrained, status.cached, status.finished,
                                               !likelihood_missing(item.folder, config)};
  // The likelihood, which follows a finished run, has a log of its own.
  const bool learns = status.finished && !done.back();
  const fs::path log = (learns ? likelihood_folder(item.folder) : item.folder) / run_file::events;
  const RunProgress reported = learns ? read_recent_progress(log) : trained;
  const auto current = learns ? kQueueStages - 1 : static_cast<std::size_t>(reported.current());
  QueueProgress progress;
  const double share = reported.begun() ? reported.share(config) : 0;
  // The log has no progress of stage 2.
  const std::string percent = current == static_cast<std::size_t>(Stage::cache) ? "" : " " + percent_text(share);
  const bool begun = reported.begun() && !done[current];
  if (begun) progress.text = stage_name(static_cast<Stage>(current)) + percent;
  const auto expected = [&](std::size_t k) {
    if (k > 0 && k + 1 < kQueueStages && !strategy(config.strategy).stages_2_and_3) return 0.0;
    return item.seconds.size() == kQueueStages ? item.seconds[k] : NAN;
  };
  // The measured time of this run over the expected time of the same stages.
  double taken = 0, wanted = 0;
  StageTime time;
  if (item.state == QueueState::working) {
    for (std::size_t k = 0; k < kQueueStages; ++k) {
      const StageRecord& record = (learns && k + 1 == kQueueStages ? reported : trained).stage(static_cast<Stage>(k));
      if (!record.done || !(record.seconds > 0) || !(expected(k) > 0)) continue;
      taken += record.seconds;
      wanted += expected(k);
    }
    if (begun) {
      const double before = wanted > 0 ? taken / wanted : 1;
      const double silent = silence(item, log, now);
      time = time_of_stage(config, reported, expected(current) * before, silent);
      if (time.measured && expected(current) > 0) {
        taken += time.all;
        wanted += expected(current);
      }
    }
    if (wanted > 0) progress.pace = taken / wanted;
  }
  progress.left = 0;
  for (std::size_t k = 0; k < kQueueStages; ++k) {
    if (done[k]) continue;
    if (k == current && begun && std::isfinite(time.left))
      progress.left += time.left;
    else
      progress.left +=
          expected(k) * (k == current ? 1 - share : 1) * (std::isfinite(progress.pace) ? progress.pace : 1);
  }
  return progress;
}

// When the last run of a study ended, in seconds since 1970, and the number of runs that have ended since it was
// started or resumed.
struct StudyEnds {
  double last = 0, count = 0;
};

StudyEnds ends_since(const fs::path& study, double since) {
  StudyEnds ends{since, 0};
  std::error_code error;
  for (fs::directory_iterator at(study, error), end; !error && at != end; at.increment(error)) {
    std::error_code missing;
    const fs::file_time_type time = fs::last_write_time(at->path() / run_file::metrics, missing);
    if (missing || seconds_since_1970(time) < since) continue;
    ends.last = std::max(ends.last, seconds_since_1970(time));
    ++ends.count;
  }
  return ends;
}

QueueProgress progress_of_study(const Catalog& tasks, const QueueItem& item, double now) {
  const StudyEntry study = read_study_entry(tasks, item.data, item.folder);
  QueueProgress progress;
  if (!study.problem.empty() || study.all == 0) return progress;
  progress.text = fmt::format("{} of {} done", study.done, counted(study.all, "run"));
  const double open = static_cast<double>(study.all - study.done - study.failed);
  const double expected = item.seconds.size() == 1 ? item.seconds[0] / static_cast<double>(study.all) : NAN;
  progress.left = expected * open;
  if (item.state != QueueState::working || !(item.since > 0)) return progress;
  const StudyEnds ends = ends_since(item.folder, item.since);
  const double silent = std::max(0.0, now - ends.last);
  double run = ends.count > 0 ? (ends.last - item.since) / ends.count : expected;
  // Parallel runs end together.
  const double slowest = silent / static_cast<double>(item.processes);
  const bool slower = slowest > run;
  if (slower) run = slowest;
  if ((ends.count > 0 || slower) && expected > 0) progress.pace = run / expected;
  progress.left = not_below_zero(run * open - silent);
  return progress;
}

}  // namespace

QueueProgress queue_progress(const Catalog& tasks, const QueueItem& item, double now) {
  try {
    if (item.state == QueueState::failed) return {};
    return item.kind == QueueKind::run ? progress_of_run(tasks, item, now) : progress_of_study(tasks, item, now);
  } catch (const std::exception&) {
    return {};  // the trainer reports why it cannot be trained
  }
}

std::vector<QueueProgress> queue_progress(const Catalog& tasks, const QueueView& view, double now) {
  std::vector<QueueProgress> all;
  double pace = 1;
  for (const QueueItem& item : view.items) {
    QueueProgress& progress = all.emplace_back(queue_progress(tasks, item, now));
    if (item.state == QueueState::waiting) progress.left *= pace;
    if (std::isfinite(progress.pace)) pace = progress.pace;
  }
  return all;
}

QueueTime time_left(const QueueView& view, const std::vector<QueueProgress>& progress) {
  QueueTime time;
  double seconds = 0;
  bool any = false;
  for (std::size_t k = 0; k < view.items.size(); ++k) {
    if (view.items[k].state == QueueState::failed) continue;
    const bool known = std::isfinite(progress[k].left);
    time.whole &= known;
    time.measured |= std::isfinite(progress[k].pace);
    any |= known;
    if (known) seconds += progress[k].left;
  }
  if (any || time.whole) time.seconds = seconds;
  return time;
}

std::vector<double> expected_seconds(const Catalog& tasks, const QueueItem& item, const std::function<bool()>& stop) {
  if (item.kind == QueueKind::run) {
    const ExpectedCost need = expected_cost(read_run_toml(tasks, item.folder / run_file::config), stop);
    return stage_seconds(need);
  }
  const std::vector<StudyRun> runs = on_share_of_cores(runs_of_study(tasks, item.data, item.folder), item.processes);
  return {study_seconds(plan_study(runs, {}, stop), item.processes)};
}

}  // namespace pairs
