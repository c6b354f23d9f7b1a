#include "core/train/run/run_progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/text/error.h"
#include "core/report/number_text.h"
#include "core/train/events/event_values.h"
#include "core/train/run/run.h"

namespace pairs {
namespace {

constexpr std::size_t kKeptLines = 200;
constexpr std::int64_t kRecentBytes = 256 << 10;

std::string line_of(const Event& event) {
  const std::string stage = stage_name(event.stage);
  const std::int64_t n = event_count(event, "n");
  const std::string head = n > 0 ? fmt::format(" (head of N = {})", count_text(n)) : "";
  if (event.type == EventType::started_from) {
    const std::string from = event_text(event, "from");
    return "starts from " + (from.empty() ? "another run" : from);
  }
  if (event.type == EventType::stage_started) return fmt::format("{}{} started", stage, head);
  if (event.type == EventType::resumed)
    return fmt::format("{}{} resumed at step {}", stage, head, count_text(event.step));
  if (event.type == EventType::stage_done) return fmt::format("{} done after {}", stage, duration_text(event.seconds));
  if (event.type == EventType::stopped) return fmt::format("stopped in {}", stage);
  if (event.type == EventType::done) return "run done";
  if (event.type == EventType::prepared) return prepared_text(event);
  if (event.type == EventType::taken) return taken_text(event);
  if (event.type == EventType::lesson) return fmt::format("{} with {}", stage, event_text(event));
  return fmt::format("{}: {}", event_type_name(event.type), event_text(event));
}

}  // namespace

void RunProgress::add(const Event& event) {
  if (event.type == EventType::damaged) {
    damaged_ = true;
    lines_.push_back(line_of(event));
    if (lines_.size() > kKeptLines) lines_.erase(lines_.begin());
    return;
  }
  Slot& slot = slots_[static_cast<std::size_t>(event.stage)];
  StageRecord& record = slot.record;
  const std::int64_t head = event_count(event, "n");
  const bool of_stage = begins_stage(event) || event.type == EventType::loss || event.type == EventType::stage_done;
  if (of_stage && event.stage != Stage::evaluate) {
    begun_ = true;
    current_ = event.stage;
  }
  if (event.type == EventType::loss) {
    LossPoint point{event.epoch,
                    event.step,
                    event.seconds,
                    event_number(event, "train"),
                    event_number(event, "validation"),
                    record.before,
                    1,
                    event_number(event, "rate"),
                    event_numbers(event, "train_parts"),
                    event_numbers(event, "unexplained")};
    std::vector<LossPoint>& points = slot.losses[head];
    record.rate = NAN;
    if (!points.empty() && points.back().seconds < point.seconds && points.back().step < point.step)
      record.rate = static_cast<double>(point.step - points.back().step) / (point.seconds - points.back().seconds);
    record.seconds = event.seconds;
    record.last = point;
    record.epochs_done = event.epoch + 1;
    points.push_back(point);
    return;
  }
  if (event.type == EventType::lesson) lessons_[event.step] = event_text(event);
  lines_.push_back(line_of(event));
  if (lines_.size() > kKeptLines) lines_.erase(lines_.begin());
  if (begins_stage(event)) {
    record.begun = record.running = true;
    record.done = false;
    record.head = head;
    record.epochs = event_count(event, "epochs");
    record.steps = event_count(event, "steps");
    record.before += record.seconds;
    record.seconds = 0;
    record.rate = NAN;
    const auto left = slot.losses.find(head);
    if (left != slot.losses.end())
      while (!left->second.empty() && left->second.back().epoch >= event.epoch) left->second.pop_back();
    record.last = left == slot.losses.end() || left->second.empty() ? LossPoint{} : left->second.back();
    record.last.step = std::max(record.last.step, event.step);
    record.epochs_done = event.epoch;
    record.sets = record.refreshes = record.embedded = 0;
    error_.clear();
    stopped_ = false;
  } else if (event.type == EventType::stage_done) {
    record.running = false;
    record.done = true;
    // Stages 1 and 3 log their time over all sessions, the cache only that of its last.
    if (event.stage != Stage::cache) record.before = 0;
    record.seconds = event.seconds;
    record.sets = event_number(event, "sets", 0);
    record.refreshes = event_number(event, "refreshes", 0);
    record.embedded = event_number(event, "embedded", 0);
    if (event.stage == Stage::cache) {
      const std::vector<double> sizes = event_numbers(event, "held_n"), held = event_numbers(event, "held");
      held_.clear();
      for (std::size_t i = 0; i < std::min(sizes.size(), held.size()); ++i)
        held_[static_cast<std::int64_t>(sizes[i])] = static_cast<std::int64_t>(held[i]);
    }
    if (event.values.contains("prior_gain")) learned_nothing_ = event.values.contains("learned_nothing");
  } else if (event.type == EventType::started_from) {
    before_ = event_number(event, "gflop");
    before_with_cache_ = event_number(event, "gflop_with_cache");
  } else if (event.type == EventType::stopped || event.type == EventType::error || event.type == EventType::done) {
    // Work since the last loss counts, too.
    if (StageRecord& open = slots_[static_cast<std::size_t>(current_)].record; open.running)
      open.seconds = std::max(open.seconds, event_number(event, "stage_seconds", 0));
    for (Slot& each : slots_) each.record.running = false;
    // Steps since the last loss are saved, too.
    if (event.type == EventType::stopped && event.stage != Stage::cache)
      record.last.step = std::max(record.last.step, event.step);
    stopped_ = event.type == EventType::stopped;
    error_ = event.type == EventType::error ? event_text(event) : "";
  }
}

bool RunProgress::has_losses() const {
  return std::any_of(std::begin(slots_), std::end(slots_), [](const Slot& slot) { return !slot.losses.empty(); });
}

double RunProgress::share(const RunConfig& config) const {
  if (!begun_) return 0;
  const StageRecord& record = stage(current_);
  if (record.done) return 1;
  const std::int64_t planned = current_ == Stage::pretrain   ? config.pretrain.epochs
                               : current_ == Stage::finetune ? config.finetune.epochs
                                                             : 1;
  const double epochs = static_cast<double>(std::max<std::int64_t>(record.epochs > 0 ? record.epochs : planned, 1));
  double part = static_cast<double>(record.epochs_done) / epochs;
  if (record.steps > 0)
    part = std::max(part, static_cast<double>(record.last.step) / (epochs * static_cast<double>(record.steps)));
  return stage_share(config, current_, record.head, std::clamp(part, 0.0, 1.0));
}

RunProgress read_progress(const std::filesystem::path& log) {
  std::error_code error;
  RunProgress progress;
  if (!std::filesystem::exists(log, error)) return progress;
  std::int64_t offset = 0;
  PAIRS_CHECK(follow_events(log, offset, [&](const Event& event) { progress.add(event); }),
              "The event log {} cannot be read; is this a run folder?", log.string());
  return progress;
}

RunProgress read_recent_progress(const std::filesystem::path& log) {
  std::error_code error;
  RunProgress progress;
  const auto bytes = std::filesystem::file_size(log, error);
  if (error) return progress;
  std::int64_t offset = std::max<std::int64_t>(0, static_cast<std::int64_t>(bytes) - kRecentBytes);
  follow_events(log, offset, [&](const Event& event) { progress.add(event); });
  return progress;
}

std::string record_problem(const RunConfig& config, const RunProgress& progress, bool finished) {
  if (progress.damaged())
    return fmt::format("its {} is damaged: lines of it were changed, cut or lost", run_file::events);
  if (!config.ensemble.empty()) return "";
  constexpr std::pair<Stage, int> kStages[] = {{Stage::pretrain, 1}, {Stage::cache, 2}, {Stage::finetune, 3}};
  const bool later = finished && strategy(config.strategy).stages_2_and_3;
  for (const auto& [stage, number] : kStages)
    if ((stage == Stage::pretrain || later) && !progress.stage(stage).done)
      return fmt::format("its {} does not hold the end of stage {}: it is cut short or damaged", run_file::events,
                         number);
  return "";
}

bool many_heads(const RunConfig& config, Stage stage) {
  return stage == Stage::finetune && config.finetune.heads == "per-n" && !config.cache.sizes.empty();
}

std::size_t head_place(const RunConfig& config, std::int64_t head) {
  const auto& sizes = config.cache.sizes;
  const auto at = static_cast<std::size_t>(std::find(sizes.begin(), sizes.end(), head) - sizes.begin());
  return std::min(at, sizes.size() - 1);
}

double stage_share(const RunConfig& config, Stage stage, std::int64_t head, double part) {
  if (!many_heads(config, stage)) return part;
  return (static_cast<double>(head_place(config, head)) + part) / static_cast<double>(config.cache.sizes.size());
}

}  // namespace pairs
