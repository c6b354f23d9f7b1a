#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "core/train/events.h"

namespace pairs::batch {

// One line that says where a stage is: bar, share, count, rate, ETA, losses; at most `width` columns.
std::string progress_line(const Progress& progress, int width);

// The sentence for an event that people should see; empty for those that only the log file holds.
std::string event_line(const Event& event);

// Writes events and progress for people: on a terminal one line that is redrawn, otherwise a line every `interval`
// seconds. Time is given by the caller, in seconds from any origin.
class ProgressPrinter {
 public:
  using Sink = std::function<void(const std::string&)>;
  ProgressPrinter(Sink sink, bool terminal, int width = 100, double interval = 10);
  void event(const Event& event);
  // Draws `progress` when it is due at time `now`.
  void progress(const Progress& progress, double now);
  // A line of its own.
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

// A printer on stderr; knows whether that is a terminal and how wide.
ProgressPrinter stderr_printer();

// Tells the printer, which outlives it, of sets that are done and of how many; time is counted from here on.
std::function<void(std::int64_t done, std::int64_t sets)> sets_step(ProgressPrinter& printer);

}  // namespace pairs::batch
