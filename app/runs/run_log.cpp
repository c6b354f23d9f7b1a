#include "app/runs/run_log.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/estimator.h"
#include "core/report/number_text.h"
#include "core/train/event_values.h"

namespace pairs {
namespace {

constexpr std::size_t kKeptLines = 200;

std::string line_of(const Event& event) {
  const std::string stage = stage_name(event.stage);
  const std::int64_t n = event_count(event, "n");
  const std::string head = n > 0 ? fmt::format(" (head of N = {})", count_text(n)) : "";
  if (event.type == "started-from") {
    const std::string from = event_text(event, "from");
    return "starts from " + (from.empty() ? "another run" : from);
  }
  if (event.type == "stage-started") return fmt::format("{}{} started", stage, head);
  if (event.type == "resumed") return fmt::format("{}{} resumed at step {}", stage, head, count_text(event.step));
  if (event.type == "stage-done") return fmt::format("{} done after {}", stage, duration_text(event.seconds));
  if (event.type == "stopped") return fmt::format("stopped in {}", stage);
  if (event.type == "done") return "run done";
  if (event.type == "prepared") return prepared_text(event);
  if (event.type == "lesson") return fmt::format("{} with {}", stage, event_text(event));
  return event.type + ": " + event_text(event);
}

}  // namespace

void RunLog::add(const Event& event) {
  Slot& slot = stages_[static_cast<std::size_t>(event.stage)];
  StageRecord& record = slot.record;
  const std::int64_t head = event_count(event, "n");
  if (event.type == "loss") {
    LossPoint point{event.epoch, event.step, event.seconds, event_number(event, "train"),
                    event_number(event, "validation")};
    std::vector<LossPoint>& points = slot.losses[head];
    record.rate = NAN;
    if (!points.empty() && points.back().seconds < point.seconds && points.back().step < point.step)
      record.rate = static_cast<double>(point.step - points.back().step) / (point.seconds - points.back().seconds);
    record.seconds = event.seconds;
    record.last = point;
    points.push_back(point);
    return;
  }
  if (event.type == "lesson") lessons_[event.step] = event_text(event);
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
    current_ = event.stage;
    error_.clear();
    stopped_ = false;
  } else if (event.type == "stage-done") {
    record.running = false;
    record.done = true;
    // Stages 1 and 3 tell their time over all sessions, the cache that of its last.
    if (event.stage != Stage::cache) record.before = 0;
    record.seconds = event.seconds;
  } else if (event.type == "stopped" || event.type == "error" || event.type == "done") {
    for (Slot& each : stages_) each.record.running = false;
    // Steps since the last loss are saved, too.
    if (event.type == "stopped" && event.stage != Stage::cache)
      record.last.step = std::max(record.last.step, event.step);
    stopped_ = event.type == "stopped";
    error_ = event.type == "error" ? event_text(event) : "";
  }
}

void add_losses(Plot& plot, const RunLog& log, Stage stage, SeriesRole role, const std::string& name) {
  if (stage == Stage::pretrain && name.empty())
    for (const auto& [step, settings] : log.lessons())
      if (step > 0) plot.rules.push_back({settings, SeriesRole::other, static_cast<double>(step)});
  for (const auto& [n, points] : log.losses(stage)) {
    const std::string head = name + (n > 0 ? fmt::format("N = {}, ", n) : "");
    for (const bool training : {true, false}) {
      Line line;
      line.name = head + (training ? "training" : "validation");
      line.role = role;
      line.style = training ? LineStyle::dotted : LineStyle::solid;
      line.x.reserve(points.size());
      line.y.reserve(points.size());
      for (const LossPoint& point : points)
        if (const double y = training ? point.train : point.validation; std::isfinite(y)) {
          line.x.push_back(static_cast<double>(point.step));
          line.y.push_back(y);
        }
      line.markers = line.x.size() < 4;
      if (!line.x.empty()) plot.lines.push_back(std::move(line));
    }
  }
}

std::string loss_label(const HeadConfig& head) {
  return head_kind(head.kind).loss_text;
}

void fit_losses(Plot& plot, const std::string& label) {
  plot.x.label = "step";
  plot.y.label = label;
  for (const Line& line : plot.lines) plot.x.high = std::max(plot.x.high, 1.02 * line.x.back());
}

}  // namespace pairs
