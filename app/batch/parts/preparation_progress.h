#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <string>
#include <utility>

#include "core/base/system/streams.h"
#include "core/base/text/text.h"
#include "core/base/threads/clock.h"
#include "core/report/number_text.h"
#include "core/task.h"

namespace pairs::batch {

// Prints the progress of a preparation on stderr: on a terminal in one line, else a line every ten seconds.
class PreparationProgress {
 public:
  explicit PreparationProgress(std::string name) : name_(std::move(name)) {}
  ~PreparationProgress() {
    if (drawn_) print(kClearLine);
  }
  PreparationProgress(const PreparationProgress&) = delete;
  PreparationProgress& operator=(const PreparationProgress&) = delete;

  Preparation follow() {
    return {.stop = {}, .progress = [this](const std::string& what, std::int64_t done, std::int64_t total) {
              if (since_.seconds() < (terminal_ ? 0.1 : 10)) return;
              since_.restart();
              drawn_ = terminal_;
              print(fmt::format("{}{}: {}, {}{}{}", terminal_ ? kClearLine : "", name_, what, count_text(done),
                                total > 0 ? " of " + count_text(total) : "", terminal_ ? "" : "\n"));
            }};
  }

 private:
  std::string name_;
  bool terminal_ = ::isatty(STDERR_FILENO) == 1, drawn_ = false;
  Stopwatch since_;
};

}  // namespace pairs::batch
