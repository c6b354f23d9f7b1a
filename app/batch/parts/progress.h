#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "core/train/events/events.h"

namespace pairs::batch {

// The progress of a stage in one line: bar, share, count, rate, ETA, losses; at most `width` columns.
std::string progress_line(const Progress& progress, int width);

// The sentence of an event for the user; empty for events that only the log file holds.
std::string event_line(const Event& event);

// Prints events and progress: on a terminal one line that is redrawn, otherwise a line every `interval` seconds. The
// caller provides the time, in seconds from any origin.
class ProgressPrinter {
 public:
  using Sink = std::function<void(const std::string&)>;
  ProgressPrinter(Sink sink, bool terminal, int width = 100, double interval = 10);
  void event(const Event& event);
  // Draws `progress` if it is due at time `now`.
  void progress(const Progress& progress, double now);
  // Prints a separate line.
  void line(const std::string& text);
  // Removes the redrawn line.
  void finish();

 private:
  Sink sink_;
  bool terminal_;
  int width_;
  double interval_, last_ = -1e300;
  Stage stage_ = Stage::pretrain;
  bool drawn_ = false;
};

// A printer on stderr; detects whether that is a terminal, and its width.
ProgressPrinter stderr_printer();

// A function that reports finished sets and their total to the printer, which outlives it; measures time from this call
// on.
std::function<void(std::int64_t done, std::int64_t sets)> sets_step(ProgressPrinter& printer);

}  // namespace pairs::batch
