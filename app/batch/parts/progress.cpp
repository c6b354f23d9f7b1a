#include "app/batch/parts/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "app/text/table.h"
#include "core/base/system/streams.h"
#include "core/base/threads/clock.h"
#include "core/report/number_text.h"
#include "core/train/events/event_values.h"

namespace pairs::batch {
namespace {

std::string bar(double share, int cells) {
  const int full = std::clamp(static_cast<int>(share * cells), 0, cells);
  return fmt::format("[{:#<{}}{:-<{}}]", "", full, "", cells - full);
}

std::string rate_text(double rate) {
  return rate >= 100 ? count_text(static_cast<std::int64_t>(std::llround(rate))) : fmt::format("{:.3g}", rate);
}

}  // namespace

std::string progress_line(const Progress& p, int width) {
  const double share = p.total > 0 ? static_cast<double>(p.done) / static_cast<double>(p.total) : 0;
  std::vector<std::string> parts = {fmt::format("{:<8} {} {:>3.0f} %", stage_name(p.stage),
                                                bar(share, width >= 80 ? 24 : 10), std::floor(100 * share)),
                                    fmt::format("{}/{} {}", count_text(p.done), count_text(p.total), p.unit)};
  if (p.rate > 0) parts.push_back(fmt::format("{} {}/s", rate_text(p.rate), p.unit));
  if (p.rate > 0 && p.done < p.total) parts.push_back("ETA " + clock_text(p.eta_seconds));
  if (!std::isnan(p.loss)) parts.push_back("loss " + number_text(p.loss, 3));
  if (!std::isnan(p.validation)) parts.push_back("validation " + number_text(p.validation, 3));
  std::string line = parts[0];
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (display_width(line) + 2 + display_width(parts[i]) > width) break;
    line += "  " + parts[i];
  }
  return line;
}

std::string event_line(const Event& event) {
  const char* stage = stage_name(event.stage);
  if (event.type == EventType::stage_started) return fmt::format("{} started", stage);
  if (event.type == EventType::resumed) return fmt::format("{} resumed at step {}", stage, count_text(event.step));
  if (event.type == EventType::prepared) return prepared_text(event);
  if (event.type == EventType::taken) return taken_text(event);
  if (event.type == EventType::lesson) return fmt::format("{} with {}", stage, event_text(event));
  if (event.type == EventType::stopped) return fmt::format("{} stopped and saved", stage);
  if (event.type == EventType::warning) return fmt::format("warning: {}", event_text(event));
  if (event.type == EventType::stage_done) {
    std::string line = fmt::format("{} done in {}", stage, duration_text(event.seconds));
    for (const char* key : {"loss", "validation"})
      if (const double value = event_number(event, key); !std::isnan(value))
        line += fmt::format(", {} {}", key, number_text(value, 4));
    return line;
  }
  return "";
}

ProgressPrinter::ProgressPrinter(Sink sink, bool terminal, int width, double interval)
    : sink_(std::move(sink)), terminal_(terminal), width_(width), interval_(interval) {}

void ProgressPrinter::line(const std::string& text) {
  finish();
  sink_(text + "\n");
}

void ProgressPrinter::event(const Event& event) {
  const std::string text = event_line(event);
  if (!text.empty()) line(text);
}

void ProgressPrinter::progress(const Progress& progress, double now) {
  // A new stage is shown at once on a terminal; elsewhere, alternating stages share one interval.
  if (progress.stage != stage_ && terminal_) last_ = -1e300;
  stage_ = progress.stage;
  if (last_ == -1e300 && !terminal_) last_ = now;  // the first line comes after one interval
  if (now - last_ < (terminal_ ? 0.1 : interval_)) return;
  last_ = now;
  if (terminal_) {
    sink_(std::string(kClearLine) + progress_line(progress, width_ - 1));
    drawn_ = true;
  } else {
    sink_(progress_line(progress, 160) + "\n");
  }
}

void ProgressPrinter::finish() {
  if (!drawn_) return;
  sink_(std::string(kClearLine));
  drawn_ = false;
}

ProgressPrinter stderr_printer() {
  const bool terminal = isatty(STDERR_FILENO) == 1;
  int width = 100;
  if (winsize size{}; terminal && ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40)
    width = size.ws_col;
  return {[](const std::string& text) { print(text); }, terminal, width};
}

std::function<void(std::int64_t, std::int64_t)> sets_step(ProgressPrinter& printer) {
  return [&printer, watch = Stopwatch()](std::int64_t done, std::int64_t sets) {
    Progress progress;
    progress.stage = Stage::evaluate;
    progress.unit = "sets";
    progress.done = done;
    progress.total = sets;
    printer.progress(progress, watch.seconds());
  };
}

}  // namespace pairs::batch
